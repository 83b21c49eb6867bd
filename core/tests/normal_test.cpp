// Proves the normal distribution function against known values and the C library's, and the running mean and variance
// against the two-pass ones.
#include "sapwood/normal.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

void check_relative(double a, double b, double tolerance) {
    CHECK_NEAR(a / b, 1.0, tolerance);
}

Normal normal_of(const std::vector<double>& values) {
    Normal normal;
    for (const double x : values) normal.add(x, 1.0);
    return normal;
}

Normal read_again(const Normal& written) {
    Writer out;
    out(written);
    Reader in(out.bytes());
    Normal normal;
    in(normal);
    return normal;
}

}  // namespace

TEST(normal_cdf_has_the_known_values) {
    CHECK_EQ(normal_cdf(0.0), 0.5);
    CHECK_NEAR(normal_cdf(0.5), 0.69146246127401311821, 2e-16);
    CHECK_NEAR(normal_cdf(1.0), 0.84134474606854292578, 2e-16);
    CHECK_NEAR(normal_cdf(1.5), 0.93319279873114191481, 2e-16);
    CHECK_NEAR(normal_cdf(1.96), 0.97500210485177951636, 2e-16);
    CHECK_NEAR(normal_cdf(2.0), 0.97724986805182079141, 2e-16);
    CHECK_NEAR(normal_cdf(3.0), 0.99865010196836989653, 2e-16);
    check_relative(normal_cdf(-5.0), 2.8665157187919391185e-7, 1e-14);
    check_relative(normal_cdf(-10.0), 7.6198530241605254505e-24, 1e-13);
    check_relative(normal_cdf(-20.0), 2.7536241186062337371e-89, 1e-12);
    check_relative(normal_cdf(-37.0), 5.7255712225245764418e-300, 1e-12);
    CHECK_EQ(normal_cdf(-40.0), 0.0);
    CHECK_EQ(normal_cdf(40.0), 1.0);
    CHECK_EQ(normal_cdf(1e300), 1.0);
    CHECK_EQ(normal_cdf(-1e300), 0.0);
}

TEST(normal_cdf_is_the_library_s_within_rounding) {
    double before = 0.0;
    for (double z = -37.0; z <= 10.0; z += 0.0173) {
        const double p = normal_cdf(z);
        check_relative(p, 0.5 * std::erfc(-z / std::numbers::sqrt2), 1e-12);
        CHECK(p >= before);
        before = p;
    }
    for (double z = 0.0; z < 9.0; z += 0.0379) CHECK_NEAR(normal_cdf(z) + normal_cdf(-z), 1.0, 3e-16);
}

TEST(welford_by_hand) {
    const Normal normal = normal_of({2, 4, 4, 4, 5, 5, 7, 9});
    CHECK_EQ(normal.weight, 8.0);
    CHECK_NEAR(normal.mean, 5.0, 1e-15);
    CHECK_NEAR(normal.squares, 32.0, 1e-13);
    CHECK_NEAR(normal.variance(), 32.0 / 7.0, 1e-14);
    CHECK_NEAR(normal.deviation(), std::sqrt(32.0 / 7.0), 1e-14);
    CHECK_EQ(normal.lowest, 2.0);
    CHECK_EQ(normal.highest, 9.0);
}

TEST(a_whole_weight_is_that_many_values) {
    Normal weighted;
    weighted.add(2, 1);
    weighted.add(4, 3);
    weighted.add(5, 2);
    weighted.add(7, 1);
    weighted.add(9, 1);
    CHECK_EQ(weighted.weight, 8.0);
    CHECK_NEAR(weighted.mean, 5.0, 1e-14);
    CHECK_NEAR(weighted.squares, 32.0, 1e-13);
}

TEST(welford_is_the_two_pass_estimate_far_from_zero) {
    Random random(1);
    std::vector<double> values;
    for (int i = 0; i < 2000; ++i) values.push_back(1e9 + random.uniform());
    double mean = 0.0, squares = 0.0;
    for (const double x : values) mean += (x - 1e9) / 2000.0;
    for (const double x : values) squares += (x - 1e9 - mean) * (x - 1e9 - mean);
    const Normal normal = normal_of(values);
    CHECK_NEAR(normal.mean - 1e9, mean, 1e-6);
    check_relative(normal.squares, squares, 1e-4);
}

