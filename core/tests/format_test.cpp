// Proves the file format: the same model gives the same bytes and comes back whole; no change of a byte goes
// unnoticed; and bytes that were made to deceive, checksum and all, give a refusal or a model that works.
#include "sapwood/format.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "fields.hpp"
#include "repair.hpp"
#include "sapwood/archive.hpp"
#include "sapwood/shared_model.hpp"
#include "streams.hpp"

using namespace sapwood;
using namespace sapwood::testing;

namespace {

Model taught(const TreeParams& params, const StreamShape& shape, std::uint64_t seed) {
    const Stream stream = make_stream(shape, seed);
    Model model(params);
    for (std::size_t i = 0; i < stream.n_rows(); ++i) stream.learn_row(model, i);
    return model;
}

TreeParams moa_params() {
    TreeParams params;
    params.compat = Compat::moa;
    params.criterion = Criterion::entropy;
    params.bound = Bound::hoeffding;
    params.numeric_splits = NumericSplits::gaussian;
    params.leaf_prediction = LeafPrediction::adaptive;
    params.delta = 1e-7;
    params.tie_threshold = 0.1;
    params.grace_period = 50;
    return params;
}

/// A few small models that together hold everything that a file can hold.
std::vector<Model> small_models() {
    std::vector<Model> models;
    models.emplace_back();
    TreeParams params;
    params.n_bins = 8;
    params.grace_period = 20;
    models.push_back(taught(params, {.rows = 300, .numbers = 2, .texts = 1, .missing = 0.1}, 1));
    params.leaf_prediction = LeafPrediction::adaptive;
    models.push_back(
        taught(params, {.rows = 250, .numbers = 2, .texts = 1, .n_classes = 3, .weights = true, .late = true}, 2));
    params.leaf_prediction = LeafPrediction::naive_bayes;
    params.numeric_splits = NumericSplits::gaussian;
    params.criterion = Criterion::entropy;
    params.max_leaves = 3;
    models.push_back(taught(params, {.rows = 250, .numbers = 2, .texts = 1, .missing = 0.1}, 3));
    params = {};
    params.n_bins = 8;
    params.max_bytes = 12000;
    params.has_max_depth = true;
    params.max_depth = 3;
    models.push_back(taught(params, {.rows = 400, .numbers = 2, .texts = 1, .n_categories = 40}, 4));
    params = {};
    params.numeric_splits = NumericSplits::exact;
    params.bound = Bound::theorem;
    params.criterion = Criterion::kearns_mansour;
    params.tie_threshold = 5.0;
    params.grace_period = 25;
    models.push_back(taught(params, {.rows = 60, .numbers = 2}, 5));
    models.push_back(taught(moa_params(), {.rows = 300, .numbers = 1, .texts = 1}, 6));
    params = {};
    params.n_bins = 8;
    params.grace_period = 20;
    models.push_back(
        taught(params, {.rows = 110, .numbers = 3, .zeros = 0.5, .late = true}, 15));  // rows wait, zeros do
    models.push_back(taught(params, {.rows = 110, .numbers = 2, .weights = true, .zeros = 0.5}, 16));
    params.n_bins = 2;
    models.push_back(taught(params, {.rows = 48, .numbers = 32, .texts = 2, .missing = 0.02, .zeros = 0.9}, 18));
    return models;
}

Model decoded(std::string_view bytes) {
    std::string owner;
    return decode(bytes, owner);
}

/// Predicts and learns rows that suit the model's columns; returns what came of it.
Model exercise(const Model& given, Random& random) {
    Model model = given;
    std::vector<double> shares;
    std::vector<double> row;
    const int halved = static_cast<int>(random.below(60));  // a row of half a weight, or none
    for (int i = 0; i < 40; ++i) {
        const Schema& schema = model.schema();
        std::vector<Cell> cells;
        for (std::uint32_t j = 0; j < schema.columns.size(); ++j) {
            if (random.chance(0.1)) continue;
            Cell cell;
            cell.column = j;
            const Names& categories = schema.categories[j];
            cell.text = schema.kinds[j] == Kind::categorical && (categories.size() == 0 || is_text(categories[0]));
            if (cell.text)
                cell.string = "category " + std::to_string(random.below(50));
            else
                cell.number = random.chance(0.2) ? 0.0 : random.uniform() * (random.chance(0.1) ? 1e6 : 1.0);
            cells.push_back(cell);
        }
        model.encode_row(cells, row);
        const std::uint32_t node = model.tree().route(row.data());
        const std::uint32_t y = model.tree().predict_at(node, row.data());
        CHECK(y == kNoClass || y < model.tree().n_classes());
        shares.assign(model.tree().n_classes(), 0.0);
        model.tree().probabilities_at(node, row.data(), shares.data());
        const std::size_t known = model.tree().n_classes();
        const bool text_labels = known && is_text(schema.classes[0]);
        const Value fresh = text_labels ? Value(std::string("a new class")) : Value(std::int64_t{1234});
        const Value label = known && !random.chance(0.05) ? schema.classes[random.below(known)] : fresh;
        try {
            model.learn_row(cells, label, i == halved ? 0.5 : 1.0);
        } catch (const std::invalid_argument& error) {
            // The refusals that such a row can meet: a byte limit, or a list of classes, that was changed.
            CHECK(std::strstr(error.what(), "max_bytes") || std::strstr(error.what(), "The label"));
        }
    }
    for (const Split& split : model.tree().splits()) {
        const Certificate& made = split.certificate;  // a name for every category that a split tells of
        if (made.categorical)
            CHECK(made.key >= 0.0 && made.key < static_cast<double>(model.schema().categories[made.feature].size()));
    }
    std::vector<double> rows(16 * model.tree().n_columns(), 0.5);
    std::vector<std::uint32_t> nodes(16);
    if (!rows.empty()) model.tree().route_block(rows.data(), 16, model.tree().n_columns(), nodes.data(), false);
    return model;
}

/// A file that was tampered with is refused, or gives a model that works.
void check_tampered(std::string bytes, Random& random) {
    repair(bytes);
    std::optional<Model> model;
    try {
        model = decoded(bytes);
    } catch (const std::invalid_argument&) {
        return;
    }
    exercise(*model, random);
}

}  // namespace

