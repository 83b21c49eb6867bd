// Proves that the gap test rules by its bound and by nothing else, says beforehand what is needed, and that a more
// cautious setting never lets through what a less cautious one stops.
#include "sapwood/gap.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/look.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr Bound kBounds[] = {Bound::c_tree, Bound::theorem, Bound::hoeffding, Bound::hoeffding_corrected,
                             Bound::mcdiarmid};

TreeParams hoeffding(double tie_threshold) {
    TreeParams params;
    params.bound = Bound::hoeffding;
    params.delta = 0.05;
    params.tie_threshold = tie_threshold;
    return params;
}

Contest contest_of(double gap, double gain) {
    Contest contest;
    contest.best.left_over = 0.0;
    contest.gap = gap;
    contest.gain = gain;
    return contest;
}

constexpr Occasion kOccasion{1000.0, 5000.0, 2, 10, 2};
constexpr double kEpsilon = 0.038702275602049495;  // sqrt(ln 20 / 2000), see bounds_test.cpp

}  // namespace

TEST(the_gap_must_be_larger_than_epsilon) {
    const TreeParams params = hoeffding(0.0);
    const GapTest test(params);
    const Ruling narrow = test.rule(kOccasion, contest_of(0.0387, 0.1));
    CHECK(!narrow.splits);
    CHECK_NEAR(narrow.epsilon, kEpsilon, 1e-15);
    CHECK_EQ(narrow.delta, 0.05);
    const Ruling wide = test.rule(kOccasion, contest_of(0.0388, 0.1));
    CHECK(wide.splits);
    CHECK_EQ(wide.reason, Reason::confident);
    CHECK(!test.rule(kOccasion, contest_of(narrow.epsilon, 0.1)).splits);  // larger, and not equal
}

TEST(a_tie_needs_a_gain_and_no_gap) {
    const TreeParams params = hoeffding(0.04);
    const GapTest test(params);
    CHECK(test.needed(kOccasion).any_gain);
    const Ruling tie = test.rule(kOccasion, contest_of(0.0, 0.001));
    CHECK(tie.splits);
    CHECK_EQ(tie.reason, Reason::tie);
    CHECK(!test.rule(kOccasion, contest_of(0.0, 0.0)).splits);
    CHECK_EQ(test.rule(kOccasion, contest_of(0.1, 0.1)).reason, Reason::confident);
    CHECK(!GapTest(hoeffding(0.03)).needed(kOccasion).any_gain);
}

TEST(missing_values_double_the_candidates_of_the_theorem) {
    TreeParams params;
    params.bound = Bound::theorem;
    Occasion occasion = kOccasion;
    occasion.missing_seen = true;
    Occasion twice_as_wide = kOccasion;
    twice_as_wide.columns *= 2;
    const GapTest test(params);
    const double seen = test.rule(occasion, contest_of(0.0, 0.0)).epsilon;
    CHECK_EQ(seen, test.rule(twice_as_wide, contest_of(0.0, 0.0)).epsilon);
    CHECK(seen > test.rule(kOccasion, contest_of(0.0, 0.0)).epsilon);
    CHECK_EQ(test.rule(kOccasion, contest_of(0.0, 0.0)).delta, 1.0 / 5000.0);  // delta "1/t"
}

TEST(what_is_needed_stops_nothing_that_would_pass) {
    Random random(5);
    int passed = 0;
    for (int i = 0; i < 20000; ++i) {
        TreeParams params;
        params.bound = kBounds[random.below(std::size(kBounds))];
        params.c = 0.2 * random.uniform() + 1e-4;
        params.delta = random.below(2) ? 0.9 * random.uniform() + 1e-9 : 0.0;
        params.tie_threshold = random.below(3) ? 0.0 : 0.3 * random.uniform();
        const double m = std::floor(1e5 * random.uniform()) + 2.0;
        Occasion occasion{m, m + std::floor(1e5 * random.uniform()), static_cast<std::uint32_t>(random.below(9)),
                          1 + random.below(50), 1 + random.below(6)};
        const double gain = 0.5 * random.uniform(), gap = gain * random.uniform();
        const GapTest test(params);
        const Needed needed = test.needed(occasion);
        occasion.missing_seen = random.below(2) != 0;
        const bool splits = test.rule(occasion, contest_of(gap, gain)).splits;
        passed += splits;
        CHECK(!splits || needed.any_gain || gap > needed.gap);
    }
    CHECK(passed > 1000);
}

TEST(a_more_cautious_setting_lets_no_more_through) {
    Random random(6);
    for (const Bound bound : kBounds) {
        std::vector<TreeParams> settings(8);
        for (TreeParams& params : settings) {
            params.bound = bound;
            params.c = random.uniform();
            params.delta = 0.1 + 0.8 * random.uniform();
        }
        const auto caution = [](const TreeParams& params) {
            return with_test(params, [](const SplitTest auto& test) { return test.caution(); });
        };
        std::sort(settings.begin(), settings.end(),
                  [&](const TreeParams& a, const TreeParams& b) { return caution(a) < caution(b); });
        for (int i = 0; i < 200; ++i) {
            const double gain = random.uniform();
            const Contest contest = contest_of(gain * random.uniform(), gain);
            bool before = true;
            for (const TreeParams& params : settings) {
                const bool now = GapTest(params).rule(kOccasion, contest).splits;
                CHECK(before || !now);
                before = now;
            }
        }
    }
}
