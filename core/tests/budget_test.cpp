// Proves that no cap is ever broken: on random sequences of questions, late answers, expiries and refunds each verdict
// is compared with a count over the whole past, in whole numbers.
#include "sapwood/budget.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A rate as a decimal fraction: hundredths, thousandths, ...
struct Decimal {
    std::int64_t over, under;
    double value() const { return static_cast<double>(over) / static_cast<double>(under); }
    /// ceil(rate * n).
    std::int64_t ceil_of(std::int64_t n) const { return (over * n + under - 1) / under; }
    std::int64_t floor_of(std::int64_t n) const { return over * n / under; }
};

enum class Fate { open, answered, expired, refunded };

struct Asked {
    std::int64_t example;
    double time, mark;
    Fate fate = Fate::open;
};

/// Everything that happened, and nothing else.
struct Diary {
    std::vector<Asked> questions;
    std::int64_t seen = 0;
    double now = -std::numeric_limits<double>::infinity();

    std::int64_t count(Fate fate) const {
        return std::count_if(questions.begin(), questions.end(), [&](const Asked& q) { return q.fate == fate; });
    }
    template <class Where>
    std::int64_t spent(Where&& where) const {
        return std::count_if(questions.begin(), questions.end(),
                             [&](const Asked& q) { return q.fate != Fate::refunded && where(q); });
    }
    std::int64_t spent() const {
        return spent([](const Asked&) { return true; });
    }
    std::int64_t spent_since(std::int64_t example) const {
        return spent([&](const Asked& q) { return q.example >= example; });
    }
};

void check_ledger(const Budget& budget, const Diary& diary) {
    CHECK_EQ(budget.seen(), diary.seen);
    CHECK_EQ(budget.asked(), diary.questions.size());
    CHECK_EQ(budget.open(), diary.count(Fate::open));
    CHECK_EQ(budget.answered(), diary.count(Fate::answered));
    CHECK_EQ(budget.expired(), diary.count(Fate::expired));
    CHECK_EQ(budget.refunded(), diary.count(Fate::refunded));
    CHECK_EQ(budget.spent(), diary.spent());
    CHECK_EQ(budget.asked(), budget.open() + budget.answered() + budget.expired() + budget.refunded());
}

/// Some of the questions are answered in time or late, expire or are taken back.
void let_time_pass(Budget& budget, Diary& diary, Random& random, double refunds) {
    for (int tries = 0; tries < 3 && !diary.questions.empty(); ++tries) {
        const std::size_t recent = std::min<std::size_t>(diary.questions.size(), 40);
        Asked& q = diary.questions[diary.questions.size() - 1 - random.below(recent)];
        if (q.fate == Fate::answered || q.fate == Fate::refunded || random.chance(0.5)) continue;
        if (random.chance(refunds)) {
            budget.refund(q.mark, q.fate == Fate::expired);
            q.fate = Fate::refunded;
        } else if (q.fate == Fate::expired) {
            budget.answer_late();
            q.fate = Fate::answered;
        } else if (random.chance(0.3)) {
            budget.expire();
            q.fate = Fate::expired;
        } else {
            budget.answer();
            q.fate = Fate::answered;
        }
    }
}

/// Runs a random sequence; `may_ask` says, from the diary alone, whether the example seen last may be asked about.
template <class MayAsk, class Law>
void check_cap(const BudgetParams& params, std::uint64_t seed, std::int64_t rows, MayAsk&& may_ask, Law&& law) {
    Random random(seed);
    Budget budget(params);
    Diary diary;
    const double eager = seed % 3 == 0 ? 1.0 : 0.5, refunds = seed % 2 ? 0.3 : 0.0;
    double clock = 0.0;
    std::int64_t refused = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        clock += random.chance(0.3) ? 0.0 : random.uniform() * 2.0;   // some come at the same time
        const double now = random.chance(0.1) ? clock - 5.0 : clock;  // and now and then one clock is behind
        diary.now = std::max(diary.now, now);
        ++diary.seen;
        budget.see(now);
        const bool allows = budget.allows();
        CHECK_EQ(allows, may_ask(diary));
        refused += !allows;
        if (allows && random.chance(eager)) diary.questions.push_back({diary.seen, diary.now, budget.ask()});
        law(budget, diary);
        let_time_pass(budget, diary, random, refunds);
        check_ledger(budget, diary);
        if (check::failures()) return;
    }
    if (params.cap != Cap::none && seed == 0) CHECK(refused > 0);
    CHECK(!diary.questions.empty() || refused == rows);
}

