// The last rows of a leaf that are not counted yet.
//
// Counted together, column by column, they cost much less than one by one, and the leaf's tallies are fetched once for
// all of them. Nothing reads the counts in between: a look empties the drawer first.
//
// Few columns are kept as they are, row by row. Of many columns only what is not 0 is kept, each value with its column:
// wide rows are mostly zeros, which a leaf need not count (see Counting::zeros_are_implied).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sapwood/lanes.hpp"
#include "sapwood/memory.hpp"

namespace sapwood {

/// A row on its way to a leaf: its values, and which of them must be counted.
struct RowView {
    const double* values = nullptr;
    const std::uint32_t* columns = nullptr;  // those that are not 0; null: all
    std::size_t n = 0;                       // how many these are
};

struct Drawer {
    static constexpr std::size_t kRows = lanes::kMostExamples;
    static constexpr std::size_t kFewColumns = 32;     // rows as narrow as this are kept whole
    static constexpr std::size_t kManyColumns = 4096;  // wider ones do not wait

    std::uint32_t n = 0;
    std::uint32_t width = 0;    // columns
    std::uint32_t n_cells = 0;  // of wide rows, what is not 0
    bool complete = true;       // no value is missing, as far as is known
    double before = 0.0;        // the leaf's m without the rows that were here last; for the file, which has it

    bool is_open() const { return !room_.empty(); }
    bool is_wide() const { return width > kFewColumns; }
    /// There is no place for another row.
    bool full() const { return n == kRows || (is_wide() && n_cells + width > cells_for(width)); }
    void put(const RowView& row, std::size_t y, bool is_complete = false) {
        if (!is_wide()) return put_whole(row.values, width, y, is_complete);
        if (!is_complete) complete = false;
        put_cells(row);
        places(0)[n] = static_cast<std::uint32_t>(y);
        ++n;
    }
    /// The same for a drawer of few columns, of which the caller knows how many these are.
    void put_whole(const double* row, std::size_t columns, std::size_t y, bool is_complete) {
        if (!is_complete) complete = false;
        // Once each: what is written could be these, for all that a compiler knows.
        const std::uint32_t at = n;
        double* room = room_.data();
        n = at + 1;
        copy(row, room + at * columns, columns);
        reinterpret_cast<std::uint32_t*>(room + kRows * columns)[at] = static_cast<std::uint32_t>(y);
    }
    /// Asks for the place of the next row, if it is kept whole.
    void fetch() const {
        if (!is_open() || is_wide()) return;
        lanes::fetch(room_.data() + n * width, width * sizeof(double));
        lanes::fetch(classes() + n, sizeof(std::uint32_t));
    }
    /// Whole rows, one behind the other; of few columns.
    const double* rows() const { return room_.data(); }
    const std::uint32_t* classes() const { return places(0); }
    /// All rows, whatever the width.
    std::vector<double> whole_rows() const;

    /// The cells of wide rows, column by column: those of column j are [starts[j], starts[j + 1]). Which rows they are
    /// of is written down only where it is asked for.
    struct Sorted {
        std::vector<std::uint32_t> starts, classes, rows;
        std::vector<double> values;
    };
    void sort(Sorted& out, bool with_rows) const;
    /// The row of the i-th cell of column j.
    std::size_t row_of(std::size_t j, std::size_t i) const;

    std::size_t nbytes() const { return room_.size() * sizeof(double); }
    static std::size_t nbytes_for(std::size_t columns) { return size_for(columns) * sizeof(double); }
    void empty() {
        n = n_cells = 0;
        complete = true;
    }
    void open(std::size_t columns) {
        empty();
        width = static_cast<std::uint32_t>(columns);
        room_.assign(size_for(columns), 0.0);
    }
    void close() {
        empty();
        width = 0;
        before = 0.0;
        release(room_);
    }

    /// In a file each row is whole and ends with its class; `m` is the leaf's, these rows included. After reading, call
    /// settle_in().
    template <class Archive>
    void archive(Archive& a, double m) {
        if constexpr (Archive::kReads)
            a(n, width, before, room_);
        else
            a(n, is_open() ? width + 1 : 0, n ? m - n : before, with_classes());
    }
    /// After reading: brings the rows into place; throws std::invalid_argument if they cannot be those of a leaf.
    void settle_in(std::size_t columns, std::size_t n_classes);

   private:
    /// Cells of wide rows that there is room for: at least eight rows.
    static std::size_t cells_for(std::size_t columns) { return std::min(kRows * columns, 8 * columns + 128); }
    /// Values first; then 32-bit numbers, two in a double: classes and ends of the rows, and columns of cells, with
    /// three places to spare for whoever lists them.
    static std::size_t size_for(std::size_t columns) {
        if (columns <= kFewColumns) return kRows * columns + kRows / 2;
        return cells_for(columns) + kRows + (cells_for(columns) + 4) / 2;
    }
    std::uint32_t* places(std::size_t at) {
        return reinterpret_cast<std::uint32_t*>(room_.data() + (is_wide() ? cells_for(width) : kRows * width)) + at;
    }
    const std::uint32_t* places(std::size_t at) const { return const_cast<Drawer*>(this)->places(at); }
    std::uint32_t* ends() { return places(kRows); }
    const std::uint32_t* ends() const { return places(kRows); }
    std::uint32_t* columns() { return places(2 * kRows); }
    const std::uint32_t* columns() const { return places(2 * kRows); }

    /// A pair of numbers at a time; the last pair may repeat a number.
    static void copy(const double* from, double* to, std::size_t columns) {
        if (columns < 2) {
            if (columns == 1) *to = *from;
            return;
        }
        for (std::size_t j = 0; j + 2 < columns; j += 2) std::memcpy(to + j, from + j, 2 * sizeof(double));
        std::memcpy(to + columns - 2, from + columns - 2, 2 * sizeof(double));
    }
    void put_cells(const RowView& row);
    std::vector<double> with_classes() const;

    std::vector<double> room_;
};

}  // namespace sapwood
