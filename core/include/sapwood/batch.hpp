// A batch of rows as its owner holds it: typed columns with strides, borrowed for the length of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sapwood/value.hpp"

namespace sapwood {

enum class Dtype : std::uint8_t { f64, f32, i8, i16, i32, i64, u8, u16, u32, u64 };

/// One column. With `categories`, the data are int32 codes into them, negative for missing; otherwise numbers, with
/// NaN for missing.
struct ColumnView {
    const void* data = nullptr;
    std::ptrdiff_t stride = 0;  // bytes from row to row
    Dtype dtype = Dtype::f64;
    const std::vector<Value>* categories = nullptr;

    double number(std::size_t row) const;
    std::int32_t code(std::size_t row) const;
    bool missing(std::size_t row) const;
};

/// Rows of which only some values are stored: those of row i are [starts[i], starts[i + 1]), in ascending order of
/// their columns. What is not stored is 0.
struct SparseRows {
    const double* values = nullptr;
    const std::int32_t* columns = nullptr;
    const std::int64_t* starts = nullptr;
};

struct Batch {
    std::size_t n_rows = 0;
    std::vector<ColumnView> columns;
    /// Set when the columns are those of one row-major array of doubles: it is then read in place.
    const double* dense = nullptr;
    /// The same for one row-major array of another dtype: all its values, row after row, as if of one column.
    ColumnView flat = {};
    /// Set when rows are stored sparsely; the columns are then views of zeros.
    SparseRows sparse;

    bool is_sparse() const { return sparse.starts != nullptr; }
    bool missing(std::size_t row, std::size_t column) const;

    /// Rows [begin, end), as a batch that borrows from the same owner.
    Batch slice(std::size_t begin, std::size_t end) const;
    /// Whether no value of rows [begin, end) is missing or infinite, so that neither need be looked for again.
    bool is_complete(std::size_t begin, std::size_t end) const;
    bool is_complete() const { return is_complete(0, n_rows); }
    /// Whether no number of rows [begin, end) is infinite.
    bool is_finite(std::size_t begin, std::size_t end) const;
    /// Throws std::invalid_argument naming row and column if a number is infinite.
    void require_finite(const std::vector<Value>& names) const;

   private:
    template <class Meet>
    void for_each_infinity(std::size_t begin, std::size_t end, Meet&& meet) const;
};

/// Class labels as codes into a list of values.
struct Labels {
    const std::int32_t* codes = nullptr;
    std::vector<Value> values;
    std::vector<Value> declared;  // classes that are known from before the first row
};

/// Input of the wrong type, as opposed to a wrong value (std::invalid_argument).
struct TypeMismatch : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// Throws std::invalid_argument unless the weight is finite, not negative, and small enough to be counted out.
void require_weight(double weight, std::optional<std::size_t> row);

}  // namespace sapwood
