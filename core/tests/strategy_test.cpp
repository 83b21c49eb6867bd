// Proves when a label is asked for: each rule on evidence worked out by hand, with the draws of a twin generator; what
// moves the threshold and what does not; and that a strategy read back decides as if it had never stopped.
#include "sapwood/strategy.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Strategy named(const char* name) {
    return Strategy(parse_strategy(name));
}

Evidence leaf(double margin, double m, double t = 1000.0, double k = 2.0) {
    Evidence evidence;
    evidence.margin = margin;
    evidence.m = m;
    evidence.t = t;
    evidence.k = k;
    return evidence;
}

Evidence sure(double confidence) {
    Evidence evidence;
    evidence.confidence = confidence;
    return evidence;
}

Evidence random_evidence(Random& random) {
    Evidence evidence = leaf(random.uniform() / 2.0, static_cast<double>(random.below(400)),
                             1.0 + static_cast<double>(random.below(5000)), 2.0 + static_cast<double>(random.below(6)));
    evidence.confidence = random.uniform();
    return evidence;
}

}  // namespace

TEST(the_margin_is_half_the_lead_of_the_first_class) {
    const auto weighed = [](std::vector<double> learned) {
        Evidence evidence;
        evidence.margin = evidence.m = 9.0;  // of another leaf
        evidence.weigh(learned.data(), learned.size());
        return evidence;
    };
    CHECK_EQ(weighed({}).m, 0.0);
    CHECK_EQ(weighed({}).margin, 0.0);
    CHECK_EQ(weighed({0.0, 0.0}).margin, 0.0);
    CHECK_EQ(weighed({3.0, 1.0}).m, 4.0);
    CHECK_EQ(weighed({3.0, 1.0}).margin, 0.25);  // |3/4 - 1/2|
    CHECK_EQ(weighed({1.0, 3.0}).margin, 0.25);
    CHECK_EQ(weighed({5.0}).margin, 0.5);
    CHECK_EQ(weighed({4.0, 4.0}).margin, 0.0);
    CHECK_EQ(weighed({1.0, 4.0, 2.0, 1.0}).margin, (4.0 - 2.0) / 8.0 / 2.0);
    CHECK_EQ(weighed({4.0, 4.0, 0.0}).margin, 0.0);
    const double spread[] = {6.0, 100.0, 1.0, 2.0, 100.0, 1.0};  // only every third is a count
    Evidence evidence;
    evidence.weigh(spread, 2, 3);
    CHECK_EQ(evidence.m, 8.0);
    CHECK_EQ(evidence.margin, 0.25);
}

TEST(the_margin_is_that_of_the_sorted_counts) {
    Random random(1);
    for (int i = 0; i < 500; ++i) {
        std::vector<double> counts(random.below(8));
        for (double& n : counts) n = static_cast<double>(random.below(5));
        Evidence evidence;
        evidence.weigh(counts.data(), counts.size());
        double sum = 0.0;
        for (const double n : counts) sum += n;
        counts.resize(counts.size() + 2, 0.0);
        std::sort(counts.rbegin(), counts.rend());
        CHECK_EQ(evidence.m, sum);
        CHECK_EQ(evidence.margin, sum > 0.0 ? (counts[0] - counts[1]) / sum / 2.0 : 0.0);
    }
}

