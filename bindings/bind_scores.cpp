// The loops over every label of a run: numbering them, and counting how often each was predicted as each.
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace sapwood::python {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Wholes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Classes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Items = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

/// The codes of labels that are 0 or 1 if both occur; None otherwise, which mostly shows among the first.
nb::object zeros_and_ones(const Wholes& labels) {
    constexpr std::size_t kChunk = 4096;
    const std::size_t n = labels.size();
    const std::int64_t* label = labels.data();
    auto codes = std::make_unique_for_overwrite<std::int32_t[]>(n);
    std::int64_t any = 0, all = -1;
    for (std::size_t i = 0; i < n;) {
        for (const std::size_t end = std::min(n, i + kChunk); i < end; ++i) {
            any |= label[i];
            all &= label[i];
            codes[i] = static_cast<std::int32_t>(label[i]);
        }
        if (any != 0 && any != 1) return nb::none();
    }
    if (any != 1 || all != 0) return nb::none();
    std::int32_t* data = codes.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>(data, {n}, owner));
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

using Bits = std::array<std::uint32_t, 4>;
constexpr Bits kNone = {};

/// Of two classes, how many were predicted as each of both: four sums, which the compiler makes the processor take
/// several at a time. Zeros where some number is neither 0 nor 1.
Bits count_bits(const std::int32_t* code, const std::uint32_t* said, std::size_t n) {
    std::uint32_t any = 0, codes = 0, guesses = 0, both = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto y = static_cast<std::uint32_t>(code[i]), g = said[i];
        any |= y | g;
        codes += y;
        guesses += g;
        both += y & g;
    }
    if (any > 1) return kNone;
    return {static_cast<std::uint32_t>(n) + both - codes - guesses, guesses - both, codes - both, both};
}

/// How often each code came with each prediction: pairs[code * (guesses + 1) + prediction]. What is no code, and no
/// guess, is the last. Tables take turns, because a counter that was just written is slow to be read again.
std::vector<std::int64_t> count_few_pairs(const std::int32_t* code, const std::uint32_t* said, std::size_t n,
                                          std::size_t codes, std::size_t guesses) {
    constexpr std::size_t kTurns = 4;
    const std::size_t places = (codes + 1) * (guesses + 1);
    std::vector<std::uint32_t> tables(kTurns * places, 0);
    std::uint32_t* table = tables.data();
    const auto place = [&](std::size_t i) {
        const std::size_t y = std::min<std::size_t>(static_cast<std::uint32_t>(code[i]), codes);
        return y * (guesses + 1) + std::min<std::size_t>(said[i], guesses);
    };
    constexpr std::size_t kChunk = 4096;
    for (std::size_t i = 0; i < n;) {
        const std::size_t end = std::min(n, i + kChunk);
        if (codes == 2 && guesses == 2) {
            if (const auto bits = count_bits(code + i, said + i, end - i); bits != kNone) {
                for (std::size_t at = 0; at < 4; ++at) table[at / 2 * (guesses + 1) + at % 2] += bits[at];
                i = end;
            }
        }
        for (; i + kTurns <= end; i += kTurns)
            for (std::size_t turn = 0; turn < kTurns; ++turn) ++table[turn * places + place(i + turn)];
        for (; i < end; ++i) ++table[place(i)];
    }
    std::vector<std::int64_t> pairs(places, 0);
    for (std::size_t turn = 0; turn < kTurns; ++turn)
        for (std::size_t at = 0; at < places; ++at) pairs[at] += table[turn * places + at];
    return pairs;
}

/// Pairs of classes and how often each came, in the order of their first appearance. A pair is the number of the true
/// class, and in its lower bits 1 + that of the predicted one; no prediction is 0.
class PairCounts {
   public:
    static std::int64_t pair(std::int64_t truth, std::int64_t guess) { return truth << 32 | (guess + 1); }

    void add(std::int64_t pair, std::int64_t rows = 1) {
        if (2 * used_.size() >= places_.size()) grow();
        std::size_t at = (static_cast<std::uint64_t>(pair) * 0x9e3779b97f4a7c15u) >> 20 & (places_.size() - 1);
        while (places_[at].pair != pair && places_[at].pair != kNone) at = (at + 1) & (places_.size() - 1);
        if (places_[at].pair == kNone) {
            places_[at].pair = pair;
            used_.push_back(at);
        }
        places_[at].rows += rows;
    }
    /// Gives each pair to `take`, and forgets all.
    template <class Take>
    void empty(Take take) {
        for (const std::size_t at : used_) {
            take(places_[at].pair, places_[at].rows);
            places_[at] = {};
        }
        used_.clear();
    }

