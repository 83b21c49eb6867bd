// Proves that every form of a step gives what the plain one gives, and that the plain one is right: the search among
// any number of final keys, of values on, between, below and above them, zeros, infinities, and values that are no
// number; ranks among themselves; the list of what is not 0; sums of pairs; and what the best division leaves over by
// Gini's criterion.
#include "sapwood/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/criterion.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t rounded_up(std::size_t n, std::size_t to) {
    return (n + to - 1) / to * to;
}

/// Keys as a full tally lays them out: padding and pivots behind them, then the counts of every row.
struct Laid {
    Laid(const std::vector<double>& sorted, std::size_t classes)
        : n_keys(sorted.size()), held(rounded_up(n_keys, lanes::kGroup)), stride(classes), keys(sorted) {
        const std::size_t groups = held / lanes::kGroup;
        keys.resize(held + rounded_up(groups, lanes::kPivots), kInfinity);
        for (std::size_t g = 0; g + 1 < groups; ++g) keys[held + g] = keys[(g + 1) * lanes::kGroup - 1];
    }

    /// The places of two columns of the same values; what lies behind them must stay as it is.
    std::vector<std::uint32_t> located(lanes::Locate form, const std::vector<double>& values,
                                       const lanes::Examples& examples) const {
        constexpr std::uint32_t kGuard = 0xabcdef01;
        const lanes::Column column{keys.data(), held, stride, nullptr, values.data()};
        const lanes::Column columns[] = {column, column};
        std::vector<std::uint32_t> places(lanes::kMostExamples + examples.n, kGuard);
        places.push_back(kGuard);
        form(columns, 2, examples, places.data());
        CHECK_EQ(places.back(), kGuard);
        for (std::size_t i = 0; i < examples.n; ++i) CHECK_EQ(places[i], places[lanes::kMostExamples + i]);
        places.resize(examples.n);
        return places;
    }

    std::size_t n_keys, held, stride;
    std::vector<double> keys;
};

std::vector<double> random_keys(Random& random, std::size_t n) {
    std::vector<double> keys;
    while (keys.size() < n) {
        const double x = random.chance(0.5)
                             ? std::floor(400.0 * random.uniform()) - 200.0
                             : std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(40)) - 20);
        if (std::find(keys.begin(), keys.end(), x) == keys.end()) keys.push_back(x);
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

double random_value(Random& random, const std::vector<double>& keys) {
    const double key = keys[random.below(keys.size())];
    switch (random.below(12)) {
        case 0: return kNan;
        case 1: return kInfinity;
        case 2: return -kInfinity;
        case 3: return 0.0;
        case 4: return -0.0;
        case 5: return std::nextafter(key, -kInfinity);
        case 6: return std::nextafter(key, kInfinity);
        case 7: return 1e308;
        case 8: return -1e308;
        case 9: return 500.0 * random.uniform() - 250.0;
        default: return key;
    }
}

struct Named {
    const char* name;
    const lanes::Form* form;
};

/// All forms that this processor has.
std::vector<Named> forms() {
    std::vector<Named> all{{"plain", &lanes::plain}, {"everywhere", &lanes::everywhere}, {"best", &lanes::best}};
    for (const auto& [name, form] : {Named{"AVX2", lanes::avx2()}, Named{"AVX-512", lanes::avx512()}}) {
        if (form)
            all.push_back({name, form});
        else
            std::printf("this processor has no %s: that form is not tested\n", name);
    }
    return all;
}

void require(bool holds, const char* form, const char* what, std::size_t n) {
    if (!holds) check::fail(__FILE__, __LINE__, std::string(form) + ": " + what + ", n = " + std::to_string(n));
}

}  // namespace

TEST(every_form_finds_the_place_of_every_value) {
    Random random(1);
    const std::vector<Named> all = forms();
    for (std::size_t n = 1; n <= 100; ++n) {
        const std::vector<double> keys = random_keys(random, n);
        for (std::size_t stride = 1; stride <= 7; ++stride) {
            const Laid laid(keys, stride);
            for (std::size_t step = 1; step <= 7; step += 1 + random.below(3)) {
                const std::size_t rows = random.below(lanes::kMostExamples + 1);
                std::vector<double> values(1 + rounded_up(rows, lanes::kGroup) * step, kNan);
                std::vector<std::uint32_t> classes(rows);
                const bool complete = random.chance(0.5);
                std::vector<std::uint32_t> expected;
                for (std::size_t i = 0; i < rows; ++i) {
                    double x = random_value(random, keys);
                    if (complete && std::isnan(x)) x = keys.back();
                    const std::size_t y = random.below(stride);
                    values[i * step] = x;
                    classes[i] = static_cast<std::uint32_t>(y);
                    const auto at = std::lower_bound(keys.begin(), keys.end(), x) - keys.begin();
                    const std::size_t row = std::isnan(x) ? 0 : 1 + static_cast<std::size_t>(at);
                    expected.push_back(static_cast<std::uint32_t>(row * stride + y));
                }
                const lanes::Examples examples{classes.data(), rows, step, complete};
                for (const auto& [name, form] : all)
                    require(laid.located(form->locate, values, examples) == expected, name, "other places", n);
            }
        }
    }
}

