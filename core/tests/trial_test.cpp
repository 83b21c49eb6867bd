// Proves the loop of asking: asking for everything is test-then-train to the last byte; for every strategy, delay and
// drift rule the loop does what a plain one does that takes row by row; cutting a stream into batches, or saving all
// and going on, changes nothing; and after a drift the clock and the names stay as they were.
#include "sapwood/trial.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "sapwood/archive.hpp"
#include "sapwood/format.hpp"
#include "sapwood/shared_model.hpp"
#include "streams.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

std::string bytes(const SharedModel& shared) {
    return shared.read([](const Model& model) { return encode(model, ""); });
}

/// How a stream is asked about.
struct Setting {
    const char* strategy = "conf-tree";
    BudgetParams budget{.cap = Cap::rate, .rate = 0.4};
    std::optional<Guard> guard{};
    std::uint64_t delay = 0;
    TreeParams tree{};
    std::uint64_t seed = 1;
};

Guard ddm(Compat compat = Compat::none, double min_examples = 30.0) {
    return Guard(Detector(), min_examples, compat);
}

/// All that a run consists of.
struct Run {
    Strategy strategy;
    Budget budget;
    std::optional<Guard> guard;
    Rng rng;
    Trial trial;
    SharedModel shared;
    std::vector<std::uint32_t> predictions;
    std::vector<std::uint8_t> asked;

    explicit Run(const Setting& setting)
        : strategy(parse_strategy(setting.strategy)),
          budget(setting.budget),
          guard(setting.guard),
          rng(setting.seed),
          trial(strategy, budget, guard ? &*guard : nullptr, rng, setting.delay),
          shared(Model(setting.tree)) {}

    void go(const Stream& stream, std::size_t begin, std::size_t end, const Reports& reports = {}) {
        Cut cut;
        stream.cut(begin, end, cut);
        go(cut, reports);
    }
    void go(const Cut& cut, const Reports& reports = {}) {
        const std::size_t at = asked.size();
        const std::size_t n = cut.batch.n_rows;
        predictions.resize(at + n);
        asked.resize(at + n);
        std::vector<double> times(n);
        for (std::size_t i = 0; i < n; ++i) times[i] = time_of(at + i);
        shared.run(trial, cut.batch, cut.names, cut.labels, times.data(), predictions.data() + at, asked.data() + at,
                   reports);
    }
    static double time_of(std::size_t row) { return 0.5 * static_cast<double>(row / 3); }

    /// What lies between two examples, but not the model.
    std::string state() {
        Writer out;
        out(strategy, budget, rng);
        if (guard) out(*guard);
        shared.read([&](const Model& model) { trial.archive(out, model); });
        return out.bytes();
    }
    void restore(const std::string& state, const std::string& model) {
        std::string owner;
        shared.write([&](Model& mine) { mine = decode(model, owner); });
        Reader in(state);
        in(strategy, budget, rng);
        if (guard) in(*guard);
        shared.read([&](const Model& mine) {
            trial.archive(in, mine);
            trial.restore(mine);
        });
        CHECK(in.at_end());
    }
};

/// The same as plainly as it can be said (reference/asking_reference.py): rows as mappings, one at a time.
struct PlainRun {
    struct Question {
        std::size_t row;
        std::uint32_t predicted;
        bool feeds;
    };
    const Stream& stream;
    Strategy strategy;
    Budget budget;
    std::optional<Guard> guard;
    Rng rng;
    std::size_t delay;
    Model model;
    std::optional<Model> background;
    std::deque<Question> waiting;
    std::vector<std::uint32_t> predictions;
    std::vector<std::uint8_t> asked;

    PlainRun(const Setting& setting, const Stream& the_stream)
        : stream(the_stream),
          strategy(parse_strategy(setting.strategy)),
          budget(setting.budget),
          guard(setting.guard),
          rng(setting.seed),
          delay(setting.delay),
          model(setting.tree) {
        for (const Column& column : stream.columns)
            model.add_column(column.name, column.categorical() ? Kind::categorical : Kind::numeric);
    }

