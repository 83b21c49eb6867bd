// What a leaf has counted of one attribute: for each key, how many examples of each class had it.
//
// The keys are the values of a numeric attribute or the ranks of a categorical one, kept in ascending order. Up to
// `limit` distinct keys are kept; the first `limit` that arrive are then the bin edges, for good, and a later value
// is counted with the smallest edge that is not below it, or in the overflow row above them all. Without a limit it
// is exact. "x <= key" is therefore counted exactly over all examples, for every key, whatever came later.
//
//   row 0        the value was missing
//   row 1 + i    previous key < value <= keys[i]
//   row 1 + n    value > every key (only after the tally is full)
//
// Two tallies with the same keys merge by adding; while neither is full they merge exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/memory.hpp"

namespace sapwood {

inline constexpr std::size_t kGroup = 8;

/// How many of eight values are below x.
inline std::size_t count_below(const double* values, double x) {
#if defined(__GNUC__)
    using Pair = double __attribute__((vector_size(16), aligned(8)));
    using Mask = std::int64_t __attribute__((vector_size(16)));
    const auto* pairs = reinterpret_cast<const Pair*>(values);
    const Pair bar = {x, x};
    const Mask sum = ((pairs[0] < bar) + (pairs[1] < bar)) + ((pairs[2] < bar) + (pairs[3] < bar));
    return static_cast<std::size_t>(-(sum[0] + sum[1]));  // true is -1
#else
    std::size_t n = 0;
    for (std::size_t i = 0; i < kGroup; ++i) n += values[i] < x;
    return n;
#endif
}

class Tally {
   public:
    Tally() = default;
    explicit Tally(std::size_t n_classes) : stride_(n_classes), counts_(n_classes, 0.0) {}

    /// Adds weight w of class y at value x (NaN: missing). limit 0 means unlimited. Returns the bytes it grew by.
    std::size_t add(double x, std::size_t y, double w, std::size_t limit) {
        std::size_t grown = 0;
        if (y >= stride_) [[unlikely]]
            grown += widen(y + 1);
        if (std::isnan(x)) [[unlikely]] {
            counts_[y] += w;
            return grown;
        }
        const std::size_t i = position(x);
        if (!full_ && (i == n_keys_ || keys_[i] != x)) [[unlikely]]
            grown += insert(i, x, limit);
        counts_[(1 + i) * stride_ + y] += w;
        return grown;
    }

    /// The edges are final, and a row has room for n_classes.
    bool settled(std::size_t n_classes) const { return keys_.size() > n_keys_ && stride_ == n_classes; }

    /// The row of a value in a settled tally; fetches it, since it will be written to soon.
    std::uint32_t find_settled(double x) const {
        const std::size_t i = std::isnan(x) ? 0 : 1 + position_by_groups(x);
#if defined(__GNUC__)
        __builtin_prefetch(counts_.data() + i * stride_, 1);
#endif
        return static_cast<std::uint32_t>(i);
    }
    /// add() at a row that is known: nothing can grow.
    void add_at(std::uint32_t row, std::size_t y, double w) { counts_[row * stride_ + y] += w; }

    /// Index of the first key that is not below x.
    std::size_t position(double x) const {
        if (keys_.size() > n_keys_) [[likely]]
            return position_by_groups(x);
        const double* base = keys_.data();
        std::size_t length = n_keys_;
        if (length == 0) return 0;
        while (length > 1) {
            const std::size_t half = length / 2;
            base += half & -static_cast<std::size_t>(base[half - 1] < x);  // no branch: values cannot be predicted
            length -= half;
        }
        return static_cast<std::size_t>(base - keys_.data()) + (*base < x ? 1 : 0);
    }

    /// Forgets the keys; how often the value was missing stays.
    void forget_keys();

    /// Adds the counts of another leaf's tally of the same attribute. Two tallies with different keys, one of them
    /// full, cannot be merged without loss: that throws std::invalid_argument.
    void merge(const Tally& other, std::size_t limit);

    std::size_t n_keys() const { return n_keys_; }
    std::size_t n_rows() const { return stride_ ? counts_.size() / stride_ : 0; }
    std::size_t stride() const { return stride_; }
    bool full() const { return full_; }
    const double* keys() const { return keys_.data(); }
    const double* row(std::size_t i) const { return counts_.data() + i * stride_; }
    double* missing() { return counts_.data(); }
    const double* missing() const { return counts_.data(); }

    std::size_t nbytes() const { return bytes_of(keys_) + bytes_of(counts_); }

    /// The keys go into a file, their pivots do not.
    template <class Archive>
    void archive(Archive& a) {
        if constexpr (Archive::kReads) {
            a(stride_, full_, keys_, counts_);
            n_keys_ = keys_.size();
            if (full_) add_pivots();
        } else {
            a(stride_, full_, std::vector<double>(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(n_keys_)),
              counts_);
        }
    }
    bool valid() const;

   private:
    /// The same once the keys are final, without a chain of dependent steps: count the pivots (the last key of each
    /// group of eight, kept together behind the keys) below x, then the keys below x in the group that follows.
    std::size_t position_by_groups(double x) const {
        const double* keys = keys_.data();
        std::size_t below = 0;
        for (const double* pivots = keys + n_keys_; pivots != keys + keys_.size(); pivots += kGroup)
            below += count_below(pivots, x);
        const std::size_t first = std::min(below * kGroup, n_keys_ - kGroup);
        return first + count_below(keys + first, x);
    }
    /// Adds the pivots behind keys that will not change any more. Returns the bytes it grew by.
    std::size_t add_pivots();

    std::size_t insert(std::size_t i, double x, std::size_t limit);
    std::size_t widen(std::size_t n_classes);

    std::size_t stride_ = 0;  // classes per row
    bool full_ = false;
    std::size_t n_keys_ = 0;
    std::vector<double> keys_;  // n_keys_ of them, then their pivots if it is full
    std::vector<double> counts_;
};

}  // namespace sapwood
