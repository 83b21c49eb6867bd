// Proves that the split search finds a planted split wherever it is, agrees to the last bit with a search over the
// examples themselves, breaks ties as promised, and sends missing values to the better side.
#include "sapwood/split.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/criterion.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Criterion kCriteria[] = {Criterion::gini, Criterion::entropy, Criterion::kearns_mansour, Criterion::error};

struct Example {
    std::vector<double> row;
    std::size_t y;
    double w;
};

void check_same(const Ranking& a, const Ranking& b) {
    CHECK_EQ(a.best.left_over, b.best.left_over);
    CHECK_EQ(a.runner_up, b.runner_up);
    CHECK_EQ(a.missing_seen, b.missing_seen);
    if (!a.best.exists()) return;
    CHECK_EQ(a.best.feature, b.best.feature);
    CHECK_EQ(a.best.key, b.best.key);
    CHECK_EQ(a.best.missing_left, b.best.missing_left);
}

/// A leaf that has learned the examples, with the examples kept for a direct count.
struct Learned {
    Learned(std::vector<Kind> column_kinds, std::size_t n_classes, const TreeParams& tree_params)
        : kinds(std::move(column_kinds)), params(tree_params), counting(tree_params, false) {
        leaf.classes.resize(n_classes);
    }

    void add(const std::vector<double>& row, std::size_t y, double w = 1.0) {
        if (w != 1.0 && !counting.wide) widen();
        leaf.learn({row.data(), nullptr, row.size()}, kinds, y, w, counting);
        leaf.count_drawer(kinds, counting);
        examples.push_back({row, y, w});
    }
    /// Counts in doubles from now on.
    void widen() {
        leaf.widen_counts(kinds, counting);
        counting = Counting(params, true);
    }
    /// The search alone, which a glance beforehand must not change.
    Ranking rank() const {
        SplitScratch scratch;
        const Ranking ranking = rank_splits(leaf, kinds, params, counting, scratch);
        Glance glance;
        glance.take(leaf, kinds, params, counting);
        check_same(rank_splits(leaf, kinds, params, counting, scratch, &glance), ranking);
        const double without_split = left_over_without_split(leaf, params.criterion, scratch);
        if (ranking.best.exists())
            CHECK(std::min(ranking.runner_up, without_split) - ranking.best.left_over <=
                  glance.widest_gap(without_split));
        return ranking;
    }
    std::vector<double> keys(std::uint32_t j) const {
        Spread spread;
        leaf.spread(j, kinds[j], counting, spread);
        return {spread.keys, spread.keys + spread.n_keys};
    }

    std::vector<Kind> kinds;
    TreeParams params;
    Counting counting;
    Leaf leaf;
    std::vector<Example> examples;
};

TreeParams params_of(Criterion criterion, NumericSplits splits = NumericSplits::histogram) {
    TreeParams params;
    params.criterion = criterion;
    params.numeric_splits = splits;
    return params;
}

double left_over_of(Criterion criterion, const std::vector<double>& left, const std::vector<double>& right) {
    double n_left = 0.0, n_right = 0.0;
    for (const double n : left) n_left += n;
    for (const double n : right) n_right += n;
    if (n_left == 0.0 || n_right == 0.0) return kInfinity;
    return with_criterion(criterion, [&]<Criterion c>() {
        return left_over<c>(left.data(), left.size(), n_left) + left_over<c>(right.data(), right.size(), n_right);
    });
}

/// Where the example goes under the candidate.
bool goes_left(const Example& example, const Candidate& split, Kind kind) {
    const double x = example.row[split.feature];
    if (std::isnan(x)) return split.missing_left;
    return kind == Kind::categorical ? x == split.key : x <= split.key;
}

void divide(const Learned& learned, const Candidate& split, std::vector<double>& left, std::vector<double>& right) {
    left.assign(learned.leaf.classes.size(), 0.0);
    right.assign(learned.leaf.classes.size(), 0.0);
    for (const Example& e : learned.examples)
        (goes_left(e, split, learned.kinds[split.feature]) ? left : right)[e.y] += e.w;
}