TEST(every_form_counts_up_to_the_first_value_that_is_no_key) {
    Random random(6);
    const std::vector<Named> all = forms();
    std::size_t stopped = 0, ran_through = 0;
    for (int round = 0; round < 6000; ++round) {
        const std::size_t n = random.below(70), stride = 1 + random.below(4), step = 1 + random.below(4);
        const std::vector<double> keys = random_keys(random, n);
        const std::size_t rows = random.below(40);
        const bool skip_zeros = random.chance(0.5);
        const double strange = random.chance(0.5) ? 0.0 : 0.05;
        std::vector<double> values(1 + rows * step, kNan);
        std::vector<std::uint32_t> classes(rows), expected((n + 1) * stride, 7);
        for (std::size_t i = 0; i < rows; ++i) {
            classes[i] = static_cast<std::uint32_t>(random.below(stride));
            double x = keys.empty() || random.chance(0.1) ? kNan : keys[random.below(n)];
            if (random.chance(0.1)) x = random.chance(0.5) ? 0.0 : -0.0;
            if (random.chance(strange)) x = random_value(random, {1.5, -7.25});
            values[i * step] = x;
        }
        std::size_t known = 0;
        for (; known < rows; ++known) {
            const double x = values[known * step];
            if (skip_zeros && x == 0.0) continue;
            const auto at = static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end(), x) - keys.begin());
            if (!std::isnan(x) && (at == n || keys[at] != x)) break;
            ++expected[(std::isnan(x) ? 0 : 1 + at) * stride + classes[known]];
        }
        ++(known < rows ? stopped : ran_through);
        for (const auto& [name, form] : all) {
            // Just the room that there is: what lies before and behind it must not be read.
            const std::vector<double> held(keys);
            std::vector<std::uint32_t> counts(expected.size(), 7);
            const lanes::Column column{held.data(), n, stride, reinterpret_cast<std::byte*>(counts.data()),
                                       values.data()};
            const lanes::Examples examples{classes.data(), rows, step, false};
            require(form->count_known(column, examples, skip_zeros) == known, name, "it stopped elsewhere", n);
            require(counts == expected, name, "other counts", n);
        }
    }
    CHECK(stopped > 1000 && ran_through > 1000);
}

TEST(position_is_the_first_key_that_is_not_below) {
    Random random(2);
    for (std::size_t n = 1; n <= 300; ++n) {
        const std::vector<double> keys = random_keys(random, n);
        const Laid laid(keys, 1);
        for (int i = 0; i < 100; ++i) {
            const double x = random_value(random, keys);
            if (std::isnan(x)) continue;
            const auto expected = std::lower_bound(keys.begin(), keys.end(), x) - keys.begin();
            CHECK_EQ(lanes::position(laid.keys.data(), laid.held, x), expected);
            CHECK_EQ(lanes::position_among(keys.data(), n, x), expected);
        }
    }
}

TEST(counting_what_is_below_agrees_with_its_plain_form) {
    Random random(3);
    for (int round = 0; round < 2000; ++round) {
        const std::vector<double> keys = random_keys(random, 1 + random.below(8));
        std::vector<double> values(8, kInfinity);
        for (double& x : values) x = random_value(random, keys);
        const double x = random_value(random, keys);
        CHECK_EQ(lanes::count_below<8>(values.data(), x), lanes::count_below_plainly<8>(values.data(), x));
        CHECK_EQ(lanes::count_below<4>(values.data() + 3, x), lanes::count_below_plainly<4>(values.data() + 3, x));
    }
}

TEST(every_form_ranks_values_among_themselves) {
    Random random(9);
    const std::vector<Named> all = forms();
    for (int round = 0; round < 2000; ++round) {
        const std::vector<double> keys = random_keys(random, 1 + random.below(40));
        std::vector<double> values(lanes::kMostExamples);
        for (double& x : values) do
                x = random_value(random, keys);
            while (std::isnan(x));
        const std::size_t n = random.below(lanes::kMostExamples + 1);
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(n), values.end(), kInfinity);
        std::vector<std::uint32_t> expected;
        for (const double x : values)
            expected.push_back(static_cast<std::uint32_t>(
                std::count_if(values.begin(), values.end(), [&](double other) { return other < x; })));
        for (const auto& [name, form] : all) {
            std::vector<std::uint32_t> below(lanes::kMostExamples);
            form->rank(values.data(), n, below.data());
            require(std::equal(below.begin(), below.begin() + static_cast<std::ptrdiff_t>(n), expected.begin()), name,
                    "other ranks", n);
        }
    }
}