   private:
    static constexpr std::int64_t kNone = -1;
    struct Place {
        std::int64_t pair = kNone, rows = 0;
    };

    void grow() {
        std::vector<Place> before(std::max<std::size_t>(64, 2 * places_.size()));
        before.swap(places_);
        for (const std::size_t at : std::exchange(used_, {})) add(before[at].pair, before[at].rows);
    }

    std::vector<Place> places_;
    std::vector<std::size_t> used_;
};

/// Counts pairs of true and predicted classes, in the stretches of rows that end at `ends` and in what follows them:
/// the number of the stretch, the pair, and in how many rows it came. `truth` and `guess` give the number of each code
/// and of each class of the model.
nb::tuple count_pairs(const Codes& codes, const Classes& predicted, const Wholes& truth, const Wholes& guess,
                      std::vector<std::size_t> ends) {
    const std::size_t n = codes.size(), n_codes = truth.size(), n_guesses = guess.size();
    if (predicted.size() != n || (!ends.empty() && ends.back() > n) || !std::is_sorted(ends.begin(), ends.end()))
        throw std::invalid_argument("There are not so many rows.");
    const auto number = [](const Wholes& numbers) {
        return std::all_of(numbers.data(), numbers.data() + numbers.size(),
                           [](std::int64_t k) { return k >= -1 && k < 0x7fffffff; });
    };
    if (!number(truth) || !number(guess)) throw std::invalid_argument("A class has no number.");
    if (ends.empty() || ends.back() < n) ends.push_back(n);
    const std::int32_t* code = codes.data();
    const std::uint32_t* said = predicted.data();
    const auto true_class = [&](std::size_t y) {
        if (y >= n_codes || truth.data()[y] < 0) throw std::invalid_argument("A code has no class.");
        return truth.data()[y];
    };
    const auto guessed = [&](std::size_t g) { return g < n_guesses ? guess.data()[g] : -1; };
    std::vector<std::int64_t> stretches, pairs, rows;
    constexpr std::size_t kFew = 1024;
    PairCounts counts;
    std::size_t begin = 0;
    for (std::size_t stretch = 0; stretch < ends.size(); ++stretch) {
        const std::size_t end = ends[stretch];
        const auto take = [&](std::int64_t pair, std::int64_t times) {
            stretches.push_back(static_cast<std::int64_t>(stretch));
            pairs.push_back(pair);
            rows.push_back(times);
        };
        if ((n_codes + 1) * (n_guesses + 1) > std::min(kFew, end - begin)) {
            for (std::size_t i = begin; i < end; ++i)
                counts.add(PairCounts::pair(true_class(static_cast<std::size_t>(code[i])), guessed(said[i])));
            counts.empty(take);
        } else {
            const auto few = count_few_pairs(code + begin, said + begin, end - begin, n_codes, n_guesses);
            for (std::size_t at = 0; at < few.size(); ++at)
                if (few[at])
                    take(PairCounts::pair(true_class(at / (n_guesses + 1)), guessed(at % (n_guesses + 1))), few[at]);
        }
        begin = end;
    }
    return nb::make_tuple(array_of(stretches, {stretches.size()}), array_of(pairs, {pairs.size()}),
                          array_of(rows, {rows.size()}));
}

}  // namespace

void bind_scores(nb::module_& module) {
    module.def("present", &present, "codes"_a, "n"_a, "Which of n codes occur.");
    module.def("zeros_and_ones", &zeros_and_ones, "labels"_a,
               nb::sig("def zeros_and_ones(labels: NDArray[numpy.int64]) -> NDArray[numpy.int32] | None"),
               "The codes of labels that are 0 or 1 if both occur.");
    module.def(
        "number_items", &number_items, "items"_a, "most"_a,
        nb::sig("def number_items(items: NDArray[numpy.uint8], most: int) -> tuple[NDArray[numpy.int32], list[int]]"),
        "Number rows of bytes in the order of their first appearance; also where each first was.");
    module.def("count_pairs", &count_pairs, "codes"_a, "predicted"_a, "truth"_a, "guess"_a, "ends"_a,
               nb::sig("def count_pairs(codes: NDArray[numpy.int32], predicted: NDArray[numpy.uint32], truth: "
                       "NDArray[numpy.int64], guess: NDArray[numpy.int64], ends: list[int]) -> "
                       "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
               "Count pairs of classes in the stretches that end at `ends`, and after: stretches, pairs, rows.");
}

}  // namespace sapwood::python
