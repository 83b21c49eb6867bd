#include "sapwood/drawer.hpp"

namespace sapwood {

bool Drawer::valid(std::size_t columns, std::size_t n_classes) const {
    if (width == 0) return n == 0 && values.empty();
    if (width != columns + 1 || n >= kRows || (values.size() != n * width && values.size() != kRows * width))
        return false;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < width; ++j) {
            const double x = values[i * width + j];
            const bool is_class = x >= 0.0 && x < static_cast<double>(n_classes) && x == std::floor(x);
            if (j == columns ? !is_class : std::isinf(x)) return false;
        }
    return true;
}

}  // namespace sapwood