TEST(few_values_have_no_variance) {
    CHECK_EQ(Normal().variance(), 0.0);
    CHECK_EQ(Normal().density(0.0), 0.0);
    const Normal one = normal_of({3.0});
    CHECK_EQ(one.variance(), 0.0);
    CHECK_EQ(one.density(3.0), 1.0);
    CHECK_EQ(one.density(3.1), 0.0);
    const Normal constant = normal_of({3.0, 3.0, 3.0});
    CHECK_EQ(constant.deviation(), 0.0);
    CHECK_EQ(constant.density(3.0), 1.0);
    CHECK_EQ(constant.density(2.0), 0.0);
}

TEST(density_is_the_bell) {
    const Normal normal = normal_of({-1.0, 1.0, -1.0, 1.0, 0.0});  // mean 0, variance 4 / 4
    CHECK_NEAR(normal.variance(), 1.0, 1e-15);
    CHECK_NEAR(normal.density(0.0), 0.3989422804014327, 1e-15);
    CHECK_NEAR(normal.density(1.0), 0.24197072451914337, 1e-15);
    CHECK_NEAR(normal.density(-2.0), 0.05399096651318806, 1e-15);
    CHECK_EQ(normal.density(1000.0), 0.0);
}

TEST(weight_up_to_stays_inside_what_was_seen) {
    double above = -1.0;
    CHECK_EQ(Normal().weight_up_to(0.0, above), 0.0);
    CHECK_EQ(above, 0.0);
    const Normal normal = normal_of({-1.0, 1.0, -1.0, 1.0, 0.0});
    CHECK_EQ(normal.weight_up_to(-1.5, above), 0.0);  // below the lowest
    CHECK_EQ(above, 5.0);
    CHECK_EQ(normal.weight_up_to(1.0, above), 5.0);  // at the highest
    CHECK_EQ(above, 0.0);
    CHECK_NEAR(normal.weight_up_to(0.0, above), 2.5, 1e-14);
    CHECK_NEAR(above, 2.5, 1e-14);
    CHECK_NEAR(normal.weight_up_to(0.5, above), 5.0 * 0.69146246127401312, 1e-14);
    double before = 0.0;
    for (double x = -2.0; x <= 2.0; x += 0.01) {
        const double below = normal.weight_up_to(x, above);
        CHECK(below >= before && above >= 0.0);
        CHECK_NEAR(below + above, 5.0, 1e-14);
        before = below;
    }
    const Normal constant = normal_of({3.0, 3.0});
    CHECK_EQ(constant.weight_up_to(3.0, above), 2.0);
    CHECK_EQ(constant.weight_up_to(2.9, above), 0.0);
    CHECK_EQ(above, 2.0);
}

TEST(huge_values_leave_a_normal_that_is_a_number) {
    // Finite input, however large, must not turn the statistics into infinities: they could not be saved and loaded.
    const Normal normal = normal_of({1e200, -1e200, 3e200, 1e308, -1e308});
    CHECK(std::isfinite(normal.mean));
    CHECK(std::isfinite(normal.squares));
    CHECK(normal.lowest < normal.highest);
}

TEST(a_sum_of_squares_is_never_negative) {
    // A weight 16 orders larger moves the mean past the value by a rounding.
    Random random(2);
    int moved_past = 0;
    for (int round = 0; round < 20000; ++round) {
        const double before = random.uniform(), x = random.uniform(), w = 0.5 + random.uniform();
        Normal normal;
        normal.add(before, 1e-17);
        normal.add(x, w);
        CHECK(normal.squares >= 0.0);
        moved_past += (x - before) * (x - normal.mean) < 0.0;
    }
    CHECK(moved_past > 100);
}

TEST(a_negative_sum_of_squares_of_an_earlier_version_becomes_0) {
    Normal normal = normal_of({1.0, 1.0});
    normal.squares = -1e-17;
    CHECK_EQ(read_again(normal).squares, 0.0);
    normal.squares = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS(read_again(normal), "normals are broken");
    Normal none;
    CHECK(read_again(none) == none);
    none.lowest = 3.0;  // of nothing
    CHECK_THROWS(read_again(none), "normals are broken");
}

TEST(densities_of_extreme_values_are_numbers) {
    const double huge = 1.7e308;
    const std::vector<double> extremes{0.0, 5e-324, 1e-160, 1.0, 1e150, 1e160, huge, -huge};
    for (const double a : extremes) {
        for (const double b : extremes) {
            for (const double w : {5e-324, 1e-16, 0.5, 1.0}) {
                Normal normal = normal_of({a, 1.0});
                normal.add(b, w);
                for (const double x : extremes) {
                    double above = 0.0;
                    const double below = normal.weight_up_to(x, above);
                    CHECK(normal.density(x) >= 0.0 && std::isfinite(normal.density(x)));
                    CHECK(below >= 0.0 && above >= 0.0 && std::isfinite(below + above));
                }
            }
        }
    }
}
