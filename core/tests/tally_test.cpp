// Proves that a tally counts exactly: "x <= key" over all examples for every key, full or not; that a merge loses
// nothing or is refused; and that the search for a key is std::lower_bound.
#include "sapwood/tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Seen {
    double x;
    std::size_t y;
    double w;
};

/// Weights are 1 for a tally that counts in whole numbers.
std::vector<Seen> random_examples(Random& random, std::size_t n, std::size_t distinct, std::size_t n_classes,
                                  bool weighted = false) {
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = random.chance(0.1) ? kNan : static_cast<double>(random.below(distinct)) - 3.5;
        seen.push_back({x, random.below(n_classes), weighted ? 0.25 * static_cast<double>(1 + random.below(9)) : 1.0});
    }
    return seen;
}

void add_all(Tally& tally, const std::vector<Seen>& seen, std::size_t limit, std::size_t n_classes) {
    for (const Seen& s : seen) tally.add(s.x, s.y, s.w, limit, n_classes);
}

double count_up_to(const std::vector<Seen>& seen, double key, std::size_t y) {
    double sum = 0.0;
    for (const Seen& s : seen)
        if (s.y == y && s.x <= key) sum += s.w;
    return sum;
}

/// "x <= key" for every key, the missing ones, and the total are those of a direct count.
void check_counts(const Tally& tally, const std::vector<Seen>& seen, std::size_t n_classes) {
    CHECK(std::is_sorted(tally.keys(), tally.keys() + tally.n_keys()));
    double sum = 0.0;
    for (const Seen& s : seen) sum += s.w;
    CHECK_EQ(tally.sum(), sum);
    for (std::size_t y = 0; y < n_classes; ++y) {
        double up_to = 0.0, missing = 0.0, all = 0.0;
        for (const Seen& s : seen) {
            if (s.y != y) continue;
            all += s.w;
            if (std::isnan(s.x)) missing += s.w;
        }
        const bool counted = y < tally.stride();
        CHECK_EQ(tally.missing(y), missing);
        for (std::size_t i = 0; i < tally.n_keys(); ++i) {
            up_to += counted ? tally.count(1 + i, y) : 0.0;
            CHECK_EQ(up_to, count_up_to(seen, tally.keys()[i], y));
        }
        if (tally.full() && counted) up_to += tally.count(1 + tally.n_keys(), y);
        CHECK_EQ(up_to + missing, all);
    }
}

std::vector<double> rows_of(const Tally& tally, std::size_t width) {
    std::vector<double> rows(tally.n_rows() * width, -1.0);
    tally.copy_rows(rows.data(), width);
    return rows;
}

bool same(const Tally& a, const Tally& b) {
    if (a.n_keys() != b.n_keys() || a.stride() != b.stride() || a.full() != b.full() || a.n_rows() != b.n_rows())
        return false;
    return std::equal(a.keys(), a.keys() + a.n_keys(), b.keys()) && rows_of(a, a.stride()) == rows_of(b, b.stride());
}

}  // namespace

TEST(a_new_tally_holds_nothing) {
    for (const bool wide : {false, true}) {
        Tally tally(wide);
        CHECK_EQ(tally.n_keys(), 0);
        CHECK_EQ(tally.n_rows(), 0);
        CHECK_EQ(tally.stride(), 0);
        CHECK_EQ(tally.nbytes(), 0);
        CHECK(!tally.full());
        CHECK_EQ(tally.wide(), wide);
        CHECK_EQ(tally.position(1.0), 0);
        CHECK(!tally.has(0.0));
        CHECK_EQ(tally.sum(), 0.0);
        CHECK_EQ(tally.missing(2), 0.0);
        tally.add(kNan, 2, 1.0, 0, 3);
        CHECK_EQ(tally.n_keys(), 0);
        CHECK_EQ(tally.n_rows(), 1);
        CHECK_EQ(tally.missing(2), 1.0);
        CHECK_EQ(tally.missing(0), 0.0);
    }
}

TEST(room_for_missing_values_can_be_made_before_there_are_any) {
    Tally tally;
    const std::size_t grown = tally.add_missing(3);
    CHECK_EQ(grown, tally.nbytes());
    CHECK_EQ(tally.n_rows(), 1);
    CHECK_EQ(tally.sum(), 0.0);
    tally.add_to_row(0, 2, 40.0);
    tally.add_to_row(0, 2, 2.0);
    CHECK_EQ(tally.missing(2), 42.0);
    CHECK_EQ(tally.add_missing(3), 0);
    CHECK_EQ(tally.missing(2), 42.0);
}