TEST(epsilon_is_that_of_theorem_5) {
    // K = 2, t = 1000, delta = 1/t: sqrt(ln(2 * 1000 * 1000) / (2 * 100)).
    CHECK_NEAR(leaf_epsilon(leaf(0.1, 100), 0.0), std::sqrt(14.508657738524219 / 200.0), 1e-15);
    CHECK_EQ(leaf_epsilon(leaf(0.1, 100), 0.0), std::sqrt(std::log(2.0 * 1.0 * 1000.0 * 1000.0) / 200.0));
    CHECK_EQ(leaf_epsilon(leaf(0.1, 100), 0.05), std::sqrt(std::log(2.0 * 1.0 * 1000.0 / 0.05) / 200.0));
    CHECK_EQ(leaf_epsilon(leaf(0.1, 100, 1000, 7), 0.0), std::sqrt(std::log(2.0 * 6.0 * 1000.0 * 1000.0) / 200.0));
    CHECK_EQ(leaf_epsilon(leaf(0.1, 100, 1000, 7), 0.05), std::sqrt(std::log(2.0 * 6.0 * 1000.0 / 0.05) / 200.0));
    CHECK_EQ(leaf_epsilon(leaf(0.5, 1, 1), 0.0), std::sqrt(std::log(2.0) / 2.0));
    CHECK_EQ(leaf_epsilon(leaf(0.5, 0), 0.0), kInfinity);
    // docs/theory.md: no leaf is consistent with up to 29 labels at t = 1000.
    CHECK(leaf_epsilon(leaf(0.5, 29), 0.0) > 0.5);
    CHECK(leaf_epsilon(leaf(0.5, 30), 0.0) < 0.5);
}

TEST(all_and_none_draw_nothing) {
    Rng rng(1);
    Random random(2);
    Strategy all = named("all"), none = named("none");
    for (int i = 0; i < 50; ++i) {
        const Evidence evidence = random_evidence(random);
        const Verdict yes = all.decide(evidence, random.uniform(), rng), no = none.decide(evidence, 1.0, rng);
        CHECK(yes.ask && yes.feeds && yes.ground == Ground::always);
        CHECK(!no.ask && no.ground == Ground::always);
        CHECK_EQ(all.unsure(evidence, 0.1), 1.0);
        CHECK_EQ(none.unsure(evidence, 0.1), 0.0);
    }
    CHECK_EQ(rng.state(), Rng(1).state());
    CHECK_EQ(all.theta(), 1.0);
}

TEST(random_asks_with_probability_b) {
    Strategy strategy = named("random");
    for (const double rate : {0.0, 0.1, 0.5, 1.0}) {
        Rng rng(3), twin(3);
        int asked = 0;
        for (int i = 0; i < 20000; ++i) {
            const Verdict verdict = strategy.decide(sure(0.3), rate, rng);
            const double draw = twin.uniform();
            CHECK_EQ(verdict.ask, draw <= rate && rate > 0.0);
            CHECK(verdict.feeds && verdict.ground == Ground::draw);
            CHECK_EQ(verdict.value, draw);
            CHECK_EQ(verdict.limit, rate);
            asked += verdict.ask;
        }
        CHECK_EQ(rng.state(), twin.state());
        CHECK_NEAR(asked / 20000.0, rate, 0.012);
        CHECK_EQ(strategy.unsure(sure(0.3), rate), rate);
    }
}

TEST(variable_uncertainty_moves_its_threshold) {
    StrategyParams params = parse_strategy("variable-uncertainty");
    params.step = 0.25;
    params.theta = 0.8;
    Strategy strategy(params);
    Rng rng(4);
    const auto decide = [&](double confidence) { return strategy.decide(sure(confidence), 0.1, rng); };
    Verdict verdict = decide(0.8);  // not below the threshold
    CHECK(!verdict.ask && verdict.feeds && verdict.ground == Ground::confidence);
    CHECK_EQ(verdict.value, 0.8);
    CHECK_EQ(verdict.limit, 0.8);
    CHECK_EQ(strategy.theta(), 0.8 * 1.25);
    CHECK_EQ(strategy.unsure(sure(0.99), 0.1), 1.0);
    CHECK_EQ(strategy.unsure(sure(1.0), 0.1), 0.0);
    verdict = decide(0.99);
    CHECK(verdict.ask);
    CHECK_EQ(strategy.theta(), 0.8 * 1.25 * 0.75);
    verdict = decide(0.0);
    CHECK(verdict.ask);
    CHECK_EQ(verdict.limit, 0.8 * 1.25 * 0.75);
    CHECK_EQ(strategy.theta(), 0.8 * 1.25 * 0.75 * 0.75);
    CHECK_EQ(rng.state(), Rng(4).state());
    CHECK_EQ(strategy.params().theta, 0.8);  // where it began
}