TEST(a_model_comes_back_as_it_was) {
    Random random(1);
    for (const Model& model : small_models()) {
        const std::string bytes = encode(model, "{\"owner\": 1}");
        std::string owner;
        const Model back = decode(bytes, owner);
        CHECK_EQ(owner, "{\"owner\": 1}");
        CHECK(encode(back, owner) == bytes);
        CHECK_EQ(back.tree().nbytes(), model.tree().nbytes());
        CHECK_EQ(back.tree().t(), model.tree().t());
        CHECK_EQ(back.tree().leaves().size(), model.tree().leaves().size());
        CHECK_EQ(back.tree().params().max_bytes, model.tree().params().max_bytes);
        const Model taught_on = exercise(back, random);
        CHECK(encode(decoded(encode(taught_on, "")), "") == encode(taught_on, ""));
    }
}

TEST(a_loaded_model_learns_on_as_if_nothing_had_happened) {
    TreeParams params;
    params.leaf_prediction = LeafPrediction::adaptive;
    params.max_bytes = 60000;
    const Stream stream = make_stream({.rows = 3000, .texts = 1, .n_classes = 3, .missing = 0.05, .weights = true}, 7);
    Model model(params);
    Model other(params);
    for (std::size_t i = 0; i < stream.n_rows(); ++i) {
        stream.learn_row(model, i);
        if (i % 500 == 250) other = decoded(encode(other, ""));
        stream.learn_row(other, i);
    }
    CHECK(encode(model, "") == encode(other, ""));
    CHECK_EQ(model.tree().nbytes(), other.tree().nbytes());
}

