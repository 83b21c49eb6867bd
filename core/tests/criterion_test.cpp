// Proves the four impurities against numbers worked out by hand, and what the split search relies on: a pure side
// leaves exactly nothing, and the order of the classes does not matter.
#include "sapwood/criterion.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "check.hpp"

using namespace sapwood;

namespace {

constexpr Criterion kAll[] = {Criterion::gini, Criterion::entropy, Criterion::kearns_mansour, Criterion::error};

double g(Criterion criterion, const std::vector<double>& counts) {
    double total = 0.0;
    for (const double n : counts) total += n;
    return with_criterion(criterion, [&]<Criterion c>() { return left_over<c>(counts.data(), counts.size(), total); });
}

double scale(Criterion criterion) {
    return with_criterion(criterion, []<Criterion c>() { return scale_of<c>(); });
}

/// The impurity of one undivided side.
double phi(Criterion criterion, const std::vector<double>& counts) {
    double total = 0.0;
    for (const double n : counts) total += n;
    return scale(criterion) * g(criterion, counts) / total;
}

}  // namespace

TEST(hand_worked_sides) {
    // Three of one class and one of the other.
    CHECK_EQ(g(Criterion::gini, {3, 1}), 1.5);                                      // (3*1 + 1*3) / 4
    CHECK_NEAR(g(Criterion::entropy, {3, 1}), 2.249340578475233, 1e-14);            // 4 ln 4 - 3 ln 3
    CHECK_NEAR(g(Criterion::kearns_mansour, {3, 1}), 2.0 * std::sqrt(3.0), 1e-14);  // 2 sqrt(3*1)
    CHECK_EQ(g(Criterion::error, {3, 1}), 1.0);
    // Two and four.
    CHECK_NEAR(g(Criterion::gini, {2, 4}), 16.0 / 6.0, 1e-15);
    CHECK_NEAR(g(Criterion::entropy, {2, 4}), 3.8190850097688767, 1e-14);  // 6 ln 6 - 2 ln 2 - 4 ln 4
    CHECK_NEAR(g(Criterion::kearns_mansour, {2, 4}), 2.0 * std::sqrt(8.0), 1e-14);
    CHECK_EQ(g(Criterion::error, {2, 4}), 2.0);
    // Three classes: one, two and three.
    CHECK_NEAR(g(Criterion::gini, {1, 2, 3}), 22.0 / 6.0, 1e-15);                    // (5 + 8 + 9) / 6
    CHECK_NEAR(g(Criterion::entropy, {1, 2, 3}), 6.0684255882441107, 1e-14);         // 6 ln 6 - 2 ln 2 - 3 ln 3
    CHECK_NEAR(g(Criterion::kearns_mansour, {1, 2, 3}), 8.0644951022459797, 1e-14);  // sqrt 5 + sqrt 8 + sqrt 9
    CHECK_EQ(g(Criterion::error, {1, 2, 3}), 3.0);
}

TEST(two_classes_give_the_functions_of_the_paper) {
    for (const double p : {0.1, 0.25, 0.5, 0.8}) {
        const double q = 1.0 - p;
        const std::vector<double> counts{1000.0 * p, 1000.0 * q};
        CHECK_NEAR(phi(Criterion::gini, counts), 2.0 * p * q, 1e-12);  // the harmonic mean of p and q
        CHECK_NEAR(phi(Criterion::entropy, counts), -0.5 * (p * std::log(p) + q * std::log(q)), 1e-12);
        CHECK_NEAR(phi(Criterion::kearns_mansour, counts), std::sqrt(p * q), 1e-12);
        CHECK_NEAR(phi(Criterion::error, counts), std::min(p, q), 1e-12);
    }
}

TEST(the_most_mixed_side_has_the_greatest_impurity) {
    CHECK_NEAR(phi(Criterion::gini, {7, 7}), 0.5, 1e-15);
    CHECK_NEAR(phi(Criterion::entropy, {7, 7}), 0.5 * std::numbers::ln2, 1e-15);
    CHECK_NEAR(phi(Criterion::kearns_mansour, {7, 7}), 0.5, 1e-15);
    CHECK_NEAR(phi(Criterion::error, {7, 7}), 0.5, 1e-15);
    for (const Criterion criterion : kAll)
        for (double n = 1.0; n < 7.0; n += 1.0) CHECK(phi(criterion, {n, 14.0 - n}) < phi(criterion, {7, 7}));
}

TEST(a_pure_side_leaves_exactly_nothing) {
    for (const Criterion criterion : kAll) {
        for (const double n : {0.3, 1.0, 7.0, 4095.0, 4096.0, 100000.5}) {
            CHECK_EQ(g(criterion, {n, 0.0}), 0.0);
            CHECK_EQ(g(criterion, {0.0, n}), 0.0);
            CHECK_EQ(g(criterion, {0.0, n, 0.0, 0.0}), 0.0);
        }
        CHECK_EQ(g(criterion, {0.0, 0.0}), 0.0);
        CHECK_EQ(g(criterion, {}), 0.0);
    }
}

TEST(exchanging_two_classes_changes_no_bit) {
    for (const Criterion criterion : kAll)
        for (double a = 0.5; a < 20.0; a += 1.3)
            for (double b = 0.1; b < 20.0; b += 1.7) CHECK_EQ(g(criterion, {a, b}), g(criterion, {b, a}));
}

TEST(a_class_without_examples_changes_no_bit) {
    for (const Criterion criterion : kAll)
        for (double a = 0.5; a < 20.0; a += 1.3) CHECK_EQ(g(criterion, {a, 3.7, 0.0}), g(criterion, {a, 3.7}));
}

TEST(dividing_never_leaves_more) {
    for (const Criterion criterion : kAll)
        for (double a = 0.0; a <= 6.0; a += 1.0)
            for (double b = 0.0; b <= 5.0; b += 1.0)
                CHECK(g(criterion, {a, b}) + g(criterion, {6.0 - a, 5.0 - b}) <= g(criterion, {6.0, 5.0}) + 1e-12);
}

TEST(x_log_x_is_the_same_in_and_beyond_the_table) {
    CHECK_EQ(x_log_x(0.0), 0.0);
    CHECK_EQ(x_log_x(1.0), 0.0);
    CHECK_NEAR(x_log_x(2.0), 1.3862943611198906, 1e-15);
    for (double x = 2.0; x < 10000.0; x += 1.0) CHECK_EQ(x_log_x(x), x * std::log(x));
    for (const double x : {0.5, 2.5, 4095.5, 4096.5, 1e6, 1e300}) CHECK_EQ(x_log_x(x), x * std::log(x));
    CHECK_NEAR(x_log_x(0.5), -0.34657359027997264, 1e-16);
}