    void learn(Model& learner, const Question& question) {
        learner.learn_row(stream.cells(question.row, learner.schema()), stream.label(question.row), 1.0, true);
    }
    Model& fresh_or_kept() {
        if (!background) background = model.fresh();
        background->adopt_names(model.schema());
        background->advance(model.tree().t() - background->tree().t());
        return *background;
    }
    void deliver(const Question& question) {
        budget.answer();
        std::vector<double> row;
        const std::uint32_t y = model.add_class(stream.label(question.row));
        model.encode_to_learn(stream.cells(question.row, model.schema()), row);  // both give names the same numbers
        const Orders orders = guard ? guard->on_label(question.predicted != y, question.feeds) : Orders();
        if (orders.renew_before) background.reset();
        if (orders.train_background) learn(fresh_or_kept(), question);
        if (orders.swap) {
            model = Model(fresh_or_kept());
            background.reset();
        }
        if (orders.renew_after) background.reset();
        if (orders.train_current) learn(model, question);
    }
    void go() {
        std::vector<double> row;
        for (std::size_t i = 0; i < stream.n_rows(); ++i) {
            model.advance(1.0);
            budget.see(Run::time_of(i));
            model.encode_row(stream.cells(i, model.schema()), row);
            const std::uint32_t node = model.tree().route(row.data());
            predictions.push_back(model.tree().predict_at(node, row.data()));
            Verdict verdict;
            if (budget.allows())
                verdict =
                    strategy.decide(evidence_at(model.tree(), node, row.data(), strategy), budget.params().rate, rng);
            asked.push_back(verdict.ask);
            if (verdict.ask) {
                budget.ask();
                waiting.push_back({i, predictions.back(), verdict.feeds});
            }
            while (!waiting.empty() && waiting.front().row + delay <= i) {
                deliver(waiting.front());
                waiting.pop_front();
            }
        }
    }
};

/// From half way on the classes are listed from the other end.
Stream with_drift(StreamShape shape, std::uint64_t seed) {
    Stream stream = make_stream(shape, seed);
    for (std::size_t i = stream.n_rows() / 2; i < stream.n_rows(); ++i)
        stream.labels[i] = static_cast<std::int32_t>(shape.n_classes) - 1 - stream.labels[i];
    return stream;
}

std::size_t random_end(Random& random, std::size_t at, std::size_t n) {
    const std::size_t most = std::array<std::size_t, 3>{3, 200, 1500}[random.below(3)];
    return std::min(n, at + 1 + random.below(most));
}

/// At once, in random pieces, saved and read back between pieces, and plainly: always the same.
void check_setting(const std::string& what, const Setting& setting, const Stream& stream) {
    const std::size_t n = stream.n_rows();
    Run whole(setting), pieces(setting);
    whole.go(stream, 0, n);
    Random random(setting.seed + setting.delay);
    auto saved = std::make_unique<Run>(setting);
    for (std::size_t at = 0; at < n;) {
        const std::size_t end = random_end(random, at, n);
        pieces.go(stream, at, end);
        saved->go(stream, at, end);
        at = end;
        Setting other = setting;  // another seed, another budget: all of it must come from the state
        other.seed = 99;
        other.strategy = "none";
        other.budget = {};
        if (setting.guard) other.guard = Guard();
        auto next = std::make_unique<Run>(other);
        next->restore(saved->state(), bytes(saved->shared));
        next->predictions = saved->predictions;
        next->asked = saved->asked;
        saved = std::move(next);
    }
    PlainRun plain(setting, stream);
    plain.go();
    const std::string expected = bytes(whole.shared), state = whole.state();
    const auto require = [&](bool holds, const char* law) {
        if (!holds) check::fail(__FILE__, __LINE__, what + ": " + law);
    };
    require(pieces.asked == whole.asked, "in pieces it asks for others");
    require(pieces.predictions == whole.predictions, "in pieces it predicts otherwise");
    require(bytes(pieces.shared) == expected, "in pieces the model is another");
    require(pieces.state() == state, "in pieces the state is another");
    require(saved->asked == whole.asked, "read back it asks for others");
    require(saved->predictions == whole.predictions, "read back it predicts otherwise");
    require(bytes(saved->shared) == expected, "read back the model is another");
    require(saved->state() == state, "read back the state is another");
    require(plain.asked == whole.asked, "the plain loop asks for others");
    require(plain.predictions == whole.predictions, "the plain loop predicts otherwise");
    require(encode(plain.model, "") == expected, "the plain loop has another model");
    require(plain.rng.state() == whole.rng.state(), "the plain loop draws other numbers");
    require(plain.waiting.size() == whole.trial.n_open(), "the plain loop has other questions open");
    // The clock counts what was seen, and the ledger what was asked.
    const double t = whole.shared.read([](const Model& model) { return model.tree().t(); });
    require(t == static_cast<double>(n), "t is not the number of rows");
    const auto sum = static_cast<std::uint64_t>(std::count(whole.asked.begin(), whole.asked.end(), 1));
    require(whole.budget.asked() == sum && whole.trial.asked() == sum, "the budget counts other questions");
    require(whole.budget.seen() == n, "the budget has seen other rows");
    require(whole.budget.open() == whole.trial.n_open(), "the budget has other questions open");
    require(whole.trial.drifts() == (plain.guard ? plain.guard->drifts() : 0), "the plain loop has other drifts");
}

}  // namespace