TEST(a_model_with_rows_in_drawers_learns_on_as_if_nothing_had_happened) {
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        for (const std::size_t numbers : {3, 40}) {
            TreeParams params;
            params.leaf_prediction = prediction;
            params.n_bins = 12;
            const Stream stream = make_stream(
                {.rows = 900, .numbers = numbers, .n_classes = 3, .missing = 0.02, .zeros = 0.4, .late = true}, 17);
            Model model(params);
            Model other(params);
            std::size_t waiting = 0;
            for (std::size_t i = 0; i < stream.n_rows(); ++i) {
                stream.learn_row(model, i);
                stream.learn_row(other, i);
                if (i % 11 != 5) continue;
                for (const Leaf& leaf : other.tree().leaves()) waiting += leaf.drawer.n;
                const std::size_t before = other.tree().nbytes();
                other = decoded(encode(other, ""));
                CHECK_EQ(other.tree().nbytes(), before);
            }
            CHECK(encode(model, "") == encode(other, ""));
            CHECK_EQ(model.tree().nbytes(), other.tree().nbytes());
            CHECK(!model.tree().splits().empty());
            // Wide rows wait where naive Bayes does not read the counts.
            CHECK_EQ(waiting > 0, numbers == 3 || prediction == LeafPrediction::majority);
        }
    }
}

TEST(the_same_stream_gives_the_same_bytes) {
    const StreamShape shape{.rows = 500, .texts = 1};
    CHECK(encode(taught({}, shape, 8), "") == encode(taught({}, shape, 8), ""));
    CHECK(encode(taught({}, shape, 8), "") != encode(taught({}, shape, 9), ""));
    const Model model = taught({}, shape, 8);
    const Model copy = model;
    CHECK(encode(model, "x") == encode(copy, "x"));
    CHECK(encode(model, "x") != encode(model, "y"));
}

TEST(the_header_is_as_documented) {
    const std::string bytes = encode(Model(), "owner");
    CHECK_EQ(bytes.substr(0, 8), "\x89SAPWOOD");
    CHECK_EQ(bytes.substr(8, 8), std::string("\x02\0\0\0\0\0\0\0", 8));
    std::string repaired = bytes;
    repair(repaired);
    CHECK(repaired == bytes);  // length and checksum are those of this file's own arithmetic
    CHECK_EQ(bytes.substr(kHeader, 6), "\x05owner");
}

TEST(values_of_every_type_come_back) {
    Model model;
    const std::vector<Value> names{true,
                                   std::int64_t{-5},
                                   0.1,
                                   -0.0,
                                   1e300,
                                   std::numeric_limits<std::int64_t>::max(),
                                   std::numeric_limits<std::int64_t>::min(),
                                   std::string(),
                                   std::string("nul\0inside", 10),
                                   std::string(100000, 'z'),
                                   4503599627370497.0,
                                   5e-324};
    for (const Value& name : names) model.add_column(name, Kind::unknown);
    const Model back = decoded(encode(model, std::string("nul\0 and \xc3\xa9", 11)));
    CHECK_EQ(back.schema().columns.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) CHECK(back.schema().columns[i] == names[i]);
    CHECK(!std::signbit(std::get<double>(back.schema().columns[3])));  // 0 and -0 are one name
}

TEST(huge_numbers_can_be_saved_and_loaded) {
    // Any finite number may be learned; what was learned must be readable.
    for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian}) {
        TreeParams params;
        params.numeric_splits = splits;
        params.leaf_prediction = LeafPrediction::naive_bayes;
        Model model(params);
        const Value name = std::string("x");
        int i = 0;
        for (const double x : {1e200, -1e200, 1e308, -1e308, 5e-324, 0.0, 1e155}) {
            Cell cell;
            cell.number = x;
            const auto known = model.schema().columns.find(name);
            cell.column = known.value_or(kNewColumn);
            cell.name = &name;
            model.learn_row({cell}, i++ % 2 == 0, 1.0);
        }
        const std::string bytes = encode(model, "");
        CHECK(encode(decoded(bytes), "") == bytes);
    }
}

