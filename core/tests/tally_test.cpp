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

std::vector<Seen> random_examples(Random& random, std::size_t n, std::size_t distinct, std::size_t n_classes) {
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = random.chance(0.1) ? kNan : static_cast<double>(random.below(distinct)) - 3.5;
        seen.push_back({x, random.below(n_classes), static_cast<double>(1 + random.below(3))});
    }
    return seen;
}

void add_all(Tally& tally, const std::vector<Seen>& seen, std::size_t limit) {
    for (const Seen& s : seen) tally.add(s.x, s.y, s.w, limit);
}

double count_up_to(const std::vector<Seen>& seen, double key, std::size_t y) {
    double sum = 0.0;
    for (const Seen& s : seen)
        if (s.y == y && s.x <= key) sum += s.w;
    return sum;
}

/// "x <= key" for every key, the missing ones, and the total are those of a direct count.
void check_counts(const Tally& tally, const std::vector<Seen>& seen, std::size_t n_classes) {
    CHECK(tally.valid());
    for (std::size_t y = 0; y < n_classes; ++y) {
        double up_to = 0.0, missing = 0.0, all = 0.0;
        for (const Seen& s : seen) {
            if (s.y != y) continue;
            all += s.w;
            if (std::isnan(s.x)) missing += s.w;
        }
        const bool counted = y < tally.stride();
        CHECK_EQ(counted ? tally.missing()[y] : 0.0, missing);
        for (std::size_t i = 0; i < tally.n_keys(); ++i) {
            up_to += counted ? tally.row(1 + i)[y] : 0.0;
            CHECK_EQ(up_to, count_up_to(seen, tally.keys()[i], y));
        }
        if (tally.full() && counted) up_to += tally.row(1 + tally.n_keys())[y];
        CHECK_EQ(up_to + missing, all);
    }
}

bool same(const Tally& a, const Tally& b) {
    if (a.n_keys() != b.n_keys() || a.stride() != b.stride() || a.full() != b.full() || a.n_rows() != b.n_rows())
        return false;
    return std::equal(a.keys(), a.keys() + a.n_keys(), b.keys()) &&
           std::equal(a.row(0), a.row(0) + a.n_rows() * a.stride(), b.row(0));
}

}  // namespace

TEST(a_new_tally_has_only_the_missing_row) {
    Tally tally(3);
    CHECK_EQ(tally.n_keys(), 0);
    CHECK_EQ(tally.n_rows(), 1);
    CHECK_EQ(tally.stride(), 3);
    CHECK(!tally.full());
    CHECK(tally.valid());
    CHECK_EQ(tally.position(1.0), 0);
    tally.add(kNan, 2, 1.5, 0);
    CHECK_EQ(tally.n_keys(), 0);
    CHECK_EQ(tally.missing()[2], 1.5);
    CHECK_EQ(tally.missing()[0], 0.0);
}

TEST(without_a_limit_every_value_has_its_row) {
    Tally tally(2);
    for (const double x : {5.0, -1.0, 3.0, 5.0, 4.0}) tally.add(x, x > 3.5 ? 1 : 0, 1.0, 0);
    CHECK_EQ(tally.n_keys(), 4);
    const double keys[] = {-1.0, 3.0, 4.0, 5.0};
    CHECK(std::equal(keys, keys + 4, tally.keys()));
    CHECK_EQ(tally.row(1)[0], 1.0);
    CHECK_EQ(tally.row(3)[1], 1.0);
    CHECK_EQ(tally.row(4)[1], 2.0);
    CHECK_EQ(tally.row(4)[0], 0.0);
    CHECK_EQ(tally.n_rows(), 5);
}

TEST(both_zeros_are_one_key) {
    Tally tally(1);
    tally.add(0.0, 0, 1.0, 0);
    tally.add(-0.0, 0, 1.0, 0);
    CHECK_EQ(tally.n_keys(), 1);
    CHECK_EQ(tally.row(1)[0], 2.0);
}