TEST(without_a_limit_every_value_has_its_row) {
    Tally tally;
    for (const double x : {5.0, -1.0, 3.0, 5.0, 4.0}) tally.add(x, x > 3.5 ? 1 : 0, 1.0, 0, 2);
    CHECK_EQ(tally.n_keys(), 4);
    const double keys[] = {-1.0, 3.0, 4.0, 5.0};
    CHECK(std::equal(keys, keys + 4, tally.keys()));
    for (const double key : keys) CHECK(tally.has(key));
    CHECK(!tally.has(3.5) && !tally.has(-2.0) && !tally.has(6.0));
    CHECK_EQ(tally.count(1, 0), 1.0);
    CHECK_EQ(tally.count(3, 1), 1.0);
    CHECK_EQ(tally.count(4, 1), 2.0);
    CHECK_EQ(tally.count(4, 0), 0.0);
    CHECK_EQ(tally.n_rows(), 5);
}

TEST(both_zeros_are_one_key) {
    Tally tally;
    tally.add(0.0, 0, 1.0, 0, 1);
    tally.add(-0.0, 0, 1.0, 0, 1);
    CHECK_EQ(tally.n_keys(), 1);
    CHECK_EQ(tally.count(1, 0), 2.0);
}

TEST(a_full_tally_keeps_its_first_keys_and_an_overflow_row) {
    for (const bool wide : {false, true}) {
        Tally tally(wide);
        for (const double x : {10.0, 20.0}) tally.add(x, 0, 1.0, 3, 1);
        CHECK(!tally.full());
        CHECK_EQ(tally.n_rows(), 3);
        tally.add(30.0, 0, 1.0, 3, 1);
        CHECK(tally.full());  // as many keys as it may have
        CHECK_EQ(tally.n_keys(), 3);
        CHECK_EQ(tally.n_rows(), 5);
        CHECK_EQ(tally.count(4, 0), 0.0);
        tally.add(25.0, 0, 1.0, 3, 1);
        CHECK_EQ(tally.count(3, 0), 2.0);  // 25 is counted with 30
        tally.add(30.5, 0, 1.0, 3, 1);
        tally.add(1e300, 0, 1.0, 3, 1);
        CHECK_EQ(tally.count(4, 0), 2.0);  // above every key
        tally.add(-1e300, 0, 1.0, 3, 1);
        CHECK_EQ(tally.count(1, 0), 2.0);
        tally.add(20.0, 0, 1.0, 3, 1);
        CHECK_EQ(tally.count(2, 0), 2.0);
    }
}

TEST(counts_are_those_of_a_direct_count) {
    Random random(1);
    for (const bool wide : {false, true}) {
        for (const std::size_t limit : {0, 1, 2, 7, 8, 9, 16, 24, 31, 32, 33, 64}) {
            const auto seen = random_examples(random, 400, 50, 3, wide);
            Tally tally(wide);
            add_all(tally, seen, limit, 3);
            CHECK(limit == 0 || tally.n_keys() <= limit);
            CHECK_EQ(tally.full(), limit != 0 && limit <= 50);
            check_counts(tally, seen, 3);
        }
    }
}

TEST(a_new_class_widens_every_row) {
    Random random(2);
    for (const bool wide : {false, true}) {
        for (const std::size_t limit : {0, 8}) {
            Tally tally(wide);
            std::vector<Seen> seen;
            for (std::size_t k = 1; k <= 20; ++k) {
                const auto more = random_examples(random, 30, 25, k, wide);
                add_all(tally, more, limit, k);
                seen.insert(seen.end(), more.begin(), more.end());
                CHECK_EQ(tally.stride(), k);
                check_counts(tally, seen, k);
            }
        }
    }
}

TEST(rows_can_be_copied_wider_than_they_are) {
    Random random(9);
    for (const bool wide : {false, true}) {
        Tally tally(wide);
        add_all(tally, random_examples(random, 100, 20, 3, wide), 8, 3);
        for (const std::size_t width : {3, 4, 7}) {
            const std::vector<double> rows = rows_of(tally, width);
            for (std::size_t row = 0; row < tally.n_rows(); ++row)
                for (std::size_t y = 0; y < width; ++y)
                    CHECK_EQ(rows[row * width + y], y < 3 ? tally.count(row, y) : 0.0);
        }
    }
}