TEST(asking_for_everything_is_test_then_train) {
    const StreamShape shapes[] = {{.rows = 2500, .n_classes = 3},
                                  {.rows = 2500, .texts = 2, .n_categories = 12, .n_classes = 3, .missing = 0.1},
                                  {.rows = 1500, .numbers = 0, .texts = 2, .missing = 0.2},
                                  {.rows = 2500, .texts = 1, .missing = 0.1, .late = true}};
    for (const StreamShape& shape : shapes) {
        for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
            for (const std::size_t max_bytes : {0, 30000}) {
                Setting setting{.strategy = "all", .budget = {}};
                setting.tree.leaf_prediction = prediction;
                setting.tree.max_bytes = max_bytes;
                const Stream stream = make_stream(shape, 1);
                Run run(setting);
                SharedModel taught{Model(setting.tree)};
                std::vector<std::uint32_t> predictions(stream.n_rows());
                Random random(2);
                for (std::size_t at = 0; at < stream.n_rows();) {
                    const std::size_t end = random_end(random, at, stream.n_rows());
                    Cut cut;
                    stream.cut(at, end, cut);
                    taught.learn(cut.batch, cut.names, true, cut.labels, nullptr, predictions.data() + at);
                    run.go(cut);
                    at = end;
                    CHECK(bytes(run.shared) == bytes(taught));
                }
                CHECK(run.predictions == predictions);
                CHECK_EQ(std::count(run.asked.begin(), run.asked.end(), 1), stream.n_rows());
                CHECK_EQ(run.rng.state(), Rng(1).state());
                CHECK(taught.read([](const Model& model) { return !model.tree().splits().empty(); }));
                if (check::failures()) return;
            }
        }
    }
}

TEST(asking_for_nothing_teaches_nothing_but_the_time) {
    const Stream stream = make_stream({.rows = 500, .texts = 1}, 3);
    Setting setting{.strategy = "none", .budget = {}};
    Run run(setting), declared(setting);
    run.go(stream, 0, 500);
    Cut cut;
    stream.cut(0, 500, cut);
    declared.shared.declare(cut.batch, cut.names);
    declared.shared.write([](Model& model) { model.advance(500.0); });
    CHECK(bytes(run.shared) == bytes(declared.shared));
    CHECK_EQ(std::count(run.predictions.begin(), run.predictions.end(), kNoClass), 500);
}

TEST(every_strategy_and_delay_runs_as_the_plain_loop_does) {
    const Stream stream =
        make_stream({.rows = 1300, .texts = 1, .n_categories = 9, .n_classes = 3, .missing = 0.05, .late = true}, 4);
    for (const std::string_view name : strategy_names()) {
        for (const std::uint64_t delay : {0, 1, 50}) {
            Setting setting{.strategy = name.data(), .delay = delay};
            setting.tree.grace_period = 50;
            if (delay != 50) setting.tree.leaf_prediction = LeafPrediction::adaptive;
            check_setting(std::string(name) + ", delay " + std::to_string(delay), setting, stream);
        }
    }
}

