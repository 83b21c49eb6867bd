// Proves each bound against numbers worked out from the paper's formulas (m = 1000, t = 5000, d = 10, depth 2,
// delta = 0.05, c = 0.05), and that evidence makes every bound narrower and caution makes it wider.
#include "sapwood/bounds.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"

using namespace sapwood;

namespace {

constexpr Bound kBounds[] = {Bound::c_tree, Bound::theorem, Bound::hoeffding, Bound::hoeffding_corrected,
                             Bound::mcdiarmid};
constexpr Criterion kCriteria[] = {Criterion::gini, Criterion::entropy, Criterion::kearns_mansour, Criterion::error};
constexpr double kTolerance = 1e-13;

BoundInput example() {
    BoundInput in;
    in.m = 1000.0;
    in.t = 5000.0;
    in.d = 10.0;
    in.depth = 2.0;
    in.delta = 0.05;
    in.c = 0.05;
    return in;
}

BoundInput example(double n_classes) {
    BoundInput in = example();
    in.n_classes = n_classes;
    return in;
}

bool defined(Bound bound, Criterion criterion) {
    try {
        require_defined(bound, criterion);
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

/// Calls visit(bound, criterion) for each pair that has a bound.
template <class Visit>
void for_each_defined(Visit&& visit) {
    for (const Bound bound : kBounds)
        for (const Criterion criterion : kCriteria)
            if (defined(bound, criterion)) visit(bound, criterion);
}

}  // namespace

TEST(theorems_1_to_3) {
    CHECK_NEAR(theorem_entropy(1000, 0.05, 2), 0.648680026922111, kTolerance);  // ln m sqrt(2/m ln 4/delta) + 2/m
    CHECK_NEAR(theorem_entropy(1000, 0.05, 3), 0.649680026922111, kTolerance);  // ... + 3/m
    CHECK_NEAR(theorem_gini(1000, 0.05), 0.29827886974543016, kTolerance);      // sqrt(8/m ln 2/delta) + 4/sqrt m
    CHECK_NEAR(theorem_kearns_mansour(1000, 0.05, 2), 0.28496101670884955, kTolerance);  // 4 sqrt(ln(8/delta) / m)
    CHECK_NEAR(theorem_kearns_mansour(1000, 0.05, 3), 0.4714406640718105, kTolerance);   // 6 sqrt(ln(24/delta) / m)
}

TEST(theorem_4_shares_delta_out) {
    // 0.05 / (3 * 4 * 5000 * 10 * 1000) = 8.33e-11
    CHECK_NEAR(epsilon(Bound::theorem, Criterion::entropy, example()), 1.5340419157319167, kTolerance);
    CHECK_NEAR(epsilon(Bound::theorem, Criterion::entropy, example(3)), 1.5350419157319166, kTolerance);
    CHECK_NEAR(epsilon(Bound::theorem, Criterion::gini, example()), 0.5637674004570242, kTolerance);
    CHECK_NEAR(epsilon(Bound::theorem, Criterion::gini, example(3)), 0.5637674004570242, kTolerance);
    CHECK_NEAR(epsilon(Bound::theorem, Criterion::kearns_mansour, example()), 0.6360831898852759, kTolerance);
    CHECK_NEAR(epsilon(Bound::theorem, Criterion::kearns_mansour, example(3)), 0.9746302619018993, kTolerance);
}

TEST(c_tree) {
    // 0.05 sqrt(ln(1000^2 * 3^2 * 5000 * 10) / 1000)
    for (const Criterion criterion : {Criterion::gini, Criterion::kearns_mansour, Criterion::error})
        CHECK_NEAR(epsilon(Bound::c_tree, criterion, example()), 0.008190316449886227, kTolerance);
    CHECK_NEAR(epsilon(Bound::c_tree, Criterion::entropy, example()), 0.056576701693235816, kTolerance);  // * ln 1000
    BoundInput root = example();
    root.depth = 0.0;
    CHECK_NEAR(epsilon(Bound::c_tree, Criterion::gini, root), 0.05 * std::sqrt(std::log(5e10) / 1000.0), kTolerance);
}

TEST(hoeffding) {
    // R sqrt(ln 20 / 2000), R = 1, ln(K) / 2 and sqrt(K - 1) / 2
    for (const Bound bound : {Bound::hoeffding, Bound::hoeffding_corrected}) {
        CHECK_NEAR(epsilon(bound, Criterion::gini, example()), 0.038702275602049495, kTolerance);
        CHECK_NEAR(epsilon(bound, Criterion::error, example()), 0.038702275602049495, kTolerance);
        CHECK_NEAR(epsilon(bound, Criterion::entropy, example()), 0.013413186607407283, kTolerance);
        CHECK_NEAR(epsilon(bound, Criterion::entropy, example(3)), 0.02125939778791577, kTolerance);
        CHECK_NEAR(epsilon(bound, Criterion::kearns_mansour, example()), 0.019351137801024747, kTolerance);
        CHECK_NEAR(epsilon(bound, Criterion::kearns_mansour, example(3)), 0.02736664152555987, kTolerance);
    }
}

TEST(mcdiarmid) {
    CHECK_NEAR(epsilon(Bound::mcdiarmid, Criterion::gini, example()), 0.30961820481639596, kTolerance);  // 8 * ...
    // (6 (2 log2 e + log2 2000) + 2 log2 2) sqrt(ln 20 / 2000) bits; half of it in nats
    CHECK_NEAR(epsilon(Bound::mcdiarmid, Criterion::entropy, example()), 1.141556692267592, 1e-12);
    CHECK_NEAR(epsilon(Bound::mcdiarmid, Criterion::entropy, example(3)), 1.2733559414347575, 1e-12);
}

TEST(delta_of_zero_stands_for_one_over_t) {
    BoundInput in = example();
    CHECK_EQ(delta_in_force(in), 0.05);
    in.delta = 0.0;
    CHECK_EQ(delta_in_force(in), 1.0 / 5000.0);
    CHECK_NEAR(epsilon(Bound::hoeffding, Criterion::gini, in), 0.06525792362394102,
               kTolerance);  // sqrt(ln 5000 / 2000)
    for_each_defined([&](Bound bound, Criterion criterion) {
        BoundInput given = in;
        given.delta = 1.0 / 5000.0;
        CHECK_EQ(epsilon(bound, criterion, in), epsilon(bound, criterion, given));
    });
}

TEST(pairs_without_a_bound_are_refused) {
    CHECK_THROWS(epsilon(Bound::theorem, Criterion::error, example()), "bound='theorem' is not defined");
    CHECK_THROWS(epsilon(Bound::mcdiarmid, Criterion::error, example()), "'error'");
    CHECK_THROWS(epsilon(Bound::mcdiarmid, Criterion::kearns_mansour, example()), "'kearns-mansour'");
    int pairs = 0;
    for_each_defined([&](Bound, Criterion) { ++pairs; });
    CHECK_EQ(pairs, 5 * 4 - 3);
}

TEST(more_examples_narrow_every_bound) {
    // The forms with a factor ln m rise for the first few examples; from a few dozen on all fall.
    for_each_defined([](Bound bound, Criterion criterion) {
        BoundInput in = example();
        in.m = 64.0;
        double before = epsilon(bound, criterion, in);
        while (in.m < 1e9) {
            in.m *= 2.0;
            const double now = epsilon(bound, criterion, in);
            CHECK(now < before);
            CHECK(now > 0.0);
            before = now;
        }
        CHECK(before < 0.05);
    });
}

TEST(a_smaller_delta_widens_every_bound_that_has_one) {
    for_each_defined([](Bound bound, Criterion criterion) {
        BoundInput in = example();
        double before = 0.0;
        for (double delta = 0.5; delta > 1e-12; delta /= 10.0) {
            in.delta = delta;
            const double now = epsilon(bound, criterion, in);
            if (uses_delta(bound) || before == 0.0)
                CHECK(now > before);
            else
                CHECK_EQ(now, before);
            before = now;
        }
    });
}

TEST(later_and_deeper_is_more_cautious_where_the_paper_says_so) {
    for (const Bound bound : {Bound::c_tree, Bound::theorem}) {
        for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::kearns_mansour}) {
            const double base = epsilon(bound, criterion, example());
            BoundInput in = example();
            in.t *= 2.0;
            CHECK(epsilon(bound, criterion, in) > base);
            in = example();
            in.depth += 1.0;
            CHECK(epsilon(bound, criterion, in) > base);
            in = example();
            in.d *= 2.0;
            CHECK(epsilon(bound, criterion, in) > base);
        }
    }
    BoundInput in = example();
    in.t *= 2.0, in.depth += 1.0, in.d *= 2.0;  // Hoeffding's does not know them when delta is given
    CHECK_EQ(epsilon(Bound::hoeffding, Criterion::gini, in), epsilon(Bound::hoeffding, Criterion::gini, example()));
}

