// Proves that a batch is its rows: however a stream is cut, with numbers, categories, weights, late columns and a byte
// limit, the model is that of learning row by row, to the last byte; and that a refused batch changes nothing.
#include "sapwood/lesson.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "sapwood/format.hpp"
#include "sapwood/shared_model.hpp"
#include "streams.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string bytes(const Model& model) {
    return encode(model, "");
}

std::string bytes(const SharedModel& shared) {
    return shared.read([](const Model& model) { return encode(model, ""); });
}

void learn_batch(SharedModel& shared, const Stream& stream, std::size_t begin, std::size_t end,
                 bool fixed_columns = false) {
    Cut cut;
    stream.cut(begin, end, cut);
    shared.learn(cut.batch, cut.names, fixed_columns, cut.labels, cut.weights);
}

/// Learns the stream row by row and in random batches, and compares after each batch.
void check_batches(const char* what, const TreeParams& params, const Stream& stream, std::uint64_t seed) {
    Random random(seed);
    Model by_row(params);
    SharedModel by_batch{Model(params)};
    std::size_t at = 0;
    while (at < stream.n_rows()) {
        // Short ones, long ones, and some that span many blocks.
        const std::size_t most = std::array<std::size_t, 3>{5, 300, 2000}[random.below(3)];
        const std::size_t end = std::min(stream.n_rows(), at + 1 + random.below(most));
        learn_batch(by_batch, stream, at, end);
        for (; at < end; ++at) stream.learn_row(by_row, at);
        if (bytes(by_row) != bytes(by_batch)) {
            check::fail(__FILE__, __LINE__,
                        std::string(what) + ": the batch that ends at row " + check::show(at) + " is not its rows");
            return;
        }
        CHECK_EQ(by_batch.read([](const Model& m) { return m.tree().nbytes(); }), by_row.tree().nbytes());
    }
    CHECK(!by_row.tree().splits().empty());
}

}  // namespace

TEST(a_batch_is_its_rows) {
    TreeParams params;
    check_batches("numbers", params, make_stream({.rows = 4000, .n_classes = 3}, 1), 1);
    check_batches("categories", params, make_stream({.rows = 4000, .texts = 2, .n_classes = 3}, 2), 2);
    check_batches("missing, late", params, make_stream({.rows = 4000, .texts = 1, .missing = 0.2, .late = true}, 3), 3);
    check_batches("zeros", params, make_stream({.rows = 4000, .n_classes = 3, .missing = 0.05, .zeros = 0.5}, 24), 24);
    check_batches("many columns of zeros", params,
                  make_stream({.rows = 2000, .numbers = 50, .missing = 0.02, .zeros = 0.8, .late = true}, 25), 25);
    check_batches("weights", params, make_stream({.rows = 3000, .texts = 2, .missing = 0.1, .weights = true}, 4), 4);
    check_batches("categories only", params,
                  make_stream({.rows = 3000, .numbers = 0, .texts = 2, .missing = 0.3, .late = true}, 5), 5);
}

TEST(a_batch_is_its_rows_where_weights_cease_to_be_whole) {
    // The first fraction stands in the middle of a block; zeros that were not counted before are counted from there on.
    for (const std::size_t numbers : {3, 45}) {
        Stream stream = make_stream({.rows = 3000, .numbers = numbers, .missing = 0.02, .zeros = 0.5}, 26);
        stream.weights.assign(3000, 1.0);
        for (std::size_t i = 1777; i < 3000; i += 7) stream.weights[i] = 0.5;
        for (std::size_t i = 100; i < 3000; i += 90) stream.weights[i] = 3.0;
        check_batches("fractions from the middle on", {}, stream, 26);
    }
}

