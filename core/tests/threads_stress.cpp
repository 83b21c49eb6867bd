// Proves that a shared model may be read, saved and taught from many threads at once: predictions are in range,
// every snapshot loads, and with one writer the result is that of learning alone. Meant for a thread sanitizer.
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "sapwood/crew.hpp"
#include "sapwood/format.hpp"
#include "sapwood/shared_model.hpp"
#include "streams.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

using Clock = std::chrono::steady_clock;

struct Plan {
    TreeParams params;
    StreamShape shape;
    std::size_t writers = 1;
    std::chrono::milliseconds duration{500};
};

/// What the threads found wrong; the harness itself is used by one thread only.
struct Findings {
    std::atomic<int> predictions{0}, shares{0}, snapshots{0};
    std::atomic<int> looks{0}, saves{0};
};

void learn(SharedModel& shared, const Stream& stream, std::size_t begin, std::size_t end) {
    Cut cut;
    stream.cut(begin, end, cut);
    shared.learn(cut.batch, cut.names, false, cut.labels, cut.weights);
}

/// The k-th batch of a stream that begins again at its end. Now and then one is longer than a writer's turn.
void learn_batch(SharedModel& shared, const Stream& stream, std::size_t k) {
    constexpr std::size_t kLengths[] = {1, 30, 300, 5000};
    const std::size_t length = kLengths[k % 4];
    const std::size_t begin = (k * 701) % (stream.n_rows() - length);
    learn(shared, stream, begin, begin + length);
}

void predict_until(const std::atomic<bool>& done, const SharedModel& shared, const Stream& stream, std::uint64_t seed,
                   Findings& findings) {
    Random random(seed);
    std::vector<std::uint32_t> classes;
    std::vector<double> shares;
    while (!done) {
        const std::size_t n = 1 + random.below(100), begin = random.below(stream.n_rows() - n);
        Cut cut;
        stream.cut(begin, begin + n, cut);
        classes.assign(n, 0);
        shared.read([&](const Model& model) {
            const std::size_t k = model.tree().n_classes();
            shares.assign(n * k, 0.0);
            Lesson lesson(cut.batch, cut.names, model);
            lesson.check(model);
            lesson.predict(model, classes.data());
            lesson.predict_probabilities(model, shares.data());
            for (const std::uint32_t y : classes)
                if (y >= k && !(y == kNoClass && model.tree().n_classes_learned() == 0)) ++findings.predictions;
            for (std::size_t i = 0; i < n && k; ++i) {
                double sum = 0.0;
                for (std::size_t y = 0; y < k; ++y) sum += shares[i * k + y];
                if (!(std::fabs(sum - 1.0) < 1e-9)) ++findings.shares;
            }
        });
        ++findings.looks;
    }
}

void save_until(const std::atomic<bool>& done, const SharedModel& shared, Findings& findings) {
    while (!done) {
        const std::string bytes = shared.read([](const Model& model) { return encode(model, "owner"); });
        try {
            std::string owner;
            const Model back = decode(bytes, owner);
            if (encode(back, owner) != bytes) ++findings.snapshots;
        } catch (const std::invalid_argument&) {
            ++findings.snapshots;
        }
        ++findings.saves;
    }
}

void stress(const Plan& plan) {
    const Stream stream = make_stream(plan.shape, 1);
    SharedModel shared{Model(plan.params)};
    Findings findings;
    std::atomic<bool> done{false};
    std::vector<std::thread> readers, writers;
    for (std::uint64_t seed : {2, 3, 4})
        readers.emplace_back([&, seed] { predict_until(done, shared, stream, seed, findings); });
    readers.emplace_back([&] { save_until(done, shared, findings); });
    std::vector<std::size_t> batches(plan.writers, 0);
    const auto deadline = Clock::now() + plan.duration;
    for (std::size_t w = 0; w < plan.writers; ++w)
        writers.emplace_back([&, w] {
            for (; Clock::now() < deadline; ++batches[w]) learn_batch(shared, stream, batches[w]);
        });
    for (std::thread& writer : writers) writer.join();
    done = true;
    for (std::thread& reader : readers) reader.join();

    CHECK_EQ(findings.predictions.load(), 0);
    CHECK_EQ(findings.shares.load(), 0);
    CHECK_EQ(findings.snapshots.load(), 0);
    CHECK(findings.looks > 0);
    CHECK(findings.saves > 0);
    const auto bytes_of = [](const SharedModel& model) {
        return model.read([](const Model& m) { return encode(m, ""); });
    };
    // However the calls of two writers fell, each batch was learned once and whole: the counts are the same.
    SharedModel alone{Model(plan.params)};
    for (std::size_t w = 0; w < plan.writers; ++w)
        for (std::size_t k = 0; k < batches[w]; ++k) learn_batch(alone, stream, k);
    for (const std::size_t n : batches) CHECK(n > 0);
    const auto t_of = [](const SharedModel& model) { return model.read([](const Model& m) { return m.tree().t(); }); };
    CHECK_EQ(t_of(shared), t_of(alone));
    if (plan.writers == 1) CHECK(bytes_of(shared) == bytes_of(alone));
}

}  // namespace

