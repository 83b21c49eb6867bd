// Proves the drift detectors: DDM and Page-Hinkley on sequences worked out by hand, ADWIN by what its window must be
// (the last examples, in few buckets), each on a planted change; and that one read back goes on as if never stopped.
#include "sapwood/detector.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

Level feed(Detector& detector, int n, double x) {
    Level level = detector.level();
    for (int i = 0; i < n; ++i) level = detector.update(x);
    return level;
}

std::string state_of(const Detector& detector) {
    Writer out;
    out(detector);
    return out.bytes();
}

/// The number of the input that told of a drift, from 1; 0 if none did.
int first_drift(Detector& detector, std::uint64_t seed, int n, int change, double before, double after) {
    Random random(seed);
    for (int i = 1; i <= n; ++i)
        if (detector.update(random.chance(i <= change ? before : after)) == Level::drift) return i;
    return 0;
}

PageHinkley small_page(PageHinkley::Side side) {
    PageHinkley page;
    page.min_examples = 4.0;
    page.delta = 0.0;
    page.threshold = 1.0;
    page.alpha = 1.0;
    page.side = side;
    return page;
}

}  // namespace

TEST(ddm_by_hand) {
    Detector detector;
    CHECK_EQ(detector.name(), "ddm");
    CHECK(detector.level() == Level::in_control);
    CHECK(feed(detector, 28, 0.0) == Level::in_control);
    // The 29th is the first that is looked at. p = 1/29, s = 0.0339: the lowest point, as it is the first.
    CHECK(detector.update(1.0) == Level::in_control);
    const Ddm& ddm = std::get<Ddm>(detector.kind());
    CHECK_NEAR(ddm.lowest_p, 1.0 / 29.0, 1e-15);
    CHECK_NEAR(ddm.lowest_s, std::sqrt(1.0 / 29.0 * 28.0 / 29.0 / 29.0), 1e-15);
    // 2/30 + 0.0455 = 0.1122 lies between p + 2 s = 0.1022 and p + 3 s = 0.1361.
    CHECK(detector.update(1.0) == Level::warning);
    CHECK(detector.level() == Level::warning);
    // 3/31 + 0.0531 = 0.1499.
    CHECK(detector.update(1.0) == Level::drift);
    CHECK(detector.level() == Level::drift);
    CHECK(detector.rose());
    // And anew: the same inputs give the same levels.
    CHECK(feed(detector, 28, 0.0) == Level::in_control);
    CHECK(detector.update(1.0) == Level::in_control);
    CHECK(detector.update(1.0) == Level::warning);
    CHECK(detector.update(1.0) == Level::drift);
    CHECK(detector.update(0.0) == Level::in_control);
    CHECK_EQ(std::get<Ddm>(detector.kind()).n, 2.0);
}

TEST(a_warning_of_ddm_may_pass) {
    Detector detector;
    feed(detector, 28, 0.0);
    feed(detector, 1, 1.0);
    CHECK(feed(detector, 1, 1.0) == Level::warning);
    CHECK(detector.update(0.0) == Level::warning);     // 2/31 + 0.0441 = 0.1086
    CHECK(detector.update(0.0) == Level::warning);     // 2/32 + 0.0428 = 0.1053
    CHECK(detector.update(0.0) == Level::in_control);  // 2/33 + 0.0415 = 0.1021 is below 0.1022
}

TEST(ddm_after_no_error_drifts_with_the_first) {
    Detector detector;
    CHECK(feed(detector, 29, 0.0) == Level::in_control);
    CHECK(detector.update(1.0) == Level::drift);  // any error is more than none
    Detector earlier;                             // but not before the 30th
    feed(earlier, 28, 0.0);
    CHECK(earlier.update(1.0) == Level::in_control);
    Detector never;
    CHECK(feed(never, 1000, 1.0) == Level::in_control);  // an error rate of 1 cannot rise
}

TEST(ddm_follows_its_settings) {
    Ddm ddm;
    ddm.min_examples = 5.0;
    ddm.warning_level = ddm.drift_level = 1.5;
    Detector detector(ddm);
    for (int again = 0; again < 2; ++again) {
        CHECK(feed(detector, 3, 0.0) == Level::in_control);
        CHECK(detector.update(1.0) == Level::in_control);  // p = 1/4, s = 0.2165
        CHECK(detector.update(1.0) == Level::drift);       // 2/5 + 0.2191 = 0.6191 is above 0.25 + 1.5 * 0.2165
    }
}