TEST(every_budget_runs_as_the_plain_loop_does) {
    const Stream stream = make_stream({.rows = 1000, .texts = 1, .missing = 0.05}, 5);
    for (const BudgetParams& budget : {BudgetParams{}, BudgetParams{.cap = Cap::rate, .rate = 0.2, .strict = true},
                                       BudgetParams{.cap = Cap::window, .rate = 0.3, .window = 30.0},
                                       BudgetParams{.cap = Cap::estimated_window, .rate = 0.3, .window = 30.0},
                                       BudgetParams{.cap = Cap::count, .rate = 0.5, .count = 222.0},
                                       BudgetParams{.cap = Cap::period, .rate = 0.5, .count = 5.0, .seconds = 4.0}}) {
        for (const std::uint64_t delay : {0, 20}) {
            Setting setting{.strategy = "split-conf-tree", .budget = budget, .delay = delay};
            setting.tree.grace_period = 50;
            check_setting(std::string(name_of(budget.cap)), setting, stream);
        }
    }
}

TEST(a_guard_swaps_learners_as_the_plain_loop_does) {
    const Stream stream = with_drift({.rows = 2400, .texts = 1, .n_categories = 7, .n_classes = 3, .missing = 0.05}, 6);
    std::uint64_t drifts = 0;
    for (const char* name : {"all", "random", "split", "conf-tree", "randomized-variable-uncertainty"}) {
        for (const std::uint64_t delay : {0, 1, 50}) {
            for (const Compat compat : {Compat::none, Compat::moa}) {
                Setting setting{.strategy = name, .guard = ddm(compat), .delay = delay};
                setting.tree.grace_period = 50;
                check_setting("guard, " + std::string(name) + ", delay " + std::to_string(delay), setting, stream);
                Run run(setting);
                run.go(stream, 0, stream.n_rows());
                drifts += run.trial.drifts() > 0;
            }
        }
    }
    CHECK(drifts >= 25);  // of 30 runs; a split strategy may feed the detector too little
}

TEST(names_that_come_while_a_learner_is_replaced_are_the_same_for_both) {
    Stream stream = with_drift({.rows = 2400, .texts = 2, .n_categories = 400, .n_classes = 4, .missing = 0.05}, 19);
    for (std::size_t i = 0; i < 1200; ++i)
        if (stream.labels[i] == 3) stream.labels[i] = 0;  // the fourth class comes with the drift, or after it
    for (std::size_t i = 1200; i < 1225; ++i)
        if (stream.labels[i] == 3) stream.labels[i] = 2;
    for (const std::uint64_t delay : {0, 1, 50}) {
        for (const Compat compat : {Compat::none, Compat::moa}) {
            Setting setting{.strategy = "all", .budget = {}, .guard = ddm(compat, 200.0), .delay = delay};
            setting.tree.grace_period = 50;
            check_setting("new names, delay " + std::to_string(delay), setting, stream);
            Run run(setting);
            run.go(stream, 0, 2400);
            CHECK(run.trial.drifts() > 0);
            run.shared.read([](const Model& model) { CHECK_EQ(model.schema().classes.size(), 4u); });
        }
    }
}

TEST(a_byte_limit_holds_while_learners_are_swapped) {
    const Stream stream =
        with_drift({.rows = 2000, .texts = 2, .n_categories = 40, .n_classes = 3, .missing = 0.05}, 7);
    for (const std::uint64_t delay : {0, 10}) {
        Setting setting{.strategy = "all", .budget = {}, .guard = ddm(), .delay = delay};
        setting.tree.max_bytes = 30000;
        setting.tree.grace_period = 50;
        check_setting("max_bytes, delay " + std::to_string(delay), setting, stream);
        Run run(setting);
        for (std::size_t at = 0; at < 2000; at += 50) {
            run.go(stream, at, at + 50);
            CHECK(run.shared.read([](const Model& model) { return model.tree().nbytes(); }) <= 30000);
            CHECK(run.trial.background_nbytes() <= 30000);
        }
        CHECK(run.trial.drifts() >= 1);
    }
}