TEST(wrong_files_are_told_apart) {
    const std::string bytes = encode(taught({}, {.rows = 50}, 10), "");
    CHECK_THROWS(decoded(""), "does not begin as one does");
    CHECK_THROWS(decoded("a text file"), "does not begin as one does");
    CHECK_THROWS(decoded(bytes.substr(0, 20)), "truncated");
    CHECK_THROWS(decoded(bytes.substr(0, bytes.size() - 1)), "truncated");
    CHECK_THROWS(decoded(bytes + "x"), "bytes after its end");
    std::string changed = bytes;
    changed[bytes.size() / 2] ^= 1;
    CHECK_THROWS(decoded(changed), "checksum");
    changed = bytes;
    put(changed, 8, 99);
    CHECK_THROWS(decoded(changed), "format 99");
    put(changed, 8, 0);
    CHECK_THROWS(decoded(changed), "format number");
    CHECK_THROWS(decoded(encode(Model(), "\xff")), "not UTF-8");
    std::string longer = bytes;  // a payload that goes on after the model
    longer.insert(longer.size() - kChecksum, "more");
    repair(longer);
    CHECK_THROWS(decoded(longer), "more than a model");
}

TEST(no_changed_byte_goes_unnoticed) {
    for (const Model& model : small_models()) {
        const std::string bytes = encode(model, "owner");
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            for (const int change : {1 << (i % 8), 0xff}) {
                std::string changed = bytes;
                changed[i] = static_cast<char>(changed[i] ^ change);
                CHECK_THROWS(decoded(changed), "Not a readable sapwood model");
            }
        }
    }
}

TEST(no_truncation_goes_unnoticed) {
    for (const Model& model : small_models()) {
        const std::string bytes = encode(model, "owner");
        for (std::size_t n = 0; n < bytes.size(); ++n)
            CHECK_THROWS(decoded(bytes.substr(0, n)), "Not a readable sapwood model");
        // Cut inside the payload, with length and checksum repaired.
        for (std::size_t n = 0; n < bytes.size() - kHeader - kChecksum; n += 1 + n / 50) {
            std::string shorter = bytes.substr(0, kHeader + n) + std::string(kChecksum, '\0');
            repair(shorter);
            CHECK_THROWS(decoded(shorter), "Not a readable sapwood model");
        }
    }
}

TEST(every_byte_of_a_payload_may_be_changed) {
    // With the checksum repaired: each byte becomes 0, one more, one less, and its opposite.
    Random random(11);
    for (const Model& model : small_models()) {
        const std::string bytes = encode(model, "");
        for (std::size_t i = kHeader; i + kChecksum < bytes.size(); ++i) {
            std::string changed = bytes;
            const int was = static_cast<unsigned char>(bytes[i]);
            const int becomes[] = {0, was + 1, was - 1, was ^ 0x80};
            changed[i] = static_cast<char>(becomes[random.below(4)]);
            check_tampered(changed, random);
        }
    }
}

namespace {

/// The whole file with some of its fields, given from the last to the first, changed.
std::string tampered(const std::string& file, const Fields& map, const std::vector<std::size_t>& which,
                     Random& random) {
    std::string payload = map.bytes();
    for (const std::size_t i : which) {
        const Fields::Field& field = map.all()[i];
        payload.replace(field.begin, field.end - field.begin, lie(map, field, random));
    }
    return file.substr(0, kHeader) + payload + file.substr(file.size() - kChecksum);
}

}  // namespace

namespace {

/// Writes a model as the first format had it: no drawers, every zero counted, and a tally full only when a value found
/// no place of its own.
class FirstFormat {
   public:
    static constexpr bool kReads = false;

    explicit FirstFormat(const Tree& tree) : tree_(tree), counting_(tree.params(), !weights_are_whole(tree)) {}

    template <class... Parts>
    void operator()(const Parts&... parts) {
        (write(parts), ...);
    }
    const std::string& bytes() const { return writer_.bytes(); }