TEST(a_full_tally_keeps_its_first_keys_and_an_overflow_row) {
    Tally tally(1);
    for (const double x : {10.0, 20.0, 30.0}) tally.add(x, 0, 1.0, 3);
    CHECK(!tally.full());  // three keys fit; the fourth value shows that there are more
    CHECK_EQ(tally.n_rows(), 4);
    tally.add(25.0, 0, 1.0, 3);
    CHECK(tally.full());
    CHECK_EQ(tally.n_keys(), 3);
    CHECK_EQ(tally.n_rows(), 5);
    CHECK_EQ(tally.row(3)[0], 2.0);  // 25 is counted with 30
    tally.add(30.5, 0, 1.0, 3);
    tally.add(1e300, 0, 1.0, 3);
    CHECK_EQ(tally.row(4)[0], 2.0);  // above every key
    tally.add(-1e300, 0, 1.0, 3);
    CHECK_EQ(tally.row(1)[0], 2.0);
    tally.add(20.0, 0, 1.0, 3);
    CHECK_EQ(tally.row(2)[0], 2.0);
}

TEST(counts_are_those_of_a_direct_count) {
    Random random(1);
    for (const std::size_t limit : {0, 2, 7, 8, 16, 24, 64}) {
        const auto seen = random_examples(random, 400, 50, 3);
        Tally tally(3);
        add_all(tally, seen, limit);
        CHECK(limit == 0 || tally.n_keys() <= limit);
        CHECK_EQ(tally.full(), limit != 0 && limit < 50);
        check_counts(tally, seen, 3);
    }
}

TEST(a_new_class_widens_every_row) {
    Random random(2);
    for (const std::size_t limit : {0, 8}) {
        Tally tally(1);
        std::vector<Seen> seen;
        for (std::size_t k = 1; k <= 20; ++k) {
            const auto more = random_examples(random, 30, 25, k);
            add_all(tally, more, limit);
            seen.insert(seen.end(), more.begin(), more.end());
            check_counts(tally, seen, k);
        }
        CHECK(tally.stride() <= 20);
    }
    Tally none;  // as read from nothing: no classes yet
    none.add(1.0, 4, 2.0, 0);
    CHECK_EQ(none.stride(), 5);
    CHECK_EQ(none.row(1)[4], 2.0);
    CHECK(none.valid());
}

TEST(add_returns_the_bytes_it_grew_by) {
    Random random(3);
    for (const std::size_t limit : {0, 16}) {
        Tally tally(2);
        std::size_t bytes = tally.nbytes();
        for (const Seen& s : random_examples(random, 500, 200, 6)) {
            bytes += tally.add(s.x, s.y, s.w, limit);
            CHECK_EQ(tally.nbytes(), bytes);
        }
    }
}

