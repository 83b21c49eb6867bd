// Counting how often each class was predicted as each: a loop over every row of a run.
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bindings.hpp"

namespace sapwood::python {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Classes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Which of n codes occur.
std::vector<bool> present(const Codes& codes, std::size_t n) {
    std::vector<std::uint8_t> seen(n, 0);
    for (std::size_t i = 0; i < codes.size(); ++i) seen[static_cast<std::size_t>(codes.data()[i])] = 1;
    return {seen.begin(), seen.end()};
}

/// Adds rows [begin, end) to counts[true class, 1 + predicted class]; no prediction is column 0. `truth` and `guess`
/// give the number of each code and of each class of the model.
void count_pairs(const Codes& codes, const Classes& predicted, const std::vector<std::int64_t>& truth,
                 const std::vector<std::int64_t>& guess, std::size_t begin, std::size_t end, Counts counts) {
    if (end > codes.size() || end > predicted.size() || begin > end)
        throw std::invalid_argument("There are not so many rows.");
    const auto width = static_cast<std::int64_t>(counts.shape(1));
    const auto size = static_cast<std::int64_t>(counts.size());
    std::int64_t* out = counts.data();
    for (std::size_t i = begin; i < end; ++i) {
        const auto code = static_cast<std::size_t>(codes.data()[i]);
        const std::size_t y = predicted.data()[i];
        const std::int64_t at = truth.at(code) * width + (y < guess.size() ? 1 + guess[y] : 0);
        if (at < 0 || at >= size) throw std::invalid_argument("A class has no place in the counts.");
        ++out[at];
    }
}

}  // namespace

void bind_scores(nb::module_& module) {
    module.def("present", &present, "codes"_a, "n"_a, "Which of n codes occur.");
    module.def("count_pairs", &count_pairs, "codes"_a, "predicted"_a, "truth"_a, "guess"_a, "begin"_a, "end"_a,
               "counts"_a,
               "Add rows [begin, end) to counts[true class, 1 + predicted class]; no prediction is column 0.");
}

}  // namespace sapwood::python