TEST(after_a_swap_the_clock_and_the_names_stay) {
    for (const Compat compat : {Compat::none, Compat::moa}) {
        for (const std::uint64_t delay : {0, 30}) {
            const Stream stream = with_drift({.rows = 6000, .texts = 1, .n_classes = 3, .noise = 0.02}, 8);
            Setting setting{.strategy = "all", .budget = {}, .guard = ddm(compat), .delay = delay};
            Run run(setting);
            run.go(stream, 0, 3000);
            const std::uint64_t before = run.trial.drifts();
            const auto names = run.shared.read([](const Model& model) {
                return std::pair(model.schema().classes.values(), model.schema().categories[3].values());
            });
            CHECK_EQ(names.first.size(), 3u);
            for (std::size_t at = 3000; at < 6000; at += 10) {
                run.go(stream, at, at + 10);
                run.shared.read([&](const Model& model) {
                    CHECK_EQ(model.tree().t(), static_cast<double>(at + 10));
                    CHECK(model.schema().classes.values() == names.first);
                    CHECK(model.schema().categories[3].values() == names.second);
                });
            }
            CHECK(run.trial.drifts() > before);
            // Only a learner that forgot, and names classes as before, can be right about the new concept.
            int right = 0;
            for (std::size_t i = 5000; i < 6000; ++i)
                right += run.predictions[i] != kNoClass && names.first[run.predictions[i]] == stream.label(i);
            CHECK(right > 850);
            Setting unguarded = setting;
            unguarded.guard.reset();
            Run stale(unguarded);
            stale.go(stream, 0, 6000);
            int stale_right = 0;
            for (std::size_t i = 3000; i < 6000; ++i)
                stale_right += stale.predictions[i] != kNoClass && names.first[stale.predictions[i]] == stream.label(i);
            for (std::size_t i = 3000; i < 5000; ++i)
                right += run.predictions[i] != kNoClass && names.first[run.predictions[i]] == stream.label(i);
            CHECK(right > stale_right);
        }
    }
}

TEST(moas_rule_may_swap_in_a_learner_that_knows_nothing) {
    // A detector without warnings: the background learner was never trained.
    PageHinkley page;
    page.threshold = 5.0;
    const Stream stream = with_drift({.rows = 2000, .n_classes = 3, .noise = 0.0}, 9);
    Setting setting{.strategy = "all", .budget = {}, .guard = Guard(Detector(page), 30.0, Compat::moa)};
    Run run(setting);
    bool swapped = false;
    for (std::size_t i = 0; i < 2000 && !swapped; ++i) {
        run.go(stream, i, i + 1);
        swapped = i > 1000 && run.trial.drifts() > 0;
        if (!swapped) continue;
        run.shared.read([&](const Model& model) {
            CHECK_EQ(model.tree().t(), static_cast<double>(i + 1));
            CHECK_EQ(model.tree().n_classes(), 3u);
            CHECK_EQ(model.tree().n_classes_learned(), 1u);
            CHECK_EQ(model.tree().leaves()[0].m, 1.0);
        });
    }
    CHECK(swapped);
    check_setting("MOA's rule, untrained", setting, stream);
}

TEST(a_label_comes_after_the_decisions_on_as_many_examples) {
    const Stream stream = make_stream({.rows = 200}, 10);
    for (const std::uint64_t delay : {0, 1, 50}) {
        Setting setting{.strategy = "all", .budget = {}, .delay = delay};
        setting.tree.grace_period = 1000;  // one leaf
        Run run(setting);
        for (std::size_t i = 0; i < 200; ++i) {
            run.go(stream, i, i + 1);
            const std::uint64_t answered = i + 1 > delay ? i + 1 - delay : 0;
            CHECK_EQ(run.budget.answered(), answered);
            CHECK_EQ(run.trial.n_open(), std::min<std::uint64_t>(i + 1, delay));
            run.shared.read([&](const Model& model) {
                CHECK_EQ(model.tree().leaves()[0].m, static_cast<double>(answered));
                CHECK_EQ(model.tree().t(), static_cast<double>(i + 1));
            });
            CHECK_EQ(run.predictions[i] == kNoClass, i <= delay);
        }
    }
}