TEST(add_returns_the_bytes_it_grew_by) {
    Random random(3);
    for (const bool wide : {false, true}) {
        for (const std::size_t limit : {0, 2, 5, 16, 60}) {
            Tally tally(wide);
            std::size_t bytes = 0, n_classes = 1;
            for (const Seen& s : random_examples(random, 500, 200, 6, wide)) {
                n_classes = std::max(n_classes, s.y + 1);
                bytes += tally.add(s.x, s.y, s.w, limit, n_classes);
                CHECK_EQ(tally.nbytes(), bytes);
            }
        }
    }
}

TEST(position_is_lower_bound) {
    Random random(4);
    for (std::size_t n = 1; n <= 136; ++n) {
        for (const bool full : {false, true}) {
            Tally tally;
            std::vector<double> keys;
            while (tally.n_keys() < n)
                tally.add(std::floor(random.uniform() * 4000.0) - 2000.0, 0, 1.0, full ? n : n + 1, 1);
            keys.assign(tally.keys(), tally.keys() + n);
            CHECK_EQ(tally.full(), full);
            const auto check = [&](double x) {
                CHECK_EQ(tally.position(x), std::lower_bound(keys.begin(), keys.end(), x) - keys.begin());
                CHECK_EQ(tally.has(x), std::binary_search(keys.begin(), keys.end(), x));
            };
            for (const double key : keys) {
                check(key);
                check(std::nextafter(key, -1e9));
                check(std::nextafter(key, 1e9));
            }
            for (int i = 0; i < 20; ++i) check(random.uniform() * 5000.0 - 2500.0);
            for (const double x : {-1e308, 1e308, -0.0, 0.0}) check(x);
        }
    }
}

TEST(many_examples_at_once_are_the_same_examples_one_by_one) {
    Random random(10);
    for (std::size_t limit = 1; limit <= 40; ++limit) {
        const std::size_t k = 1 + random.below(5), step = 1 + random.below(4);
        Tally at_once;
        while (!at_once.full()) at_once.add(std::floor(100.0 * random.uniform()), 0, 1.0, limit, k);
        Tally one_by_one = at_once;
        const std::size_t n = random.below(lanes::kMostExamples + 1);
        std::vector<double> values(1 + (n + lanes::kGroup) * step);
        std::vector<std::uint32_t> classes(n);
        for (std::size_t i = 0; i < n; ++i) {
            const double x = random.chance(0.1) ? kNan : std::floor(120.0 * random.uniform()) - 10.0;
            const std::size_t y = random.below(k);
            values[i * step] = x;
            classes[i] = static_cast<std::uint32_t>(y);
            one_by_one.add(x, y, 1.0, limit, k);
        }
        at_once.add_all(values.data(), {classes.data(), n, step, false});
        CHECK(same(at_once, one_by_one));
    }
}

TEST(the_first_examples_at_once_are_the_same_examples_one_by_one) {
    Random random(12);
    for (int round = 0; round < 3000; ++round) {
        const std::size_t k = 1 + random.below(5), step = 1 + random.below(4), n = random.below(33);
        const std::size_t limit = random.chance(0.3) ? 0 : std::max<std::size_t>(1, n + random.below(3));
        const bool skip_zeros = random.chance(0.5);
        const double distinct = random.chance(0.5) ? 5.0 : 1e6;
        std::vector<double> values(1 + (n + lanes::kGroup) * step);
        std::vector<std::uint32_t> classes(n);
        Tally at_once, one_by_one;
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double x = random.chance(0.1) ? kNan : std::floor(distinct * (random.uniform() - 0.5));
            if (x == 0.0 && random.chance(0.5)) x = -x;
            values[i * step] = x;
            classes[i] = static_cast<std::uint32_t>(random.below(k));
            if (!skip_zeros || x != 0.0) bytes += one_by_one.add(x, classes[i], 1.0, limit, k);
        }
        CHECK_EQ(at_once.begin_with(values.data(), {classes.data(), n, step, false}, limit, k, skip_zeros), bytes);
        CHECK(same(at_once, one_by_one));
        CHECK_EQ(at_once.full(), one_by_one.full());
        CHECK_EQ(at_once.nbytes(), one_by_one.nbytes());
        for (std::size_t i = 0; i < at_once.n_keys(); ++i)
            CHECK_EQ(std::signbit(at_once.keys()[i]), std::signbit(one_by_one.keys()[i]));
    }
}

