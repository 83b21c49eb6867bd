// Models as states to be fuzzed: one for each way to count, to split, to predict and to be bounded.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "models.hpp"
#include "repair.hpp"
#include "sapwood/format.hpp"
#include "sapwood/shared_model.hpp"

namespace sapwood::testing {
namespace {

Model taught(const TreeParams& params, const StreamShape& shape, std::uint64_t seed) {
    const Stream stream = make_stream(shape, seed);
    Model model(params);
    for (std::size_t i = 0; i < stream.n_rows(); ++i) stream.learn_row(model, i);
    return model;
}

/// A file with this payload, and the length and checksum that go with it.
std::string file_of(const std::string& payload) {
    std::string file = encode(Model(), "").substr(0, kHeader) + payload + std::string(kChecksum, '\0');
    repair(file);
    return file;
}

std::string payload_of(const Model& model) {
    const std::string file = encode(model, "");
    return file.substr(kHeader, file.size() - kHeader - kChecksum);
}

Model read_file(const std::string& file) {
    std::string owner;
    return decode(file, owner);
}

/// Loads what was saved: the same bytes, and as large.
Model saved_and_loaded(const Model& model) {
    const std::string file = encode(model, "");
    try {
        Model again = read_file(file);
        hold(encode(again, "") == file, "what was saved is not what was loaded");
        hold(again.tree().nbytes() == model.tree().nbytes(), "a loaded model has another size");
        return again;
    } catch (const std::invalid_argument& error) {
        throw Broken(std::string("what was saved cannot be loaded: ") + error.what());
    }
}

void predict(const Model& model, const Stream& stream, std::size_t row) {
    const Tree& tree = model.tree();
    std::vector<double> values;
    model.encode_row(stream.cells(row, model.schema()), values);
    const std::uint32_t node = tree.route(values.data()), y = tree.predict_at(node, values.data());
    hold(y == kNoClass ? tree.n_classes_learned() == 0 : y < tree.n_classes(), "a prediction is no class");
    std::vector<double> shares(tree.n_classes());
    if (shares.empty()) return;
    tree.probabilities_at(node, values.data(), shares.data());
    double sum = 0.0;
    for (const double share : shares) {
        hold(share >= 0.0 && share <= 1.0, "a probability is none");
        sum += share;
    }
    hold(std::fabs(sum - 1.0) < 1e-9, "probabilities do not sum to 1");
    const double most = tree.confidence_at(node, values.data());
    hold(most == *std::max_element(shares.begin(), shares.end()), "the confidence is another one");
}

}  // namespace

Stream stream_for(const Model& model, std::size_t n_rows, Random& random) {
    constexpr double kNumbers[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e6, 1e-300, 5e-324, 1e300, -1e300};
    constexpr double kWeights[] = {1.0, 1.0, 1.0, 0.0, 2.0, 0.5, 1e-300, 5e-324, 1e-16, 2147483646.5};
    const Schema& schema = model.schema();
    Stream stream;
    for (std::uint32_t j = 0; j < schema.columns.size(); ++j) {
        Column column;
        column.name = schema.columns[j];
        const Names& known = schema.categories[j];
        if (schema.kinds[j] == Kind::categorical) {
            column.categories = known.values();
            const bool text = known.size() == 0 || is_text(known[0]);
            column.categories.push_back(text ? Value(std::string("a new category")) : Value(1234.5));
        }
        for (std::size_t i = 0; i < n_rows; ++i) {
            const bool missing = random.chance(0.1);
            column.numbers.push_back(missing              ? std::numeric_limits<double>::quiet_NaN()
                                     : random.chance(0.2) ? one_of(kNumbers, random)
                                                          : random.uniform());
            column.codes.push_back(missing || !column.categorical()
                                       ? -1
                                       : static_cast<std::int32_t>(random.below(column.categories.size())));
        }
        stream.columns.push_back(column);
    }
    stream.classes = schema.classes.values();
    const bool text = schema.classes.size() && is_text(schema.classes[0]);
    const bool fresh = random.chance(0.1) || stream.classes.empty();
    if (fresh) stream.classes.push_back(text ? Value(std::string("a new class")) : Value(std::int64_t{1234}));
    const bool weighted = random.chance(0.3);
    for (std::size_t i = 0; i < n_rows; ++i) {
        stream.labels.push_back(static_cast<std::int32_t>(random.below(stream.classes.size())));
        if (weighted) stream.weights.push_back(one_of(kWeights, random));
    }
    return stream;
}

Model live_on(Model model, Random& random) {
    model = saved_and_loaded(model);
    const std::size_t most = model.tree().params().max_bytes;
    const auto in_bounds = [&](const Model& now) {
        const bool named = now.tree().n_columns() + now.tree().n_classes() > 0;
        hold(!most || !named || now.tree().nbytes() <= most, "a model is larger than max_bytes");
    };
    in_bounds(model);
    const Stream stream = stream_for(model, 24, random);
    const std::size_t by_row = random.below(stream.n_rows());
    for (std::size_t i = 0; i < by_row; ++i) {
        predict(model, stream, i);
        try {
            stream.learn_row(model, i);
        } catch (const std::invalid_argument& error) {
            hold(most && std::strstr(error.what(), "max_bytes"), error.what());
        }
        in_bounds(model);
    }
    Cut cut;
    stream.cut(by_row, stream.n_rows(), cut);
    SharedModel shared(model);
    std::vector<std::uint32_t> predictions(cut.batch.n_rows);
    try {
        shared.learn(cut.batch, cut.names, random.chance(0.5), cut.labels, cut.weights, predictions.data());
    } catch (const std::invalid_argument& error) {
        hold(most && std::strstr(error.what(), "max_bytes"), error.what());
    }
    Model taught_on = shared.read([](const Model& now) { return now; });
    in_bounds(taught_on);
    predict(taught_on, stream, 0);
    return saved_and_loaded(taught_on);
}

std::vector<Model> model_seeds() {
    std::vector<Model> models;
    models.emplace_back();
    for (const LeafPrediction leaves :
         {LeafPrediction::majority, LeafPrediction::naive_bayes, LeafPrediction::adaptive}) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian, NumericSplits::exact}) {
            TreeParams params;
            params.leaf_prediction = leaves;
            params.numeric_splits = splits;
            params.n_bins = 3;
            params.grace_period = 10;
            params.tie_threshold = 2.0;
            const std::uint64_t seed = models.size();
            models.push_back(taught(params, {.rows = 30, .numbers = 1, .texts = 1, .n_categories = 3}, seed));
            params.has_max_depth = true;
            params.max_depth = 1;
            models.push_back(
                taught(params, {.rows = 24, .numbers = 2, .n_classes = 3, .missing = 0.1, .weights = true}, seed));
            if (splits == NumericSplits::exact) continue;
            params.has_max_depth = false;
            params.max_leaves = 3;
            params.max_bytes = 6000;
            models.push_back(taught(params, {.rows = 60, .numbers = 1, .texts = 1, .n_categories = 9}, seed));
        }
        TreeParams moa;
        moa.compat = Compat::moa;
        moa.criterion = Criterion::entropy;
        moa.bound = Bound::hoeffding;
        moa.numeric_splits = NumericSplits::gaussian;
        moa.leaf_prediction = leaves;
        moa.tie_threshold = 2.0;
        moa.grace_period = 10;
        models.push_back(taught(moa, {.rows = 30, .numbers = 1, .texts = 1, .n_categories = 3}, models.size()));
    }
    TreeParams waits;
    waits.n_bins = 2;
    models.push_back(taught(waits, {.rows = 6, .numbers = 3, .zeros = 0.5, .late = true}, 15));
    models.push_back(taught(waits, {.rows = 3, .numbers = 32, .texts = 1, .missing = 0.02, .zeros = 0.9}, 18));
    return models;
}

StateKind models() {
    StateKind kind{"model", {}, [](const std::string& state, std::size_t, Random& random) {
                       live_on(read_file(file_of(state)), random);
                   }};
    for (const Model& model : model_seeds()) {
        Fields map;
        map(std::string(), model.tree().params(), model);
        hold(map.bytes() == payload_of(model), "the map of a model is wrong");
        kind.seeds.push_back(map);
    }
    return kind;
}

}  // namespace sapwood::testing