TEST(the_draw_of_randomized_uncertainty_is_not_kept) {
    Strategy strategy = named("randomized-variable-uncertainty");
    Rng rng(5), twin(5);
    Random random(6);
    double theta = 1.0;
    int both[2] = {0, 0};
    for (int i = 0; i < 2000; ++i) {
        const double confidence = random.uniform();
        const Verdict verdict = strategy.decide(sure(confidence), 0.1, rng);
        const double limit = theta * (1.0 + twin.normal());
        CHECK_EQ(verdict.limit, limit);
        CHECK_EQ(verdict.ask, confidence < limit);
        theta *= verdict.ask ? 0.99 : 1.01;
        CHECK_EQ(strategy.theta(), theta);
        CHECK(verdict.feeds && verdict.ground == Ground::confidence);
        ++both[verdict.ask];
    }
    CHECK(both[0] > 100 && both[1] > 100);
    CHECK_EQ(rng.state(), twin.state());
    // P(c < theta (1 + z)) = P(z > c / theta - 1).
    const Strategy untouched = named("randomized-variable-uncertainty");
    CHECK_NEAR(untouched.unsure(sure(1.0), 0.1), 0.5, 1e-15);
    CHECK_NEAR(untouched.unsure(sure(0.0), 0.1), 0.84134474606854293, 1e-12);
}

TEST(selective_sampling_asks_less_where_the_margin_is_large) {
    Strategy strategy = named("selective-sampling");
    CHECK_EQ(strategy.unsure(leaf(0.3, 10), 0.1), 0.1 / (0.1 + 0.3));
    CHECK_EQ(strategy.unsure(leaf(0.0, 10), 0.1), 1.0);
    CHECK_EQ(strategy.unsure(leaf(0.0, 0), 0.0), 0.0);  // and not 0 / 0
    Rng rng(7), twin(7);
    Random random(8);
    for (int i = 0; i < 2000; ++i) {
        const double margin = i % 10 ? random.uniform() / 2.0 : 0.0, rate = i % 7 ? random.uniform() : 0.0;
        const Verdict verdict = strategy.decide(leaf(margin, 50), rate, rng);
        const double draw = twin.uniform(), p = rate > 0.0 ? rate / (rate + margin) : 0.0;
        CHECK_EQ(verdict.limit, p);
        CHECK_EQ(verdict.value, draw);
        CHECK_EQ(verdict.ask, draw <= p && p > 0.0);
        CHECK(verdict.feeds && verdict.ground == Ground::draw);
        if (rate > 0.0 && rate <= 0.5) CHECK(p >= rate);  // docs/theory.md, section 9
    }
    CHECK_EQ(rng.state(), twin.state());
}

TEST(conf_tree_asks_at_every_leaf_that_is_not_consistent_and_draws_nothing) {
    Strategy strategy = named("conf-tree");
    Rng rng(9);
    const double eps = std::sqrt(std::log(2.0 * 1000.0 * 1000.0) / 200.0);
    for (const Evidence& evidence : {leaf(0.0, 0), leaf(0.5, 0), leaf(0.5, 29), leaf(0.1, 100), leaf(eps, 100)}) {
        const Verdict verdict = strategy.decide(evidence, 0.0, rng);
        CHECK(verdict.ask && verdict.feeds && verdict.ground == Ground::margin);
        CHECK_EQ(verdict.value, evidence.margin);
        CHECK_EQ(verdict.limit, leaf_epsilon(evidence, 0.0));
        CHECK_EQ(strategy.unsure(evidence, 0.0), 1.0);
    }
    CHECK_EQ(rng.state(), Rng(9).state());
    // One step above epsilon it is consistent, and is left to chance.
    const Evidence above = leaf(std::nextafter(eps, 1.0), 100);
    CHECK(strategy.decide(above, 0.1, rng).ground == Ground::draw);
    CHECK_EQ(strategy.unsure(above, 0.1), 0.0);
    Rng once(9);
    once.uniform();
    CHECK_EQ(rng.state(), once.state());
}

