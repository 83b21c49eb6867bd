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

/// How many of the values are not finite: x - x is 0 for those that are.
std::size_t count_not_finite(const double* values, std::size_t n) {
    std::size_t i = 0, count = 0;
#if defined(__GNUC__)
    using Pair = double __attribute__((vector_size(16), aligned(8)));
    using Mask = std::int64_t __attribute__((vector_size(16)));
    Mask sum = {0, 0};
    for (; i + 4 <= n; i += 4) {
        const Pair a = *reinterpret_cast<const Pair*>(values + i);
        const Pair b = *reinterpret_cast<const Pair*>(values + i + 2);
        sum += ((a - a) != Pair{0.0, 0.0}) + ((b - b) != Pair{0.0, 0.0});  // true is -1
    }
    count = static_cast<std::size_t>(-(sum[0] + sum[1]));
#endif
    for (; i < n; ++i) count += !std::isfinite(values[i]);
    return count;
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

Batch Batch::slice(std::size_t begin, std::size_t end) const {
    Batch part = *this;
    part.n_rows = end - begin;
    for (ColumnView& column : part.columns)
        column.data = static_cast<const char*>(column.data) + static_cast<std::ptrdiff_t>(begin) * column.stride;
    if (dense) part.dense = dense + begin * columns.size();
    if (is_sparse()) part.sparse.starts += begin;
    return part;
}

bool Batch::is_complete() const {
    if (is_sparse())
        return count_not_finite(sparse.values + sparse.starts[0],
                                static_cast<std::size_t>(sparse.starts[n_rows] - sparse.starts[0])) == 0;
    if (dense) return count_not_finite(dense, n_rows * columns.size()) == 0;
    return std::all_of(columns.begin(), columns.end(), [&](const ColumnView& column) {
        const bool whole = column.dtype != Dtype::f64 && column.dtype != Dtype::f32;
        if (column.dtype == Dtype::f64 && column.stride == sizeof(double))
            return count_not_finite(static_cast<const double*>(column.data), n_rows) == 0;
        if (whole && !column.categories) return true;
        for (std::size_t i = 0; i < n_rows; ++i)
            if (column.categories ? column.code(i) < 0 : !std::isfinite(column.number(i))) return false;
        return true;
    });
}

void Batch::require_finite(const std::vector<Value>& names) const {
    const auto refuse = [&](std::size_t column, std::size_t row) {
        throw std::invalid_argument("Input X contains infinity: column " + to_text(names[column]) + ", row " +
                                    std::to_string(row) + ". Use NaN for a missing value, or clip the column first.");
    };
    for (std::size_t i = 0; is_sparse() && i < n_rows; ++i)
        for (std::int64_t at = sparse.starts[i]; at < sparse.starts[i + 1]; ++at)
            if (std::isinf(sparse.values[at])) refuse(static_cast<std::size_t>(sparse.columns[at]), i);
    for (std::size_t j = 0; !is_sparse() && j < columns.size(); ++j) {
        const ColumnView& column = columns[j];
        if (column.categories || (column.dtype != Dtype::f64 && column.dtype != Dtype::f32)) continue;
        for (std::size_t i = 0; i < n_rows; ++i)
            if (std::isinf(column.number(i))) refuse(j, i);
    }
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
