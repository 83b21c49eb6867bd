#include "sapwood/lanes.hpp"

#include <cstdlib>
#include <string_view>

#include "sapwood/lane_steps.hpp"

namespace sapwood::lanes {
namespace {

std::size_t position_plainly(const double* keys, std::size_t held, double x) {
    std::size_t i = 0;
    while (i < held && keys[i] < x) ++i;
    return i;
}

template <std::size_t (*find)(const double*, std::size_t, double)>
void locate(const Column* columns, std::size_t n, const Examples& examples, std::uint32_t* places) {
    for (const Column* column = columns; column < columns + n; ++column, places += kMostExamples) {
        for (std::size_t i = 0; i < examples.n; ++i) {
            const double x = column->values[i * examples.step];
            const std::size_t row = x == x ? 1 + find(column->keys, column->held, x) : 0;
            places[i] = static_cast<std::uint32_t>(row * column->stride + examples.classes[i]);
        }
    }
}

void rank_plainly(const double* values, std::size_t n, std::uint32_t* below) {
    for (std::size_t i = 0; i < n; ++i)
        below[i] = static_cast<std::uint32_t>(count_below_plainly<kMostExamples>(values, values[i]));
}
void rank_everywhere(const double* values, std::size_t n, std::uint32_t* below) {
    for (std::size_t i = 0; i < n; ++i)
        below[i] = static_cast<std::uint32_t>(count_below<kMostExamples>(values, values[i]));
}

std::size_t list_plainly(const double* values, std::size_t n, std::uint32_t* out) {
    std::size_t listed = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (values[i] != 0.0) out[listed++] = static_cast<std::uint32_t>(i);
    return listed;
}

/// Without a branch: which values are 0 cannot be predicted.
std::size_t list_everywhere(const double* values, std::size_t n, std::uint32_t* out) {
    std::size_t listed = 0;
    for (std::size_t i = 0; i < n; ++i) {
        out[listed] = static_cast<std::uint32_t>(i);
        listed += values[i] != 0.0;
    }
    return listed;
}

float least_gini_plainly(const Lefts& left) {
    return least_gini<float>(left);
}
float least_gini_everywhere(const Lefts& left) {
    return least_gini<Floats>(left);
}

const Form& chosen() {
    const char* name = std::getenv("SAPWOOD_LANES");
    if (name && name == std::string_view("plain")) return plain;
    if (name && name == std::string_view("everywhere")) return everywhere;
    if (name && name == std::string_view("avx2") && avx2()) return *avx2();
    if (avx512()) return *avx512();
    return avx2() ? *avx2() : everywhere;
}

}  // namespace

const Form plain{locate<position_plainly>, count_known<position_plainly>, rank_plainly, list_plainly, sum_pairs,
                 least_gini_plainly};
const Form everywhere{locate<position>, count_known<position_among>, rank_everywhere, list_everywhere,
                      sum_pairs,        least_gini_everywhere};

const Form& best = chosen();

}  // namespace sapwood::lanes
