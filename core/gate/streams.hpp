// The fixed streams of the gate: drawn with the core's own random numbers, so they are the same on every machine.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "sapwood/batch.hpp"
#include "sapwood/model.hpp"
#include "sapwood/rng.hpp"

namespace sapwood::gate {

/// A stream as one batch, with all that the batch points into.
struct Stream {
    Batch batch;
    std::vector<Value> names;
    Labels labels;

    Stream() = default;
    Stream(const Stream&) = delete;

    std::deque<std::vector<double>> numbers;
    std::deque<std::vector<std::int32_t>> codes;
    std::deque<std::vector<Value>> categories;
    std::vector<std::int32_t> classes;

    std::size_t n_rows() const { return batch.n_rows; }
    const Value& label(std::size_t row) const { return labels.values[static_cast<std::size_t>(classes[row])]; }

    /// The row as a mapping, for a model that knows the columns in this order.
    std::vector<Cell> cells(std::size_t row) const {
        std::vector<Cell> out;
        for (std::size_t j = 0; j < batch.columns.size(); ++j) {
            const ColumnView& column = batch.columns[j];
            if (column.missing(row)) continue;
            Cell cell;
            cell.column = static_cast<std::uint32_t>(j);
            cell.text = column.categories != nullptr;
            if (cell.text)
                cell.string = std::get<std::string>((*column.categories)[static_cast<std::size_t>(column.code(row))]);
            else
                cell.number = column.number(row);
            out.push_back(cell);
        }
        return out;
    }
};

inline std::size_t below(Rng& rng, std::size_t n) {
    return static_cast<std::size_t>(rng.next() % n);
}

inline void finish(Stream& stream, std::size_t rows, std::size_t n_classes) {
    stream.batch.n_rows = rows;
    for (std::size_t j = 0; j < stream.batch.columns.size(); ++j) stream.names.emplace_back("x" + std::to_string(j));
    for (std::size_t y = 0; y < n_classes; ++y) stream.labels.values.emplace_back(static_cast<std::int64_t>(y));
    stream.labels.codes = stream.classes.data();
}

/// The columns of one row-major array.
inline void add_array(Stream& stream, std::vector<double> values, std::size_t width) {
    const double* data = stream.numbers.emplace_back(std::move(values)).data();
    const auto stride = static_cast<std::ptrdiff_t>(width * sizeof(double));
    for (std::size_t j = 0; j < width; ++j) stream.batch.columns.push_back({data + j, stride, Dtype::f64, nullptr});
    stream.batch.dense = data;
}

/// The unit cube cut by a complete tree of random splits: a class of two per region, one label in ten at random.
inline void draw_numbers(Stream& stream, std::size_t rows, std::uint64_t seed) {
    constexpr std::size_t kWidth = 5, kDepth = 5, kInner = (1u << kDepth) - 1;
    struct Region {
        double low[kWidth] = {}, high[kWidth] = {1, 1, 1, 1, 1};
        std::size_t attribute = 0;
        double threshold = 0.0;
    };
    Rng rng(seed);
    std::vector<Region> regions(2 * kInner + 1);
    for (std::size_t node = 0; node < kInner; ++node) {
        Region& region = regions[node];
        const std::size_t a = region.attribute = below(rng, kWidth);
        region.threshold = region.low[a] + (region.high[a] - region.low[a]) * (0.3 + 0.4 * rng.uniform());
        Region &left = regions[2 * node + 1] = region, &right = regions[2 * node + 2] = region;
        left.high[a] = right.low[a] = region.threshold;
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < kWidth; ++j) values.push_back(rng.uniform());
        const double* row = values.data() + i * kWidth;
        std::size_t node = 0;
        while (node < kInner) node = 2 * node + (row[regions[node].attribute] <= regions[node].threshold ? 1 : 2);
        stream.classes.push_back(static_cast<std::int32_t>(rng.uniform() < 0.1 ? below(rng, 2) : node % 2));
    }
    add_array(stream, std::move(values), kWidth);
    finish(stream, rows, 2);
}

/// Three numbers beside texts of 300 and of 8 kinds, one value in twenty missing, three classes.
inline void draw_categories(Stream& stream, std::size_t rows, std::uint64_t seed) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    constexpr std::size_t kKinds[] = {300, 8};
    Rng rng(seed);
    for (std::size_t j = 0; j < 3; ++j) stream.numbers.emplace_back();
    for (const std::size_t kinds : kKinds) {
        stream.codes.emplace_back();
        std::vector<Value>& names = stream.categories.emplace_back();
        for (std::size_t v = 0; v < kinds; ++v) names.emplace_back("kind " + std::to_string(v));
    }
    for (std::size_t i = 0; i < rows; ++i) {
        for (auto& column : stream.numbers) column.push_back(rng.uniform());
        for (std::size_t j = 0; j < 2; ++j)  // the product of two draws: some kinds are far more frequent than others
            stream.codes[j].push_back(
                static_cast<std::int32_t>(static_cast<double>(kKinds[j]) * rng.uniform() * rng.uniform()));
        std::size_t y = stream.numbers[0][i] > 0.5 ? 1 : 0;
        if (stream.codes[1][i] == 0) y = stream.numbers[1][i] > 0.3 ? 2 : 0;
        if (stream.codes[0][i] < 4) y = static_cast<std::size_t>(stream.codes[0][i] % 3);
        stream.classes.push_back(static_cast<std::int32_t>(rng.uniform() < 0.1 ? below(rng, 3) : y));
        for (auto& column : stream.numbers)
            if (rng.uniform() < 0.05) column.back() = kNone;
        for (auto& column : stream.codes)
            if (rng.uniform() < 0.05) column.back() = -1;
    }
    for (const auto& column : stream.numbers)
        stream.batch.columns.push_back({column.data(), sizeof(double), Dtype::f64, nullptr});
    for (std::size_t j = 0; j < 2; ++j)
        stream.batch.columns.push_back(
            {stream.codes[j].data(), sizeof(std::int32_t), Dtype::i32, &stream.categories[j]});
    finish(stream, rows, 3);
}

/// Eight attributes of 15 kinds each, as 120 columns of 0 and 1, and seven classes.
inline void draw_onehot(Stream& stream, std::size_t rows, std::uint64_t seed) {
    constexpr std::size_t kAttributes = 8, kKinds = 15;
    Rng rng(seed);
    std::vector<double> values(rows * kAttributes * kKinds, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
        std::size_t kinds[kAttributes];
        for (std::size_t a = 0; a < kAttributes; ++a) {
            kinds[a] = static_cast<std::size_t>(static_cast<double>(kKinds) * rng.uniform() * rng.uniform());
            values[(i * kAttributes + a) * kKinds + kinds[a]] = 1.0;
        }
        const std::size_t y = kinds[0] == 0 ? kinds[1] % 7 : kinds[2] < 2 ? (kinds[3] + kinds[0]) % 7 : kinds[0] % 7;
        stream.classes.push_back(static_cast<std::int32_t>(rng.uniform() < 0.1 ? below(rng, 7) : y));
    }
    add_array(stream, std::move(values), kAttributes * kKinds);
    finish(stream, rows, 7);
}

}  // namespace sapwood::gate