TEST(wide_counts_are_the_same_counts) {
    Random random(11);
    for (const std::size_t limit : {0, 4, 8, 20, 40}) {
        for (const std::size_t n : {0, 1, 10, 200}) {
            Tally tally;
            const auto seen = random_examples(random, n, 30, 3);
            add_all(tally, seen, limit, 3);
            const Tally before = tally;
            const std::size_t bytes = tally.nbytes(), grown = tally.widen_counts(limit);
            CHECK(tally.wide());
            CHECK_EQ(tally.nbytes(), bytes + grown);
            CHECK(same(tally, before));
            Tally from_the_start(true);
            add_all(from_the_start, seen, limit, 3);
            CHECK_EQ(tally.nbytes(), from_the_start.nbytes());
            const auto more = random_examples(random, 100, 40, 3, true);
            add_all(tally, more, limit, 3);
            add_all(from_the_start, more, limit, 3);
            CHECK(same(tally, from_the_start));
        }
    }
}

TEST(a_key_can_be_added_without_an_example) {
    for (const bool wide : {false, true}) {
        Tally tally(wide);
        std::size_t bytes = 0;
        for (const double x : {3.0, -2.0}) bytes += tally.add(x, 1, 1.0, 4, 2);
        bytes += tally.add_key(0.0, 4, 3);
        CHECK_EQ(tally.nbytes(), bytes);
        CHECK_EQ(tally.stride(), 3);
        CHECK_EQ(tally.n_keys(), 3);
        CHECK_EQ(tally.keys()[1], 0.0);
        for (std::size_t y = 0; y < 3; ++y) CHECK_EQ(tally.count(2, y), 0.0);
        CHECK_EQ(tally.count(1, 1), 1.0);
        CHECK_EQ(tally.count(3, 1), 1.0);
        CHECK(!tally.full());
        bytes += tally.add_key(1.0, 4, 3);
        CHECK(tally.full());
        CHECK_EQ(tally.nbytes(), bytes);
        tally.add_to_row(1 + tally.position(0.0), 2, 7.0);
        CHECK_EQ(tally.count(2, 2), 7.0);
        CHECK_EQ(tally.sum(), 9.0);
    }
}

TEST(a_key_can_be_taken_out) {
    Tally tally, without;
    for (const double x : {3.0, 0.0, -2.0, 0.0}) tally.add(x, 1, 1.0, 8, 2);
    for (const double x : {3.0, -2.0}) without.add(x, 1, 1.0, 8, 2);
    tally.take_key_out(0.0, 8);
    CHECK(same(tally, without));
    CHECK_EQ(tally.nbytes(), without.nbytes());
    tally.take_key_out(0.0, 8);  // it is no key: nothing changes
    CHECK(same(tally, without));
}

TEST(forgotten_keys_leave_what_was_missing) {
    Random random(12);
    for (const bool wide : {false, true}) {
        for (const std::size_t limit : {0, 8}) {
            const auto seen = random_examples(random, 200, 30, 2, wide);
            Tally tally(wide);
            add_all(tally, seen, limit, 2);
            const double missing[] = {tally.missing(0), tally.missing(1)};
            tally.forget_keys();
            CHECK_EQ(tally.n_keys(), 0);
            CHECK_EQ(tally.n_rows(), 1);
            CHECK(!tally.full());
            CHECK_EQ(tally.missing(0), missing[0]);
            CHECK_EQ(tally.missing(1), missing[1]);
            Tally only_missing(wide);
            only_missing.add(kNan, 0, 1.0, limit, 2);
            CHECK_EQ(tally.nbytes(), only_missing.nbytes());
        }
    }
    Tally none;
    none.forget_keys();
    CHECK_EQ(none.n_rows(), 0);
}