/// The same search over the examples: every key that the tally kept, in order, missing values left and then right.
Ranking rank_directly(const Learned& learned) {
    Ranking ranking;
    std::vector<double> left, right;
    for (std::uint32_t j = 0; j < learned.kinds.size(); ++j) {
        bool any_missing = false;
        for (const Example& e : learned.examples) any_missing |= std::isnan(e.row[j]);
        ranking.missing_seen |= any_missing;
        Candidate best;
        for (const double key : learned.keys(j)) {
            for (const bool missing_left : {true, false}) {
                if (!any_missing && !missing_left) continue;
                Candidate split{kInfinity, j, key, missing_left};
                divide(learned, split, left, right);
                split.left_over = left_over_of(learned.params.criterion, left, right);
                double n_left = 0.0, n_right = 0.0;
                for (const double n : left) n_left += n;
                for (const double n : right) n_right += n;
                if (!any_missing) split.missing_left = n_left >= n_right;
                if (split.left_over < best.left_over) best = split;
            }
        }
        if (best.left_over < ranking.best.left_over) {
            ranking.runner_up = ranking.best.left_over;
            ranking.best = best;
        } else {
            ranking.runner_up = std::min(ranking.runner_up, best.left_over);
        }
    }
    return ranking;
}

}  // namespace

TEST(a_planted_threshold_is_found_wherever_it_is) {
    for (const Criterion criterion : kCriteria) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::exact}) {
            for (const double sign : {1.0, -1.0}) {
                for (int planted = 0; planted < 19; ++planted) {
                    Learned learned({Kind::numeric, Kind::numeric}, 2, params_of(criterion, splits));
                    for (int x = 0; x < 20; ++x) {
                        const std::size_t y = x <= planted ? 0 : 1;
                        learned.add({static_cast<double>((x * 7) % 3), sign * x}, y);
                    }
                    const Ranking ranking = learned.rank();
                    CHECK_EQ(ranking.best.feature, 1);
                    CHECK_EQ(ranking.best.key, sign > 0 ? planted : -(planted + 1));
                    CHECK_EQ(ranking.best.left_over, 0.0);  // exactly: both sides are pure
                    CHECK(ranking.runner_up > 0.0);
                    check_same(ranking, rank_directly(learned));
                }
            }
        }
    }
}

TEST(a_planted_category_is_found) {
    for (const Criterion criterion : kCriteria) {
        for (int planted = 0; planted < 6; ++planted) {
            Learned learned({Kind::numeric, Kind::categorical}, 3, params_of(criterion));
            for (int i = 0; i < 60; ++i) {
                const int category = (i * 5) % 6;
                learned.add({static_cast<double>(i % 4), static_cast<double>(category)}, category == planted ? 2 : 1);
            }
            const Ranking ranking = learned.rank();
            CHECK_EQ(ranking.best.feature, 1);
            CHECK_EQ(ranking.best.key, planted);
            CHECK_EQ(ranking.best.left_over, 0.0);
            CHECK(!ranking.best.missing_left);  // five of six categories are on the right
        }
    }
}

TEST(a_planted_threshold_is_found_between_normals) {
    for (const Criterion criterion : kCriteria) {
        Random random(1);
        Learned learned({Kind::numeric, Kind::numeric}, 2, params_of(criterion, NumericSplits::gaussian));
        for (int i = 0; i < 400; ++i) {
            const std::size_t y = random.below(2);
            learned.add({random.uniform(), random.uniform() + 3.0 * static_cast<double>(y)}, y);
        }
        const Ranking ranking = learned.rank();
        CHECK_EQ(ranking.best.feature, 1);
        CHECK(ranking.best.key > 0.95 && ranking.best.key < 3.05);
        CHECK(ranking.best.left_over < 0.1 * ranking.runner_up);
        // Ten thresholds, equally spaced strictly between the extremes.
        const double step =
            (learned.leaf.attributes[1].normals[1].highest - learned.leaf.attributes[1].normals[0].lowest) / 11.0;
        const double steps = (ranking.best.key - learned.leaf.attributes[1].normals[0].lowest) / step;
        CHECK_NEAR(steps, std::round(steps), 1e-9);
    }
}