TEST(a_batch_is_its_rows_for_every_way_to_split_and_predict) {
    const Stream stream = make_stream({.rows = 2500, .texts = 1, .n_classes = 3, .missing = 0.05, .weights = true}, 6);
    for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian, NumericSplits::exact}) {
        for (const LeafPrediction prediction : {LeafPrediction::naive_bayes, LeafPrediction::adaptive}) {
            TreeParams params;
            params.numeric_splits = splits;
            params.leaf_prediction = prediction;
            check_batches("ways", params, stream, 6);
        }
    }
    TreeParams moa;
    moa.compat = Compat::moa;
    moa.criterion = Criterion::entropy;
    moa.bound = Bound::hoeffding;
    moa.numeric_splits = NumericSplits::gaussian;
    moa.delta = 1e-7;
    moa.tie_threshold = 0.05;
    check_batches("MOA's rules", moa, stream, 7);
}

TEST(a_batch_is_its_rows_under_a_byte_limit) {
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        TreeParams params;
        params.leaf_prediction = prediction;
        params.max_bytes = 20000;  // leaves pause
        check_batches("max_bytes", params, make_stream({.rows = 5000, .texts = 1, .n_classes = 3}, 8), 8);
        StreamShape shape{.rows = 2000, .texts = 2, .n_categories = 150, .missing = 0.1, .weights = true};
        check_batches("max_bytes, names without room", params, make_stream(shape, 9), 9);
        shape.late = true;
        params.max_bytes = 80000;
        check_batches("max_bytes, late names", params, make_stream(shape, 10), 10);
    }
}

TEST(a_batch_is_its_rows_where_leaves_fill_split_and_pause_at_once) {
    // Few bins, so that leaves have their final edges after a few rows, and splits at almost every look.
    for (const std::uint32_t n_bins : {8u, 16u, 24u, 9u}) {
        TreeParams params;
        params.n_bins = n_bins;
        params.grace_period = 15;
        params.tie_threshold = 0.1;
        StreamShape shape{.rows = 3000, .n_classes = 4, .noise = 0.1, .weights = true};
        for (const std::size_t max_bytes : {6000, 9000}) {  // leaves pause and begin again
            params.max_bytes = max_bytes;
            check_batches("final edges, max_bytes", params, make_stream(shape, 20), 20 + n_bins);
        }
        params.max_bytes = 0;
        shape.late = true;  // a column comes late, and so do two classes
        Stream stream = make_stream(shape, 21);
        for (std::size_t i = 0; i < 1000; ++i)
            if (stream.labels[i] > 1) stream.labels[i] = 1;
        check_batches("final edges", params, stream, 21 + n_bins);
    }
}

TEST(rows_looked_up_at_a_leaf_that_splits_meanwhile_are_counted_at_its_child) {
    // One column, eight bins: the child that gets nearly all rows has its own final edges a few rows after the split.
    for (double grace = 12.0; grace < 32.0; grace += 1.0) {
        TreeParams params;
        params.n_bins = 8;
        params.grace_period = grace;
        params.tie_threshold = 10.0;
        Stream stream = make_stream({.rows = 256, .numbers = 1}, 22);
        for (std::size_t i = 0; i < 256; ++i) stream.labels[i] = stream.columns[0].numbers[i] < 0.1;
        Model by_row(params);
        for (std::size_t i = 0; i < 256; ++i) stream.learn_row(by_row, i);
        SharedModel shared{Model(params)};
        learn_batch(shared, stream, 0, 1);
        learn_batch(shared, stream, 1, 256);
        CHECK(bytes(shared) == bytes(by_row));
        CHECK(!by_row.tree().splits().empty());
    }
}

TEST(predicting_first_is_predicting_row_by_row) {
    const Stream stream = make_stream({.rows = 2000, .texts = 1, .n_classes = 3, .missing = 0.05, .weights = true}, 10);
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        TreeParams params;
        params.leaf_prediction = prediction;
        Model by_row(params);
        SharedModel by_batch{Model(params)};
        Cut cut;
        stream.cut(0, stream.n_rows(), cut);
        std::vector<std::uint32_t> predictions(stream.n_rows());
        std::vector<std::size_t> reports;
        by_batch.learn(cut.batch, cut.names, false, cut.labels, cut.weights, predictions.data(),
                       {200, 300, [&](std::size_t rows, const Model&) { reports.push_back(rows); }});
        std::vector<double> row;
        for (std::size_t i = 0; i < stream.n_rows(); ++i) {
            by_row.encode_row(stream.cells(i, by_row.schema()), row);
            CHECK_EQ(predictions[i], by_row.tree().predict_at(by_row.tree().route(row.data()), row.data()));
            stream.learn_row(by_row, i);
        }
        CHECK(bytes(by_row) == bytes(by_batch));
        CHECK(reports == (std::vector<std::size_t>{200, 500, 800, 1100, 1400, 1700, 2000}));
    }
}