TEST(conf_tree_explores_consistent_leaves) {
    for (const double k : {2.0, 7.0}) {
        for (const double delta : {0.0, 0.05}) {
            StrategyParams params = parse_strategy("conf-tree");
            params.delta = delta;
            Strategy strategy(params);
            Rng rng(10), twin(10);
            const Evidence evidence = leaf(0.4, 200, 1000, k);
            const double odds = 2.0 * (k - 1.0) * 1000.0;
            const double eps = std::sqrt(std::log(delta > 0.0 ? odds / delta : odds * 1000.0) / 400.0);
            CHECK(eps < 0.4);
            for (int i = 0; i < 200; ++i) {
                const double rate = i % 2 ? 0.1 : 0.0;
                const Verdict verdict = strategy.decide(evidence, rate, rng);
                const double draw = twin.uniform(), p = (rate + eps) / ((rate + eps) + 0.4);
                CHECK_EQ(verdict.limit, p);
                CHECK_EQ(verdict.value, draw);
                CHECK_EQ(verdict.ask, draw <= p);
                CHECK(verdict.feeds && verdict.ground == Ground::draw);
            }
            CHECK_EQ(rng.state(), twin.state());
        }
    }
    // More classes need a wider interval: consistent for two of them, but not for seven.
    const double between = (leaf_epsilon(leaf(0, 100, 50, 2), 0.0) + leaf_epsilon(leaf(0, 100, 50, 7), 0.0)) / 2.0;
    const Strategy strategy = named("conf-tree");
    CHECK_EQ(strategy.unsure(leaf(between, 100, 50, 2), 0.1), 0.0);
    CHECK_EQ(strategy.unsure(leaf(between, 100, 50, 7), 0.1), 1.0);
}

TEST(a_split_strategy_draws_for_its_part_first) {
    for (const char* name : {"split", "split-conf-tree"}) {
        for (const double nu : {0.2, 1.0, 0.5}) {
            StrategyParams params = parse_strategy(name), part = params;
            params.nu = nu;
            part.split = false;
            Strategy strategy(params), alone(part);
            Rng rng(11), twin(11);
            Random random(12);
            int fed = 0;
            for (int i = 0; i < 5000; ++i) {
                const Evidence evidence = random_evidence(random);
                const double theta = strategy.theta();
                const Verdict verdict = strategy.decide(evidence, 0.3, rng);
                const bool by_chance = twin.uniform() <= nu;
                CHECK_EQ(verdict.feeds, by_chance);
                if (by_chance) {
                    const double draw = twin.uniform();
                    CHECK_EQ(verdict.ask, draw <= 0.3);
                    CHECK(verdict.ground == Ground::draw && verdict.value == draw && verdict.limit == 0.3);
                    CHECK_EQ(strategy.theta(), theta);  // it was not consulted
                } else {
                    const Verdict expected = alone.decide(evidence, 0.3, twin);
                    CHECK(verdict.ask == expected.ask && verdict.ground == expected.ground);
                    CHECK(verdict.value == expected.value && verdict.limit == expected.limit);
                }
                CHECK_EQ(strategy.theta(), alone.theta());
                CHECK_EQ(rng.state(), twin.state());
                fed += verdict.feeds;
            }
            CHECK_NEAR(fed / 5000.0, nu, 0.03);
        }
    }
}