TEST(a_row_major_array_is_run_in_place_to_the_same_end) {
    for (const double missing : {0.0, 0.05}) {
        for (const std::uint64_t delay : {0, 7}) {
            const Stream stream = with_drift({.rows = 2000, .numbers = 5, .missing = missing}, 11);
            std::vector<double> matrix;
            for (std::size_t i = 0; i < 2000; ++i)
                for (const Column& column : stream.columns) matrix.push_back(column.numbers[i]);
            const Setting setting{.strategy = "conf-tree", .guard = ddm(), .delay = delay};
            Run in_place(setting), copied(setting);
            for (std::size_t begin = 0; begin < 2000; begin += 500) {
                Cut cut;
                stream.cut(begin, begin + 500, cut);
                copied.go(cut);
                for (std::size_t j = 0; j < 5; ++j)
                    cut.batch.columns[j] = {matrix.data() + begin * 5 + j, 5 * sizeof(double), Dtype::f64, nullptr};
                cut.batch.dense = matrix.data() + begin * 5;
                in_place.go(cut);
            }
            CHECK(in_place.asked == copied.asked);
            CHECK(in_place.predictions == copied.predictions);
            CHECK(bytes(in_place.shared) == bytes(copied.shared));
            CHECK(in_place.trial.drifts() > 0);
        }
    }
}

TEST(reports_come_when_they_are_due_and_change_nothing) {
    const Stream stream = make_stream({.rows = 5000}, 12);
    const Setting setting{.delay = 3};
    Run told(setting), alone(setting);
    std::vector<std::size_t> rows;
    told.go(stream, 0, 5000, {250, 1000, [&](std::size_t n, const Model& model) {
                                  rows.push_back(n);
                                  CHECK_EQ(model.tree().t(), static_cast<double>(n));
                              }});
    alone.go(stream, 0, 5000);
    CHECK(rows == (std::vector<std::size_t>{250, 1250, 2250, 3250, 4250}));
    CHECK(bytes(told.shared) == bytes(alone.shared));
    CHECK(told.asked == alone.asked);
}

TEST(evidence_is_what_the_tree_knows) {
    const Stream stream = make_stream({.rows = 3000, .n_classes = 3}, 13);
    TreeParams params;
    params.leaf_prediction = LeafPrediction::adaptive;
    Model model(params);
    const Strategy uncertain(parse_strategy("split")), confident(parse_strategy("conf-tree"));
    const double nothing = 0.0;
    const Evidence first = evidence_at(model.tree(), 0, &nothing, uncertain);
    CHECK(first.confidence == 0.0 && first.m == 0.0 && first.margin == 0.0 && first.k == 2.0);
    for (std::size_t i = 0; i < 2000; ++i) stream.learn_row(model, i);
    CHECK(!model.tree().splits().empty());
    std::vector<double> row, p(3);
    for (std::size_t i = 2000; i < 2200; ++i) {
        model.encode_row(stream.cells(i, model.schema()), row);
        const std::uint32_t node = model.tree().route(row.data());
        model.tree().probabilities_at(node, row.data(), p.data());
        const Evidence by_confidence = evidence_at(model.tree(), node, row.data(), uncertain);
        CHECK_EQ(by_confidence.confidence, *std::max_element(p.begin(), p.end()));
        const Evidence by_leaf = evidence_at(model.tree(), node, row.data(), confident);
        std::vector<double> learned;
        double m = 0.0;
        for (const ClassCount& count : model.tree().leaf_at(node).classes) learned.push_back(count.learned);
        for (const double n : learned) m += n;
        std::sort(learned.rbegin(), learned.rend());
        CHECK_EQ(by_leaf.m, m);
        CHECK_EQ(by_leaf.m, model.tree().leaf_at(node).m);
        CHECK_EQ(by_leaf.margin, m > 0.0 ? (learned[0] - learned[1]) / m / 2.0 : 0.0);
        CHECK_EQ(by_leaf.k, 3.0);
        CHECK_EQ(by_leaf.t, 2000.0);
    }
}

