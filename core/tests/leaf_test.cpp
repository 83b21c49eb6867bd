// Proves what a leaf counts: votes, learned and observed, its majority, and the statistics of each attribute, with
// columns and classes that come late; and that the bytes it reports add up.
#include "sapwood/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "random.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Leaf leaf_with(std::size_t n_classes) {
    Leaf leaf;
    leaf.classes.resize(n_classes);
    return leaf;
}

TreeParams params_with(NumericSplits splits, LeafPrediction prediction = LeafPrediction::majority) {
    TreeParams params;
    params.numeric_splits = splits;
    params.leaf_prediction = prediction;
    return params;
}

void learn(Leaf& leaf, const std::vector<double>& row, const std::vector<Kind>& kinds, std::size_t y, double w,
           const TreeParams& params) {
    leaf.observe(row.data(), kinds, y, w, params, nullptr);
    leaf.count(y, w);
}

}  // namespace

TEST(counting_fills_all_three_counts) {
    Leaf leaf = leaf_with(3);
    leaf.classes[1].votes = 2.5;  // inherited from the parent's split
    leaf.majority = majority_of(leaf);
    CHECK_EQ(leaf.majority, 1);
    leaf.count(0, 1.0);
    leaf.count(0, 0.5);
    leaf.count(2, 1.0);
    CHECK_EQ(leaf.m, 2.5);
    CHECK_EQ(leaf.votes(), 5.0);
    CHECK_EQ(leaf.learned(), 2.5);
    CHECK_EQ(leaf.classes[0].votes, 1.5);
    CHECK_EQ(leaf.classes[0].learned, 1.5);
    CHECK_EQ(leaf.classes[1].learned, 0.0);
    CHECK_EQ(leaf.promise(), 2.5);
    CHECK(!leaf.pure());
}

TEST(the_majority_is_the_lowest_of_the_most_voted) {
    Random random(1);
    for (int round = 0; round < 50; ++round) {
        Leaf leaf = leaf_with(1 + random.below(6));
        CHECK_EQ(leaf.majority, majority_of(leaf));
        for (int i = 0; i < 40; ++i) {
            leaf.count(random.below(leaf.classes.size()), 1.0);
            CHECK_EQ(leaf.majority, majority_of(leaf));
        }
    }
    CHECK_EQ(majority_of(Leaf()), 0);
    CHECK_EQ(Leaf().promise(), 0.0);
}

TEST(pure_is_about_what_was_observed) {
    Leaf leaf = leaf_with(2);
    leaf.classes[0].votes = 10.0;  // votes do not count: they were counted at the parent
    CHECK(leaf.pure());
    leaf.count(1, 1.0);
    CHECK(leaf.pure());
    leaf.count(0, 1.0);
    CHECK(!leaf.pure());
}

TEST(each_way_to_split_keeps_what_it_needs) {
    const std::vector<Kind> kinds{Kind::numeric, Kind::categorical};
    const std::vector<double> row{1.5, 2.0};
    struct Case {
        NumericSplits splits;
        LeafPrediction prediction;
        bool keys, normals;
    };
    for (const Case& c : {Case{NumericSplits::histogram, LeafPrediction::majority, true, false},
                          Case{NumericSplits::exact, LeafPrediction::majority, true, false},
                          Case{NumericSplits::gaussian, LeafPrediction::majority, false, true},
                          Case{NumericSplits::histogram, LeafPrediction::naive_bayes, true, true},
                          Case{NumericSplits::gaussian, LeafPrediction::adaptive, false, true}}) {
        Leaf leaf = leaf_with(2);
        learn(leaf, row, kinds, 1, 1.0, params_with(c.splits, c.prediction));
        CHECK_EQ(leaf.attributes.size(), 2);
        CHECK_EQ(leaf.attributes[0].tally.n_keys(), c.keys ? 1 : 0);
        CHECK_EQ(leaf.attributes[0].normals.size(), c.normals ? 2 : 0);
        CHECK_EQ(leaf.attributes[1].tally.n_keys(), 1);  // a category is always counted
        CHECK_EQ(leaf.attributes[1].tally.row(1)[1], 1.0);
        CHECK_EQ(leaf.attributes[1].normals.size(), 0);
    }
}

TEST(only_the_histogram_has_a_limit) {
    const std::vector<Kind> kinds{Kind::numeric, Kind::categorical};
    TreeParams histogram = params_with(NumericSplits::histogram);
    TreeParams exact = params_with(NumericSplits::exact);
    histogram.n_bins = exact.n_bins = 4;
    Leaf binned = leaf_with(1), all = leaf_with(1);
    for (double x = 0.0; x < 20.0; x += 1.0) {
        learn(binned, {x, x}, kinds, 0, 1.0, histogram);
        learn(all, {x, x}, kinds, 0, 1.0, exact);
    }
    CHECK_EQ(binned.attributes[0].tally.n_keys(), 4);
    CHECK(binned.attributes[0].tally.full());
    CHECK_EQ(binned.attributes[1].tally.n_keys(), 20);  // categories are never binned
    CHECK_EQ(all.attributes[0].tally.n_keys(), 20);
}

TEST(a_late_column_was_missing_before) {
    const TreeParams params = params_with(NumericSplits::histogram);
    std::vector<Kind> kinds{Kind::numeric};
    Leaf leaf = leaf_with(2);
    leaf.classes[0].votes = 5.0;  // inherited votes were not observed here
    learn(leaf, {1.0}, kinds, 0, 1.0, params);
    learn(leaf, {2.0}, kinds, 1, 2.0, params);
    kinds.push_back(Kind::numeric);
    learn(leaf, {3.0, 7.0}, kinds, 1, 1.0, params);
    const Tally& late = leaf.attributes[1].tally;
    CHECK_EQ(late.missing()[0], 1.0);
    CHECK_EQ(late.missing()[1], 2.0);
    CHECK_EQ(late.n_keys(), 1);
    CHECK_EQ(late.row(1)[1], 1.0);
    learn(leaf, {3.0, kNan}, kinds, 0, 1.0, params);
    CHECK_EQ(leaf.attributes[1].tally.missing()[0], 2.0);
}

