// Proves that a batch that is divided among threads gets the answers, and the errors, of one thread.
#include "sapwood/crew.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "sapwood/shared_model.hpp"
#include "streams.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

constexpr std::size_t kRows = 5 * kRowsPerThread + 123;

Model grown(const Stream& stream, LeafPrediction leaf_prediction) {
    TreeParams params;
    params.c = 0.005;
    params.leaf_prediction = leaf_prediction;
    SharedModel shared{Model(params)};
    Cut cut;
    stream.cut(0, 4000, cut);
    shared.learn(cut.batch, cut.names, true, cut.labels, nullptr);
    return shared.read([](const Model& model) { return model; });
}

struct Answers {
    std::vector<std::uint32_t> classes, nodes;
    std::vector<double> shares;
    bool operator==(const Answers&) const = default;
};

Answers answers_of(const Model& model, const Batch& batch, const std::vector<Value>& names, std::size_t threads) {
    const std::size_t k = model.tree().n_classes();
    Answers out;
    out.classes.resize(batch.n_rows);
    out.nodes.resize(batch.n_rows);
    out.shares.resize(batch.n_rows * k);
    ask_side_by_side(model, batch, names, threads, [&](Lesson& lesson, std::size_t at) {
        lesson.predict(model, out.classes.data() + at);
        lesson.apply(model, out.nodes.data() + at);
        lesson.predict_probabilities(model, out.shares.data() + at * k);
    });
    return out;
}

std::string refusal(const Model& model, const Batch& batch, const std::vector<Value>& names, std::size_t threads) {
    try {
        answers_of(model, batch, names, threads);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(ranges_make_up_the_whole) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, kRowsPerThread, 2 * kRowsPerThread, kRows})
        for (const std::size_t threads : {0, 1, 2, 3, 7, 100000}) {
            std::vector<std::atomic<int>> visits(n);
            std::atomic<std::size_t> ranges{0};
            divide(n, threads, [&](std::size_t begin, std::size_t end, Watch*) {
                ++ranges;
                for (std::size_t i = begin; i < end; ++i) ++visits[i];
            });
            std::size_t wrong = 0;
            for (const auto& visit : visits) wrong += visit != 1;
            CHECK_EQ(wrong, std::size_t{0});
            CHECK(ranges >= 1 && ranges <= std::max<std::size_t>(1, std::min(threads, n / kRowsPerThread)));
        }
}

TEST(the_first_range_that_fails_is_heard_when_all_have_ended) {
    std::atomic<int> ended{0};
    std::string heard;
    try {
        divide(4 * kRowsPerThread, 4, [&](std::size_t begin, std::size_t, Watch*) {
            ++ended;
            if (begin >= 2 * kRowsPerThread)
                throw std::runtime_error("range " + std::to_string(begin / kRowsPerThread));
        });
    } catch (const std::runtime_error& error) {
        heard = error.what();
    }
    CHECK_EQ(heard, std::string("range 2"));
    CHECK_EQ(ended.load(), 4);
}

TEST(answers_do_not_depend_on_threads) {
    const Stream numbers = make_stream({.rows = kRows, .numbers = 4}, 1);
    const Stream mixed =
        make_stream({.rows = kRows, .texts = 2, .n_categories = 50, .n_classes = 3, .missing = 0.1}, 2);
    for (const Stream* stream : {&numbers, &mixed})
        for (const auto prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
            const Model model = grown(*stream, prediction);
            CHECK(model.tree().leaves().size() > 1);
            Cut cut;
            stream->cut(0, kRows, cut);
            const Answers alone = answers_of(model, cut.batch, cut.names, 1);
            for (const std::size_t threads : {2, 3, 5, 64})
                CHECK(answers_of(model, cut.batch, cut.names, threads) == alone);
        }
}

TEST(an_array_is_sliced_in_place) {
    std::vector<double> values;
    Random random(3);
    for (std::size_t i = 0; i < 3 * kRows; ++i) values.push_back(random.uniform());
    const Stream stream = make_stream({.rows = 4000}, 1);
    const Model model = grown(stream, LeafPrediction::majority);
    Batch batch;
    batch.n_rows = kRows;
    batch.dense = values.data();
    for (std::size_t j = 0; j < 3; ++j)
        batch.columns.push_back({values.data() + j, 3 * sizeof(double), Dtype::f64, nullptr});
    const std::vector<Value> names = {"x0", "x1", "x2"};
    CHECK(answers_of(model, batch, names, 3) == answers_of(model, batch, names, 1));
    const Batch part = batch.slice(10, 12);
    CHECK_EQ(part.n_rows, std::size_t{2});
    CHECK(part.dense == values.data() + 30);
    CHECK_EQ(part.columns[2].number(1), values[3 * 11 + 2]);
}

TEST(a_refusal_names_the_row_of_the_whole_batch) {
    Stream stream = make_stream({.rows = kRows}, 1);
    const Model model = grown(stream, LeafPrediction::majority);
    stream.columns[1].numbers[kRows - 5] = std::numeric_limits<double>::infinity();
    stream.columns[2].numbers[7] = std::numeric_limits<double>::infinity();
    Cut cut;
    stream.cut(0, kRows, cut);
    const std::string alone = refusal(model, cut.batch, cut.names, 1);
    CHECK(alone.find("row " + std::to_string(kRows - 5)) != std::string::npos);
    for (const std::size_t threads : {2, 4}) CHECK_EQ(refusal(model, cut.batch, cut.names, threads), alone);
}