TEST(the_search_agrees_with_the_examples_to_the_last_bit) {
    Random random(2);
    for (int round = 0; round < 120; ++round) {
        const Criterion criterion = kCriteria[round % 4];
        const std::size_t n_classes = 2 + random.below(3);
        const double missing = round % 3 == 0 ? 0.0 : 0.2;
        TreeParams params = params_of(criterion);
        params.n_bins = round % 2 ? 8 : 64;  // full with overflow, or not
        Learned learned({Kind::numeric, Kind::categorical, Kind::numeric}, n_classes, params);
        for (int i = 0; i < 120; ++i) {
            std::vector<double> row{static_cast<double>(random.below(30)), static_cast<double>(random.below(5)),
                                    static_cast<double>(random.below(3))};
            for (double& x : row)
                if (random.chance(missing)) x = kNan;
            const std::size_t y = row[0] > 20.0 ? 0 : random.below(n_classes);
            learned.add(row, y, static_cast<double>(1 + random.below(3)));
        }
        check_same(learned.rank(), rank_directly(learned));
    }
}

TEST(a_class_without_examples_changes_nothing) {
    Random random(3);
    for (int round = 0; round < 200; ++round) {
        TreeParams params = params_of(Criterion::gini, round % 2 ? NumericSplits::exact : NumericSplits::histogram);
        params.n_bins = 16;
        const std::vector<Kind> kinds{Kind::numeric, Kind::numeric};
        Learned two(kinds, 2, params), three(kinds, 3, params);
        const std::size_t n = 2 + random.below(100);
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<double> row{random.uniform(), static_cast<double>(random.below(4))};
            const std::size_t y = random.chance(0.3 + 0.4 * row[0]) ? 1 : 0;
            const double w = round % 3 ? 0.1 + random.uniform() : 1.0;  // sums of fractions depend on their order
            two.add(row, y, w);
            three.add(row, y, w);
        }
        CHECK_EQ(two.leaf.attributes[0].tally.stride(), 2);
        CHECK_EQ(three.leaf.attributes[0].tally.stride(), 3);
        check_same(two.rank(), three.rank());

        // And both are what the counts give: sums from the left and from the right, then the definition of g.
        const Tally& tally = two.leaf.attributes[0].tally;
        const std::size_t rows = tally.n_rows() - 1;
        Candidate best;
        std::vector<double> left(2, 0.0);
        for (std::size_t i = 0; i < tally.n_keys(); ++i) {
            std::vector<double> right(2, 0.0);
            for (std::size_t y = 0; y < 2; ++y) left[y] += tally.count(1 + i, y);
            for (std::size_t r = rows; r > i + 1; --r)
                for (std::size_t y = 0; y < 2; ++y) right[y] += tally.count(r, y);
            const double g = left_over_of(Criterion::gini, left, right);
            if (g < best.left_over) best = {g, 0, tally.keys()[i], left[0] + left[1] >= right[0] + right[1]};
        }
        Learned first({Kind::numeric}, 2, params);
        for (const Example& e : two.examples) first.add({e.row[0]}, e.y, e.w);
        const Candidate found = first.rank().best;
        CHECK_EQ(found.left_over, best.left_over);
        CHECK_EQ(found.key, best.key);
        CHECK_EQ(found.missing_left, best.missing_left);
    }
}

TEST(a_glance_rules_out_what_cannot_be_best) {
    Random random(11);
    for (const std::size_t n_classes : {2, 5}) {
        const std::vector<Kind> kinds(8, Kind::numeric);
        Learned learned(kinds, n_classes, params_of(Criterion::gini));
        for (int i = 0; i < 3000; ++i) {
            std::vector<double> row(kinds.size());
            for (double& x : row) x = random.uniform();
            learned.add(row, row[2] < 0.3 ? 0 : row[5] < 0.5 ? 1 : random.below(n_classes));
        }
        const Candidate best = learned.rank().best;
        CHECK(best.feature == 2 || best.feature == 5);
        Glance glance;
        glance.take(learned.leaf, kinds, learned.params, learned.counting);
        for (std::size_t j = 0; j < kinds.size(); ++j) CHECK_EQ(glance.matters(j), j == 2 || j == 5);
        // It says how large the gap is to a ten-thousandth of the impurity.
        SplitScratch scratch;
        const double without_split = left_over_without_split(learned.leaf, Criterion::gini, scratch);
        const double gap = learned.rank().runner_up - best.left_over;
        CHECK(glance.widest_gap(without_split) - gap < 1e-4 * without_split);
    }
}