TEST(missing_values_reach_no_normal) {
    const TreeParams params = params_with(NumericSplits::gaussian);
    Leaf leaf = leaf_with(2);
    learn(leaf, {kNan}, {Kind::numeric}, 1, 1.0, params);
    CHECK_EQ(leaf.attributes[0].normals.size(), 0);
    CHECK_EQ(leaf.attributes[0].tally.missing()[1], 1.0);
    learn(leaf, {4.0}, {Kind::numeric}, 1, 1.0, params);
    CHECK_EQ(leaf.attributes[0].normals[1].weight, 1.0);
    CHECK_EQ(leaf.attributes[0].normals[0].weight, 0.0);
}

TEST(a_closed_leaf_keeps_only_normals_of_numbers) {
    Leaf leaf = leaf_with(1);
    leaf.collecting = Collecting::closed;
    const TreeParams params = params_with(NumericSplits::histogram, LeafPrediction::naive_bayes);
    learn(leaf, {1.0, 1.0}, {Kind::numeric, Kind::categorical}, 0, 1.0, params);
    CHECK_EQ(leaf.attributes[0].tally.n_keys(), 0);
    CHECK_EQ(leaf.attributes[0].normals.size(), 1);
    CHECK_EQ(leaf.attributes[1].tally.n_keys(), 1);
}

TEST(observe_returns_the_bytes_it_grew_by) {
    Random random(2);
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian, NumericSplits::exact}) {
            const TreeParams params = params_with(splits, prediction);
            std::vector<Kind> kinds{Kind::numeric};
            Leaf leaf = leaf_with(1);
            std::size_t bytes = leaf.statistics_nbytes();
            CHECK_EQ(bytes, 0);
            for (int i = 0; i < 300; ++i) {
                if (i % 60 == 59) kinds.push_back(i % 120 == 59 ? Kind::categorical : Kind::numeric);
                if (i % 70 == 69) leaf.classes.resize(leaf.classes.size() + 1);
                std::vector<double> row;
                for (const Kind kind : kinds) {
                    const double x = static_cast<double>(random.below(kind == Kind::categorical ? 9 : 150));
                    row.push_back(random.chance(0.1) ? kNan : x);
                }
                const std::size_t y = random.below(leaf.classes.size());
                bytes += leaf.observe(row.data(), kinds, y, 1.0, params, nullptr);
                leaf.count(y, 1.0);
                CHECK_EQ(leaf.statistics_nbytes(), bytes);
            }
        }
    }
}

TEST(finding_the_rows_first_counts_the_same) {
    Random random(3);
    TreeParams params;
    params.n_bins = 16;
    const std::vector<Kind> kinds{Kind::numeric, Kind::numeric};
    Leaf found_first = leaf_with(2), plain = leaf_with(2);
    std::size_t times_found = 0;
    for (int i = 0; i < 1000; ++i) {
        if (i == 500) {  // a class comes late
            found_first.classes.emplace_back();
            plain.classes.emplace_back();
        }
        double row[] = {random.uniform(), std::floor(40.0 * random.uniform())};
        if (random.chance(0.1)) row[random.below(2)] = kNan;
        std::uint32_t found[2];
        const bool is_found = found_first.find(row, 2, found);
        times_found += is_found;
        const std::size_t y = random.below(plain.classes.size());
        found_first.observe(row, kinds, y, 1.0, params, is_found ? found : nullptr);
        plain.observe(row, kinds, y, 1.0, params, nullptr);
        found_first.count(y, 1.0);
        plain.count(y, 1.0);
    }
    CHECK(times_found > 800);
    for (std::size_t j = 0; j < 2; ++j) {
        const Tally &a = found_first.attributes[j].tally, &b = plain.attributes[j].tally;
        CHECK_EQ(a.n_rows(), b.n_rows());
        CHECK(std::equal(a.row(0), a.row(a.n_rows()), b.row(0)));
    }
    found_first.drop_statistics();
    std::uint32_t found[2];
    CHECK(!found_first.find(std::vector<double>(2, 0.5).data(), 2, found));
}

TEST(dropping_the_statistics_keeps_votes_and_learned) {
    const TreeParams params;
    Leaf leaf = leaf_with(2);
    for (double x = 0.0; x < 10.0; x += 1.0) learn(leaf, {x}, {Kind::numeric}, x < 3.0 ? 0 : 1, 1.0, params);
    leaf.last_look = 5.0;
    leaf.drop_statistics();
    CHECK_EQ(leaf.statistics_nbytes(), 0);
    CHECK(leaf.attributes.empty());
    CHECK_EQ(leaf.m, 0.0);
    CHECK_EQ(leaf.last_look, 0.0);
    CHECK_EQ(leaf.votes(), 10.0);
    CHECK_EQ(leaf.learned(), 10.0);
    CHECK_EQ(leaf.classes[1].observed, 0.0);
    CHECK(leaf.pure());
    CHECK_EQ(leaf.majority, 1);
    // What comes next is observed from here on.
    learn(leaf, {1.0}, {Kind::numeric}, 0, 1.0, params);
    CHECK_EQ(leaf.attributes[0].tally.missing()[1], 0.0);
    CHECK_EQ(leaf.m, 1.0);
}