constexpr auto kNoLaw = [](const Budget&, const Diary&) {};

}  // namespace

TEST(without_a_cap_everything_may_be_asked) {
    for (const std::uint64_t seed : {0, 1, 2}) check_cap({}, seed, 500, [](const Diary&) { return true; }, kNoLaw);
}

TEST(a_rate_is_held_at_every_moment) {
    for (const Decimal rate : {Decimal{7, 100}, {1, 10}, {3, 10}, {29, 100}, {1, 3}, {999, 1000}, {0, 1}}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            check_cap(
                {.cap = Cap::rate, .rate = rate.value()}, seed, 1500,
                [&](const Diary& d) { return d.spent() * rate.under < rate.over * d.seen; },
                [&](const Budget&, const Diary& d) { CHECK(d.spent() <= rate.ceil_of(d.seen)); });
            check_cap(
                {.cap = Cap::rate, .rate = rate.value(), .strict = true}, seed, 1500,
                [&](const Diary& d) { return (d.spent() + 1) * rate.under <= rate.over * d.seen; },
                [&](const Budget&, const Diary& d) { CHECK(d.spent() <= rate.floor_of(d.seen)); });
        }
    }
}

TEST(a_rate_that_is_always_used_is_used_up) {
    for (const Decimal rate : {Decimal{7, 100}, {1, 10}, {29, 100}, {57, 100}, {1, 1}, {1, 1000}}) {
        for (const bool strict : {false, true}) {
            Budget budget({.cap = Cap::rate, .rate = rate.value(), .strict = strict});
            for (std::int64_t seen = 1; seen <= 30000; ++seen) {
                budget.see(0.0);
                if (budget.allows()) budget.ask();
                CHECK_EQ(budget.spent(), strict ? rate.floor_of(seen) : rate.ceil_of(seen));
            }
        }
    }
}

TEST(a_window_is_held_in_any_consecutive_examples) {
    struct Window {
        Decimal rate;
        std::int64_t w;
    };
    for (const Window& window : {Window{{7, 100}, 100}, {{29, 100}, 50}, {{1, 10}, 7}, {{1, 2}, 1}, {{3, 10}, 10}}) {
        const std::int64_t w = window.w, most = window.rate.ceil_of(w);
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            if (most == w) continue;  // everything may be asked
            check_cap(
                {.cap = Cap::window, .rate = window.rate.value(), .window = static_cast<double>(w)}, seed, 1500,
                [&](const Diary& d) { return d.spent_since(d.seen - w + 1) < most; },
                [&](const Budget&, const Diary& d) { CHECK(d.spent_since(d.seen - w + 1) <= most); });
        }
        // Always asking fills every window to the last label.
        Budget budget({.cap = Cap::window, .rate = window.rate.value(), .window = static_cast<double>(w)});
        std::vector<std::int64_t> asked;
        for (std::int64_t i = 0; i < 3 * w; ++i) {
            budget.see(0.0);
            asked.push_back(budget.allows());
            if (budget.allows()) budget.ask();
        }
        for (std::int64_t i = 0; i + w <= 3 * w; ++i) {
            std::int64_t sum = 0;
            for (std::int64_t j = i; j < i + w; ++j) sum += asked[static_cast<std::size_t>(j)];
            CHECK_EQ(sum, most);
        }
    }
}

TEST(a_window_without_a_rate_asks_nothing) {
    Budget budget({.cap = Cap::window, .rate = 0.0, .window = 5.0});
    for (int i = 0; i < 20; ++i) {
        budget.see(0.0);
        CHECK(!budget.allows());
    }
}