TEST(every_form_lists_what_is_not_zero) {
    Random random(4);
    const std::vector<Named> all = forms();
    for (std::size_t n = 0; n <= 70; ++n) {
        for (const double zeros : {0.0, 0.3, 0.9, 1.0}) {
            std::vector<double> values(n);
            std::vector<std::uint32_t> expected;
            for (std::uint32_t i = 0; i < n; ++i) {
                values[i] = random_value(random, {1.0, -2.0, 5e-324});
                if (random.chance(zeros)) values[i] = random.chance(0.5) ? 0.0 : -0.0;
                if (values[i] != 0.0) expected.push_back(i);  // NaN is not 0
            }
            for (const auto& [name, form] : all) {
                std::vector<std::uint32_t> out(n + 3, 12345);  // just the room that is asked for
                const std::size_t listed = form->list_nonzero(values.data(), n, out.data());
                require(listed == expected.size(), name, "another number of values", n);
                require(std::equal(expected.begin(), expected.end(), out.begin()), name, "other values", n);
            }
        }
    }
}

TEST(every_form_sums_pairs_up) {
    Random random(8);
    const std::vector<Named> all = forms();
    for (std::size_t n = 0; n <= 70; ++n) {
        const std::size_t pitch = lanes::whole_groups(n) + lanes::kDivisions * random.below(2);
        std::vector<std::uint32_t> rows(2 * n);
        std::vector<float> expected(2 * pitch, -1.0F);
        std::uint32_t sums[2] = {};
        for (std::size_t i = 0; i < lanes::whole_groups(n); ++i) {
            for (std::size_t y = 0; y < 2; ++y) {
                if (i < n) sums[y] += rows[2 * i + y] = static_cast<std::uint32_t>(random.below(16777216 / (n + 1)));
                expected[y * pitch + i] = i < n ? static_cast<float>(sums[y]) : 0.0F;
            }
        }
        for (const auto& [name, form] : all) {
            std::vector<float> left(2 * pitch, -1.0F);
            std::uint64_t sum = 12345;
            form->sum_pairs(reinterpret_cast<const std::byte*>(rows.data()), n, left.data(), pitch, sum);
            require(left == expected, name, "other sums", n);
            require(std::memcmp(&sum, sums, sizeof sum) == 0, name, "another sum of all", n);
        }
    }
}

TEST(every_form_finds_what_the_best_division_leaves_over) {
    Random random(5);
    const std::vector<Named> all = forms();
    for (const std::size_t k : {2, 3, 7, 20}) {
        for (std::size_t n = 0; n <= 70; ++n) {
            for (const std::size_t most : {4, 1000, 16777215}) {
                const std::size_t step = most / k / (n + 1) + 1, pitch = lanes::whole_groups(n + random.below(3));
                std::vector<float> left(k * pitch), total(k);
                for (std::size_t y = 0; y < k; ++y)
                    for (std::size_t i = 0; i < n; ++i)
                        left[y * pitch + i] = total[y] += static_cast<float>(random.below(step));
                double least = kInfinity, m = 0.0;
                for (const float n_y : total) m += static_cast<double>(n_y);
                std::vector<double> one(k), other(k);
                for (std::size_t i = 0; i < n; ++i) {
                    double n_one = 0.0, n_other = 0.0;
                    for (std::size_t y = 0; y < k; ++y) {
                        n_one += one[y] = static_cast<double>(left[y * pitch + i]);
                        n_other += other[y] = static_cast<double>(total[y]) - one[y];
                    }
                    if (n_one == 0.0 || n_other == 0.0) continue;  // an empty side is no split
                    least = std::min(least, left_over<Criterion::gini>(one.data(), k, n_one) +
                                                left_over<Criterion::gini>(other.data(), k, n_other));
                }
                const lanes::Lefts lefts{left.data(), pitch, n, k, total.data()};
                const float plainly = lanes::plain.least_gini(lefts);
                // How nearly: see glance.cpp.
                require(least == kInfinity ? plainly == std::numeric_limits<float>::infinity()
                                           : std::abs(static_cast<double>(plainly) - least) <=
                                                 static_cast<double>(k + 6) * std::ldexp(m, -24),
                        "plain", "farther off than it says", n);
                for (const auto& [name, form] : all)
                    require(form->least_gini(lefts) == plainly, name, "something else is the least", n);
            }
        }
    }
}

TEST(the_chosen_form_is_one_of_them) {
    CHECK(&lanes::best == &lanes::plain || &lanes::best == &lanes::everywhere || &lanes::best == lanes::avx2() ||
          &lanes::best == lanes::avx512());
}