TEST(only_the_rules_of_uncertainty_have_a_threshold_that_moves) {
    Random random(13);
    for (const std::string_view name : strategy_names()) {
        Strategy strategy(parse_strategy(name));
        Rng rng(14);
        for (int i = 0; i < 100; ++i) strategy.decide(random_evidence(random), 0.2, rng);
        CHECK_EQ(strategy.theta() != 1.0, strategy.needs_confidence());
    }
}

TEST(the_probability_of_asking_is_that_of_deciding) {
    Random random(15);
    for (const std::string_view name : strategy_names()) {
        if (name.substr(0, 5) == "split") continue;  // their random part is left out
        for (int i = 0; i < 5; ++i) {
            const Evidence evidence = random_evidence(random);
            const Strategy strategy(parse_strategy(name));
            const double expected = strategy.unsure(evidence, 0.2);
            if (name == "conf-tree" && expected == 0.0) continue;  // and so is the exploration of sure leaves
            Rng rng(static_cast<std::uint64_t>(16 + i));
            int asked = 0;
            for (int j = 0; j < 4000; ++j) asked += Strategy(strategy).decide(evidence, 0.2, rng).ask;
            CHECK_NEAR(asked / 4000.0, expected, 0.035);
        }
    }
}

TEST(telling_how_unsure_it_is_moves_nothing) {
    Random random(17);
    for (const std::string_view name : strategy_names()) {
        Strategy looked_at(parse_strategy(name)), left_alone(parse_strategy(name));
        Rng rng(18), twin(18);
        for (int i = 0; i < 300; ++i) {
            const Evidence evidence = random_evidence(random);
            const double p = looked_at.unsure(random_evidence(random), 0.2);
            CHECK(p >= 0.0 && p <= 1.0);
            CHECK_EQ(looked_at.unsure(evidence, 0.2), left_alone.unsure(evidence, 0.2));
            CHECK_EQ(looked_at.decide(evidence, 0.2, rng).ask, left_alone.decide(evidence, 0.2, twin).ask);
        }
        CHECK_EQ(rng.state(), twin.state());
        CHECK_EQ(looked_at.theta(), left_alone.theta());
    }
}

TEST(a_strategy_needs_what_its_rule_looks_at) {
    for (const std::string_view name : strategy_names()) {
        const Strategy strategy(parse_strategy(name));
        const bool uncertainty = name == "split" || name.find("uncertainty") != name.npos;
        const bool of_leaf = name == "selective-sampling" || name.find("conf-tree") != name.npos;
        CHECK_EQ(strategy.needs_confidence(), uncertainty);
        CHECK_EQ(strategy.needs_leaf(), of_leaf);
        // What is not needed changes no decision.
        Strategy full(parse_strategy(name)), needed(parse_strategy(name));
        Rng rng(19), twin(19);
        Random random(20);
        for (int i = 0; i < 500; ++i) {
            const Evidence evidence = random_evidence(random);
            Evidence less = evidence;
            if (!uncertainty) less.confidence = kNan;
            if (!of_leaf) less.margin = less.m = kNan;
            CHECK_EQ(full.decide(evidence, 0.2, rng).ask, needed.decide(less, 0.2, twin).ask);
        }
    }
}

TEST(names_come_back) {
    CHECK_EQ(strategy_names().size(), 9u);
    for (const std::string_view name : strategy_names()) CHECK_EQ(name_of(parse_strategy(name)), name);
    CHECK_EQ(name_of(StrategyParams{}), "conf-tree");
    CHECK(parse_strategy("split").split && parse_strategy("split").rule == Rule::variable_uncertainty);
    CHECK(parse_strategy("split-conf-tree").split && parse_strategy("split-conf-tree").rule == Rule::conf_tree);
    CHECK_THROWS(parse_strategy("conf_tree"), "'split-conf-tree'");
    CHECK_THROWS(parse_strategy("conf_tree"), "got 'conf_tree'");
    CHECK_THROWS(parse_strategy(""), "strategy must be one of 'random'");
    for (const auto& [ground, name] :
         {std::pair{Ground::always, "always"}, std::pair{Ground::draw, "draw"},
          std::pair{Ground::confidence, "confidence"}, std::pair{Ground::margin, "margin"}})
        CHECK_EQ(name_of(ground), name);
}

