// The loops over every label of a run: numbering them, and counting how often each was predicted as each.
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings.hpp"

namespace sapwood::python {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Classes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Items = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Which of n codes occur. It reads no further than to the one that was missing last.
std::vector<bool> present(const Codes& codes, std::size_t n) {
    std::vector<std::uint8_t> seen(n, 0);
    std::size_t unseen = n;
    for (std::size_t i = 0; i < codes.size() && unseen != 0; ++i) {
        std::uint8_t& code = seen[static_cast<std::size_t>(codes.data()[i])];
        unseen -= 1 - code;
        code = 1;
    }
    return {seen.begin(), seen.end()};
}

/// Numbers items of a fixed size, given as rows of bytes, in the order of their first appearance: the number of each,
/// and the places of the first ones. Throws std::length_error if there are more than `most`.
nb::tuple number_items(const Items& items, std::size_t most) {
    const std::size_t n = items.shape(0), size = items.shape(1);
    auto numbers = std::make_unique<std::int32_t[]>(n);
    std::vector<std::size_t> first;
    {
        nb::gil_scoped_release unlocked;
        const char* bytes = reinterpret_cast<const char*>(items.data());
        std::unordered_map<std::string_view, std::int32_t> known;
        std::string_view last;
        std::int32_t number = -1;
        for (std::size_t i = 0; i < n; ++i) {
            const std::string_view item(bytes + i * size, size);
            if (number < 0 || item != last) {
                const auto [at, fresh] = known.try_emplace(item, static_cast<std::int32_t>(first.size()));
                if (fresh) first.push_back(i);
                if (first.size() > most) throw std::length_error("there are too many");
                last = item;
                number = at->second;
            }
            numbers[i] = number;
        }
    }
    std::int32_t* data = numbers.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
    return nb::make_tuple(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(data, {n}, owner), nb::cast(first));
}

/// Adds rows [begin, end) to counts[true class, 1 + predicted class]; no prediction is column 0. `truth` and `guess`
/// give the number of each code and of each class of the model.
void count_pairs(const Codes& codes, const Classes& predicted, const std::vector<std::int64_t>& truth,
                 const std::vector<std::int64_t>& guess, std::size_t begin, std::size_t end, Counts counts) {
    if (end > codes.size() || end > predicted.size() || begin > end)
        throw std::invalid_argument("There are not so many rows.");
    const auto width = static_cast<std::int64_t>(counts.shape(1));
    const auto fits = [](const std::vector<std::int64_t>& numbers, std::int64_t most) {
        return std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t n) { return n >= -1 && n < most; });
    };
    if (!fits(truth, static_cast<std::int64_t>(counts.shape(0))) || !fits(guess, width - 1))
        throw std::invalid_argument("A class has no place in the counts.");
    const std::int32_t* code = codes.data();
    const std::uint32_t* said = predicted.data();
    std::int64_t* out = counts.data();
    for (std::size_t i = begin; i < end; ++i) {
        const auto y = static_cast<std::size_t>(code[i]);
        if (y >= truth.size() || truth[y] < 0) throw std::invalid_argument("A code has no class.");
        ++out[truth[y] * width + (said[i] < guess.size() ? 1 + guess[said[i]] : 0)];
    }
}

}  // namespace

void bind_scores(nb::module_& module) {
    module.def("present", &present, "codes"_a, "n"_a, "Which of n codes occur.");
    module.def(
        "number_items", &number_items, "items"_a, "most"_a,
        nb::sig("def number_items(items: NDArray[numpy.uint8], most: int) -> tuple[NDArray[numpy.int32], list[int]]"),
        "Number rows of bytes in the order of their first appearance; also where each first was.");
    module.def("count_pairs", &count_pairs, "codes"_a, "predicted"_a, "truth"_a, "guess"_a, "begin"_a, "end"_a,
               "counts"_a,
               "Add rows [begin, end) to counts[true class, 1 + predicted class]; no prediction is column 0.");
}

}  // namespace sapwood::python
