// What a row costs, on a few fixed streams: `gate NAME` runs one of them, for gate.py to count its instructions.
//
// Only what happens inside counted() is counted, so a stream is drawn, and a tree to predict with is grown, for
// nothing. A run prints how many rows were counted, the leaves of its tree and the errors made: a cost is worth nothing
// without the result that it buys.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

#include "sapwood/shared_model.hpp"
#include "streams.hpp"

#if defined(__clang__)
#define SAPWOOD_COUNTED __attribute__((noinline, used, visibility("default")))
#elif defined(__GNUC__)
#define SAPWOOD_COUNTED __attribute__((noinline, noclone, used, visibility("default")))
#else
#define SAPWOOD_COUNTED
#endif

/// The counter is on while this function runs; gate.py knows it by its name.
extern "C" SAPWOOD_COUNTED void counted(const std::function<void()>& work);
extern "C" void counted(const std::function<void()>& work) {
    work();
#if defined(__GNUC__)
    asm volatile("" ::: "memory");  // else the call would be a jump, and the function over before the work began
#endif
}

namespace sapwood::gate {
namespace {

struct Outcome {
    std::size_t rows = 0, leaves = 0, errors = 0;
};

/// A tree that grows quickly, where a short stream must reach what a tree does when it is large.
TreeParams eager() {
    TreeParams params;
    params.c = 0.01;
    return params;
}

Outcome outcome_of(const Model& model, const Stream& stream, const std::vector<std::uint32_t>& predicted) {
    Outcome outcome{stream.n_rows(), model.tree().leaves().size(), 0};
    for (std::size_t i = 0; i < stream.n_rows(); ++i)
        outcome.errors += model.schema().classes.find(stream.label(i)).value_or(kNoClass) != predicted[i];
    return outcome;
}

Outcome outcome_of(const SharedModel& shared, const Stream& stream, const std::vector<std::uint32_t>& predicted) {
    return shared.read([&](const Model& model) { return outcome_of(model, stream, predicted); });
}

Outcome test_then_train(const Stream& stream, const TreeParams& params) {
    SharedModel shared{Model(params)};
    std::vector<std::uint32_t> predicted(stream.n_rows());
    counted([&] { shared.learn(stream.batch, stream.names, true, stream.labels, nullptr, predicted.data()); });
    return outcome_of(shared, stream, predicted);
}

Outcome numbers() {
    Stream stream;
    draw_numbers(stream, 100000, 1);
    return test_then_train(stream, {});
}

Outcome adaptive() {
    Stream stream;
    draw_numbers(stream, 50000, 1);
    TreeParams params;
    params.leaf_prediction = LeafPrediction::adaptive;
    return test_then_train(stream, params);
}

Outcome categories() {
    Stream stream;
    draw_categories(stream, 30000, 2);
    return test_then_train(stream, eager());
}

Outcome onehot() {
    Stream stream;
    draw_onehot(stream, 10000, 3);
    return test_then_train(stream, eager());
}

Outcome predict() {
    Stream stream;
    draw_numbers(stream, 100000, 1);
    SharedModel shared{Model()};
    shared.learn(stream.batch, stream.names, true, stream.labels, nullptr);
    std::vector<std::uint32_t> predicted(stream.n_rows());
    counted([&] {
        shared.read([&](const Model& model) {
            Lesson lesson(stream.batch, stream.names, model);
            lesson.check(model);
            lesson.predict(model, predicted.data());
        });
    });
    return outcome_of(shared, stream, predicted);
}

/// Naive Bayes at every leaf: the dearest prediction.
Outcome probabilities() {
    Stream stream;
    draw_categories(stream, 10000, 2);
    TreeParams params = eager();
    params.leaf_prediction = LeafPrediction::naive_bayes;
    SharedModel shared{Model(params)};
    shared.learn(stream.batch, stream.names, true, stream.labels, nullptr);
    const std::size_t k = shared.read([](const Model& model) { return model.tree().n_classes(); });
    std::vector<double> shares(stream.n_rows() * k);
    counted([&] {
        shared.read([&](const Model& model) {
            Lesson lesson(stream.batch, stream.names, model);
            lesson.check(model);
            lesson.predict_probabilities(model, shares.data());
        });
    });
    std::vector<std::uint32_t> predicted;
    for (std::size_t i = 0; i < stream.n_rows(); ++i) {
        const auto first = shares.begin() + static_cast<std::ptrdiff_t>(i * k);
        predicted.push_back(
            static_cast<std::uint32_t>(std::max_element(first, first + static_cast<std::ptrdiff_t>(k)) - first));
    }
    return outcome_of(shared, stream, predicted);
}

/// Rows as mappings, one by one.
Outcome rows() {
    Stream stream;
    draw_categories(stream, 20000, 4);
    Model model(eager());
    for (std::size_t j = 0; j < stream.names.size(); ++j)
        model.add_column(stream.names[j], stream.batch.columns[j].categories ? Kind::categorical : Kind::numeric);
    std::vector<std::vector<Cell>> cells;
    for (std::size_t i = 0; i < stream.n_rows(); ++i) cells.push_back(stream.cells(i));
    std::vector<std::uint32_t> predicted(stream.n_rows());
    counted([&] {
        std::vector<double> row;
        for (std::size_t i = 0; i < stream.n_rows(); ++i) {
            model.encode_row(cells[i], row);
            predicted[i] = model.tree().predict_at(model.tree().route(row.data()), row.data());
            model.learn_row(cells[i], stream.label(i), 1.0);
        }
    });
    return outcome_of(model, stream, predicted);
}

Outcome asking() {
    Stream stream;
    draw_numbers(stream, 100000, 1);
    SharedModel shared{Model()};
    Strategy strategy(parse_strategy("conf-tree"));
    BudgetParams cap;
    cap.cap = Cap::rate;
    cap.rate = 0.3;
    Budget budget(cap);
    Rng rng(5);
    Trial trial(strategy, budget, nullptr, rng, 0);
    std::vector<std::uint32_t> predicted(stream.n_rows());
    std::vector<std::uint8_t> asked(stream.n_rows());
    counted([&] {
        shared.run(trial, stream.batch, stream.names, stream.labels, nullptr, predicted.data(), asked.data(), {});
    });
    return outcome_of(shared, stream, predicted);
}

struct Course {
    const char* name;
    Outcome (*run)();
};
constexpr Course kCourses[] = {{"numbers", numbers}, {"adaptive", adaptive}, {"categories", categories},
                               {"onehot", onehot},   {"predict", predict},   {"probabilities", probabilities},
                               {"rows", rows},       {"asking", asking}};

/// What the number of instructions depends on beside the code.
void print_compiler() {
#if defined(__clang__)
    std::printf("clang %d", __clang_major__);
#elif defined(__GNUC__)
    std::printf("gcc %d", __GNUC__);
#else
    std::printf("unknown");
#endif
#if defined(__x86_64__)
    std::printf(" x86_64\n");
#elif defined(__aarch64__)
    std::printf(" aarch64\n");
#else
    std::printf(" other\n");
#endif
}

int run(int count, char** words) {
    if (count == 1) {
        print_compiler();
        for (const Course& course : kCourses) std::printf("%s\n", course.name);
        return 0;
    }
    for (const Course& course : kCourses) {
        if (std::strcmp(course.name, words[1]) != 0) continue;
        const Outcome outcome = course.run();
        std::printf("%zu %zu %zu\n", outcome.rows, outcome.leaves, outcome.errors);
        return 0;
    }
    std::fprintf(stderr, "There is no stream %s; without a name they are listed.\n", words[1]);
    return 2;
}

}  // namespace
}  // namespace sapwood::gate

int main(int count, char** words) {
    return sapwood::gate::run(count, words);
}