   private:
    static bool weights_are_whole(const Tree& tree) {
        Writer writer;
        writer(tree);
        return writer.bytes().back() != 0;
    }
    void write(const Leaf& given) {
        Leaf leaf = given;
        leaf.count_drawer(tree_.kinds(), counting_);
        writer_(leaf.node, leaf.depth, leaf.collecting, leaf.m, leaf.last_look, leaf.majority_right, leaf.bayes_right,
                leaf.classes);
        writer_.whole(leaf.attributes.size());
        Spread spread;
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
            leaf.spread(j, tree_.kinds()[j], counting_, spread);
            bool full = false;
            for (std::size_t y = 0; spread.n_rows > 1 + spread.n_keys && y < spread.k; ++y)
                full |= spread.row(1 + spread.n_keys)[y] > 0.0;
            const std::size_t rows = 1 + spread.n_keys + (full ? 1 : 0);
            writer_(spread.k, full, std::vector<double>(spread.keys, spread.keys + spread.n_keys),
                    std::vector<double>(spread.row(0), spread.row(rows)), leaf.attributes[j].normals);
        }
    }
    void write(const Tree& tree) {
        // t, grown_out and the classes seen can be had from what is written now.
        Parts parts;
        const_cast<Tree&>(tree).archive(parts);
        writer_(tree.t(), parts.grown_out, tree.kinds(), parts.class_seen, tree.nodes());
        writer_.whole(tree.leaves().size());
        for (const Leaf& leaf : tree.leaves()) write(leaf);
        writer_(tree.splits());
    }
    template <class T>
    void write(const T& part) {
        if constexpr (std::is_same_v<T, Model>)
            const_cast<T&>(part).archive(*this);
        else
            writer_(part);
    }

    /// Catches what a tree tells nobody else.
    struct Parts {
        static constexpr bool kReads = false;
        bool grown_out = false;
        std::vector<std::uint8_t> class_seen;

        void operator()(double, bool grown, const std::vector<Kind>&, const std::vector<std::uint8_t>& seen,
                        const std::vector<Node>&, const std::vector<Leaf>&, const std::vector<Split>&) {
            grown_out = grown;
            class_seen = seen;
        }
        void operator()(bool) {}
    };

    const Tree& tree_;
    Counting counting_;
    Writer writer_;
};

std::string encoded_in_the_first_format(const Model& model) {
    FirstFormat payload(model.tree());
    payload(std::string(), model.tree().params(), model);
    std::string file = encode(model, "").substr(0, kHeader) + payload.bytes() + std::string(kChecksum, '\0');
    put(file, 8, 1);
    repair(file);
    return file;
}

/// The counts of every attribute of every leaf, in full.
std::vector<double> all_counts(const Model& model) {
    bool wide = false;
    for (const Leaf& leaf : model.tree().leaves())
        for (const Attribute& attribute : leaf.attributes) wide |= attribute.tally.wide();
    const Counting counting(model.tree().params(), wide);
    std::vector<double> all;
    Spread spread;
    for (Leaf leaf : model.tree().leaves()) {
        leaf.count_drawer(model.tree().kinds(), counting);
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
            leaf.spread(j, model.tree().kinds()[j], counting, spread);
            all.insert(all.end(), spread.keys, spread.keys + spread.n_keys);
            all.insert(all.end(), spread.row(0), spread.row(1 + spread.n_keys));
            for (std::size_t y = 0; y < spread.k; ++y)  // above all keys
                all.push_back(spread.n_rows > 1 + spread.n_keys ? spread.row(1 + spread.n_keys)[y] : 0.0);
        }
    }
    return all;
}

}  // namespace