TEST(a_fresh_model_has_the_names_and_learned_nothing) {
    const Stream stream = make_stream({.rows = 2000, .texts = 2, .n_classes = 3, .missing = 0.1, .late = true}, 14);
    for (const std::size_t max_bytes : {0, 40000}) {
        TreeParams params;
        params.leaf_prediction = LeafPrediction::adaptive;
        params.max_bytes = max_bytes;
        Model model(params);
        model.declare_categorical(Value(std::string("never seen")));
        for (std::size_t i = 0; i < 2000; ++i) stream.learn_row(model, i);
        const std::string before = encode(model, "");
        Model fresh = model.fresh();
        CHECK(encode(model, "") == before);
        CHECK_EQ(fresh.tree().t(), 2000.0);
        CHECK(fresh.schema().columns.values() == model.schema().columns.values());
        CHECK(fresh.schema().kinds == model.schema().kinds);
        CHECK(fresh.schema().classes.values() == model.schema().classes.values());
        CHECK(fresh.schema().declared_categorical.values() == model.schema().declared_categorical.values());
        for (std::size_t j = 0; j < model.schema().columns.size(); ++j)
            CHECK(fresh.schema().categories[j].values() == model.schema().categories[j].values());
        CHECK(fresh.tree().kinds() == model.tree().kinds());
        CHECK_EQ(fresh.tree().n_classes_learned(), 0u);
        CHECK_EQ(fresh.tree().nodes().size(), 1u);
        CHECK_EQ(fresh.tree().leaves()[0].m, 0.0);
        CHECK_EQ(fresh.tree().leaves()[0].votes(), 0.0);
        CHECK_EQ(fresh.schema().nbytes(), model.schema().nbytes());
        std::vector<double> row;
        fresh.encode_row(stream.cells(0, fresh.schema()), row);
        CHECK_EQ(fresh.tree().predict_at(0, row.data()), kNoClass);
        std::string owner;
        CHECK(encode(decode(encode(fresh, ""), owner), "") == encode(fresh, ""));
        // It learns as one would that was told the names and the time.
        Model told(params);
        told.declare_categorical(Value(std::string("never seen")));
        for (std::size_t j = 0; j < model.schema().columns.size(); ++j) {
            told.add_column(model.schema().columns[j], model.schema().kinds[j]);
            for (const Value& category : model.schema().categories[j].values())
                told.rank_to_learn(static_cast<std::uint32_t>(j), category);
        }
        for (const Value& label : model.schema().classes.values()) told.add_class(label);
        told.advance(2000.0);
        CHECK(encode(told, "") == encode(fresh, ""));
        for (std::size_t i = 0; i < 1000; ++i) {
            stream.learn_row(told, i);
            stream.learn_row(fresh, i);
        }
        CHECK(encode(told, "") == encode(fresh, ""));
    }
}

TEST(a_row_that_was_seen_is_counted_once) {
    const Stream stream = make_stream({.rows = 1000, .texts = 1}, 15);
    Model counted, seen;
    for (std::size_t i = 0; i < 1000; ++i) {
        stream.learn_row(counted, i);
        seen.advance(1.0);
        seen.learn_row(stream.cells(i, seen.schema()), stream.label(i), 1.0, true);
    }
    CHECK(encode(counted, "") == encode(seen, ""));
}

// --- open questions meet what came after them --------------------------------------------------------------------

TEST(labels_of_open_questions_and_of_later_batches_are_never_mixed) {
    const Stream numbers = make_stream({.rows = 200}, 16);
    Stream texts = numbers;
    for (Value& label : texts.classes) label = "class " + to_text(label);
    Run run({.strategy = "all", .budget = {}, .delay = 50});
    run.go(numbers, 0, 20);
    CHECK_EQ(run.trial.n_open(), 20u);  // no class is known yet
    try {
        run.go(texts, 20, 200);
    } catch (const std::invalid_argument&) {
        return;  // a refusal is as good
    }
    run.shared.read([](const Model& model) {
        for (const Value& label : model.schema().classes.values())
            CHECK_EQ(is_text(label), is_text(model.schema().classes[0]));
    });
}