TEST(c_scales_the_c_tree_bound_and_no_other) {
    BoundInput in = example();
    in.c *= 4.0;
    CHECK_NEAR(epsilon(Bound::c_tree, Criterion::gini, in), 4.0 * 0.008190316449886227, kTolerance);
    for_each_defined([&](Bound bound, Criterion criterion) {
        if (!uses_c(bound)) CHECK_EQ(epsilon(bound, criterion, in), epsilon(bound, criterion, example()));
    });
    CHECK(uses_c(Bound::c_tree));
    CHECK(!uses_delta(Bound::c_tree));
}

TEST(the_first_example_has_a_finite_bound) {
    BoundInput in;  // m = t = d = 1: ln 1 = 0
    in.c = 0.05;
    for_each_defined([&](Bound bound, Criterion criterion) {
        const double e = epsilon(bound, criterion, in);
        CHECK(std::isfinite(e));
        CHECK(e >= 0.0);
    });
    in.m = 0.25;  // a fractional weight
    for_each_defined([&](Bound bound, Criterion criterion) {
        if (bound == Bound::c_tree) CHECK(epsilon(bound, criterion, in) >= 0.0);
    });
}

TEST(only_vfdt_and_mcdiarmid_test_one_epsilon) {
    CHECK_EQ(gap_factor(Bound::hoeffding), 1.0);
    CHECK_EQ(gap_factor(Bound::mcdiarmid), 1.0);
    CHECK_EQ(gap_factor(Bound::hoeffding_corrected), 2.0);
    CHECK_EQ(gap_factor(Bound::c_tree), 2.0);
    CHECK_EQ(gap_factor(Bound::theorem), 2.0);
}