TEST(one_writer_three_readers_and_a_saver) {
    Plan plan;
    plan.shape = {.rows = 8000, .texts = 1, .n_categories = 40, .n_classes = 3, .missing = 0.05};
    plan.params.leaf_prediction = LeafPrediction::adaptive;
    plan.duration = std::chrono::milliseconds(800);
    stress(plan);
}

TEST(two_writers_take_turns) {
    Plan plan;
    plan.shape = {.rows = 8000, .texts = 1, .n_classes = 3};
    plan.writers = 2;
    stress(plan);
}

TEST(one_writer_under_a_byte_limit) {
    Plan plan;
    plan.shape = {.rows = 8000, .texts = 2, .n_categories = 200, .n_classes = 3, .missing = 0.05};
    plan.params.max_bytes = 40000;
    stress(plan);
}

TEST(a_reader_may_be_several_threads_while_another_writes) {
    const std::size_t n = 3 * kRowsPerThread;
    const Stream stream = make_stream({.rows = n, .texts = 1, .n_classes = 3}, 7);
    SharedModel shared{Model()};
    learn(shared, stream, 0, 100);
    std::thread writer([&] {
        for (std::size_t at = 100; at + 500 < n; at += 500) learn(shared, stream, at, at + 500);
    });
    Cut cut;
    stream.cut(0, n, cut);
    std::vector<std::uint32_t> together(n), alone(n);
    for (int i = 0; i < 20; ++i)
        shared.read([&](const Model& model) {
            const auto ask = [&](std::vector<std::uint32_t>& out, std::size_t threads) {
                ask_side_by_side(model, cut.batch, cut.names, threads,
                                 [&](Lesson& lesson, std::size_t at) { lesson.predict(model, out.data() + at); });
            };
            ask(together, 3);
            ask(alone, 1);
            CHECK(together == alone);
        });
    writer.join();
}

TEST(rows_and_batches_may_be_mixed) {
    const Stream stream = make_stream({.rows = 3000, .texts = 1, .n_classes = 3}, 5);
    SharedModel shared{Model()};
    std::atomic<bool> done{false};
    Findings findings;
    std::thread reader([&] { predict_until(done, shared, stream, 6, findings); });
    std::thread rows([&] {
        for (std::size_t i = 0; i < 1000; ++i) shared.write([&](Model& model) { stream.learn_row(model, i); });
    });
    std::thread batches([&] {
        for (std::size_t at = 1000; at < 3000; at += 100) learn(shared, stream, at, at + 100);
    });
    rows.join();
    batches.join();
    done = true;
    reader.join();
    CHECK_EQ(findings.predictions.load(), 0);
    CHECK_EQ(shared.read([](const Model& model) { return model.tree().t(); }), 3000.0);
}

TEST(who_does_not_wait_does_nothing_instead) {
    const Stream stream = make_stream({.rows = 3000, .n_classes = 3}, 5);
    SharedModel shared{Model()};
    std::atomic<bool> done{false};
    Findings findings;
    std::thread reader([&] { predict_until(done, shared, stream, 6, findings); });
    std::thread glancer([&] {
        double latest = 0.0;
        while (!done)
            shared.try_read([&](const Model& model) {
                if (model.tree().t() < latest) ++findings.snapshots;
                latest = model.tree().t();
            });
    });
    std::vector<std::thread> writers;
    for (std::size_t begin = 0; begin < 2000; begin += 1000)
        writers.emplace_back([&, begin] {
            for (std::size_t i = begin; i < begin + 1000; ++i) {
                const auto teach = [&](Model& model) { stream.learn_row(model, i); };
                if (!shared.try_write(teach)) shared.write(teach);
            }
        });
    writers.emplace_back([&] {
        for (std::size_t at = 2000; at < 3000; at += 100) learn(shared, stream, at, at + 100);
    });
    for (std::thread& writer : writers) writer.join();
    done = true;
    reader.join();
    glancer.join();
    CHECK_EQ(findings.predictions.load() + findings.snapshots.load(), 0);
    CHECK_EQ(shared.read([](const Model& model) { return model.tree().t(); }), 3000.0);

    shared.write([&](Model&) {
        CHECK(!std::async(std::launch::async, [&] { return shared.try_read([](const Model&) {}); }).get());
        CHECK(!std::async(std::launch::async, [&] { return shared.try_write([](Model&) {}); }).get());
    });
    shared.read([&](const Model&) {
        CHECK(std::async(std::launch::async, [&] { return shared.try_read([](const Model&) {}); }).get());
        CHECK(!std::async(std::launch::async, [&] { return shared.try_write([](Model&) {}); }).get());
    });
}