TEST(page_hinkley_by_hand) {
    using Side = PageHinkley::Side;
    for (const Side side : {Side::up, Side::both}) {
        Detector detector(small_page(side));
        CHECK_EQ(detector.name(), "page-hinkley");
        for (int again = 0; again < 2; ++again) {
            CHECK(feed(detector, 3, 0.0) == Level::in_control);
            CHECK(detector.update(1.0) == Level::in_control);  // mean 1/4: the sum is 0.75
            CHECK_EQ(std::get<PageHinkley>(detector.kind()).up_sum, 0.75);
            CHECK(detector.update(1.0) == Level::drift);  // mean 2/5: 0.75 + 0.6
            CHECK(detector.rose());
            CHECK_NEAR(std::get<PageHinkley>(detector.kind()).up_sum, 1.35, 1e-15);
        }
    }
    for (const Side side : {Side::down, Side::both}) {
        Detector detector(small_page(side));
        CHECK(feed(detector, 3, 1.0) == Level::in_control);
        CHECK(detector.update(0.0) == Level::in_control);
        CHECK(detector.update(0.0) == Level::drift);
        CHECK(!detector.rose());
    }
    Detector up(small_page(Side::up)), down(small_page(Side::down));
    feed(up, 3, 1.0);
    feed(down, 3, 0.0);
    for (int i = 0; i < 20; ++i) CHECK(up.update(0.0) != Level::drift && down.update(1.0) != Level::drift);
}

TEST(page_hinkley_has_patience) {
    PageHinkley page = small_page(PageHinkley::Side::up);
    page.min_examples = 8.0;
    Detector detector(page);
    feed(detector, 3, 0.0);
    CHECK(feed(detector, 4, 1.0) == Level::in_control);
    CHECK(detector.update(1.0) == Level::drift);  // the eighth
    // The tolerance is taken off each step, and the past fades by alpha.
    page = small_page(PageHinkley::Side::up);
    page.delta = 0.125;
    page.alpha = 0.5;
    Detector fading(page);
    feed(fading, 3, 0.0);
    fading.update(1.0);
    // -0.125, then half of it - 0.125 = -0.1875, -0.21875, and half of that + 0.75 - 0.125.
    CHECK_EQ(std::get<PageHinkley>(fading.kind()).up_sum, -0.109375 + 0.625);
    CHECK_EQ(std::get<PageHinkley>(fading.kind()).lowest, -0.21875);
}

TEST(adwin_keeps_the_last_examples_in_few_buckets) {
    for (const double max_buckets : {5.0, 1.0, 2.0}) {
        Adwin adwin;
        adwin.max_buckets = max_buckets;
        Random random(1);
        std::vector<double> inputs;
        int cuts = 0;
        for (int i = 0; i < 20000; ++i) {
            const double p = i / 4000 % 2 ? 0.6 : 0.1;
            inputs.push_back(random.chance(p));
            const double width = adwin.width;
            const bool cut = adwin.update(inputs.back()) == Level::drift;
            cuts += cut;
            CHECK(cut ? adwin.width < width + 1.0 : adwin.width == width + 1.0);
            // Whole numbers: sums are exact.
            double size = 0.0, total = 0.0;
            int alike = 0;
            for (std::size_t b = 0; b < adwin.buckets.size(); ++b) {
                const Adwin::Bucket& bucket = adwin.buckets[b];
                size += bucket.size;
                total += bucket.total;
                CHECK_EQ(std::exp2(std::round(std::log2(bucket.size))), bucket.size);
                if (b) CHECK(bucket.size <= adwin.buckets[b - 1].size);
                alike = b && bucket.size == adwin.buckets[b - 1].size ? alike + 1 : 1;
                CHECK(alike <= max_buckets);
            }
            CHECK_EQ(size, adwin.width);
            CHECK_EQ(total, adwin.total);
            CHECK(static_cast<double>(adwin.buckets.size()) <= max_buckets * (std::log2(adwin.width) + 1.0));
            if (i % 97 == 0) {
                double held = 0.0;
                const auto n = static_cast<std::size_t>(adwin.width);
                for (std::size_t j = inputs.size() - n; j < inputs.size(); ++j) held += inputs[j];
                CHECK_EQ(held, adwin.total);
                CHECK_NEAR(adwin.variance, held * (1.0 - held / adwin.width), 1e-6);
            }
            if (check::failures()) return;
        }
        CHECK(cuts >= 4);
    }
}