TEST(a_period_is_held_in_any_interval) {
    for (const std::int64_t count : {1, 3, 10}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            const double seconds = 7.5;
            const auto held = [&](const Budget&, const Diary& d) {
                if (d.seen % 50) return;
                for (const Asked& first : d.questions)  // [first, first + seconds): intervals that matter begin so
                    CHECK(d.spent([&](const Asked& q) {
                        return q.time >= first.time && q.time - first.time < seconds;
                    }) <= count);
            };
            check_cap(
                {.cap = Cap::period, .count = static_cast<double>(count), .seconds = seconds}, seed, 1000,
                [&](const Diary& d) {
                    return d.spent([&](const Asked& q) { return d.now - q.time < seconds; }) < count;
                },
                held);
        }
    }
}

TEST(a_clock_that_is_set_back_waits_for_a_period) {
    Budget budget({.cap = Cap::period, .count = 2.0, .seconds = 10.0});
    const auto asks = [&](double now) {
        budget.see(now);
        if (!budget.allows()) return false;
        budget.ask();
        return true;
    };
    CHECK(asks(1.0) && asks(2.0) && asks(1000.0));
    CHECK_EQ(budget.wait(), 0.0);
    budget.set_clock(3.0);  // what was asked at 1 and 2 is forgotten, but still within a period
    CHECK_EQ(budget.clock(), 3.0);
    CHECK_EQ(budget.wait(), 10.0);
    CHECK(!asks(12.5));
    CHECK_EQ(budget.wait(), 0.5);
    CHECK(asks(13.0) && asks(13.0) && !asks(13.0));
    budget.set_clock(14.0);  // onwards nothing is lost sight of
    CHECK(!asks(22.0) && asks(23.0));
}

TEST(a_clock_that_is_set_leaves_a_ledger_that_adds_up) {
    for (const double to : {1000.0, 3.0, -1000.0}) {
        Budget budget({.cap = Cap::period, .count = 2.0, .seconds = 10.0});
        double marks[2];
        for (double& mark : marks) {
            budget.see(1.0 + (&mark - marks));
            mark = budget.ask();
        }
        budget.set_clock(to);
        for (const double mark : marks) {
            budget.restore();
            budget.refund(mark, false);
        }
        budget.restore();
        CHECK(budget.allows());
    }
}

TEST(a_period_is_half_open) {
    Budget budget({.cap = Cap::period, .count = 2.0, .seconds = 10.0});
    const auto asks = [&](double now) {
        budget.see(now);
        if (!budget.allows()) return false;
        budget.ask();
        return true;
    };
    CHECK(asks(100.0) && asks(105.0));
    CHECK(!asks(109.999));
    CHECK(asks(110.0));  // [100, 110) is over
    CHECK(!asks(110.0));
    CHECK(!asks(50.0));  // no way back
    CHECK(!asks(114.999));
    CHECK(asks(115.0));
    CHECK(asks(1000.0) && asks(1000.0) && !asks(1000.0));
}

TEST(a_period_may_begin_before_time_zero) {
    Budget budget({.cap = Cap::period, .count = 1.0, .seconds = 10.0});
    budget.see(-1000.0);
    CHECK(budget.allows());
    budget.ask();
    budget.see(-995.0);
    CHECK(!budget.allows());
    budget.see(-990.0);
    CHECK(budget.allows());
}

TEST(a_count_is_the_most_that_is_ever_spent) {
    for (const std::int64_t count : {0, 1, 25}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed)
            check_cap(
                {.cap = Cap::count, .count = static_cast<double>(count)}, seed, 600,
                [&](const Diary& d) { return d.spent() < count; },
                [&](const Budget&, const Diary& d) { CHECK(d.spent() <= count); });
    }
}

