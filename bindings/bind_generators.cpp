// Streams of known law, as arrays of rows and labels. What is asked for is checked in Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "sapwood/generators.hpp"

namespace sapwood::python {
namespace {

template <class Concept>
std::pair<Matrix, Vector<std::int64_t>> stream_of(std::vector<Concept> concepts, std::size_t n_rows, std::size_t width,
                                                  Rng rng) {
    const std::size_t columns = concepts.front().width();
    auto rows = unwritten<double>(n_rows * columns);
    auto labels = unwritten<std::int64_t>(n_rows);
    {
        nb::gil_scoped_release unlocked;
        draw_stream(std::move(concepts), n_rows, width, rng, rows.get(), labels.get());
    }
    return {array_of<Matrix>(std::move(rows), {n_rows, columns}),
            array_of<Vector<std::int64_t>>(std::move(labels), {n_rows})};
}

}  // namespace

void bind_generators(nb::module_& module) {
    module.def(
        "sea",
        [](std::size_t n, const std::vector<double>& thresholds, double noise, std::size_t width, std::uint64_t seed) {
            std::vector<Sea> concepts;
            for (const double threshold : thresholds) concepts.push_back({threshold, noise});
            return stream_of(std::move(concepts), n, width, Rng(seed));
        },
        nb::kw_only(), "n_rows"_a, "thresholds"_a, "noise"_a, "width"_a, "seed"_a);
    module.def(
        "stagger",
        [](std::size_t n, const std::vector<std::uint32_t>& rules, std::size_t width, std::uint64_t seed) {
            std::vector<Stagger> concepts;
            for (const std::uint32_t rule : rules) concepts.push_back({rule});
            return stream_of(std::move(concepts), n, width, Rng(seed));
        },
        nb::kw_only(), "n_rows"_a, "rules"_a, "width"_a, "seed"_a);
    module.def(
        "led",
        [](std::size_t n, const std::vector<std::vector<std::uint32_t>>& places, double noise, std::size_t irrelevant,
           std::size_t width, std::uint64_t seed) {
            std::vector<Led> concepts;
            for (const auto& of : places) concepts.push_back({noise, irrelevant, of});
            return stream_of(std::move(concepts), n, width, Rng(seed));
        },
        nb::kw_only(), "n_rows"_a, "places"_a, "noise"_a, "irrelevant"_a, "width"_a, "seed"_a);
    module.def(
        "agrawal",
        [](std::size_t n, const std::vector<std::uint32_t>& functions, double perturbation, std::size_t width,
           std::uint64_t seed) {
            std::vector<Agrawal> concepts;
            for (const std::uint32_t function : functions) concepts.push_back({function, perturbation});
            return stream_of(std::move(concepts), n, width, Rng(seed));
        },
        nb::kw_only(), "n_rows"_a, "functions"_a, "perturbation"_a, "width"_a, "seed"_a);
    module.def(
        "hyperplane",
        [](std::size_t n, std::size_t n_features, std::size_t n_moving, double step, double turn, double noise,
           std::uint64_t seed) {
            Rng rng(seed);
            std::vector<Hyperplane> concepts{{n_features, n_moving, step, turn, noise, rng}};
            return stream_of(std::move(concepts), n, 0, rng);
        },
        nb::kw_only(), "n_rows"_a, "n_features"_a, "n_moving"_a, "step"_a, "turn"_a, "noise"_a, "seed"_a);
    module.def(
        "random_rbf",
        [](std::size_t n, std::size_t n_features, std::size_t n_classes, std::size_t n_centres, std::size_t n_moving,
           double speed, std::uint64_t seed) {
            Rng rng(seed);
            std::vector<RandomRbf> concepts{{n_features, n_classes, n_centres, n_moving, speed, rng}};
            return stream_of(std::move(concepts), n, 0, rng);
        },
        nb::kw_only(), "n_rows"_a, "n_features"_a, "n_classes"_a, "n_centres"_a, "n_moving"_a, "speed"_a, "seed"_a);
}

}  // namespace sapwood::python
