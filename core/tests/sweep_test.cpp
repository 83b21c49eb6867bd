// Proves that a sweep is its trees: leaves, bytes and every prediction of each setting are those of that tree alone.
#include "sapwood/sweep.hpp"

#include <cmath>
#include <map>
#include <vector>

#include "check.hpp"
#include "streams.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

std::vector<TreeParams> settings(TreeParams common, std::size_t n) {
    std::vector<TreeParams> trees;
    for (std::size_t i = 0; i < n; ++i) {
        const double at = static_cast<double>(i) / static_cast<double>(n);
        if (common.bound == Bound::c_tree)
            common.c = 0.001 * std::pow(300.0, at);
        else
            common.delta = 0.9 * std::pow(0.001, at);
        trees.push_back(common);
    }
    return trees;
}

void check_sweep(const std::vector<TreeParams>& trees, const Stream& stream, std::size_t batch) {
    Sweep sweep(trees);
    std::vector<Model> alone;
    for (const TreeParams& tree : trees) alone.emplace_back(tree);
    for (std::size_t begin = 0; begin < stream.n_rows(); begin += batch) {
        Cut cut;
        stream.cut(begin, std::min(stream.n_rows(), begin + batch), cut);
        Lesson lesson(cut.batch, cut.names, sweep.names());
        sweep.run(lesson, cut.labels, 0, cut.batch.n_rows);
        const PairsOfClasses taken = sweep.take_confusions();
        const auto bytes = sweep.nbytes();
        for (std::size_t i = 0; i < trees.size(); ++i) {
            Lesson single(cut.batch, cut.names, alone[i]);
            std::vector<std::uint32_t> predictions(cut.batch.n_rows);
            single.learn(alone[i], cut.labels, nullptr, 0, cut.batch.n_rows, predictions.data());
            CHECK_EQ(sweep.n_leaves()[i], alone[i].tree().leaves().size());
            CHECK_EQ(bytes[i], alone[i].tree().nbytes());
            std::map<std::int64_t, std::int64_t> expected, counted;
            for (std::size_t row = 0; row < predictions.size(); ++row) {
                const Value& label = cut.labels.values[static_cast<std::size_t>(cut.labels.codes[row])];
                const std::size_t y = *alone[i].schema().classes.find(label);
                const std::size_t said = predictions[row] == kNoClass ? 0 : std::size_t{1} + predictions[row];
                ++expected[static_cast<std::int64_t>(y << 32 | said)];
            }
            for (std::size_t at = 0; at < taken.pairs.size(); ++at)
                if (const std::int64_t count = taken.counts[i * taken.pairs.size() + at])
                    counted[taken.pairs[at]] = count;
            CHECK(counted == expected);
        }
    }
    CHECK(alone.front().tree().leaves().size() > alone.back().tree().leaves().size());
}

}  // namespace

TEST(a_sweep_is_its_trees) {
    for (const LeafPrediction leaf :
         {LeafPrediction::majority, LeafPrediction::naive_bayes, LeafPrediction::adaptive}) {
        TreeParams common;
        common.leaf_prediction = leaf;
        common.grace_period = 40.0;
        check_sweep(settings(common, 12), make_stream({.rows = 3000, .zeros = 0.2}, 1), 700);
        check_sweep(settings(common, 7),
                    make_stream({.rows = 2500, .texts = 1, .n_classes = 3, .missing = 0.05, .late = true}, 2), 999);
    }
}

TEST(a_sweep_over_delta_with_ties_and_a_depth) {
    TreeParams common;
    common.bound = Bound::hoeffding;
    common.tie_threshold = 0.05;
    common.has_max_depth = true;
    common.max_depth = 3;
    check_sweep(settings(common, 9), make_stream({.rows = 4000}, 3), 1000);
}

TEST(what_cannot_share_is_refused) {
    TreeParams a, b;
    b.c = 2 * a.c;
    CHECK_THROWS(Sweep({b, a}), "sorted");
    b.grace_period = 7.0;
    CHECK_THROWS(Sweep({a, b}), "c or delta alone");
    a.max_leaves = 3;
    CHECK_THROWS(Sweep({a}), "max_leaves");
}