TEST(a_glance_leaves_to_the_search_what_it_cannot_count) {
    Learned entropy({Kind::numeric, Kind::numeric}, 2, params_of(Criterion::entropy));
    Learned doubles({Kind::numeric, Kind::numeric}, 2, params_of(Criterion::gini));
    doubles.widen();
    for (Learned* learned : {&entropy, &doubles}) {
        for (int i = 0; i < 20; ++i) learned->add({1.0 * i, 1.0 * (i % 3)}, static_cast<std::size_t>(i % 2));
        Glance glance;
        glance.take(learned->leaf, learned->kinds, learned->params, learned->counting);
        CHECK(glance.matters(0) && glance.matters(1));
        CHECK_EQ(glance.widest_gap(1.0), kInfinity);
    }
}

TEST(zeros_that_are_not_counted_split_like_others) {
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        TreeParams params =
            params_of(kCriteria[round % 4], round % 3 ? NumericSplits::histogram : NumericSplits::exact);
        params.n_bins = static_cast<std::uint32_t>(2 + random.below(20));
        const std::size_t n_classes = 2 + random.below(2);
        const std::vector<Kind> kinds{Kind::numeric, Kind::numeric, Kind::categorical};
        Learned implied(kinds, n_classes, params), counted(kinds, n_classes, params);
        counted.widen();  // there zeros are counted, and all is in doubles
        const double missing = round % 2 ? 0.0 : 0.1, zeros = random.uniform();
        for (int i = 0; i < 150; ++i) {
            std::vector<double> row{static_cast<double>(random.below(30)) - 10.0, random.uniform() - 0.3,
                                    static_cast<double>(random.below(3))};
            for (double& x : row) {
                if (random.chance(zeros)) x = 0.0;
                if (random.chance(missing)) x = kNan;
            }
            const std::size_t y = random.chance(row[0] > 0.0 ? 0.8 : 0.2) ? 0 : random.below(n_classes);
            implied.add(row, y);
            counted.add(row, y);
            if (i % 30 == 29) check_same(implied.rank(), counted.rank());
        }
        check_same(implied.rank(), rank_directly(implied));
        const Ranking before = implied.rank();
        std::vector<double> left, right, left_in_doubles, right_in_doubles;
        count_sides(implied.leaf, kinds[before.best.feature], implied.counting, before.best, left, right);
        count_sides(counted.leaf, kinds[before.best.feature], counted.counting, before.best, left_in_doubles,
                    right_in_doubles);
        CHECK(left == left_in_doubles);
        CHECK(right == right_in_doubles);
        implied.widen();  // and when counts become doubles, nothing changes
        check_same(implied.rank(), before);
    }
}

TEST(a_split_at_zero_is_found_where_no_zero_was_counted) {
    for (const Criterion criterion : kCriteria) {
        for (const std::size_t n_classes : {2, 3}) {
            Learned learned({Kind::numeric}, n_classes, params_of(criterion));
            for (int i = 0; i < 50; ++i) learned.add({i % 2 ? 1.0 + i : 0.0}, static_cast<std::size_t>(i % 2));
            CHECK(!learned.leaf.attributes[0].tally.has(0.0));
            const Candidate best = learned.rank().best;
            CHECK_EQ(best.key, 0.0);
            CHECK_EQ(best.left_over, 0.0);
        }
    }
}

