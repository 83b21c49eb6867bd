// Proves the naive Bayes scores against ones worked out by hand: priors from votes, smoothed frequencies of
// categories and repeated numbers, densities of other numbers, and nothing from what is missing.
#include "sapwood/naive_bayes.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "random.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Classroom {
    Classroom(std::vector<Kind> column_kinds, std::size_t n_classes) : kinds(std::move(column_kinds)) {
        params.leaf_prediction = LeafPrediction::naive_bayes;
        counting = Counting(params, false);
        leaf.classes.resize(n_classes);
    }
    void add(const std::vector<double>& row, std::size_t y, double w = 1.0) {
        if (w != 1.0 && !counting.wide) {
            leaf.widen_counts(kinds, counting);
            counting = Counting(params, true);
        }
        leaf.observe({row.data(), nullptr, row.size()}, kinds, y, w, counting);
        leaf.count(y, w);
    }
    std::vector<double> scores(const std::vector<double>& row) const {
        std::vector<double> out(leaf.classes.size(), kNan);
        naive_bayes_scores(leaf, row.data(), kinds, out.data());
        return out;
    }

    std::vector<Kind> kinds;
    TreeParams params;
    Counting counting{TreeParams(), false};
    Leaf leaf;
};

}  // namespace

TEST(two_classes_are_scored_as_among_three) {
    // A class without votes changes nothing, but all classes are then scored one by one.
    Random random(31);
    for (int round = 0; round < 300; ++round) {
        const std::size_t d = 1 + random.below(round % 10 ? 6 : 60);
        std::vector<Kind> kinds;
        for (std::size_t j = 0; j < d; ++j) kinds.push_back(random.chance(0.1) ? Kind::categorical : Kind::numeric);
        Classroom two(kinds, 2), three(kinds, 3);
        const double scale = std::ldexp(1.0, static_cast<int>(random.below(2000)) - 1000);
        const double missing = round % 3 ? 0.0 : 0.2, repeats = round % 4 ? 0.0 : 0.9;
        const auto draw = [&] {
            std::vector<double> row;
            for (const Kind kind : kinds) {
                const double x = random.chance(repeats) ? 1.0 : 2.0 * random.uniform() - 1.0;
                row.push_back(kind == Kind::categorical ? static_cast<double>(random.below(4)) : scale * x);
                if (random.chance(missing)) row.back() = kNan;
            }
            return row;
        };
        const std::size_t n = random.below(80);
        for (std::size_t i = 0; i < n; ++i) {
            const std::vector<double> row = draw();
            const std::size_t y = random.below(round % 5 ? 2 : 1);
            const double w = round % 2 ? 1.0 : 0.5 + random.uniform();
            two.add(row, y, w);
            three.add(row, y, w);
        }
        for (int i = 0; i < 20; ++i) {
            std::vector<double> row = draw();
            if (random.chance(0.1)) row[random.below(d)] = random.chance(0.5) ? 1e308 : -1e308;
            const std::vector<double> scores = two.scores(row), among = three.scores(row);
            for (std::size_t y = 0; y < 2; ++y) CHECK_EQ(scores[y], among[y]);
        }
    }
}

TEST(without_attributes_the_prior_speaks) {
    Classroom room({}, 3);
    room.leaf.classes[0].votes = 1.0;  // inherited votes are part of the prior
    room.add({}, 0);
    room.add({}, 1, 2.0);
    const auto scores = room.scores({});
    CHECK_NEAR(scores[0], std::log(0.5), 1e-15);
    CHECK_NEAR(scores[1], std::log(0.5), 1e-15);
    CHECK_EQ(scores[2], -kInfinity);
}

TEST(categories_have_smoothed_frequencies) {
    Classroom room({Kind::categorical}, 2);
    // Class 0: red, red, blue. Class 1: blue, and once missing.
    room.add({0.0}, 0);
    room.add({0.0}, 0);
    room.add({1.0}, 0);
    room.add({1.0}, 1);
    room.add({kNan}, 1);
    auto scores = room.scores({0.0});
    CHECK_NEAR(scores[0], std::log(3.0 / 5.0 * (2.0 + 1.0) / (3.0 + 2.0)), 1e-15);
    CHECK_NEAR(scores[1], std::log(2.0 / 5.0 * (0.0 + 1.0) / (1.0 + 2.0)), 1e-15);  // the missing one is not counted
    scores = room.scores({1.0});
    CHECK_NEAR(scores[0], std::log(3.0 / 5.0 * 2.0 / 5.0), 1e-15);
    CHECK_NEAR(scores[1], std::log(2.0 / 5.0 * 2.0 / 3.0), 1e-15);
    scores = room.scores({-1.0});  // never learned
    CHECK_NEAR(scores[0], std::log(3.0 / 5.0 * 1.0 / 5.0), 1e-15);
    CHECK_NEAR(scores[1], std::log(2.0 / 5.0 * 1.0 / 3.0), 1e-15);
}