TEST(an_estimated_window_is_zliobaites_recursion) {
    Random random(1);
    for (const double w : {1.0, 10.0, 100.0}) {
        for (const double rate : {0.0, 0.1, 0.35, 1.0}) {
            Budget budget({.cap = Cap::estimated_window, .rate = rate, .window = w});
            double u = 0.0;
            std::uint64_t refused = 0;
            for (int i = 0; i < 3000; ++i) {
                budget.see(0.0);
                CHECK_EQ(budget.allows(), u / w < rate);
                const bool ask = budget.allows() && random.chance(i % 100 < 50 ? 1.0 : 0.3);
                refused += !budget.allows();
                if (ask) CHECK_EQ(budget.ask(), i + 1.0);
                u = u * ((w - 1.0) / w) + ask;
            }
            if (rate < 1.0) CHECK(refused > 0);
        }
    }
}

TEST(a_refund_leaves_the_estimate_as_if_it_had_not_been_asked) {
    for (const double w : {5.0, 50.0}) {
        Random random(2);
        const double rate = 0.3;
        Budget budget({.cap = Cap::estimated_window, .rate = rate, .window = w});
        Diary diary;
        std::int64_t compared = 0;
        for (int i = 0; i < 4000; ++i) {
            budget.see(0.0);
            ++diary.seen;
            double u = 0.0;  // after all examples before this one
            for (const Asked& q : diary.questions)
                if (q.fate != Fate::refunded)
                    u += std::pow((w - 1.0) / w, static_cast<double>(diary.seen - 1 - q.example));
            if (std::fabs(u / w - rate) > 1e-9) {
                CHECK_EQ(budget.allows(), u / w < rate);
                ++compared;
            }
            let_time_pass(budget, diary, random, 0.4);  // before the decision is counted
            if (budget.allows() && random.chance(0.8)) diary.questions.push_back({diary.seen, 0.0, budget.ask()});
            let_time_pass(budget, diary, random, 0.4);  // and after it
            check_ledger(budget, diary);
            if (check::failures()) return;
        }
        CHECK(compared > 3900);
        CHECK(diary.count(Fate::refunded) > 100);
    }
}

TEST(a_refund_frees_exactly_one_label) {
    const auto fill = [](Budget& budget, std::vector<double>& marks) {
        budget.see(3.0);
        while (budget.allows()) {
            marks.push_back(budget.ask());
            budget.see(3.0);
        }
    };
    for (const BudgetParams& params : {BudgetParams{.cap = Cap::count, .count = 5.0},
                                       BudgetParams{.cap = Cap::period, .count = 5.0, .seconds = 10.0},
                                       BudgetParams{.cap = Cap::window, .rate = 0.05, .window = 100.0}}) {
        Budget budget(params);
        std::vector<double> marks;
        fill(budget, marks);
        CHECK_EQ(marks.size(), 5u);
        budget.expire();
        for (const std::size_t k : {std::size_t{0}, std::size_t{3}}) {
            budget.refund(marks[k], k == 0);
            CHECK(budget.allows());
            budget.ask();
            CHECK(!budget.allows());
            budget.see(3.0);
            CHECK(!budget.allows());
        }
        CHECK_EQ(budget.asked(), 7);
        CHECK_EQ(budget.refunded(), 2);
        CHECK_EQ(budget.expired(), 0);
        CHECK_EQ(budget.spent(), 5);
    }
}

TEST(a_refund_of_a_question_that_no_longer_counts_frees_nothing) {
    Budget budget({.cap = Cap::window, .rate = 0.1, .window = 10.0});
    budget.see(0.0);
    const double first = budget.ask();
    for (int i = 0; i < 10; ++i) budget.see(0.0);
    CHECK(budget.allows());
    budget.ask();
    budget.refund(first, false);
    CHECK(!budget.allows());
    Budget period({.cap = Cap::period, .count = 1.0, .seconds = 10.0});
    period.see(0.5);
    const double long_ago = period.ask();
    period.see(20.0);
    CHECK(period.allows());
    period.ask();
    period.refund(long_ago, false);
    CHECK(!period.allows());
}