TEST(sums_of_each_class_are_those_of_the_rows) {
    Random random(13);
    for (const std::size_t k : {1, 2, 3, 7}) {
        for (const std::size_t limit : {0, 8, 50}) {
            Tally tally;
            auto seen = random_examples(random, 150, 30, k);
            std::erase_if(seen, [](const Seen& s) { return std::isnan(s.x); });
            add_all(tally, seen, limit, k);
            const std::size_t n = tally.n_keys(), pitch = lanes::whole_groups(n);
            std::vector<float> left(k * pitch), all(k), missing(k);
            tally.sum_up(left.data(), pitch, all.data(), missing.data());
            for (std::size_t y = 0; y < k; ++y) {
                for (std::size_t i = 0; i < n; ++i)
                    CHECK_EQ(left[y * pitch + i], count_up_to(seen, tally.keys()[i], y));
                CHECK_EQ(all[y], count_up_to(seen, 1e9, y));
                CHECK_EQ(missing[y], 0.0);
            }
            tally.add(kNan, k - 1, 1.0, limit, k);
            tally.split_up(left.data(), pitch, all.data(), missing.data());
            for (std::size_t y = 0; y < k; ++y) {
                for (std::size_t i = 0; i < n; ++i) CHECK_EQ(left[y * pitch + i], tally.count(1 + i, y));
                CHECK_EQ(all[y], count_up_to(seen, 1e9, y));
                CHECK_EQ(missing[y], y + 1 == k ? 1.0 : 0.0);
            }
        }
    }
}

TEST(merge_is_exact_while_neither_is_full) {
    Random random(5);
    for (int round = 0; round < 40; ++round) {
        const std::size_t limit = round % 2 ? 0 : 100;
        const bool wide_one = round % 4 > 1, wide_other = round % 8 > 3;
        const auto first = random_examples(random, random.below(60), 40, 1 + random.below(4), wide_one);
        const auto second = random_examples(random, random.below(60), 40, 1 + random.below(4), wide_other);
        Tally one(wide_one), other(wide_other), both(wide_one || wide_other);
        one.add_missing(4);
        both.add_missing(4);
        add_all(one, first, limit, 4);
        add_all(other, second, limit, 4);
        add_all(both, first, limit, 4);
        add_all(both, second, limit, 4);
        one.merge(other, limit);
        CHECK(same(one, both));
        if (other.stride()) CHECK_EQ(one.wide(), both.wide());
    }
}

TEST(merge_with_equal_keys_adds_overflow_and_missing_too) {
    Random random(6);
    auto fill = [](Tally& tally, const std::vector<Seen>& seen) {
        for (double key = 0.0; key < 8.0; key += 1.0) tally.add(key, 0, 1.0, 8, 2);
        add_all(tally, seen, 8, 2);
    };
    const auto first = random_examples(random, 100, 20, 2);
    const auto second = random_examples(random, 100, 20, 2);
    Tally one, other, both;
    fill(one, first);
    fill(other, second);
    fill(both, first);
    add_all(both, second, 8, 2);
    for (double key = 0.0; key < 8.0; key += 1.0) both.add(key, 0, 1.0, 8, 2);
    one.merge(other, 8);
    CHECK(one.full());
    CHECK(same(one, both));
}

TEST(merge_widens_to_the_larger_number_of_classes) {
    Tally one(true), other(true);
    one.add(1.0, 0, 1.0, 0, 1);
    other.add(1.0, 2, 5.0, 0, 3);
    other.add(kNan, 1, 2.0, 0, 3);
    one.merge(other, 0);
    CHECK_EQ(one.stride(), 3);
    CHECK_EQ(one.count(1, 0), 1.0);
    CHECK_EQ(one.count(1, 2), 5.0);
    CHECK_EQ(one.missing(1), 2.0);
    Tally narrow;
    narrow.add(2.0, 0, 1.0, 0, 1);
    one.merge(narrow, 0);
    CHECK_EQ(one.stride(), 3);
    CHECK_EQ(one.count(2, 0), 1.0);
    CHECK(one.wide());
    narrow.merge(one, 0);  // the other way round, it must count in doubles too
    CHECK(narrow.wide());
    CHECK_EQ(narrow.count(1, 2), 5.0);
    CHECK_EQ(narrow.count(2, 0), 2.0);
}

TEST(merge_that_meets_the_limit_still_counts_exactly) {
    Random random(7);
    const auto first = random_examples(random, 40, 12, 2);
    const auto second = random_examples(random, 40, 30, 2);
    Tally one, other;
    add_all(one, first, 16, 2);
    add_all(other, second, 0, 2);  // exact, so each of its rows is one value
    one.merge(other, 16);
    CHECK(one.full());
    CHECK_EQ(one.n_keys(), 16);
    auto all = first;
    all.insert(all.end(), second.begin(), second.end());
    check_counts(one, all, 2);
}

