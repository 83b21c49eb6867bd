#include "sapwood/drawer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sapwood {

std::vector<double> Drawer::with_classes() const {
    std::vector<double> rows;
    for (std::size_t i = 0; i < n; ++i) {
        rows.insert(rows.end(), values.data() + i * width, values.data() + (i + 1) * width);
        rows.push_back(classes()[i]);
    }
    return rows;
}

void Drawer::settle_in(std::size_t columns, std::size_t n_classes) {
    const auto require = [](bool holds) {
        if (!holds) throw std::invalid_argument("a leaf's last rows are broken");
    };
    const std::size_t rows = n, places = width;
    const std::vector<double> read = std::move(values);
    if (places == 0) {
        require(rows == 0 && read.empty());
        return close();
    }
    require(places == columns + 1 && rows < kRows && read.size() == rows * places);
    open(columns);
    for (const double* row = read.data(); n < rows; row += places) {
        require(std::none_of(row, row + columns, [](double x) { return std::isinf(x); }));
        const double y = row[columns];
        require(y >= 0.0 && y < static_cast<double>(n_classes) && y == std::floor(y));
        put(row, static_cast<std::size_t>(y));
    }
}

}  // namespace sapwood