TEST(a_budget_read_back_goes_on_alike) {
    for (const BudgetParams& params : {BudgetParams{}, BudgetParams{.cap = Cap::rate, .rate = 0.3},
                                       BudgetParams{.cap = Cap::rate, .rate = 0.3, .strict = true},
                                       BudgetParams{.cap = Cap::window, .rate = 0.3, .window = 20.0},
                                       BudgetParams{.cap = Cap::estimated_window, .rate = 0.3, .window = 20.0},
                                       BudgetParams{.cap = Cap::count, .count = 150.0},
                                       BudgetParams{.cap = Cap::period, .rate = 0.2, .count = 4.0, .seconds = 7.0}}) {
        for (const std::uint64_t stop : {0, 1, 2, 137, 300}) {
            Random random(stop);
            Budget budget(params), back({.cap = Cap::count, .count = 1.0});
            double now = 0.0;
            const auto step = [&](Budget& b, bool eager, std::vector<double>* marks) {
                b.see(now);
                const bool asks = b.allows() && eager;
                if (asks) {
                    const double mark = b.ask();
                    if (marks) marks->push_back(mark);
                }
                return asks;
            };
            std::vector<double> marks;
            for (std::uint64_t i = 0; i < stop; ++i) {
                now += random.uniform();
                step(budget, random.chance(0.8), &marks);
                if (i % 5 == 0 && budget.open()) budget.answer();
                if (i % 7 == 0 && budget.open()) budget.expire();
            }
            Writer out;
            out(budget);
            Reader in(out.bytes());
            in(back);
            CHECK(in.at_end());
            Writer again;
            again(back);
            CHECK(again.bytes() == out.bytes());
            for (int i = 0; i < 500; ++i) {
                now += random.uniform();
                const bool eager = random.chance(0.8);
                CHECK_EQ(step(budget, eager, nullptr), step(back, eager, nullptr));
                if (i % 50 == 0 && !marks.empty()) {
                    budget.refund(marks.back(), false);
                    back.refund(marks.back(), false);
                    marks.pop_back();
                }
            }
            Writer a, b;
            a(budget);
            b(back);
            CHECK(a.bytes() == b.bytes());
        }
    }
}

TEST(names_come_back_and_bad_parameters_are_refused) {
    for (const Cap cap : {Cap::none, Cap::rate, Cap::window, Cap::estimated_window, Cap::count, Cap::period})
        CHECK_EQ(parse_cap(name_of(cap)), cap);
    CHECK_EQ(name_of(Cap::estimated_window), "estimated-window");
    CHECK_THROWS(parse_cap("estimated_window"), "no budget named 'estimated_window'");
    for (const double rate : {-0.1, 1.1, kNan}) CHECK_THROWS(Budget({.cap = Cap::rate, .rate = rate}), "rate");
    for (const double w : {0.0, 0.5, 1.5, -3.0, kNan, 1e300})
        for (const Cap cap : {Cap::window, Cap::estimated_window})
            CHECK_THROWS(Budget({.cap = cap, .window = w}), "window");
    for (const double n : {-1.0, 0.5, kNan}) {
        CHECK_THROWS(Budget({.cap = Cap::count, .count = n}), "count");
        CHECK_THROWS(Budget({.cap = Cap::period, .count = n, .seconds = 1.0}), "count");
    }
    for (const double s : {0.0, -1.0, kNan, 1.0 / 0.0})
        CHECK_THROWS(Budget({.cap = Cap::period, .count = 1.0, .seconds = s}), "period");
    Writer out;
    Budget fine({.cap = Cap::count, .count = 3.0});
    out(fine);
    std::string bytes = out.bytes();
    bytes[0] = 9;  // no such cap
    const auto read = [&] {
        Budget back;
        Reader in(bytes);
        in(back);
    };
    CHECK_THROWS(read(), "out of its range");
}

namespace {

/// What a ledger says of itself in a file.
struct Ledger {
    BudgetParams params;
    std::uint64_t seen = 0, asked = 0, answered = 0, expired = 0, refunded = 0;
    double now = 0.0, estimate = 0.0;
    bool asked_last = true;
    std::vector<double> marks{};

