#include "sapwood/criterion.hpp"

#include <array>

namespace sapwood {
namespace {

constexpr std::size_t kTableSize = 4096;

const std::array<double, kTableSize>& table() {
    static const auto values = [] {
        std::array<double, kTableSize> t{};
        for (std::size_t n = 2; n < kTableSize; ++n) t[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
        return t;
    }();
    return values;
}

}  // namespace

double x_log_x(double x) {
    if (x < static_cast<double>(kTableSize)) {
        const auto n = static_cast<std::size_t>(x);
        if (static_cast<double>(n) == x) return table()[n];
    }
    return x > 0.0 ? x * std::log(x) : 0.0;
}

}  // namespace sapwood