TEST(equal_attributes_go_to_the_lower_one) {
    for (const Criterion criterion : kCriteria) {
        Random random(4);
        // The same numbers three times: as they are, again, and mirrored, whose sides are exchanged.
        Learned learned({Kind::numeric, Kind::numeric, Kind::numeric}, 3, params_of(criterion, NumericSplits::exact));
        for (int i = 0; i < 200; ++i) {
            const double x = random.uniform();
            learned.add({-x, x, x}, random.chance(x) ? 0 : 1 + random.below(2), 0.25 + random.uniform());
        }
        const Ranking ranking = learned.rank();
        CHECK_EQ(ranking.best.feature, 0);
        CHECK_EQ(ranking.runner_up, ranking.best.left_over);  // to the last bit, fractional weights and all
    }
}

TEST(equal_keys_go_to_the_lower_one) {
    for (const Criterion criterion : kCriteria) {
        // 0 | 1 1 | 0: both pure ends are equally good.
        Learned numbers({Kind::numeric}, 2, params_of(criterion));
        for (int copy = 0; copy < 5; ++copy) {
            numbers.add({4.0}, 0);
            numbers.add({1.0}, 0);
            numbers.add({2.0}, 1);
            numbers.add({3.0}, 1);
        }
        CHECK_EQ(numbers.rank().best.key, 1.0);
        Learned categories({Kind::categorical}, 2, params_of(criterion));
        for (int copy = 0; copy < 5; ++copy) {
            categories.add({3.0}, 0);
            categories.add({1.0}, 0);
            categories.add({0.0}, 1);
            categories.add({2.0}, 1);
        }
        CHECK_EQ(categories.rank().best.key, 0.0);
    }
}

TEST(missing_values_go_to_the_better_side) {
    for (const Criterion criterion : kCriteria) {
        for (const std::size_t class_of_missing : {0, 1}) {
            Learned learned({Kind::numeric, Kind::categorical}, 2, params_of(criterion));
            for (int i = 0; i < 40; ++i) {
                const std::size_t y = i % 2;
                learned.add({static_cast<double>(y), static_cast<double>(y)}, y);
                learned.add({kNan, kNan}, class_of_missing);
            }
            const Ranking ranking = learned.rank();
            CHECK(ranking.missing_seen);
            CHECK_EQ(ranking.best.key, 0.0);
            CHECK_EQ(ranking.best.missing_left, class_of_missing == 0);
            CHECK_EQ(ranking.best.left_over, 0.0);
            std::vector<double> left, right;
            count_sides(learned.leaf, Kind::numeric, learned.counting, ranking.best, left, right);
            CHECK_EQ(left[0], class_of_missing == 0 ? 60.0 : 20.0);
            CHECK_EQ(right[1], class_of_missing == 1 ? 60.0 : 20.0);
            CHECK_EQ(left[1] + right[0], 0.0);
        }
    }
}

TEST(missing_values_that_help_neither_side_go_left) {
    Learned learned({Kind::numeric}, 2, params_of(Criterion::gini));
    for (int i = 0; i < 10; ++i) {
        learned.add({0.0}, 0);
        learned.add({1.0}, 1);
        learned.add({kNan}, static_cast<std::size_t>(i % 2));
    }
    CHECK(learned.rank().best.missing_left);
}

TEST(without_missing_values_the_larger_side_takes_them) {
    for (const std::size_t n_classes : {2, 3}) {
        for (const int on_the_left : {3, 5, 7}) {
            Learned learned({Kind::numeric}, n_classes, params_of(Criterion::gini));
            for (int i = 0; i < 10; ++i) learned.add({static_cast<double>(i)}, i < on_the_left ? 0 : 1);
            const Candidate best = learned.rank().best;
            CHECK_EQ(best.key, on_the_left - 1);
            CHECK_EQ(best.missing_left, on_the_left >= 5);  // the left one of equals
        }
    }
}

TEST(what_cannot_be_divided_is_no_candidate) {
    for (const Criterion criterion : kCriteria) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian}) {
            Learned constant({Kind::numeric, Kind::categorical, Kind::numeric}, 2, params_of(criterion, splits));
            for (int i = 0; i < 20; ++i) constant.add({5.0, 0.0, kNan}, static_cast<std::size_t>(i % 2));
            const Ranking ranking = constant.rank();
            CHECK(!ranking.best.exists());
            CHECK_EQ(ranking.runner_up, kInfinity);
        }
    }
    SplitScratch scratch;
    CHECK(!rank_splits(Leaf(), {}, TreeParams(), Counting(TreeParams(), false), scratch).best.exists());
}

