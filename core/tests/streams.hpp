// Streams for the tests: the same numbers on every machine, as rows (mappings), as batches, and cut at will.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"
#include "sapwood/lesson.hpp"
#include "sapwood/model.hpp"
#include "sapwood/value.hpp"

namespace sapwood::testing {

/// One column: numbers with NaN for missing, or, with categories, codes with -1 for missing.
struct Column {
    Value name;
    std::vector<Value> categories;
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;

    bool categorical() const { return !categories.empty(); }
    bool missing(std::size_t row) const { return categorical() ? codes[row] < 0 : numbers[row] != numbers[row]; }
};

/// A batch that owns what it shows: rows [begin, end) of a stream, with its own lists of categories and labels.
struct Cut {
    Batch batch;
    std::vector<Value> names;
    Labels labels;
    const double* weights = nullptr;

    Cut() = default;
    Cut(const Cut&) = delete;

    std::vector<std::vector<Value>> categories;
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::int32_t> label_codes;
};

struct Stream {
    std::vector<Column> columns;
    std::vector<Value> classes;
    std::vector<std::int32_t> labels;
    std::vector<double> weights;  // empty: all 1

    std::size_t n_rows() const { return labels.size(); }
    double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
    const Value& label(std::size_t row) const { return classes[static_cast<std::size_t>(labels[row])]; }

    /// The row as a mapping, for a model with these names; new names point into the stream.
    std::vector<Cell> cells(std::size_t row, const Schema& schema) const;
    void learn_row(Model& model, std::size_t row) const;
    /// Rows [begin, end) as a batch. Categories and labels are listed from the end, so that codes are not ranks.
    void cut(std::size_t begin, std::size_t end, Cut& out) const;
};

struct StreamShape {
    std::size_t rows = 1000;
    std::size_t numbers = 3;
    std::size_t texts = 0;  // categorical columns
    std::size_t n_categories = 5;
    std::size_t n_classes = 2;
    double missing = 0.0;  // probability
    double noise = 0.05;
    bool weights = false;  // 0, 0.5, 1, 2 and 3
    double zeros = 0.0;    // probability that a number is 0
    bool late = false;     // the last column has no value in the first half
};

/// The class is decided by the first two numbers and the first text, so that there is something to split.
Stream make_stream(const StreamShape& shape, std::uint64_t seed);

}  // namespace sapwood::testing