TEST(a_file_of_the_first_format_gives_the_same_model) {
    Random random(18);
    std::vector<Model> models = small_models();
    for (const double zeros : {0.0, 0.3, 0.9}) {
        for (const std::uint32_t n_bins : {2u, 5u, 32u}) {
            for (const bool weights : {false, true}) {
                TreeParams params;
                params.n_bins = n_bins;
                StreamShape shape{.rows = 700, .n_classes = 3, .missing = 0.02, .weights = weights, .zeros = zeros};
                models.push_back(taught(params, shape, 19));
            }
        }
    }
    for (const Model& model : models) {
        const Model back = decoded(encoded_in_the_first_format(model));
        CHECK(all_counts(back) == all_counts(model));
        CHECK_EQ(back.tree().t(), model.tree().t());
        CHECK_EQ(back.tree().zeros_are_implied(), model.tree().zeros_are_implied());
        // What it writes now can be read again.
        const Model again = decoded(encode(back, ""));
        CHECK(encode(again, "") == encode(back, ""));
        CHECK_EQ(again.tree().nbytes(), back.tree().nbytes());
        const Model taught_on = exercise(back, random);
        CHECK(encode(decoded(encode(taught_on, "")), "") == encode(taught_on, ""));
    }
}

TEST(a_model_of_the_first_format_learns_on_as_if_nothing_had_happened) {
    for (const double zeros : {0.0, 0.5}) {
        for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
            TreeParams params;
            params.leaf_prediction = prediction;
            params.n_bins = 12;
            const Stream stream =
                make_stream({.rows = 1200, .texts = 1, .n_classes = 3, .missing = 0.02, .zeros = zeros}, 20);
            Model model(params), other(params);
            for (std::size_t i = 0; i < stream.n_rows(); ++i) {
                if (i % 101 == 50) other = decoded(encoded_in_the_first_format(other));
                stream.learn_row(model, i);
                stream.learn_row(other, i);
                if (i % 101 == 70) CHECK(all_counts(other) == all_counts(model));
            }
            CHECK(all_counts(other) == all_counts(model));
            CHECK_EQ(other.tree().splits().size(), model.tree().splits().size());
            CHECK(!model.tree().splits().empty());
        }
    }
}

TEST(a_row_in_a_drawer_with_a_category_without_a_name_is_refused) {
    const Model model = taught({}, {.rows = 20, .numbers = 0, .texts = 1, .n_categories = 3}, 14);
    CHECK(model.tree().leaves()[0].drawer.n > 0);
    const std::string file = encode(model, "");
    Fields map;
    map(std::string(), model.tree().params(), model);
    // The drawer's list is the last but one that holds anything: its values, a category and a class each.
    const std::size_t n = 2 * model.tree().leaves()[0].drawer.n;
    const Fields::Field* drawer = nullptr;
    for (const Fields::Field& field : map.all())
        if (field.type == Fields::Type::list && field.end - field.count_end == n) drawer = &field;
    CHECK(drawer != nullptr);
    if (!drawer) return;
    for (const int rank : {4, 100}) {  // written as one more
        std::string payload = map.bytes();
        payload[drawer->count_end] = static_cast<char>(rank);
        std::string changed = file.substr(0, kHeader) + payload + file.substr(file.size() - kChecksum);
        repair(changed);
        CHECK_THROWS(decoded(changed), "names do not fit");
    }
}

TEST(more_examples_than_the_clock_has_counted_are_refused) {
    // Such counts could grow past 32 bits before they become doubles.
    Tree tree;
    tree.add_column(Kind::numeric);
    for (int y = 0; y < 2; ++y) tree.add_class();
    for (int i = 0; i < 40; ++i) {
        const double row = 1.0 + i % 3;
        tree.learn(&row, static_cast<std::size_t>(i % 2), 1.0);
    }
    const auto read_again = [](const Tree& written) {
        Writer out;
        out(written);
        Tree tree;
        Reader in(out.bytes());
        in(tree);
        tree.restore(kFormatNewest);
        return tree;
    };
    CHECK_EQ(read_again(tree).nbytes(), tree.nbytes());
    Leaf& leaf = const_cast<Leaf&>(tree.leaves()[0]);
    CHECK_EQ(leaf.drawer.n, 8);
    leaf.classes[0].observed = 19.0;  // with the rows that wait, 20 were learned
    CHECK_THROWS(read_again(tree), "a leaf's counts are broken");
    leaf.classes[0].observed = Tally::kMostWhole;
    leaf.m = Tally::kMostWhole + 20.0;
    leaf.attributes[0].tally.add_to_row(1, 0, Tally::kMostWhole - 20.0);
    CHECK_THROWS(read_again(tree), "a count is not whole");
    tree.advance(Tally::kMostWhole - 40.0);
    CHECK_EQ(read_again(tree).nbytes(), tree.nbytes());
}