TEST(predicting_a_batch_is_predicting_its_rows) {
    const Stream stream = make_stream({.rows = 1500, .texts = 2, .n_classes = 3, .missing = 0.1}, 11);
    TreeParams params;
    params.leaf_prediction = LeafPrediction::adaptive;
    SharedModel shared{Model(params)};
    learn_batch(shared, stream, 0, 1000);
    Cut cut;
    stream.cut(900, 1500, cut);
    // A column and a category that were never learned are passed over.
    const std::vector<double> ignored(600, 1e9);
    cut.names.push_back(Value(std::string("unknown")));
    cut.batch.columns.push_back({ignored.data(), sizeof(double), Dtype::f64, nullptr});
    cut.categories[3][0] = Value(std::string("never learned"));
    shared.read([&](const Model& model) {
        const std::string before = encode(model, "");
        std::vector<std::uint32_t> classes(600), nodes(600);
        std::vector<double> shares(600 * 3), row, p(3);
        Lesson lesson(cut.batch, cut.names, model);
        lesson.check(model);
        lesson.predict(model, classes.data());
        lesson.predict_probabilities(model, shares.data());
        lesson.apply(model, nodes.data());
        for (std::size_t i = 0; i < 600; ++i) {
            model.encode_row(stream.cells(900 + i, model.schema()), row);
            if (cut.codes[3][i] == 0) row[3] = kUnseen;
            const std::uint32_t node = model.tree().route(row.data());
            CHECK_EQ(nodes[i], node);
            CHECK_EQ(classes[i], model.tree().predict_at(node, row.data()));
            model.tree().probabilities_at(node, row.data(), p.data());
            for (std::size_t y = 0; y < 3; ++y) CHECK_EQ(shares[3 * i + y], p[y]);
        }
        CHECK(encode(model, "") == before);
    });
}

TEST(fixed_columns_are_known_from_the_start) {
    Stream stream = make_stream({.rows = 1200, .texts = 1, .missing = 0.1}, 12);
    stream.columns.push_back({Value(std::string("without a value")), {}, std::vector<double>(1200, kNan), {}});
    SharedModel shared{Model()};
    learn_batch(shared, stream, 0, 700, true);
    learn_batch(shared, stream, 700, 1200, true);
    Model by_row;
    for (const Column& column : stream.columns)
        by_row.add_column(column.name, column.categorical() ? Kind::categorical : Kind::numeric);
    for (std::size_t i = 0; i < stream.n_rows(); ++i) stream.learn_row(by_row, i);
    CHECK(bytes(shared) == bytes(by_row));
}

TEST(a_fixed_column_without_categories_has_no_kind_yet) {
    const std::vector<Value> none, red{Value(std::string("red"))};
    const std::vector<std::int32_t> missing(3, -1), codes{-1, 0, 0}, y{0, 1, 0};
    const Labels labels{y.data(), {Value(false), Value(true)}};
    const std::vector<Value> names{Value(std::string("c"))};
    SharedModel shared{Model()};
    Batch batch{3, {{missing.data(), 4, Dtype::i32, &none}}, nullptr};
    shared.learn(batch, names, true, labels, nullptr);
    shared.read([](const Model& m) { CHECK_EQ(m.schema().kinds[0], Kind::unknown); });
    batch.columns[0] = {codes.data(), 4, Dtype::i32, &red};
    shared.learn(batch, names, true, labels, nullptr);
    shared.read([](const Model& m) {
        CHECK_EQ(m.schema().kinds[0], Kind::categorical);
        Leaf leaf = m.tree().leaves()[0];
        leaf.count_drawer(m.tree().kinds(), Counting(m.tree().params(), false));
        const Tally& tally = leaf.attributes[0].tally;
        CHECK_EQ(tally.n_keys(), 1);
        CHECK_EQ(tally.count(1, 0), 1.0);
        CHECK_EQ(tally.count(1, 1), 1.0);
    });
}

