// The last rows of a leaf that are not counted yet.
//
// Counted together, column by column, they cost much less than one by one, and the leaf's tallies are fetched once for
// all of them. Nothing reads the counts in between: a look empties the drawer first.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sapwood/memory.hpp"

namespace sapwood {

struct Drawer {
    static constexpr std::size_t kRows = 32;
    static constexpr std::size_t kFewColumns = 32;  // rows as narrow as this may wait from the first one on

    std::uint32_t n = 0;
    std::uint32_t width = 0;     // of a row: its values, then its class
    double before = 0.0;         // the leaf's m when the first of them came
    std::vector<double> values;  // row by row

    bool full() const { return n == kRows; }
    void put(const double* row, std::size_t y) {
        double* to = values.data() + n * width;
        for (std::size_t j = 0; j + 1 < width; ++j) to[j] = row[j];
        to[width - 1] = static_cast<double>(y);
        ++n;
    }
    std::size_t class_of(std::size_t i) const { return static_cast<std::size_t>(values[i * width + width - 1]); }
    std::size_t nbytes() const { return values.size() * sizeof(double); }
    void open(std::size_t columns) {
        n = 0;
        width = static_cast<std::uint32_t>(columns + 1);
        values.assign(kRows * width, 0.0);
    }
    void close() {
        n = width = 0;
        before = 0.0;
        release(values);
    }

    /// After reading, valid() must hold; then make_room_to_wait() is due.
    template <class Archive>
    void archive(Archive& a) {
        if constexpr (Archive::kReads) {
            a(n, width, before, values);
        } else {
            a(n, width, before,
              std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n * width)));
        }
    }
    void make_room_to_wait() { values.resize(kRows * width, 0.0); }
    bool valid(std::size_t columns, std::size_t n_classes) const;
};

}  // namespace sapwood
