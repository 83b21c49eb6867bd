// The last rows of a leaf that are not counted yet.
//
// Counted together, column by column, they cost much less than one by one, and the leaf's tallies are fetched once for
// all of them. Nothing reads the counts in between: a look empties the drawer first.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sapwood/memory.hpp"

namespace sapwood {

struct Drawer {
    static constexpr std::size_t kRows = 32;
    static constexpr std::size_t kFewColumns = 32;  // rows as narrow as this may wait from the first one on

    std::uint32_t n = 0;
    std::uint32_t width = 0;     // columns
    bool complete = true;        // no value is missing, as far as is known
    double before = 0.0;         // the leaf's m when the first of them came
    std::vector<double> values;  // row by row; then the rows' classes, two in a place

    bool is_open() const { return !values.empty(); }
    bool full() const { return n == kRows; }
    void put(const double* row, std::size_t y, bool is_complete = false) {
        if (!is_complete) complete = false;
        copy(row, values.data() + n * width);
        classes()[n] = static_cast<std::uint32_t>(y);
        ++n;
    }
    const std::uint32_t* classes() const {
        return reinterpret_cast<const std::uint32_t*>(values.data() + kRows * width);
    }
    std::uint32_t* classes() { return reinterpret_cast<std::uint32_t*>(values.data() + kRows * width); }
    std::size_t nbytes() const { return values.size() * sizeof(double); }
    static std::size_t nbytes_for(std::size_t columns) { return (kRows * columns + kRows / 2) * sizeof(double); }
    void empty() {
        n = 0;
        complete = true;
    }
    void open(std::size_t columns) {
        empty();
        width = static_cast<std::uint32_t>(columns);
        values.assign(kRows * columns + kRows / 2, 0.0);
    }
    void close() {
        empty();
        width = 0;
        before = 0.0;
        release(values);
    }

    /// In a file the class is the last value of its row. After reading, call settle_in().
    template <class Archive>
    void archive(Archive& a) {
        if constexpr (Archive::kReads)
            a(n, width, before, values);
        else
            a(n, is_open() ? width + 1 : 0, before, with_classes());
    }
    /// After reading: brings the rows into place; throws std::invalid_argument if they cannot be those of a leaf.
    void settle_in(std::size_t columns, std::size_t n_classes);

   private:
    /// A pair of numbers at a time; the last pair may repeat a number.
    void copy(const double* from, double* to) const {
        if (width < 2) {
            if (width == 1) *to = *from;
            return;
        }
        for (std::size_t j = 0; j + 2 < width; j += 2) std::memcpy(to + j, from + j, 2 * sizeof(double));
        std::memcpy(to + width - 2, from + width - 2, 2 * sizeof(double));
    }
    std::vector<double> with_classes() const;
};

}  // namespace sapwood