TEST(rows_before_the_first_value_are_learned) {
    // No column has begun yet when the first rows are routed: more of them than are walked side by side.
    for (const std::size_t empty : {1, 7, 8, 9, 300}) {
        Stream stream = make_stream({.rows = 600}, 13);
        for (Column& column : stream.columns)
            for (std::size_t i = 0; i < empty; ++i) column.numbers[i] = kNan;
        Model by_row;
        for (std::size_t i = 0; i < stream.n_rows(); ++i) stream.learn_row(by_row, i);
        SharedModel shared{Model()};
        learn_batch(shared, stream, 0, 600);
        CHECK(bytes(shared) == bytes(by_row));
        SharedModel untaught{Model()};
        learn_batch(untaught, stream, 0, 1);
        Cut cut;
        stream.cut(0, 20, cut);
        untaught.read([&](const Model& model) {
            std::vector<std::uint32_t> classes(20);
            Lesson(cut.batch, cut.names, model).predict(model, classes.data());
            for (const std::uint32_t y : classes) CHECK_EQ(y, 0);
        });
    }
}

TEST(an_untaught_model_answers_a_batch) {
    const Stream stream = make_stream({.rows = 30}, 14);
    Cut cut;
    stream.cut(0, 30, cut);
    const Model model;
    std::vector<std::uint32_t> classes(30, 0), nodes(30, 9);
    Lesson lesson(cut.batch, cut.names, model);
    lesson.predict(model, classes.data());
    lesson.apply(model, nodes.data());
    lesson.predict_probabilities(model, nullptr);  // no class, so nothing is written
    for (std::size_t i = 0; i < 30; ++i) CHECK(classes[i] == kNoClass && nodes[i] == 0);
}

TEST(an_empty_batch_changes_nothing) {
    const Stream stream = make_stream({.rows = 100, .texts = 1}, 15);
    SharedModel shared{Model()};
    learn_batch(shared, stream, 0, 100);
    const std::string before = bytes(shared);
    learn_batch(shared, stream, 50, 50);
    CHECK(bytes(shared) == before);
}

TEST(a_row_major_array_is_read_in_place_to_the_same_end) {
    const Stream stream = make_stream({.rows = 2000, .numbers = 5, .missing = 0.05}, 16);
    std::vector<double> matrix;
    for (std::size_t i = 0; i < 2000; ++i)
        for (const Column& column : stream.columns) matrix.push_back(column.numbers[i]);
    SharedModel in_place{Model()}, copied{Model()};
    for (std::size_t begin = 0; begin < 2000; begin += 500) {
        Cut cut;
        stream.cut(begin, begin + 500, cut);
        copied.learn(cut.batch, cut.names, true, cut.labels, nullptr);
        for (std::size_t j = 0; j < 5; ++j)
            cut.batch.columns[j] = {matrix.data() + begin * 5 + j, 5 * sizeof(double), Dtype::f64, nullptr};
        cut.batch.dense = matrix.data() + begin * 5;
        in_place.learn(cut.batch, cut.names, true, cut.labels, nullptr);
    }
    CHECK(bytes(in_place) == bytes(copied));
}