TEST(a_missing_value_says_nothing) {
    Classroom room({Kind::categorical, Kind::numeric}, 2);
    Random random(1);
    for (int i = 0; i < 50; ++i) room.add({static_cast<double>(random.below(3)), random.uniform()}, random.below(2));
    const auto prior = room.scores({kNan, kNan});
    CHECK_NEAR(prior[0], std::log(room.leaf.classes[0].votes / 50.0), 1e-15);
    const auto only_first = room.scores({1.0, kNan});
    const auto only_second = room.scores({kNan, 0.5});
    const auto both = room.scores({1.0, 0.5});
    for (std::size_t y = 0; y < 2; ++y)
        CHECK_NEAR(both[y] - prior[y], (only_first[y] - prior[y]) + (only_second[y] - prior[y]), 1e-13);
}

TEST(other_numbers_have_a_density) {
    Classroom room({Kind::numeric}, 2);
    // Class 0: 1, 2, 3 (mean 2, squares 2). Class 1: 6, 10 (mean 8, squares 8). Variance within: 10 / 5 = 2.
    for (const double x : {1.0, 2.0, 3.0}) room.add({x}, 0);
    for (const double x : {6.0, 10.0}) room.add({x}, 1);
    const double v0 = (2.0 + 2.0) / 3.0, v1 = (8.0 + 2.0) / 2.0;
    for (const double x : {2.0, 5.0, 8.0, -100.0}) {
        const auto scores = room.scores({x});
        const double s0 = std::log(0.6) - 0.5 * (std::log(v0) + (x - 2.0) * (x - 2.0) / v0);
        const double s1 = std::log(0.4) - 0.5 * (std::log(v1) + (x - 8.0) * (x - 8.0) / v1);
        CHECK_NEAR(scores[0], s0, 1e-13 * std::fabs(s0));
        CHECK_NEAR(scores[1], s1, 1e-13 * std::fabs(s1));
    }
    CHECK(room.scores({2.0})[0] > room.scores({2.0})[1]);
    CHECK(room.scores({8.0})[1] > room.scores({8.0})[0]);
}

TEST(repeated_numbers_are_counted_like_categories) {
    Classroom room({Kind::numeric}, 2);
    // 0 and 1, four times each: eight examples for two keys.
    for (int i = 0; i < 4; ++i) {
        room.add({0.0}, 0);
        room.add({1.0}, i == 0 ? 0 : 1);
    }
    auto scores = room.scores({1.0});
    CHECK_NEAR(scores[0], std::log(5.0 / 8.0 * (1.0 + 1.0) / (5.0 + 2.0)), 1e-15);
    CHECK_NEAR(scores[1], std::log(3.0 / 8.0 * (3.0 + 1.0) / (3.0 + 2.0)), 1e-15);
    room.add({2.0}, 0);  // nine examples for three keys: back to densities
    const double s = room.leaf.attributes[0].normals[0].squares + room.leaf.attributes[0].normals[1].squares;
    const double v1 = (room.leaf.attributes[0].normals[1].squares + s / 9.0) / 3.0;
    CHECK_NEAR(room.scores({1.0})[1], std::log(3.0 / 9.0) - 0.5 * std::log(v1), 1e-14);
}

TEST(a_class_without_votes_never_wins) {
    Classroom room({Kind::numeric, Kind::categorical}, 3);
    Random random(2);
    for (int i = 0; i < 30; ++i)
        room.add({random.uniform(), static_cast<double>(random.below(2))}, 2 * random.below(2));
    CHECK_EQ(room.scores({0.5, 1.0})[1], -kInfinity);
}

TEST(hundreds_of_attributes_do_not_underflow) {
    const std::size_t d = 500;
    Classroom room(std::vector<Kind>(d, Kind::numeric), 2);
    Random random(3);
    for (int i = 0; i < 40; ++i) {
        const std::size_t y = random.below(2);
        std::vector<double> row(d);
        for (double& x : row) x = 100.0 * random.uniform() + (y ? 30.0 : 0.0);
        room.add(row, y);
    }
    const auto low = room.scores(std::vector<double>(d, 40.0));
    const auto high = room.scores(std::vector<double>(d, 90.0));
    CHECK(std::isfinite(low[0]) && std::isfinite(low[1]));
    CHECK(low[0] > low[1]);
    CHECK(high[1] > high[0]);
}

TEST(any_finite_number_gets_a_finite_score) {
    Classroom room({Kind::numeric}, 2);
    Random random(4);
    for (int i = 0; i < 30; ++i) room.add({random.uniform()}, random.below(2));
    for (const double x : {1e100, -1e160, 1e200, -1e308})
        for (const double score : room.scores({x})) CHECK(std::isfinite(score));
    // A spread so small that its square is no longer a number of its own.
    Classroom narrow({Kind::numeric}, 2);
    narrow.add({0.0}, 0);
    narrow.add({3e-162}, 0);
    for (int i = 0; i < 4; ++i) narrow.add({0.0}, 1);
    CHECK(narrow.leaf.attributes[0].normals[0].squares > 0.0);
    for (const double x : {1.5e-162, 2e-162, 1.0})
        for (const double score : narrow.scores({x})) CHECK(std::isfinite(score));
}
