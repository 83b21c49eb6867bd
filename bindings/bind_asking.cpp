// The parts of asking: random numbers, strategies, budgets, drift detectors and guards. Each can be read as bytes and
// put back, so that a saved learner goes on as if it had never stopped.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "sapwood/archive.hpp"
#include "sapwood/trial.hpp"

namespace sapwood::python {
namespace {

template <class Part>
nb::bytes state_of(const Part& part) {
    Writer out;
    out(part);
    return nb::bytes(out.bytes().data(), out.bytes().size());
}

template <class Part>
void restore(Part& part, const nb::bytes& state) {
    Reader in(std::string_view(state.c_str(), state.size()));
    Part read = part;
    in(read);
    if (!in.at_end()) throw std::invalid_argument("The state has bytes after its end.");
    if constexpr (requires { read.has_settings_of(part); })
        if (!read.has_settings_of(part)) throw std::invalid_argument("The state is one of other settings.");
    part = std::move(read);
}

template <class Part>
nb::class_<Part> part(nb::module_& module, const char* name) {
    return nb::class_<Part>(module, name).def("state", &state_of<Part>).def("restore", &restore<Part>, "state"_a);
}

void bind_strategy(nb::module_& module) {
    part<Rng>(module, "Rng")
        .def(nb::init<std::uint64_t>(), "seed"_a)
        .def("uniform", &Rng::uniform)
        .def("normal", &Rng::normal);

    nb::class_<Evidence>(module, "Evidence")
        .def(
            "__init__",
            [](Evidence* self, double confidence, const std::vector<double>& learned, std::size_t n_classes, double t) {
                new (self) Evidence();
                self->confidence = confidence;
                self->k = static_cast<double>(std::max<std::size_t>(2, n_classes));
                self->t = t;
                self->weigh(learned.data(), learned.size());
            },
            "confidence"_a, "learned"_a, "n_classes"_a, "t"_a,
            nb::sig("def __init__(self, confidence: float, learned: collections.abc.Sequence[float], n_classes: int, "
                    "t: float) -> None"))
        .def_ro("confidence", &Evidence::confidence)
        .def_ro("margin", &Evidence::margin)
        .def_ro("m", &Evidence::m)
        .def_ro("n_classes", &Evidence::k)
        .def_ro("t", &Evidence::t)
        .def("epsilon", [](const Evidence& e, double delta) { return leaf_epsilon(e, delta); }, "delta"_a = 0.0);

    nb::class_<Verdict>(module, "Verdict")
        .def(
            "__init__",
            [](Verdict* self, bool ask, bool feeds) { new (self) Verdict{ask, feeds, Ground::always, 0.0, 0.0}; },
            "ask"_a, "feeds"_a = true)
        .def_ro("ask", &Verdict::ask)
        .def_ro("feeds", &Verdict::feeds)
        .def_prop_ro("ground", [](const Verdict& v) { return name_of(v.ground); })
        .def_ro("value", &Verdict::value)
        .def_ro("limit", &Verdict::limit);

    part<Strategy>(module, "Strategy")
        .def(
            "__init__",
            [](Strategy* self, std::string_view name, double nu, double step, double theta, double delta) {
                StrategyParams params = parse_strategy(name);
                params.nu = nu;
                params.step = step;
                params.theta = theta;
                params.delta = delta;
                new (self) Strategy(params);
            },
            "name"_a, "nu"_a = 0.2, "step"_a = 0.01, "theta"_a = 1.0, "delta"_a = 0.0)
        .def("decide", &Strategy::decide, "evidence"_a, "rate"_a, "rng"_a)
        .def("unsure", &Strategy::unsure, "evidence"_a, "rate"_a)
        .def_prop_ro("needs_confidence", &Strategy::needs_confidence)
        .def_prop_ro("needs_leaf", &Strategy::needs_leaf)
        .def_prop_ro("needs_m", &Strategy::needs_m)
        .def_prop_ro("name", [](const Strategy& s) { return name_of(s.params()); })
        .def_prop_ro("nu", [](const Strategy& s) { return s.params().nu; })
        .def_prop_ro("step", [](const Strategy& s) { return s.params().step; })
        .def_prop_ro("delta", [](const Strategy& s) { return s.params().delta; })
        .def_prop_ro("theta", &Strategy::theta);
    module.def("strategy_names", &strategy_names);
}

void bind_budget(nb::module_& module) {
    part<Budget>(module, "Budget")
        .def(
            "__init__",
            [](Budget* self, std::string_view cap, double rate, bool strict, double window, double count,
               double seconds) { new (self) Budget({parse_cap(cap), rate, strict, window, count, seconds}); },
            "cap"_a, "rate"_a = 1.0, "strict"_a = false, "window"_a = 0.0, "count"_a = 0.0, "seconds"_a = 0.0)
        .def("see", &Budget::see, "now"_a = 0.0)
        .def("set_clock", &Budget::set_clock, "now"_a)
        .def("allows", &Budget::allows)
        .def("ask", &Budget::ask)
        .def("answer", &Budget::answer)
        .def("expire", &Budget::expire)
        .def("answer_late", &Budget::answer_late)
        .def("refund", &Budget::refund, "mark"_a, "expired"_a = false)
        .def_prop_ro("cap", [](const Budget& b) { return name_of(b.params().cap); })
        .def_prop_ro("rate", [](const Budget& b) { return b.params().rate; })
        .def_prop_ro("strict", [](const Budget& b) { return b.params().strict; })
        .def_prop_ro("window", [](const Budget& b) { return b.params().window; })
        .def_prop_ro("count", [](const Budget& b) { return b.params().count; })
        .def_prop_ro("seconds", [](const Budget& b) { return b.params().seconds; })
        .def_prop_ro("clock", &Budget::clock)
        .def_prop_ro("wait", &Budget::wait)
        .def_prop_ro("seen", &Budget::seen)
        .def_prop_ro("asked", &Budget::asked)
        .def_prop_ro("answered", &Budget::answered)
        .def_prop_ro("expired", &Budget::expired)
        .def_prop_ro("refunded", &Budget::refunded)
        .def_prop_ro("spent", &Budget::spent)
        .def_prop_ro("open", &Budget::open);
}

void bind_drift(nb::module_& module) {
    part<Detector>(module, "Detector")
        .def_static(
            "ddm",
            [](double min_examples, double warning_level, double drift_level) {
                return Detector(Ddm{min_examples, warning_level, drift_level});
            },
            "min_examples"_a = 30.0, "warning_level"_a = 2.0, "drift_level"_a = 3.0)
        .def_static(
            "page_hinkley",
            [](double min_examples, double delta, double threshold, double alpha, std::string_view side) {
                if (side != "up" && side != "down" && side != "both")
                    throw std::invalid_argument("side must be 'up', 'down' or 'both'.");
                using Side = PageHinkley::Side;
                const Side which = side == "up" ? Side::up : side == "down" ? Side::down : Side::both;
                return Detector(PageHinkley{min_examples, delta, threshold, alpha, which});
            },
            "min_examples"_a = 30.0, "delta"_a = 0.005, "threshold"_a = 50.0, "alpha"_a = 0.9999, "side"_a = "up")
        .def_static(
            "adwin",
            [](double delta, double clock, double max_buckets, double min_part, double min_examples) {
                return Detector(Adwin{delta, std::floor(clock), std::floor(max_buckets), min_part, min_examples});
            },
            "delta"_a = 0.002, "clock"_a = 32.0, "max_buckets"_a = 5.0, "min_part"_a = 5.0, "min_examples"_a = 10.0)
        .def(
            "update", [](Detector& d, double x) { return name_of(d.update(x)); }, "x"_a)
        .def_prop_ro("level", [](const Detector& d) { return name_of(d.level()); })
        .def_prop_ro("rose", &Detector::rose)
        .def_prop_ro("name", &Detector::name);

    nb::class_<Orders>(module, "Orders")
        .def_ro("renew_before", &Orders::renew_before)
        .def_ro("train_background", &Orders::train_background)
        .def_ro("swap", &Orders::swap)
        .def_ro("renew_after", &Orders::renew_after)
        .def_ro("train_current", &Orders::train_current);

    part<Guard>(module, "Guard")
        .def(
            "__init__",
            [](Guard* self, const Detector& detector, double swap_after, std::string_view compat) {
                new (self) Guard(detector, swap_after, parse_compat(compat));
            },
            "detector"_a, "swap_after"_a = 30.0, "compat"_a = "none")
        .def("on_label", &Guard::on_label, "error"_a, "feeds"_a)
        .def_prop_ro("drifts", &Guard::drifts)
        .def_prop_ro("warnings", &Guard::warnings)
        .def_prop_ro("detector", [](const Guard& guard) { return Detector(guard.detector()); });
}

}  // namespace

void bind_asking(nb::module_& module) {
    bind_strategy(module);
    bind_budget(module);
    bind_drift(module);
    nb::class_<Trial>(module, "Trial")
        .def(nb::init<Strategy&, Budget&, Guard*, Rng&, std::uint64_t>(), "strategy"_a, "budget"_a, "guard"_a.none(),
             "rng"_a, "delay"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
             nb::keep_alive<1, 5>())
        .def_prop_ro("background_nbytes", &Trial::background_nbytes)
        .def_prop_ro("n_open", &Trial::n_open);
}

}  // namespace sapwood::python