namespace {

/// A row-major array of T is learned, and predicted in parts, as its columns are.
template <class T>
void check_flat(Dtype dtype, bool complete) {
    constexpr std::size_t kRows = 1000, kWidth = 3;
    std::vector<T> flat;
    std::vector<std::int32_t> codes;
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kWidth; ++j) flat.push_back(static_cast<T>((i * (37 + j)) % 101));
        codes.push_back(flat[kWidth * i] > T{50} ? 1 : 0);
    }
    if constexpr (std::numeric_limits<T>::has_quiet_NaN)
        if (!complete) flat[kWidth * 700 + 1] = std::numeric_limits<T>::quiet_NaN();
    Batch by_column, by_row;
    by_column.n_rows = kRows;
    for (std::size_t j = 0; j < kWidth; ++j)
        by_column.columns.push_back({flat.data() + j, kWidth * sizeof(T), dtype, nullptr});
    by_row = by_column;
    by_row.flat = {flat.data(), sizeof(T), dtype, nullptr};
    CHECK_EQ(by_row.is_complete(), complete);
    const std::vector<Value> names = {"x0", "x1", "x2"};
    const Labels labels{codes.data(), {false, true}};
    SharedModel one{Model()}, other{Model()};
    one.learn(by_column, names, true, labels, nullptr);
    other.learn(by_row, names, true, labels, nullptr);
    CHECK(bytes(one) == bytes(other));
    one.read([&](const Model& model) {
        CHECK(model.tree().leaves().size() > 1);
        std::vector<std::uint32_t> nodes(kRows), again(kRows);
        Lesson(by_column, names, model).apply(model, nodes.data());
        for (std::size_t begin = 0; begin < kRows; begin += 400) {
            const Batch part = by_row.slice(begin, std::min(kRows, begin + 400));
            Lesson(part, names, model).apply(model, again.data() + begin);
        }
        CHECK(nodes == again);
    });
}

}  // namespace

TEST(a_row_major_array_of_any_dtype_is_copied_whole_to_the_same_end) {
    check_flat<float>(Dtype::f32, true);
    check_flat<float>(Dtype::f32, false);
    check_flat<std::int8_t>(Dtype::i8, true);
    check_flat<std::uint16_t>(Dtype::u16, true);
    check_flat<std::int64_t>(Dtype::i64, true);
}

namespace {

/// The column as an array of T, in reverse and with a gap between rows: strides may be anything.
template <class T>
void check_dtype(Dtype dtype) {
    constexpr std::size_t kRows = 100;
    std::vector<T> data(3 * kRows);
    std::vector<double> plain(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        const T x = static_cast<T>((i * 37) % 101);
        data[3 * (kRows - 1 - i)] = x;
        plain[i] = static_cast<double>(x);
    }
    const ColumnView backwards{data.data() + 3 * (kRows - 1), -3 * static_cast<std::ptrdiff_t>(sizeof(T)), dtype,
                               nullptr};
    std::vector<std::int32_t> y(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        y[i] = plain[i] > 50.0;
        CHECK_EQ(backwards.number(i), plain[i]);
        CHECK(!backwards.missing(i));
    }
    const Labels labels{y.data(), {Value(false), Value(true)}};
    const std::vector<Value> names{Value(std::string("x"))};
    SharedModel typed{Model()}, doubles{Model()};
    typed.learn({kRows, {backwards}, nullptr}, names, false, labels, nullptr);
    doubles.learn({kRows, {{plain.data(), sizeof(double), Dtype::f64, nullptr}}, nullptr}, names, false, labels,
                  nullptr);
    CHECK(bytes(typed) == bytes(doubles));
}

}  // namespace

TEST(every_dtype_and_stride_is_read) {
    check_dtype<double>(Dtype::f64);
    check_dtype<float>(Dtype::f32);
    check_dtype<std::int8_t>(Dtype::i8);
    check_dtype<std::int16_t>(Dtype::i16);
    check_dtype<std::int32_t>(Dtype::i32);
    check_dtype<std::int64_t>(Dtype::i64);
    check_dtype<std::uint8_t>(Dtype::u8);
    check_dtype<std::uint16_t>(Dtype::u16);
    check_dtype<std::uint32_t>(Dtype::u32);
    check_dtype<std::uint64_t>(Dtype::u64);
}