TEST(adwin_finds_a_planted_change_and_says_which_way) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Detector rising((Adwin())), falling((Adwin()));
        CHECK_EQ(rising.name(), "adwin");
        const int rose = first_drift(rising, seed, 3000, 1000, 0.1, 0.5);
        const int fell = first_drift(falling, seed, 3000, 1000, 0.5, 0.1);
        CHECK(rose > 1000 && rose <= 1224);
        CHECK(fell > 1000 && fell <= 1224);
        CHECK_EQ(rose % 32, 0);
        CHECK(rising.rose());
        CHECK(!falling.rose());
        rising.update(1.0);  // anew
        CHECK_EQ(std::get<Adwin>(rising.kind()).width, 1.0);
    }
}

TEST(adwin_stays_calm_where_nothing_changes) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Detector detector((Adwin()));
        CHECK_EQ(first_drift(detector, seed, 5000, 5000, 0.3, 0.3), 0);
    }
    for (const double x : {0.0, 1.0}) {
        Detector detector((Adwin()));
        for (int i = 0; i < 5000; ++i) CHECK(detector.update(x) == Level::in_control);
    }
}

TEST(adwin_that_looks_rarely_says_of_a_plain_rise_that_it_rose) {
    // Rounding may leave a variance just below 0 while the window is cut; its root is then no number.
    Adwin adwin;
    adwin.clock = 256.0;
    Detector detector(adwin);
    feed(detector, 2687, 0.0);
    Level level = Level::in_control;
    int ones = 0;
    while (level != Level::drift && ++ones < 300) level = detector.update(1.0);
    CHECK(level == Level::drift);
    CHECK_EQ(ones, 129);  // the 2816th input, at which it looks
    CHECK(detector.rose());
    CHECK_EQ(std::get<Adwin>(detector.kind()).width, 128.0);  // as river 0.26: of the ones, one went with a bucket
}

TEST(adwin_forgets_no_example_that_is_like_the_rest) {
    // Without restarts: once the zeros are gone, a window of ones has no place to be cut.
    Adwin adwin;
    for (int i = 0; i < 1253; ++i) adwin.update(0.0);
    int last_cut = 0;
    for (int i = 1; i <= 2000; ++i)
        if (adwin.update(1.0) == Level::drift) last_cut = i;
    CHECK(last_cut > 0 && last_cut < 400);
    CHECK(adwin.width > 1900.0);
}

TEST(every_detector_finds_a_planted_rise) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        for (const Detector::Kind& kind :
             {Detector::Kind(Ddm()), Detector::Kind(PageHinkley()), Detector::Kind(Adwin())}) {
            Detector detector(kind);
            const int at = first_drift(detector, seed + 100, 4000, 2000, 0.2, 0.7);
            if (kind.index() != 0) CHECK(at > 2000);  // DDM may err early
            CHECK(at > 0 && at < 2400);
            CHECK(detector.rose());
        }
    }
}

TEST(a_detector_read_back_goes_on_alike) {
    PageHinkley both;
    both.side = PageHinkley::Side::both;
    both.threshold = 20.0;
    Adwin coarse;
    coarse.clock = 8.0;
    coarse.max_buckets = 3.0;
    for (const Detector::Kind& kind : {Detector::Kind(Ddm()), Detector::Kind(both), Detector::Kind(coarse)}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            Random random(seed);
            Detector detector(kind);
            // Stopped anywhere, also right after a drift.
            const std::size_t least = random.below(2500);
            for (std::size_t i = 0; i < least || (seed % 2 && detector.level() != Level::drift && i < 9999); ++i)
                detector.update(random.chance(i / 500 % 2 ? 0.6 : 0.2));
            if (seed % 2) CHECK(detector.level() == Level::drift);
            Detector back;
            const std::string state = state_of(detector);
            Reader in(state);
            in(back);
            CHECK(in.at_end());
            CHECK_EQ(back.name(), detector.name());
            CHECK(back.level() == detector.level());
            CHECK(state_of(back) == state);
            int drifts = 0;
            for (int i = 0; i < 4000; ++i) {
                const double x = random.chance(i / 500 % 2 ? 0.2 : 0.6);
                const Level level = detector.update(x);
                CHECK(back.update(x) == level);
                CHECK_EQ(back.rose(), detector.rose());
                drifts += level == Level::drift;
            }
            CHECK(drifts > 1);
            CHECK(state_of(back) == state_of(detector));
        }
    }
}