TEST(missing_or_not_is_itself_a_split) {
    // One value, and missing: the value may go left and the missing ones right.
    Learned learned({Kind::numeric}, 2, params_of(Criterion::gini));
    for (int i = 0; i < 20; ++i) learned.add({i % 2 ? 5.0 : kNan}, static_cast<std::size_t>(i % 2));
    const Candidate best = learned.rank().best;
    CHECK_EQ(best.left_over, 0.0);
    CHECK_EQ(best.key, 5.0);
    CHECK(!best.missing_left);
}

TEST(a_category_without_a_name_is_never_the_left_side) {
    Learned learned({Kind::categorical}, 2, params_of(Criterion::gini));
    for (int i = 0; i < 30; ++i) {
        learned.add({-1.0}, 1);  // no room for its name
        learned.add({static_cast<double>(i % 2)}, 0);
    }
    const Candidate best = learned.rank().best;
    CHECK(best.key >= 0.0);
    std::vector<double> left, right;
    count_sides(learned.leaf, Kind::categorical, learned.counting, best, left, right);
    CHECK_EQ(right[1], 30.0);  // but it is counted, on the right
}

TEST(count_sides_are_those_of_the_examples) {
    Random random(5);
    TreeParams params = params_of(Criterion::gini);
    params.n_bins = 8;
    Learned learned({Kind::numeric, Kind::categorical}, 3, params);
    for (int i = 0; i < 300; ++i) {
        std::vector<double> row{std::floor(random.uniform() * 40.0), static_cast<double>(random.below(6))};
        if (random.chance(0.1)) row[random.below(2)] = kNan;
        learned.add(row, random.below(3), static_cast<double>(1 + random.below(2)));
    }
    learned.leaf.classes.emplace_back();  // a class that has no example here
    std::vector<double> left, right, expected_left, expected_right;
    for (std::uint32_t j = 0; j < 2; ++j) {
        for (const double key : learned.keys(j)) {
            for (const bool missing_left : {true, false}) {
                const Candidate split{0.0, j, key, missing_left};
                count_sides(learned.leaf, learned.kinds[j], learned.counting, split, left, right);
                divide(learned, split, expected_left, expected_right);
                CHECK(left == expected_left);
                CHECK(right == expected_right);
            }
        }
    }
}

TEST(no_split_leaves_the_impurity_of_what_was_observed) {
    SplitScratch scratch;
    Leaf leaf;
    leaf.classes.resize(2);
    leaf.classes[0].votes = 100.0;  // inherited: not observed
    leaf.count(0, 3.0);
    leaf.count(1, 1.0);
    CHECK_EQ(left_over_without_split(leaf, Criterion::gini, scratch), 1.5);
    CHECK_EQ(left_over_without_split(leaf, Criterion::error, scratch), 1.0);
    CHECK_NEAR(left_over_without_split(leaf, Criterion::kearns_mansour, scratch), 2.0 * std::sqrt(3.0), 1e-15);
    CHECK_NEAR(left_over_without_split(leaf, Criterion::entropy, scratch), 2.249340578475233, 1e-14);
    CHECK_EQ(left_over_without_split(Leaf(), Criterion::gini, scratch), 0.0);
}

TEST(scratch_used_before_changes_nothing) {
    SplitScratch used;
    Random random(6);
    Learned large({Kind::numeric, Kind::categorical}, 4, params_of(Criterion::entropy, NumericSplits::exact));
    for (int i = 0; i < 200; ++i) large.add({random.uniform(), static_cast<double>(random.below(7))}, random.below(4));
    rank_splits(large.leaf, large.kinds, large.params, large.counting, used);
    Learned small({Kind::numeric, Kind::numeric}, 2, params_of(Criterion::gini));
    for (int i = 0; i < 30; ++i) small.add({random.uniform(), random.uniform()}, random.below(2));
    check_same(rank_splits(small.leaf, small.kinds, small.params, small.counting, used), small.rank());
}