TEST(number_categories_are_categories_in_any_form) {
    // The column is categorical; a later batch brings its numbers plainly, as a mapping would.
    Stream stream = make_stream({.rows = 900, .numbers = 1}, 17);
    Column codes{Value(std::string("zip")), {90210.0, 10001.0, 5.5}, {}, {}};
    Column plain{codes.name, {}, {}, {}};
    for (std::size_t i = 0; i < 900; ++i) {
        const std::size_t code = (i * 7) % 3;
        codes.codes.push_back(static_cast<std::int32_t>(code));
        plain.numbers.push_back(number_of(codes.categories[code]));
        stream.labels[i] = code == 1;
    }
    Stream as_categories = stream, as_numbers = stream;
    as_categories.columns.push_back(codes);
    as_numbers.columns.push_back(plain);
    for (const std::size_t max_bytes : {std::size_t{0}, std::size_t{100000}}) {
        TreeParams params;
        params.max_bytes = max_bytes;
        Model by_row(params), declared(params);
        by_row.declare_categorical(codes.name);
        declared.declare_categorical(codes.name);
        SharedModel shared{declared};
        for (std::size_t i = 0; i < 900; ++i) as_numbers.learn_row(by_row, i);
        learn_batch(shared, as_categories, 0, 300);
        learn_batch(shared, as_numbers, 300, 900);
        CHECK(bytes(shared) == bytes(by_row));
        CHECK(!by_row.tree().splits().empty());
        Cut cut;
        as_numbers.cut(0, 100, cut);
        std::vector<std::uint32_t> classes(100);
        Lesson(cut.batch, cut.names, by_row).predict(by_row, classes.data());
        std::vector<double> row;
        for (std::size_t i = 0; i < 100; ++i) {
            by_row.encode_row(as_numbers.cells(i, by_row.schema()), row);
            CHECK_EQ(classes[i], by_row.tree().predict_at(by_row.tree().route(row.data()), row.data()));
        }
    }
}

TEST(a_refused_batch_changes_nothing) {
    for (const std::size_t max_bytes : {std::size_t{0}, std::size_t{50000}}) {
        TreeParams params;
        params.max_bytes = max_bytes;
        SharedModel shared{Model(params)};
        const Stream stream = make_stream({.rows = 500, .texts = 1, .weights = true}, 18);
        learn_batch(shared, stream, 0, 400);
        const std::string before = bytes(shared);
        const auto check_refused = [&](const Stream& wrong, const char* part) {
            CHECK_THROWS(learn_batch(shared, wrong, 400, 500), part);
            CHECK_THROWS(learn_batch(shared, wrong, 400, 500, true), part);
            CHECK(bytes(shared) == before);
        };
        Stream wrong = stream;
        wrong.columns[1].numbers[450] = -kInfinity;
        check_refused(wrong, "column 'x1', row 50");
        wrong = stream;
        for (const double w : {-1.0, kNan, 1e10}) {
            wrong.weights[499] = w;
            check_refused(wrong, "The weight of row 99");
        }
        wrong = stream;
        std::swap(wrong.columns[0].name, wrong.columns[3].name);
        check_refused(wrong, "Column");
        wrong = stream;
        wrong.columns[3].categories = {1.0, 2.0, 3.0, 4.0, 5.0};
        check_refused(wrong, "but now numbers. Pass text, and NaN or None for missing. The value of row");
        wrong = stream;
        wrong.classes[1] = std::string("ten");
        check_refused(wrong, "The label 'ten' does not go with");
        wrong.classes[1] = 10.5;
        check_refused(wrong, "The label is 10.5");
        learn_batch(shared, stream, 400, 500);
        CHECK(bytes(shared) != before);
    }
}