TEST(position_is_lower_bound) {
    Random random(4);
    for (std::size_t n = 1; n <= 136; ++n) {
        for (const bool full : {false, true}) {
            Tally tally(1);
            std::vector<double> keys;
            while (tally.n_keys() < n) tally.add(std::floor(random.uniform() * 4000.0) - 2000.0, 0, 1.0, n);
            keys.assign(tally.keys(), tally.keys() + n);
            if (full) tally.add(2500.5, 0, 1.0, n);
            CHECK_EQ(tally.full(), full);
            const auto check = [&](double x) {
                CHECK_EQ(tally.position(x), std::lower_bound(keys.begin(), keys.end(), x) - keys.begin());
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

TEST(merge_is_exact_while_neither_is_full) {
    Random random(5);
    for (int round = 0; round < 20; ++round) {
        const std::size_t limit = round % 2 ? 0 : 100;
        const auto first = random_examples(random, random.below(60), 40, 1 + random.below(4));
        const auto second = random_examples(random, random.below(60), 40, 1 + random.below(4));
        Tally one(4), other(4), both(4);
        add_all(one, first, limit);
        add_all(other, second, limit);
        add_all(both, first, limit);
        add_all(both, second, limit);
        one.merge(other, limit);
        CHECK(one.valid());
        CHECK(same(one, both));
    }
}

TEST(merge_with_equal_keys_adds_overflow_and_missing_too) {
    Random random(6);
    auto fill = [](Tally& tally, const std::vector<Seen>& seen) {
        for (double key = 0.0; key < 8.0; key += 1.0) tally.add(key, 0, 1.0, 8);
        add_all(tally, seen, 8);
    };
    const auto first = random_examples(random, 100, 20, 2);
    const auto second = random_examples(random, 100, 20, 2);
    Tally one(2), other(2), both(2);
    fill(one, first);
    fill(other, second);
    fill(both, first);
    fill(both, second);
    one.merge(other, 8);
    CHECK(one.full());
    CHECK(same(one, both));

    // Only the other one is full: its overflow row comes along.
    Tally empty_of_rest(2);
    fill(empty_of_rest, {});
    CHECK(!empty_of_rest.full());
    empty_of_rest.merge(other, 8);
    CHECK(empty_of_rest.full());
    CHECK(empty_of_rest.valid());
    CHECK_EQ(empty_of_rest.row(9)[0], other.row(9)[0]);
    CHECK_EQ(empty_of_rest.row(1)[0], other.row(1)[0] + 1.0);
    // Only ours is full.
    Tally full(2), rest(2);
    fill(full, first);
    fill(rest, {});
    const double overflow = full.row(9)[1];
    full.merge(rest, 8);
    CHECK(full.valid());
    CHECK_EQ(full.row(9)[1], overflow);
}

TEST(merge_widens_to_the_larger_number_of_classes) {
    Tally one(1), other(3);
    one.add(1.0, 0, 1.0, 0);
    other.add(1.0, 2, 5.0, 0);
    other.add(kNan, 1, 2.0, 0);
    one.merge(other, 0);
    CHECK_EQ(one.stride(), 3);
    CHECK_EQ(one.row(1)[0], 1.0);
    CHECK_EQ(one.row(1)[2], 5.0);
    CHECK_EQ(one.missing()[1], 2.0);
    Tally narrow(1);
    narrow.add(2.0, 0, 4.0, 0);
    one.merge(narrow, 0);
    CHECK_EQ(one.stride(), 3);
    CHECK_EQ(one.row(2)[0], 4.0);
}

TEST(merge_that_meets_the_limit_still_counts_exactly) {
    Random random(7);
    const auto first = random_examples(random, 40, 12, 2);
    const auto second = random_examples(random, 40, 30, 2);
    Tally one(2), other(2);
    add_all(one, first, 16);
    add_all(other, second, 0);  // exact, so each of its rows is one value
    one.merge(other, 16);
    CHECK(one.full());
    CHECK_EQ(one.n_keys(), 16);
    auto all = first;
    all.insert(all.end(), second.begin(), second.end());
    check_counts(one, all, 2);
}

TEST(merge_of_different_edges_is_refused_and_changes_nothing) {
    for (const std::size_t n_classes : {1, 3}) {
        Tally one(1), other(n_classes);
        for (double x = 0.0; x < 10.0; x += 1.0) {
            one.add(x, 0, 1.0, 4);
            other.add(x + 0.5, n_classes - 1, 1.0, 4);
        }
        const Tally before = one;
        CHECK_THROWS(one.merge(other, 4), "cannot be merged");
        CHECK(same(one, before));
        Tally open(1);  // not full, but other keys: refused in both directions
        open.add(7.25, 0, 1.0, 4);
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
    for (const std::size_t limit : {0, 5, 8, 64}) {
        Tally tally(2);
        add_all(tally, random_examples(random, 200, 30, 2), limit);
        Writer writer;
        writer(tally);
        Reader reader(writer.bytes());
        Tally back;
        reader(back);
        CHECK(back.valid());
        CHECK(same(tally, back));
        CHECK_EQ(back.nbytes(), tally.nbytes());
        for (double x = -5.0; x < 30.0; x += 0.25) CHECK_EQ(back.position(x), tally.position(x));
    }
}

TEST(what_cannot_be_a_tally_is_not_valid) {
    CHECK(claimed(1, false, {1, 2}, {0, 1, 1}).valid());
    CHECK(claimed(1, true, {1, 2}, {0, 1, 1, 5}).valid());
    CHECK(!claimed(1, false, {1, 2}, {0, 1}).valid());        // a row too few
    CHECK(!claimed(1, false, {1, 2}, {0, 1, 1, 5}).valid());  // an overflow row that is not full
    CHECK(!claimed(1, true, {1, 2}, {0, 1, 1}).valid());
    CHECK(!claimed(2, false, {1}, {0, 1, 1}).valid());
    CHECK(!claimed(1, false, {2, 1}, {0, 1, 1}).valid());  // not in order
    CHECK(!claimed(1, false, {1, 1}, {0, 1, 1}).valid());
    CHECK(!claimed(1, false, {kNan}, {0, 1}).valid());
    CHECK(!claimed(1, false, {1.0 / 0.0}, {0, 1}).valid());
    CHECK(!claimed(1, false, {1}, {0, -1}).valid());
    CHECK(!claimed(1, false, {1}, {0, kNan}).valid());
    CHECK(!claimed(0, false, {1, 2}, {}).valid());  // keys, but no class that could have them
    CHECK(!claimed(1, true, {}, {0, 1}).valid());   // full of nothing
}