    template <class Archive>
    void archive(Archive& a) {
        a(params, seen, asked, answered, expired, refunded, now, estimate, asked_last, marks);
    }
    Budget read() const {
        Writer out;
        out(*this);
        Budget budget;
        Reader in(out.bytes());
        in(budget);
        return budget;
    }
};

}  // namespace

TEST(a_ledger_that_does_not_add_up_is_not_read) {
    const BudgetParams free{.cap = Cap::none};
    CHECK_EQ((Ledger{free, 10, 5, 2, 1, 1}.read().open()), 1);
    CHECK_EQ((Ledger{free, (std::uint64_t{1} << 53) + 1}.read().seen()), (std::uint64_t{1} << 53) + 1);
    for (const Ledger& broken : {Ledger{free, 4, 5}, Ledger{free, 10, 5, 6}, Ledger{free, 10, 5, 2, 2, 2},
                                 Ledger{free, 10, 5, ~std::uint64_t{0}, 2}, Ledger{free, ~std::uint64_t{0}}})
        CHECK_THROWS(broken.read(), "does not add up");
    CHECK_THROWS((Ledger{free, 1, 0, 0, 0, 0, kNan}.read()), "time is broken");
    CHECK_THROWS((Ledger{free, 9, 3, 0, 0, 0, 0.0, 0.0, true, {1.0}}.read()), "questions are broken");
}

TEST(a_ledger_over_its_own_cap_is_not_read) {
    const BudgetParams rate{.cap = Cap::rate, .rate = 0.1}, strict{.cap = Cap::rate, .rate = 0.1, .strict = true};
    const BudgetParams count{.cap = Cap::count, .count = 7.0};
    CHECK_EQ((Ledger{rate, 100, 10}.read().spent()), 10);
    CHECK_EQ((Ledger{rate, 101, 11}.read().spent()), 11);
    CHECK_THROWS((Ledger{rate, 100, 11}.read()), "spent more");
    CHECK_EQ((Ledger{rate, 100, 11, 0, 0, 1}.read().spent()), 10);  // one was refunded
    CHECK_EQ((Ledger{strict, 110, 11}.read().spent()), 11);
    CHECK_THROWS((Ledger{strict, 109, 11}.read()), "spent more");
    CHECK_EQ((Ledger{count, 100, 7}.read().spent()), 7);
    CHECK_THROWS((Ledger{count, 100, 8}.read()), "spent more");

    const BudgetParams window{.cap = Cap::window, .rate = 0.2, .window = 10.0};
    const auto windowed = [&](std::vector<double> marks) {
        return Ledger{window, 100, 20, 0, 0, 0, 0.0, 0.0, true, std::move(marks)};
    };
    CHECK_EQ(windowed({91.0, 99.0}).read().allows(), false);
    CHECK_THROWS(windowed({91.0, 95.0, 99.0}).read(), "spent more");
    for (const std::vector<double>& marks : {std::vector<double>{90.0}, {101.0}, {99.0, 95.0}, {95.5}, {kNan}})
        CHECK_THROWS(windowed(marks).read(), "questions are broken");
    const BudgetParams period{.cap = Cap::period, .count = 2.0, .seconds = 60.0};
    const auto timed = [&](std::vector<double> marks) {
        return Ledger{period, 100, 20, 0, 0, 0, 1000.0, 0.0, true, std::move(marks)};
    };
    CHECK_EQ(timed({950.0, 950.0}).read().allows(), false);
    CHECK_THROWS(timed({950.0, 951.0, 952.0}).read(), "spent more");
    CHECK_THROWS(timed({940.0}).read(), "questions are broken");
    CHECK_THROWS(timed({1001.0}).read(), "questions are broken");
    const BudgetParams estimated{.cap = Cap::estimated_window, .rate = 0.2, .window = 10.0};
    CHECK_EQ((Ledger{estimated, 100, 9, 0, 0, 0, 0.0, 2.9, false}.read().spent()), 9);
    for (const double estimate : {-0.1, 3.1, kNan})
        CHECK_THROWS((Ledger{estimated, 100, 9, 0, 0, 0, 0.0, estimate}.read()), "spent more");
}
