// Proves when a fresh learner is trained and when it takes over: both rules on planted sequences and, on random ones,
// against the table of their transitions; and that a guard read back gives the same orders.
#include "sapwood/guard.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

/// "R" renew before, "b" train the background, "S" swap, "N" renew after, "c" train the current learner.
std::string show(const Orders& orders) {
    std::string text;
    if (orders.renew_before) text += 'R';
    if (orders.train_background) text += 'b';
    if (orders.swap) text += 'S';
    if (orders.renew_after) text += 'N';
    if (orders.train_current) text += 'c';
    return text;
}

std::string label(Guard& guard, bool error, bool feeds = true) {
    return show(guard.on_label(error, feeds));
}

/// n labels that must all be answered alike.
void labels(Guard& guard, int n, bool error, const char* expected, bool feeds = true) {
    for (int i = 0; i < n; ++i) CHECK_EQ(label(guard, error, feeds), expected);
}

/// DDM warns at the 30th label and drifts at the 31st (detector_test.cpp works it out).
void until_warning(Guard& guard) {
    labels(guard, 28, false, "c");
    labels(guard, 1, true, "c");
}

/// Quick to warn and slow to drift, so that a background learner has time.
Ddm patient() {
    Ddm ddm;
    ddm.drift_level = 6.0;
    return ddm;
}

/// A detector that never warns: it drifts with the fifth label of 0, 0, 0, 1, 1.
PageHinkley abrupt() {
    PageHinkley page;
    page.min_examples = 4.0;
    page.delta = 0.0;
    page.threshold = 1.0;
    page.alpha = 1.0;
    page.side = PageHinkley::Side::both;
    return page;
}

}  // namespace

TEST(a_drift_after_thirty_labels_of_warning_swaps_at_once) {
    Guard guard{Detector(patient())};
    Detector twin(patient());
    Random random(1);
    int in_warning = 0;
    bool swapped = false;
    for (int i = 0; i < 5000 && !swapped; ++i) {
        // Errors rise a little, stay so, and then rise much.
        const double p = i < 300 ? 0.1 : in_warning < 60 ? 0.22 : 1.0;
        const bool error = random.chance(p);
        const Level before = twin.level();
        const Level level = twin.update(error);
        const std::string orders = label(guard, error);
        if (level == Level::warning) {
            CHECK_EQ(orders, before == Level::warning ? "bc" : "Rbc");
            in_warning = before == Level::warning ? in_warning + 1 : 1;
        } else if (level == Level::drift) {
            CHECK(in_warning >= 30);
            CHECK_EQ(orders, "bS");  // it has learned the example already
            swapped = true;
        } else {
            CHECK_EQ(orders, before == Level::warning ? "Rc" : "c");
            in_warning = 0;
        }
    }
    CHECK(swapped);
    CHECK_EQ(guard.drifts(), 1);
    CHECK(guard.warnings() >= 1);
    CHECK_EQ(label(guard, false), "c");  // all begins anew
    CHECK_EQ(std::get<Ddm>(guard.detector().kind()).n, 2.0);
}

TEST(a_drift_without_warning_waits_for_thirty_labels) {
    Guard guard{Detector(abrupt())};
    labels(guard, 3, false, "c");
    labels(guard, 1, true, "c");
    labels(guard, 1, true, "Rbc");  // the first of the thirty
    CHECK_EQ(guard.drifts(), 1);
    labels(guard, 10, true, "bc");
    labels(guard, 8, false, "bc");  // nothing that the old learner does can change that
    labels(guard, 10, true, "bc");
    labels(guard, 1, true, "bS");
    CHECK_EQ(guard.drifts(), 1);
    CHECK_EQ(guard.warnings(), 0);
    // The detector heard nothing meanwhile, and begins anew with the new learner's first label.
    CHECK(guard.detector().level() == Level::drift);
    labels(guard, 1, false, "c");
    CHECK_EQ(std::get<PageHinkley>(guard.detector().kind()).n, 1.0);
}

TEST(a_drift_soon_after_a_warning_waits_for_the_rest_of_thirty) {
    Guard guard;
    until_warning(guard);
    labels(guard, 1, true, "Rbc");
    CHECK_EQ(guard.warnings(), 1);
    labels(guard, 1, true, "bc");  // the drift; two were learned
    CHECK_EQ(guard.drifts(), 1);
    labels(guard, 27, false, "bc");
    labels(guard, 1, false, "bS");
    labels(guard, 1, false, "c");
}

TEST(how_many_labels_are_waited_for_is_a_setting) {
    Guard at_once(Detector(abrupt()), 1.0), soon(Detector(abrupt()), 3.0);
    for (Guard* guard : {&at_once, &soon}) {
        labels(*guard, 3, false, "c");
        labels(*guard, 1, true, "c");
    }
    labels(at_once, 1, true, "RbS");
    labels(at_once, 1, true, "c");
    labels(soon, 1, true, "Rbc");
    labels(soon, 1, true, "bc");
    labels(soon, 1, true, "bS");
}