TEST(bad_parameters_are_refused) {
    const auto with = [](double StrategyParams::* field, double value) {
        StrategyParams params;
        params.*field = value;
        return params;
    };
    for (const double nu : {-0.1, 1.1, kNan}) CHECK_THROWS(Strategy(with(&StrategyParams::nu, nu)), "nu");
    for (const double step : {0.0, 1.0, -0.5, kNan}) CHECK_THROWS(Strategy(with(&StrategyParams::step, step)), "step");
    for (const double theta : {0.0, -1.0, kInfinity, kNan})
        CHECK_THROWS(Strategy(with(&StrategyParams::theta, theta)), "theta");
    for (const double delta : {-0.1, 1.0, kNan}) CHECK_THROWS(Strategy(with(&StrategyParams::delta, delta)), "delta");
    for (const double nu : {0.0, 1.0}) Strategy(with(&StrategyParams::nu, nu));
}

TEST(a_strategy_read_back_goes_on_deciding_alike) {
    Random random(21);
    for (const std::string_view name : strategy_names()) {
        StrategyParams params = parse_strategy(name);
        params.nu = 0.4;
        params.step = 0.05;
        params.theta = 0.7;
        params.delta = 0.1;
        Strategy strategy(params), back;
        Rng rng(22), back_rng;
        for (int i = 0; i < 100; ++i) strategy.decide(random_evidence(random), 0.2, rng);
        Writer out;
        out(strategy, rng);
        Reader in(out.bytes());
        in(back, back_rng);
        CHECK(in.at_end());
        CHECK_EQ(name_of(back.params()), name);
        CHECK_EQ(back.theta(), strategy.theta());
        for (int i = 0; i < 300; ++i) {
            const Evidence evidence = random_evidence(random);
            const Verdict a = strategy.decide(evidence, 0.2, rng), b = back.decide(evidence, 0.2, back_rng);
            CHECK(a.ask == b.ask && a.feeds == b.feeds && a.ground == b.ground);
            CHECK(a.value == b.value && a.limit == b.limit);
        }
        CHECK_EQ(back.theta(), strategy.theta());
    }
}

TEST(broken_parameters_are_not_read) {
    StrategyParams params;
    params.nu = 5.0;
    Writer out;
    out(params, 1.0);  // as a strategy writes itself
    const auto read = [&] {
        Strategy back;
        Reader in(out.bytes());
        in(back);
    };
    CHECK_THROWS(read(), "nu");
}

TEST(a_broken_threshold_is_not_read) {
    const auto read = [](const char* name, double theta) {
        Writer out;
        out(parse_strategy(name), theta);
        Strategy back;
        Reader in(out.bytes());
        in(back);
        return back.theta();
    };
    CHECK_EQ(read("variable-uncertainty", 0.25), 0.25);
    for (const double theta :
         {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS(read("variable-uncertainty", theta), "threshold is broken");
    CHECK_THROWS(read("random", 0.25), "threshold is broken");  // it never moves
}

TEST(a_threshold_stays_a_positive_number) {
    for (const double theta : {5e-324, 1.7e308}) {
        StrategyParams params = parse_strategy("randomized-variable-uncertainty");
        params.theta = theta;
        params.step = 0.9;
        Strategy strategy(params);
        Rng rng(1);
        for (int i = 0; i < 2000; ++i) strategy.decide({.confidence = 0.0}, 0.1, rng);
        CHECK(strategy.theta() > 0.0 && std::isfinite(strategy.theta()));
        const double unsure = strategy.unsure({.confidence = 0.0}, 0.1);
        CHECK(unsure >= 0.0 && unsure <= 1.0);
    }
}