TEST(a_detector_becomes_the_kind_that_is_read) {
    for (const Detector::Kind& written :
         {Detector::Kind(Ddm()), Detector::Kind(PageHinkley()), Detector::Kind(Adwin())})
        for (const Detector::Kind& held :
             {Detector::Kind(Ddm()), Detector::Kind(PageHinkley()), Detector::Kind(Adwin())}) {
            Detector detector(written), back(held);
            feed(detector, 40, 1.0);
            const std::string state = state_of(detector);
            Reader in(state);
            bool refused = false;
            try {
                in(back);
            } catch (const std::invalid_argument&) {
                refused = true;
            }
            CHECK(!refused);
            CHECK(in.at_end());
            CHECK_EQ(back.name(), detector.name());
        }
}

TEST(a_kind_that_does_not_exist_is_not_read) {
    std::string state = state_of(Detector());
    state[0] = 7;
    const auto read = [&] {
        Detector back;
        Reader in(state);
        in(back);
    };
    CHECK_THROWS(read(), "");
}

namespace {

/// Reads a detector of which these are what it begins anew with, and what it has counted.
template <class Kind>
Detector read_detector(const Kind& fresh, const Kind& kind) {
    Writer out;
    out(static_cast<std::uint8_t>(Detector::Kind(kind).index()), Level::in_control, fresh, kind);
    Detector back;
    Reader in(out.bytes());
    in(back);
    return back;
}

}  // namespace

TEST(a_broken_detector_is_not_read) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (const double most : {0.0, -1.0, 0.5, 1.5, kNan}) {
        Adwin adwin;
        adwin.max_buckets = most;
        CHECK_THROWS(read_detector(adwin, adwin), "max_buckets");
    }
    const auto with_buckets = [](std::vector<double> sizes, double width) {
        Adwin adwin;
        adwin.ticks = 100.0;
        adwin.width = width;
        for (const double size : sizes) adwin.buckets.push_back({size, 0.0, 0.0});
        return adwin;
    };
    CHECK_EQ(read_detector(Adwin(), with_buckets({4.0, 2.0, 2.0, 1.0}, 9.0)).name(), "adwin");
    for (const Adwin& broken :
         {with_buckets({4.0, 2.0}, 7.0), with_buckets({2.0, 4.0}, 6.0), with_buckets({3.0, 1.0}, 4.0),
          with_buckets({1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, 6.0), with_buckets({kNan}, kNan), with_buckets({256.0}, 256.0)})
        CHECK_THROWS(read_detector(Adwin(), broken), "counts are broken");
    for (double Ddm::* field : {&Ddm::n, &Ddm::p, &Ddm::lowest_p, &Ddm::lowest_s, &Ddm::lowest_sum}) {
        for (const double x : {-1.0, 0.5, kNan}) {
            Ddm ddm;
            ddm.*field = x;
            if (field != &Ddm::p || x != 0.5) CHECK_THROWS(read_detector(Ddm(), ddm), "counts are broken");
        }
    }
    PageHinkley page;
    page.n = 1.0;
    page.mean = kNan;
    CHECK_THROWS(read_detector(PageHinkley(), page), "counts are broken");
    Ddm other;
    other.min_examples = 50.0;
    CHECK_THROWS(read_detector(Ddm(), other), "other settings");
    Ddm counted;
    counted.n = 9.0;
    CHECK_THROWS(read_detector(counted, Ddm()), "other settings");  // what it begins anew with has counted
}

TEST(a_number_that_a_detector_cannot_take_changes_nothing) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const Detector::Kind& kind : {Detector::Kind(Ddm()), Detector::Kind(PageHinkley()), Detector::Kind(Adwin())}) {
        Detector detector(kind);
        feed(detector, 40, 1.0);
        const std::string before = state_of(detector);
        for (const double x : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 1e101})
            CHECK_THROWS(detector.update(x), "does not take");
        CHECK(state_of(detector) == before);
    }
    Detector errors;
    CHECK_THROWS(errors.update(2.0), "between 0 and 1");
}

TEST(levels_have_names) {
    CHECK_EQ(name_of(Level::in_control), "in control");
    CHECK_EQ(name_of(Level::warning), "warning");
    CHECK_EQ(name_of(Level::drift), "drift");
}