TEST(a_warning_that_passes_drops_the_background) {
    Guard guard;
    until_warning(guard);
    labels(guard, 1, true, "Rbc");
    labels(guard, 2, false, "bc");
    labels(guard, 1, false, "Rc");  // passed: what it has learned is forgotten at once
    // The next warning renews, and its thirty begin with it: after few labels a drift must wait.
    labels(guard, 20, false, "c");
    CHECK(guard.detector().level() == Level::in_control);
    std::string orders;
    while ((orders = label(guard, true)) == "c") {
    }
    CHECK_EQ(orders, "Rbc");
    CHECK_EQ(guard.warnings(), 2);
    int learned = 1;
    while (guard.drifts() == 0) {
        orders = label(guard, true);
        ++learned;
        CHECK_EQ(orders, "bc");
    }
    CHECK(learned < 30);
    labels(guard, 30 - learned - 1, false, "bc");
    labels(guard, 1, false, "bS");
}

TEST(labels_that_do_not_feed_train_the_background_and_move_nothing) {
    Guard guard;
    until_warning(guard);
    labels(guard, 50, true, "c", false);  // in control they train only the current learner
    labels(guard, 1, true, "Rbc");
    const double n = std::get<Ddm>(guard.detector().kind()).n;
    labels(guard, 40, true, "bc", false);
    CHECK(guard.detector().level() == Level::warning);
    CHECK_EQ(std::get<Ddm>(guard.detector().kind()).n, n);
    CHECK_EQ(guard.drifts(), 0);
    CHECK_EQ(guard.warnings(), 1);
    labels(guard, 1, true, "bS");  // a drift, and more than thirty are learned
    // While it waits for them, they count too.
    Guard waits{Detector(abrupt())};
    labels(waits, 3, false, "c");
    labels(waits, 1, true, "c");
    labels(waits, 1, true, "Rbc");
    labels(waits, 28, false, "bc", false);
    labels(waits, 1, false, "bS", false);
}

TEST(fewer_errors_are_no_drift) {
    Guard guard{Detector(abrupt())};
    labels(guard, 3, true, "c");
    labels(guard, 20, false, "c");
    CHECK_EQ(guard.drifts(), 0);
    Guard window{Detector(Adwin())};
    Random random(2);
    for (int i = 0; i < 2000; ++i) CHECK_EQ(label(window, random.chance(i < 1000 ? 0.6 : 0.05)), "c");
    CHECK_EQ(window.drifts(), 0);
}

TEST(moas_rule_swaps_in_what_it_has) {
    Guard guard(Detector(abrupt()), 30.0, Compat::moa);
    labels(guard, 3, false, "c");
    labels(guard, 1, true, "c");
    labels(guard, 1, true, "SNc");  // untrained, and it learns the example as the current learner
    CHECK_EQ(guard.drifts(), 1);
    labels(guard, 5, false, "c", false);
    labels(guard, 3, false, "c");
    labels(guard, 1, true, "c");
    labels(guard, 1, true, "SNc");
    CHECK_EQ(guard.drifts(), 2);
    CHECK_EQ(guard.warnings(), 0);
}

TEST(moas_rule_renews_with_the_first_warning_after_control) {
    Guard guard(Detector(), 30.0, Compat::moa);
    until_warning(guard);
    labels(guard, 1, true, "Rbc");
    CHECK_EQ(guard.warnings(), 1);
    labels(guard, 10, true, "bc", false);  // a label that does not feed trains both
    labels(guard, 2, false, "bc");
    labels(guard, 1, false, "c");  // passed: the background stays as it is
    labels(guard, 10, true, "c", false);
    labels(guard, 1, true, "SNc");  // and is swapped in stale by a drift without a warning
    CHECK_EQ(guard.drifts(), 1);
    labels(guard, 10, true, "c", false);
    until_warning(guard);
    labels(guard, 1, true, "Rbc");
    labels(guard, 1, true, "SNc");
    CHECK_EQ(guard.drifts(), 2);
    CHECK_EQ(guard.warnings(), 2);
}

