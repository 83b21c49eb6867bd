#include "sapwood/batch.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace sapwood {
namespace {

template <class T>
double read(const void* data) {
    return static_cast<double>(*static_cast<const T*>(data));
}

#if defined(__GNUC__)
template <class T>
struct Vector;
template <>
struct Vector<double> {
    using Lanes = double __attribute__((vector_size(16), aligned(8)));
    using Mask = std::int64_t __attribute__((vector_size(16)));
};
template <>
struct Vector<float> {
    using Lanes = float __attribute__((vector_size(16), aligned(4)));
    using Mask = std::int32_t __attribute__((vector_size(16)));
};
#endif

/// How many of the values are not finite: x - x is 0 for those that are.
template <class T>
std::size_t count_not_finite(const T* values, std::size_t n) {
    std::size_t i = 0, count = 0;
#if defined(__GNUC__)
    using Lanes = typename Vector<T>::Lanes;
    constexpr std::size_t kLanes = 16 / sizeof(T);
    typename Vector<T>::Mask sum = {};
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
        const Lanes a = *reinterpret_cast<const Lanes*>(values + i);
        const Lanes b = *reinterpret_cast<const Lanes*>(values + i + kLanes);
        sum += ((a - a) != Lanes{}) + ((b - b) != Lanes{});  // true is -1; a bitwise or is slow with GCC 12
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) count -= static_cast<std::size_t>(sum[lane]);
#endif
    for (; i < n; ++i) count += !std::isfinite(values[i]);
    return count;
}

template <class T>
bool are_finite(const T* values, std::size_t n) {
    constexpr std::size_t kChunk = 16384;
    for (std::size_t at = 0; at < n; at += kChunk)
        if (count_not_finite(values + at, std::min(kChunk, n - at)) != 0) return false;
    return true;
}

}  // namespace

double ColumnView::number(std::size_t row) const {
    const void* at = static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(row) * stride;
    switch (dtype) {
        case Dtype::f64: return read<double>(at);
        case Dtype::f32: return read<float>(at);
        case Dtype::i8: return read<std::int8_t>(at);
        case Dtype::i16: return read<std::int16_t>(at);
        case Dtype::i32: return read<std::int32_t>(at);
        case Dtype::i64: return read<std::int64_t>(at);
        case Dtype::u8: return read<std::uint8_t>(at);
        case Dtype::u16: return read<std::uint16_t>(at);
        case Dtype::u32: return read<std::uint32_t>(at);
        case Dtype::u64: break;
    }
    return read<std::uint64_t>(at);
}

std::int32_t ColumnView::code(std::size_t row) const {
    const char* at = static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(row) * stride;
    return *reinterpret_cast<const std::int32_t*>(at);
}

bool ColumnView::missing(std::size_t row) const {
    return categories ? code(row) < 0 : std::isnan(number(row));
}

bool Batch::missing(std::size_t row, std::size_t column) const {
    if (!is_sparse()) return columns[column].missing(row);
    const auto *first = sparse.columns + sparse.starts[row], *last = sparse.columns + sparse.starts[row + 1];
    const auto* at = std::lower_bound(first, last, static_cast<std::int32_t>(column));
    return at != last && *at == static_cast<std::int32_t>(column) && std::isnan(sparse.values[at - sparse.columns]);
}

Batch Batch::slice(std::size_t begin, std::size_t end) const {
    Batch part = *this;
    part.n_rows = end - begin;
    for (ColumnView& column : part.columns)
        column.data = static_cast<const char*>(column.data) + static_cast<std::ptrdiff_t>(begin) * column.stride;
    if (dense) part.dense = dense + begin * columns.size();
    if (flat.data)
        part.flat.data =
            static_cast<const char*>(flat.data) + static_cast<std::ptrdiff_t>(begin * columns.size()) * flat.stride;
    if (is_sparse()) part.sparse.starts += begin;
    return part;
}

bool Batch::is_complete(std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin, width = columns.size();
    if (is_sparse())
        return are_finite(sparse.values + sparse.starts[begin],
                          static_cast<std::size_t>(sparse.starts[end] - sparse.starts[begin]));
    if (dense) return are_finite(dense + begin * width, n * width);
    if (flat.data)
        return flat.dtype != Dtype::f32 || are_finite(static_cast<const float*>(flat.data) + begin * width, n * width);
    return std::all_of(columns.begin(), columns.end(), [&](const ColumnView& column) {
        const bool whole = column.dtype != Dtype::f64 && column.dtype != Dtype::f32;
        if (column.dtype == Dtype::f64 && column.stride == sizeof(double))
            return are_finite(static_cast<const double*>(column.data) + begin, n);
        if (whole && !column.categories) return true;
        for (std::size_t i = begin; i < end; ++i)
            if (column.categories ? column.code(i) < 0 : !std::isfinite(column.number(i))) return false;
        return true;
    });
}

template <class Meet>
void Batch::for_each_infinity(std::size_t begin, std::size_t end, Meet&& meet) const {
    for (std::size_t i = begin; is_sparse() && i < end; ++i)
        for (std::int64_t at = sparse.starts[i]; at < sparse.starts[i + 1]; ++at)
            if (std::isinf(sparse.values[at])) meet(static_cast<std::size_t>(sparse.columns[at]), i);
    for (std::size_t j = 0; !is_sparse() && j < columns.size(); ++j) {
        const ColumnView& column = columns[j];
        if (column.categories || (column.dtype != Dtype::f64 && column.dtype != Dtype::f32)) continue;
        for (std::size_t i = begin; i < end; ++i)
            if (std::isinf(column.number(i))) meet(j, i);
    }
}

bool Batch::is_finite(std::size_t begin, std::size_t end) const {
    bool finite = true;
    for_each_infinity(begin, end, [&](std::size_t, std::size_t) { finite = false; });
    return finite;
}

void Batch::require_finite(const std::vector<Value>& names) const {
    for_each_infinity(0, n_rows, [&](std::size_t column, std::size_t row) {
        throw std::invalid_argument("Input X contains infinity: column " + to_text(names[column]) + ", row " +
                                    std::to_string(row) + ". Use NaN for a missing value, or clip the column first.");
    });
}

void require_weight(double weight, std::optional<std::size_t> row) {
    constexpr double kMost = 2147483647.0;
    if (weight >= 0.0 && weight <= kMost) return;
    std::string where = row ? " of row " + std::to_string(*row) : "";
    if (std::isnan(weight)) throw std::invalid_argument("The weight" + where + " is NaN; weights must be numbers.");
    if (weight < 0.0)
        throw std::invalid_argument("The weight" + where + " is negative (" + std::to_string(weight) +
                                    "); weights must be 0 or more.");
    throw std::invalid_argument("The weight" + where + " is more than 2147483647; rescale the weights.");
}

}  // namespace sapwood