TEST(a_late_label_that_does_not_fit_into_max_bytes_leaves_the_model_as_it_was) {
    Setting setting{.strategy = "all", .budget = {}, .delay = 5};
    setting.tree.max_bytes = 20000;
    Stream stream = make_stream({.rows = 300, .n_classes = 3}, 17);
    for (Value& label : stream.classes) label = "class " + to_text(label);
    Run run(setting);
    run.go(stream, 0, 200);
    Stream longer = stream;
    for (Value& label : longer.classes) label = std::string(30000, 'y');
    run.go(longer, 200, 201);  // asked, and not learned yet
    const std::string before = bytes(run.shared);
    CHECK_THROWS(run.go(stream, 201, 300), "max_bytes=20000");
    CHECK(bytes(run.shared) == before);
}

TEST(an_open_question_about_a_column_that_does_not_exist_is_not_read) {
    const Stream stream = make_stream({.rows = 1, .numbers = 1}, 18);
    Setting setting{.strategy = "all", .budget = {}, .delay = 50};
    Run run(setting), back(setting);
    run.go(stream, 0, 1);
    Writer out;
    run.shared.read([&](const Model& model) { run.trial.archive(out, model); });
    std::string state = out.bytes();
    // The format, no background, one question: due in 51, predicted (5 bytes), feeds, a label of 9 bytes, one cell of
    // column 0.
    constexpr std::size_t kColumn = 1 + 1 + 1 + 1 + 5 + 1 + 9 + 1;
    CHECK_EQ(static_cast<int>(state[kColumn]), 0);
    state[kColumn] = 100;
    back.shared.write([&](Model& model) { model = run.shared.read([](const Model& m) { return m; }); });
    back.budget = run.budget;
    const auto read = [&] {
        Reader in(state);
        back.shared.read([&](const Model& model) {
            back.trial.archive(in, model);
            back.trial.restore(model);
        });
    };
    CHECK_THROWS(read(), "does not exist");
    state[kColumn] = 0;
    read();
    state[0] = 1;  // an open run is not carried from one format to the next
    CHECK_THROWS(read(), "another version of sapwood");
}

TEST(a_background_learner_of_another_model_is_not_read) {
    // Rows are encoded for the model; a background learner with more columns would read past their ends.
    const Stream wide = make_stream({.rows = 40, .numbers = 6}, 19),
                 narrow = make_stream({.rows = 40, .numbers = 2}, 19);
    Setting setting{.strategy = "all", .budget = {}, .guard = Guard(Detector(Ddm{3.0, 0.01, 0.02}), 100.0)};
    Run run(setting), back(setting), small(setting);
    run.go(wide, 0, 40);
    small.go(narrow, 0, 40);
    CHECK(run.trial.background_nbytes() > 0);
    back.restore(run.state(), bytes(run.shared));
    CHECK_THROWS(back.restore(run.state(), bytes(small.shared)), "not one of this model");
}

TEST(labels_that_are_due_at_no_time_are_not_read) {
    const Stream stream = make_stream({.rows = 60, .numbers = 1}, 18);
    const Setting late{.strategy = "all", .budget = {}, .delay = 50};
    Run run(late), back(late), later({.strategy = "all", .budget = {}, .delay = 20});
    run.go(stream, 0, 60);
    back.restore(run.state(), bytes(run.shared));
    CHECK_THROWS(later.restore(run.state(), bytes(run.shared)), "due at no time");
    Writer out;
    run.shared.read([&](const Model& model) { run.trial.archive(out, model); });
    Run fresh(late);  // its budget has asked nothing
    fresh.shared.write([&](Model& model) { model = run.shared.read([](const Model& m) { return m; }); });
    const auto read = [&] {
        Reader in(out.bytes());
        fresh.shared.read([&](const Model& model) {
            fresh.trial.archive(in, model);
            fresh.trial.restore(model);
        });
    };
    CHECK_THROWS(read(), "more questions are open");
}