TEST(our_rule_follows_its_table) {
    std::uint64_t all_drifts = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Random random(seed);
        const Detector detector = seed % 3 == 0 ? Detector(Adwin()) : seed % 3 == 1 ? Detector() : Detector(patient());
        Guard guard(detector, seed % 2 ? 30.0 : 80.0);
        Detector twin = detector;
        enum { control, warning, replacing } state = control;
        int learned = 0;
        std::uint64_t drifts = 0, warnings = 0;
        for (int i = 0; i < 4000; ++i) {
            const bool error = random.chance(i / 700 % 2 ? 0.35 : 0.1), feeds = random.chance(seed % 4 ? 0.7 : 1.0);
            std::string expected;
            if (feeds && state != replacing) {
                const Level level = twin.update(error);
                const bool drift = level == Level::drift && twin.rose();
                if ((drift || level == Level::warning) && state == control) {
                    expected += 'R';
                    learned = 0;
                    warnings += !drift;
                }
                if (!drift && level != Level::warning && state == warning) expected += 'R';
                state = drift ? replacing : level == Level::warning ? warning : control;
                drifts += drift;
            }
            if (state != control) {
                expected += 'b';
                ++learned;
            }
            if (state == replacing && learned >= (seed % 2 ? 30 : 80)) {
                expected += 'S';
                state = control;
            } else {
                expected += 'c';
            }
            CHECK_EQ(label(guard, error, feeds), expected);
            CHECK(guard.detector().level() == twin.level());
        }
        CHECK_EQ(guard.drifts(), drifts);
        CHECK_EQ(guard.warnings(), warnings);
        all_drifts += drifts;
    }
    CHECK(all_drifts > 60);
}

TEST(moas_rule_follows_its_table) {
    std::uint64_t all_drifts = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        const Detector detector = seed % 2 ? Detector() : Detector(patient());
        Guard guard(detector, 30.0, Compat::moa);
        Detector twin = detector;
        bool reset = false;
        std::uint64_t drifts = 0;
        for (int i = 0; i < 4000; ++i) {
            const bool error = random.chance(i / 700 % 2 ? 0.35 : 0.1), feeds = random.chance(seed % 4 ? 0.7 : 1.0);
            std::string expected;
            if (feeds) twin.update(error);
            if (twin.level() == Level::warning) {
                if (feeds && reset) expected += 'R';
                if (feeds) reset = false;
                expected += 'b';
            } else if (feeds && twin.level() == Level::drift) {
                expected += "SN";
                ++drifts;
            } else if (feeds) {
                reset = true;
            }
            CHECK_EQ(label(guard, error, feeds), expected + 'c');
        }
        CHECK_EQ(guard.drifts(), drifts);
        all_drifts += drifts;
    }
    CHECK(all_drifts > 40);
}

TEST(a_guard_read_back_gives_the_same_orders) {
    for (const Compat compat : {Compat::none, Compat::moa}) {
        std::uint64_t drifts = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Random random(seed);
            Guard guard(Detector(seed % 2 ? Detector::Kind(patient()) : Detector::Kind(Adwin())), 40.0, compat), back;
            const std::size_t stop = random.below(3000);
            int i = 0;
            const auto error = [&] { return random.chance(++i / 300 % 2 ? 0.4 : 0.1); };
            while (static_cast<std::size_t>(i) < stop) guard.on_label(error(), random.chance(0.8));
            Writer out;
            out(guard);
            Reader in(out.bytes());
            in(back);
            CHECK(in.at_end());
            CHECK_EQ(back.drifts(), guard.drifts());
            CHECK_EQ(back.warnings(), guard.warnings());
            CHECK_EQ(back.compat(), compat);
            for (int more = 0; more < 2000; ++more) {
                const bool wrong = error(), feeds = random.chance(0.8);
                CHECK_EQ(label(guard, wrong, feeds), label(back, wrong, feeds));
            }
            CHECK_EQ(back.drifts(), guard.drifts());
            drifts += guard.drifts();
        }
        CHECK(drifts > 40);
    }
}

TEST(a_broken_guard_is_not_read) {
    const auto read = [](const Detector& detector, double swap_after, Compat compat, int state, bool armed,
                         double background) {
        Writer out;
        out(detector, swap_after, compat, static_cast<std::uint8_t>(state), armed, background, std::uint64_t{0},
            std::uint64_t{0});
        Guard back;
        Reader in(out.bytes());
        in(back);
        return back.compat();
    };
    const Detector detector;
    CHECK_EQ(read(detector, 30.0, Compat::none, 1, false, 3.0), Compat::none);
    CHECK_EQ(read(detector, 30.0, Compat::moa, 0, true, 0.0), Compat::moa);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (const double swap_after : {0.0, -1.0, kNan})
        CHECK_THROWS(read(detector, swap_after, Compat::none, 0, false, 0.0), "swap_after");
    for (const double background : {-1.0, 0.5, kNan})
        CHECK_THROWS(read(detector, 30.0, Compat::none, 0, false, background), "is broken");
    CHECK_THROWS(read(detector, 30.0, Compat::none, 0, true, 0.0), "is broken");
    CHECK_THROWS(read(detector, 30.0, Compat::moa, 2, false, 0.0), "is broken");
}
