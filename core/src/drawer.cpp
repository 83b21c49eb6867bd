#include "sapwood/drawer.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace sapwood {

void Drawer::put_cells(const RowView& row) {
    std::uint32_t* column = columns() + n_cells;
    double* value = room_.data() + n_cells;
    if (row.columns) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < row.n; ++i) {
            const std::uint32_t j = row.columns[i];
            column[kept] = j;
            value[kept] = row.values[j];
            kept += row.values[j] != 0.0;
        }
        n_cells += static_cast<std::uint32_t>(kept);
    } else {
        const std::size_t listed = lanes::best.list_nonzero(row.values, width, column);
        for (std::size_t i = 0; i < listed; ++i) value[i] = row.values[column[i]];
        n_cells += static_cast<std::uint32_t>(listed);
    }
    ends()[n] = n_cells;
}

void Drawer::sort(Sorted& out, bool with_rows) const {
    const std::uint32_t* column = columns();
    out.starts.assign(width + 2, 0);
    out.values.resize(n_cells);
    out.classes.resize(n_cells);
    if (with_rows) out.rows.resize(n_cells);
    std::uint32_t* next = out.starts.data() + 1;  // where the next cell of a column goes: one place ahead of starts
    for (std::size_t i = 0; i < n_cells; ++i) ++next[column[i] + 1];
    for (std::size_t j = 0; j < width; ++j) next[j + 1] += next[j];
    double* values = out.values.data();
    std::uint32_t* class_of = out.classes.data();
    for (std::uint32_t row = 0, i = 0; row < n; ++row) {
        const std::uint32_t end = ends()[row], y = classes()[row];
        for (; i < end; ++i) {
            const std::uint32_t at = next[column[i]]++;
            values[at] = room_[i];
            class_of[at] = y;
            if (with_rows) out.rows[at] = row;
        }
    }
}

std::size_t Drawer::row_of(std::size_t j, std::size_t i) const {
    std::size_t row = 0;
    for (std::size_t cell = 0;; ++cell) {
        while (cell == ends()[row]) ++row;
        if (columns()[cell] == j && i-- == 0) return row;
    }
}

std::vector<double> Drawer::whole_rows() const {
    std::vector<double> rows(room_.data(), room_.data() + (is_wide() ? 0 : n * width));
    if (!is_wide()) return rows;
    rows.assign(n * width, 0.0);
    for (std::size_t row = 0, i = 0; row < n; ++row)
        for (; i < ends()[row]; ++i) rows[row * width + columns()[i]] = room_[i];
    return rows;
}

std::vector<double> Drawer::with_classes() const {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> values = whole_rows();
    std::vector<double> rows;
    for (std::size_t i = 0; i < n; ++i) {
        // Not-a-number has many forms, and all of them are a missing value.
        for (std::size_t j = 0; j < width; ++j)
            rows.push_back(std::isnan(values[i * width + j]) ? kNan : values[i * width + j]);
        rows.push_back(classes()[i]);
    }
    return rows;
}

void Drawer::settle_in(std::size_t columns, std::size_t n_classes) {
    const auto require = [](bool holds) {
        if (!holds) throw std::invalid_argument("a leaf's last rows are broken");
    };
    const std::size_t rows = n, places = width;
    const std::vector<double> read = std::move(room_);
    if (places == 0) {
        require(rows == 0 && read.empty() && before == 0.0);
        return close();
    }
    require(before >= 0.0 && std::isfinite(before));
    require(places == columns + 1 && columns <= kManyColumns && rows < kRows && read.size() == rows * places);
    open(columns);
    for (const double* row = read.data(); n < rows; row += places) {
        require(std::none_of(row, row + columns, [](double x) { return std::isinf(x); }));
        const double y = row[columns];
        require(y >= 0.0 && y < static_cast<double>(n_classes) && y == std::floor(y) && !full());
        put({row, nullptr, columns}, static_cast<std::size_t>(y));
    }
    require(!full());
}

}  // namespace sapwood
