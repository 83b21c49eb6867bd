// What a leaf has counted of one attribute: for each key, how many examples of each class had it.
//
// The keys are the values of a numeric attribute or the ranks of a categorical one, kept in ascending order. Up to
// `limit` distinct keys are kept; the first `limit` that arrive are the bin edges, for good, and a later value is
// counted with the smallest edge that is not below it, or in the overflow row above them all. Without a limit it is
// exact. "x <= key" is therefore counted exactly over all examples, for every key, whatever came later.
//
//   row 0        the value was missing
//   row 1 + i    previous key < value <= keys[i]
//   row 1 + n    value > every key (only once the tally is full)
//
// Keys and rows lie in one block of memory, the rows behind the keys. Counts are 32-bit whole numbers, which halves
// what the caches must hold, until widen_counts() makes them doubles for weights that are not whole.
// Two tallies with the same keys merge by adding; while neither is full they merge exactly.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sapwood/lanes.hpp"
#include "sapwood/memory.hpp"

namespace sapwood {

class Tally {
   public:
    /// Counts of 32 bits hold as many examples.
    static constexpr double kMostWhole = 2147483647.0;

    Tally() = default;
    /// `wide`: counts in doubles.
    explicit Tally(bool wide) : wide_(wide) {}

    /// Adds weight w of class y at value x (NaN: missing); rows have room for at least n_classes. limit 0 means
    /// unlimited. Unless the counts are wide, w must be 1. Returns the bytes it grew by.
    std::size_t add(double x, std::size_t y, double w, std::size_t limit, std::size_t n_classes);

    /// add() where nothing has to grow; false, and nothing added, if it does.
    bool add_known(double x, std::size_t y, double w, std::size_t n_classes) {
        if (stride_ < n_classes) [[unlikely]]
            return false;
        std::size_t row = 0;
        if (!std::isnan(x)) {
            const std::size_t i = position(x);
            if (!full_ && (i == n_keys_ || keys()[i] != x)) return false;
            row = 1 + i;
        }
        add_at(first_ + row * stride_ + y, w);
        return true;
    }
    /// The column as examples of weight 1 are counted in it, one for each value.
    lanes::Column column(const double* values) {
        return {block_.data(), full_ ? held_ : n_keys_, stride_, at(first_), values};
    }
    /// Adds these examples if the tally is full and narrow, and has a place for each of their classes. No more than a
    /// drawer holds.
    void add_all(const double* values, const lanes::Examples& examples) {
        constexpr std::size_t kFew = 4;  // for which nothing is worth being prepared
        if (examples.n < kFew) {
            for (std::size_t i = 0; i < examples.n; ++i)
                add_known(values[i * examples.step], examples.classes[i], 1.0, stride_);
            return;
        }
        const lanes::Column here = column(values);
        std::uint32_t places[lanes::kMostExamples];
        lanes::best.locate(&here, 1, examples, places);
        lanes::count(&here, 1, examples.n, places);
    }
    /// The same if it may not be full: up to the first example for which it has to grow. Returns how many these were.
    /// With `skip_zeros`, those whose value is 0 are left out.
    std::size_t add_known(const double* values, const lanes::Examples& examples, std::size_t n_classes,
                          bool skip_zeros) {
        if (stride_ < n_classes) return 0;
        if (!full_) return lanes::best.count_known(column(values), examples, skip_zeros);
        for (std::size_t i = 0; i < examples.n; ++i)
            if (const double x = values[i * examples.step]; !skip_zeros || x != 0.0)
                add_known(x, examples.classes[i], 1.0, n_classes);
        return examples.n;
    }
    /// The same for the first examples of all, of which a leaf has no more than it may have keys: as if added one by
    /// one. With `skip_zeros`, those whose value is 0 are left out.
    std::size_t begin_with(const double* values, const lanes::Examples& examples, std::size_t limit,
                           std::size_t n_classes, bool skip_zeros);

    /// Index of the first key that is not below x.
    std::size_t position(double x) const {
        if (full_) return lanes::position(block_.data(), held_, x);
        return lanes::position_among(keys(), n_keys_, x);
    }
    bool has(double x) const {
        const std::size_t i = position(x);
        return i < n_keys_ && keys()[i] == x;
    }

    /// Makes room to count missing values, if there is none.
    std::size_t add_missing(std::size_t n_classes) { return stride_ < n_classes ? widen_rows(n_classes, 0) : 0; }
    /// Makes a value a key, with nothing counted yet. Returns the bytes it grew by.
    std::size_t add_key(double x, std::size_t limit, std::size_t n_classes);
    /// Takes a key that is not needed out, with its row; the tally must not be full.
    void take_key_out(double x, std::size_t limit);
    /// Counts in doubles from now on.
    std::size_t widen_counts(std::size_t limit);
    /// Adds weight w of class y to the row, which must exist.
    void add_to_row(std::size_t row, std::size_t y, double w);