TEST(a_batch_that_is_refused_amid_the_lesson_changes_nothing) {
    // A model that has learned nothing looks at values block by block; others look at all of them first.
    constexpr std::size_t kWidth = 3, kRows = 9000;
    Random random(19);
    std::vector<double> values(kRows * kWidth);
    std::vector<std::int32_t> y(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kWidth; ++j) values[i * kWidth + j] = random.uniform();
        y[i] = values[i * kWidth] > 0.5;
    }
    const std::vector<Value> names{Value(std::int64_t{0}), Value(std::int64_t{1}), Value(std::int64_t{2})};
    const Labels labels{y.data(), {Value(false), Value(true)}};
    Batch batch;
    batch.n_rows = kRows;
    for (std::size_t j = 0; j < kWidth; ++j)
        batch.columns.push_back({values.data() + j, kWidth * sizeof(double), Dtype::f64, nullptr});
    batch.dense = values.data();
    SharedModel good{Model()};
    good.learn(batch, names, true, labels, nullptr);
    CHECK(good.read([](const Model& m) { return m.tree().leaves().size(); }) > 1);
    for (const std::size_t row : {0, 255, 256, 5000, 8999}) {
        double& bad = values[row * kWidth + 1];
        const double was = std::exchange(bad, kInfinity);
        SharedModel shared{Model()};
        const std::string untouched = bytes(shared), trained = bytes(good);
        const std::string refusal = "column 1, row " + std::to_string(row) + ".";
        CHECK_THROWS(shared.learn(batch, names, true, labels, nullptr), refusal.c_str());
        CHECK_THROWS(good.learn(batch, names, true, labels, nullptr), refusal.c_str());
        CHECK(bytes(shared) == untouched);
        CHECK(bytes(good) == trained);
        std::vector<std::uint32_t> classes(kRows);
        good.read(
            [&](const Model& m) { CHECK_THROWS(Lesson(batch, names, m).predict(m, classes.data()), refusal.c_str()); });
        bad = was;
        shared.learn(batch, names, true, labels, nullptr);
        SharedModel once{Model()};
        once.learn(batch, names, true, labels, nullptr);
        CHECK(bytes(shared) == bytes(once));
    }
}

TEST(a_first_batch_of_mixed_labels_is_refused) {
    Stream stream = make_stream({.rows = 50}, 23);
    stream.classes[1] = std::string("ten");
    SharedModel shared{Model()};
    const std::string before = bytes(shared);
    CHECK_THROWS(learn_batch(shared, stream, 0, 50), "all numbers or all text");
    CHECK(bytes(shared) == before);
}

TEST(a_batch_that_does_not_fit_into_max_bytes_changes_nothing) {
    TreeParams params;
    params.max_bytes = 20000;
    SharedModel shared{Model(params)};
    Stream stream = make_stream({.rows = 500, .n_classes = 3}, 19);
    for (Value& label : stream.classes) label = "class " + to_text(label);
    learn_batch(shared, stream, 0, 400);
    const std::string before = bytes(shared);
    stream.classes[1] = std::string(30000, 'y');
    CHECK_THROWS(learn_batch(shared, stream, 400, 500), "max_bytes=20000");
    CHECK(bytes(shared) == before);
}

TEST(sparse_rows_are_their_dense_twins) {
    for (const bool weighted : {false, true}) {
        const Stream stream = make_stream({.rows = 1500, .numbers = 40, .weights = weighted, .zeros = 0.8}, 11);
        Cut cut;
        stream.cut(0, stream.n_rows(), cut);
        std::vector<double> values;
        std::vector<std::int32_t> columns;
        std::vector<std::int64_t> starts{0};
        for (std::size_t i = 0; i < stream.n_rows(); ++i) {
            for (std::size_t j = 0; j < stream.columns.size(); ++j)
                if (const double x = stream.columns[j].numbers[i]; x != 0.0) {
                    values.push_back(x);
                    columns.push_back(static_cast<std::int32_t>(j));
                }
            starts.push_back(static_cast<std::int64_t>(values.size()));
        }
        const double zero = 0.0;
        Batch sparse = cut.batch;
        sparse.dense = nullptr;
        sparse.sparse = {values.data(), columns.data(), starts.data()};
        for (ColumnView& column : sparse.columns) column = {&zero, 0, Dtype::f64, nullptr};
        TreeParams params;
        params.c = 0.005;
        SharedModel one{Model(params)}, other{Model(params)};
        one.learn(cut.batch, cut.names, true, cut.labels, cut.weights);
        other.learn(sparse, cut.names, true, cut.labels, cut.weights);
        CHECK(bytes(one) == bytes(other));
        one.read([&](const Model& model) {
            CHECK(!model.tree().splits().empty());
            std::vector<std::uint32_t> dense_nodes(stream.n_rows()), sparse_nodes(stream.n_rows());
            Lesson(cut.batch, cut.names, model).apply(model, dense_nodes.data());
            Lesson(sparse, cut.names, model).apply(model, sparse_nodes.data());
            CHECK(dense_nodes == sparse_nodes);
        });
    }
}