TEST(a_category_without_a_name_is_refused) {
    // The last category is taken off the list of names, and a leaf has still counted it.
    for (const TreeParams& params : {TreeParams(), moa_params()}) {
        const Model model = taught(params, {.rows = 30, .numbers = 0, .texts = 1, .n_categories = 3}, 14);
        const std::string file = encode(model, "");
        Fields map;
        map(std::string(), model.tree().params(), model);
        Writer name;
        name(model.schema().categories[0][2]);  // all three are written with as many bytes
        const std::size_t length = name.bytes().size();
        int lists = 0;
        for (const Fields::Field& field : map.all()) {
            if (field.type != Fields::Type::list || field.end - field.begin != 1 + 3 * length) continue;
            std::string payload = map.bytes();
            ++lists;
            payload[field.begin] = 2;
            payload.erase(field.end - length, length);
            std::string changed = file.substr(0, kHeader) + payload + file.substr(file.size() - kChecksum);
            repair(changed);
            CHECK_THROWS(decoded(changed), "names do not fit");
        }
        CHECK_EQ(lists, 1);
    }
}

TEST(every_field_of_a_file_may_lie) {
    Random random(13);
    for (const Model& model : small_models()) {
        const std::string file = encode(model, "");
        Fields map;
        map(std::string(), model.tree().params(), model);
        CHECK(file.substr(kHeader, file.size() - kHeader - kChecksum) == map.bytes());  // so the map is right
        const std::size_t n = map.all().size();
        for (std::size_t i = 0; i < n; ++i) check_tampered(tampered(file, map, {i}, random), random);
        for (std::size_t round = 0; round < 300; ++round) {  // and two neighbours at once
            const std::size_t i = random.below(n - 1);
            const std::size_t j = std::min(n - 1, i + 1 + random.below(4));
            if (map.all()[i].end <= map.all()[j].begin) check_tampered(tampered(file, map, {j, i}, random), random);
        }
    }
}

TEST(a_file_made_to_deceive_is_refused_or_works) {
    Random random(12);
    std::vector<std::string> files;
    for (const Model& model : small_models()) files.push_back(encode(model, ""));
    constexpr double kEvil[] = {-1.0, -0.5, 0.0, 1e300, -1e300, 5e-324, 1e9, 4294967296.0};
    const double kEvilest[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity()};
    for (int round = 0; round < 3000; ++round) {
        std::string bytes = files[random.below(files.size())];
        for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
            const std::size_t payload = bytes.size() - kHeader - kChecksum;
            const std::size_t at = kHeader + random.below(payload);
            const std::size_t rest = bytes.size() - kChecksum - at;
            switch (random.below(6)) {
                case 0: bytes[at] = static_cast<char>(random.next()); break;
                case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); break;
                case 2: {  // a double in place of a small number
                    const double x = random.chance(0.7) ? kEvil[random.below(8)] : kEvilest[random.below(3)];
                    std::string number(9, '\0');
                    put(number, 1, std::bit_cast<std::uint64_t>(x));
                    bytes.replace(at, 1, number);
                    break;
                }
                case 3: bytes.erase(at, 1 + random.below(std::min<std::size_t>(rest, 9))); break;
                case 4: bytes.insert(at, bytes.substr(at, 1 + random.below(std::min<std::size_t>(rest, 20)))); break;
                default: bytes.insert(at, 1 + random.below(4), "\0\1\x7f\xff"[random.below(4)]);
            }
            if (bytes.size() <= kHeader + kChecksum + 1) break;
        }
        check_tampered(bytes, random);
    }
}