TEST(merge_of_different_edges_is_refused_and_changes_nothing) {
    for (const std::size_t n_classes : {1, 3}) {
        Tally one, other;
        for (double x = 0.0; x < 10.0; x += 1.0) {
            one.add(x, 0, 1.0, 4, 1);
            other.add(x + 0.5, n_classes - 1, 1.0, 4, n_classes);
        }
        const Tally before = one;
        CHECK_THROWS(one.merge(other, 4), "cannot be merged");
        CHECK(same(one, before));
        Tally open;  // not full, but other keys: refused in both directions
        open.add(7.25, 0, 1.0, 4, 1);
        CHECK_THROWS(open.merge(other, 4), "cannot be merged");
        CHECK_THROWS(other.merge(open, 4), "cannot be merged");
    }
}

namespace {

/// A tally as a file may claim it to be.
Tally claimed(std::size_t stride, bool full, const std::vector<double>& keys, const std::vector<double>& counts) {
    Writer writer;
    writer(stride, full, keys, counts);
    Reader reader(writer.bytes());
    Tally tally;
    reader(tally);
    return tally;
}

}  // namespace

TEST(a_tally_comes_back_as_it_was) {
    Random random(8);
    for (const bool wide : {false, true}) {
        for (const std::size_t limit : {0, 5, 8, 30, 64, 200}) {
            for (const std::size_t n : {0, 3, 200}) {
                Tally tally(wide);
                add_all(tally, random_examples(random, n, 30, 2, wide), limit, 2);
                Writer writer;
                writer(tally);
                Reader reader(writer.bytes());
                Tally back;
                reader(back);
                back.settle_in(!wide, limit);
                CHECK_EQ(back.wide(), wide);
                CHECK(same(tally, back));
                CHECK_EQ(back.nbytes(), tally.nbytes());
                for (double x = -5.0; x < 30.0; x += 0.25) CHECK_EQ(back.position(x), tally.position(x));
                const auto more = random_examples(random, 100, 40, 3, wide);
                add_all(tally, more, limit, 3);
                add_all(back, more, limit, 3);
                CHECK(same(tally, back));
                CHECK_EQ(back.nbytes(), tally.nbytes());
            }
        }
    }
}

TEST(a_tally_of_the_first_format_with_all_its_keys_becomes_full) {
    // There, a tally was full only when a value found no place.
    Tally tally = claimed(1, false, {1, 2, 3}, {0, 1, 1, 1});
    tally.settle_in(true, 3);
    CHECK(tally.full());
    CHECK_EQ(tally.n_rows(), 5);
    tally.add(9.0, 0, 1.0, 3, 1);
    CHECK_EQ(tally.count(4, 0), 1.0);
}

TEST(what_cannot_be_a_tally_is_refused) {
    CHECK_EQ(claimed(1, false, {1, 2}, {0, 1, 1}).n_keys(), 2);
    CHECK_EQ(claimed(1, true, {1, 2}, {0, 1, 1, 5}).n_keys(), 2);
    CHECK_EQ(claimed(0, false, {}, {}).n_rows(), 0);
    const char* broken = "counts are broken";
    CHECK_THROWS(claimed(1, false, {1, 2}, {0, 1}), broken);        // a row too few
    CHECK_THROWS(claimed(1, false, {1, 2}, {0, 1, 1, 5}), broken);  // an overflow row that is not full
    CHECK_THROWS(claimed(1, true, {1, 2}, {0, 1, 1}), broken);
    CHECK_THROWS(claimed(2, false, {1}, {0, 1, 1}), broken);
    CHECK_THROWS(claimed(1, false, {2, 1}, {0, 1, 1}), broken);  // not in order
    CHECK_THROWS(claimed(1, false, {1, 1}, {0, 1, 1}), broken);
    CHECK_THROWS(claimed(1, false, {kNan}, {0, 1}), broken);
    CHECK_THROWS(claimed(1, false, {1.0 / 0.0}, {0, 1}), broken);
    CHECK_THROWS(claimed(1, false, {1}, {0, -1}), broken);
    CHECK_THROWS(claimed(1, false, {1}, {0, kNan}), broken);
    CHECK_THROWS(claimed(0, false, {1, 2}, {}), broken);  // keys, but no class that could have them
    CHECK_THROWS(claimed(1, true, {}, {0, 1}), broken);   // full of nothing
    CHECK_THROWS(claimed(0, true, {}, {}), broken);
}