    /// Forgets the keys; how often the value was missing stays.
    void forget_keys();

    /// Adds the counts of another leaf's tally of the same attribute. Two tallies with different keys, one of them
    /// full, cannot be merged without loss: that throws std::invalid_argument.
    void merge(const Tally& other, std::size_t limit);

    std::size_t n_keys() const { return n_keys_; }
    std::size_t n_rows() const { return stride_ ? 1 + n_keys_ + (full_ ? 1 : 0) : 0; }
    std::size_t stride() const { return stride_; }
    /// It has as many keys as it may: the edges are final.
    bool full() const { return full_; }
    bool wide() const { return wide_; }
    const double* keys() const { return block_.data(); }
    double count(std::size_t row, std::size_t y) const;
    /// All that it has counted, of every class.
    double sum() const;
    double missing(std::size_t y) const { return stride_ > y ? count(0, y) : 0.0; }
    bool any_missing() const {
        for (std::size_t y = 0; y < stride_; ++y)
            if (count(0, y) > 0.0) return true;
        return false;
    }
    /// Of narrow counts below 2^24, the sums of the rows up to each key: left[y * pitch + i] for class y and key i.
    /// `all` gets the sums of all rows but the missing one, which `missing` gets; each has a place per class. There is
    /// room for whole groups of keys (see lanes.hpp), whose rest is or becomes 0.
    void sum_up(float* left, std::size_t pitch, float* all, float* missing) const {
        take_up<true>(left, pitch, all, missing);
    }
    /// The same with the row of each key by itself.
    void split_up(float* left, std::size_t pitch, float* all, float* missing) const {
        take_up<false>(left, pitch, all, missing);
    }
    /// All rows as doubles, each with `width` places.
    void copy_rows(double* out, std::size_t width) const;

    std::size_t nbytes() const { return block_.size() * sizeof(double); }

    /// Keys and rows go into a file, their layout does not. After reading, call settle_in().
    template <class Archive>
    void archive(Archive& a) {
        bool full = full_;
        std::size_t stride = stride_;
        if constexpr (Archive::kReads) {
            std::vector<double> keys, rows;
            a(stride, full, keys, rows);
            restore(stride, full, keys, rows);
        } else {
            std::vector<double> rows(n_rows() * stride_);
            copy_rows(rows.data(), stride_);
            a(stride, full, std::vector<double>(keys(), keys() + n_keys_), rows);
        }
    }
    /// Takes over what a file says; throws std::invalid_argument if it cannot be. Counts become wide.
    void restore(std::size_t stride, bool full, const std::vector<double>& keys, const std::vector<double>& rows);
    /// After reading: counts in 32 bits if they are to be narrow, and takes the room that its shape is due.
    void settle_in(bool narrow, std::size_t limit);
    template <class Test>
    bool all_counts(Test&& test) const {
        for (std::size_t row = 0; row < n_rows(); ++row)
            for (std::size_t y = 0; y < stride_; ++y)
                if (!test(count(row, y))) return false;
        return true;
    }

   private:
    static std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
    /// How many counts share the room of a double.
    std::size_t per_double() const { return wide_ ? 1 : 2; }
    std::byte* at(std::size_t place) {
        return reinterpret_cast<std::byte*>(block_.data()) + place * (wide_ ? sizeof(double) : sizeof(std::uint32_t));
    }
    const std::byte* at(std::size_t place) const { return const_cast<Tally*>(this)->at(place); }
    void add_at(std::size_t place, double w) {
        std::byte* where = at(place);
        if (!wide_) {
            std::uint32_t n;
            std::memcpy(&n, where, sizeof n);
            ++n;
            std::memcpy(where, &n, sizeof n);
        } else {
            double n;
            std::memcpy(&n, where, sizeof n);
            n += w;
            std::memcpy(where, &n, sizeof n);
        }
    }
    void place_rows();

    template <bool in_sums>
    void take_up(float* left, std::size_t pitch, float* all, float* missing) const;
    void sum_pairs(float* left, std::size_t pitch, float* all, float* missing) const;
    std::size_t room(std::size_t limit) const;
    /// Makes the edges final if there are as many as there may be.
    std::size_t settle(std::size_t limit) { return !full_ && limit && n_keys_ == limit ? fill_up() : 0; }
    std::size_t fill_up();
    std::size_t insert(std::size_t i, double x, std::size_t limit);
    std::size_t widen_rows(std::size_t n_classes, std::size_t limit);
    template <class Change>
    std::size_t rebuild(std::size_t limit, Change&& change);

    std::vector<double> block_;  // keys; when full, padding and pivots; then the rows
    std::uint32_t stride_ = 0;   // classes per row
    std::uint32_t n_keys_ = 0;
    std::uint32_t held_ = 0;   // keys with their padding, when full
    std::uint32_t first_ = 0;  // place of the first count
    bool full_ = false;
    bool wide_ = false;
};

}  // namespace sapwood
