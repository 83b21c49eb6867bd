// The streams of streams.hpp, compiled once for all tests.
#include "streams.hpp"

#include <limits>

namespace sapwood::testing {
namespace {

/// Codes into a list of only those values that occur.
void recode(const std::vector<std::int32_t>& from, const std::vector<Value>& values, std::size_t begin, std::size_t end,
            std::vector<std::int32_t>& codes, std::vector<Value>& listed) {
    std::vector<std::int32_t> place(values.size(), -1);
    for (std::size_t i = end; i-- > begin;) {
        if (from[i] < 0) continue;
        std::int32_t& at = place[static_cast<std::size_t>(from[i])];
        if (at >= 0) continue;
        at = static_cast<std::int32_t>(listed.size());
        listed.push_back(values[static_cast<std::size_t>(from[i])]);
    }
    for (std::size_t i = begin; i < end; ++i)
        codes.push_back(from[i] < 0 ? -1 : place[static_cast<std::size_t>(from[i])]);
}

}  // namespace

std::vector<Cell> Stream::cells(std::size_t row, const Schema& schema) const {
    std::vector<Cell> out;
    for (const Column& column : columns) {
        if (column.missing(row)) continue;
        Cell cell;
        const auto known = schema.columns.find(column.name);
        cell.column = known.value_or(kNewColumn);
        if (!known) cell.name = &column.name;
        const Value value = column.categorical() ? column.categories[static_cast<std::size_t>(column.codes[row])]
                                                 : Value(column.numbers[row]);
        cell.text = is_text(value);
        if (cell.text)
            cell.string = std::get<std::string>(value);
        else
            cell.number = number_of(value);
        out.push_back(cell);
    }
    return out;
}

void Stream::learn_row(Model& model, std::size_t row) const {
    model.learn_row(cells(row, model.schema()), label(row), weight(row));
}

void Stream::cut(std::size_t begin, std::size_t end, Cut& out) const {
    out.batch.n_rows = end - begin;
    out.categories.resize(columns.size());
    out.codes.resize(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const Column& column = columns[j];
        out.names.push_back(column.name);
        if (!column.categorical()) {
            out.batch.columns.push_back({column.numbers.data() + begin, sizeof(double), Dtype::f64, nullptr});
            continue;
        }
        recode(column.codes, column.categories, begin, end, out.codes[j], out.categories[j]);
        out.batch.columns.push_back({out.codes[j].data(), sizeof(std::int32_t), Dtype::i32, &out.categories[j]});
    }
    recode(labels, classes, begin, end, out.label_codes, out.labels.values);
    out.labels.codes = out.label_codes.data();
    if (!weights.empty()) out.weights = weights.data() + begin;
}

Stream make_stream(const StreamShape& shape, std::uint64_t seed) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    constexpr double kWeights[] = {0.0, 0.5, 1.0, 1.0, 2.0, 3.0};
    Random random(seed);
    Stream stream;
    for (std::size_t j = 0; j < shape.numbers; ++j)
        stream.columns.push_back({Value("x" + std::to_string(j)), {}, {}, {}});
    for (std::size_t j = 0; j < shape.texts; ++j) {
        Column column{Value("a text column of some length " + std::to_string(j)), {}, {}, {}};
        for (std::size_t v = 0; v < shape.n_categories; ++v)
            column.categories.push_back("category " + std::to_string(v));
        stream.columns.push_back(column);
    }
    for (std::size_t y = 0; y < shape.n_classes; ++y) stream.classes.push_back(static_cast<std::int64_t>(10 * y));
    for (std::size_t i = 0; i < shape.rows; ++i) {
        std::size_t y = 0;
        for (std::size_t j = 0; j < stream.columns.size(); ++j) {
            Column& column = stream.columns[j];
            const bool begun = !shape.late || j + 1 < stream.columns.size() || i >= shape.rows / 2;
            const bool missing = random.chance(shape.missing) || !begun;
            if (column.categorical()) {
                const std::size_t code = random.below(shape.n_categories);
                if (j == shape.numbers && !missing && code == 1) y = shape.n_classes - 1;
                column.codes.push_back(missing ? -1 : static_cast<std::int32_t>(code));
            } else {
                const bool zero = shape.zeros > 0.0 && random.chance(shape.zeros);
                const double x = zero ? 0.0 : random.uniform();
                if (!missing && j == 0 && x > 0.6) y = 1;
                if (!missing && j == 1 && x <= 0.3) y = 0;
                column.numbers.push_back(missing ? kNone : x);
            }
        }
        if (random.chance(shape.noise)) y = random.below(shape.n_classes);
        stream.labels.push_back(static_cast<std::int32_t>(y));
        if (shape.weights) stream.weights.push_back(kWeights[random.below(6)]);
    }
    return stream;
}

}  // namespace sapwood::testing
