// Proves what a model makes of rows that come as mappings: columns, kinds, categories and classes in the order of
// first appearance, and that a row it refuses leaves every byte as it was.
#include "sapwood/model.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "heap.hpp"
#include "random.hpp"
#include "sapwood/format.hpp"
#include "streams.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One entry of a mapping.
struct Entry {
    Value name;
    Value value;
};

/// The cells of a mapping as a caller finds them; `entries` must outlive them.
std::vector<Cell> cells_of(const Model& model, const std::vector<Entry>& entries) {
    std::vector<Cell> cells;
    for (const Entry& entry : entries) {
        Cell cell;
        const auto known = model.schema().columns.find(entry.name);
        cell.column = known.value_or(kNewColumn);
        if (!known) cell.name = &entry.name;
        cell.text = is_text(entry.value);
        if (cell.text)
            cell.string = std::get<std::string>(entry.value);
        else
            cell.number = number_of(entry.value);
        cells.push_back(cell);
    }
    return cells;
}

void learn(Model& model, const std::vector<Entry>& entries, const Value& label, double w = 1.0) {
    model.learn_row(cells_of(model, entries), label, w);
}

std::vector<double> encoded(const Model& model, const std::vector<Entry>& entries) {
    std::vector<double> row;
    model.encode_row(cells_of(model, entries), row);
    return row;
}

Value text(const char* s) {
    return std::string(s);
}

std::string bytes(const Model& model) {
    return encode(model, "");
}

/// The row is refused with this message, and the model has not changed.
void check_refused(Model& model, const std::vector<Entry>& entries, const Value& label, double w, const char* part) {
    const std::string before = bytes(model);
    const std::size_t nbytes = model.tree().nbytes();
    CHECK_THROWS(learn(model, entries, label, w), part);
    CHECK(bytes(model) == before);
    CHECK_EQ(model.tree().nbytes(), nbytes);
}

/// The first leaf, with the rows of its drawer counted.
Leaf first_leaf(const Model& model) {
    Leaf leaf = model.tree().leaves()[0];
    leaf.count_drawer(model.tree().kinds(), Counting(model.tree().params(), false));
    return leaf;
}

}  // namespace

TEST(names_are_numbered_in_the_order_of_appearance) {
    Names names;
    CHECK_EQ(names.add(text("b")), 0);
    CHECK_EQ(names.add(std::int64_t{1}), 1);
    CHECK_EQ(names.add(text("a")), 2);
    CHECK_EQ(names.add(1.0), 1);  // the same number
    CHECK_EQ(names.add(true), 1);
    CHECK_EQ(names.size(), 3);
    CHECK(std::holds_alternative<std::int64_t>(names[1]));  // as it came first
    CHECK(names.find(text("a")).value() == 2);
    CHECK(!names.find(text("c")));
    const std::size_t before = names.nbytes();
    names.add(text("a text too long for its own place"));
    CHECK_EQ(names.nbytes(), before + Names::cost_of(text("a text too long for its own place")));
    names.add(text("b"));
    CHECK_EQ(names.size(), 4);
}

TEST(a_mapping_teaches_columns_kinds_and_classes) {
    Model model;
    learn(model, {{text("size"), 2.5}, {text("colour"), text("red")}}, text("yes"));
    learn(model, {{text("colour"), text("blue")}, {text("age"), std::int64_t{7}}}, text("no"));
    learn(model, {{text("age"), true}, {text("size"), 1.0}}, text("yes"));
    const Schema& schema = model.schema();
    CHECK_EQ(schema.columns.size(), 3);
    CHECK_EQ(schema.columns.find(text("size")).value(), 0);
    CHECK_EQ(schema.columns.find(text("colour")).value(), 1);
    CHECK_EQ(schema.columns.find(text("age")).value(), 2);
    CHECK(schema.kinds == (std::vector<Kind>{Kind::numeric, Kind::categorical, Kind::numeric}));
    CHECK(model.tree().kinds() == schema.kinds);
    CHECK_EQ(schema.categories[1].size(), 2);
    CHECK_EQ(schema.classes.size(), 2);
    CHECK_EQ(model.tree().t(), 3.0);
    CHECK(encoded(model, {{text("colour"), text("blue")}, {text("size"), 9.0}})[0] == 9.0);
    CHECK(encoded(model, {{text("colour"), text("blue")}})[1] == 1.0);
    CHECK(encoded(model, {{text("colour"), text("green")}})[1] == kUnseen);
    CHECK_EQ(schema.categories[1].size(), 2);  // asking teaches nothing
}

TEST(a_value_not_listed_is_missing) {
    Model model;
    learn(model, {{text("a"), 1.0}, {text("b"), 2.0}}, false);
    learn(model, {{text("b"), 3.0}}, true);
    const Leaf leaf = first_leaf(model);
    const Tally& a = leaf.attributes[0].tally;
    CHECK_EQ(a.n_keys(), 1);
    CHECK_EQ(a.missing(1), 1.0);
    const auto row = encoded(model, {{text("never seen"), 1.0}});
    CHECK_EQ(row.size(), 2);
    CHECK(row[0] != row[0] && row[1] != row[1]);
}

TEST(an_empty_mapping_is_a_row) {
    Model model;
    learn(model, {}, text("only"));
    CHECK_EQ(model.tree().t(), 1.0);
    CHECK_EQ(model.tree().predict_at(0, nullptr), 0);
}

TEST(a_new_column_was_missing_until_then) {
    Model model;
    for (int i = 0; i < 5; ++i) learn(model, {{text("a"), 1.0 * i}}, i % 2 == 0);
    learn(model, {{text("a"), 1.0}, {std::int64_t{7}, 4.0}}, true);
    const Leaf leaf = first_leaf(model);
    const Tally& late = leaf.attributes[1].tally;
    CHECK_EQ(late.missing(0) + late.missing(1), 5.0);
    CHECK_EQ(late.count(1, 0), 1.0);
    CHECK_EQ(model.schema().columns.find(7.0).value(), 1);
}

TEST(declared_columns_hold_categories_even_as_numbers) {
    Model model;
    model.declare_categorical(text("zip"));
    learn(model, {{text("zip"), std::int64_t{90210}}, {text("x"), 1.0}}, true);
    learn(model, {{text("zip"), 10001.0}}, false);
    CHECK_EQ(model.schema().kinds[0], Kind::categorical);
    CHECK_EQ(model.schema().kinds[1], Kind::numeric);
    CHECK_EQ(encoded(model, {{text("zip"), 10001.0}})[0], 1.0);
    CHECK_EQ(encoded(model, {{text("zip"), std::int64_t{90210}}})[0], 0.0);
    CHECK_EQ(encoded(model, {{text("zip"), 5.0}})[0], kUnseen);
    check_refused(model, {{text("zip"), text("90210")}}, true, 1.0,
                  "holds numbers as categories, such as 90210, but now text");
}

TEST(columns_and_classes_may_be_declared) {
    Model model;
    CHECK_EQ(model.add_class(std::int64_t{0}), 0);
    CHECK_EQ(model.add_class(std::int64_t{1}), 1);
    CHECK_EQ(model.add_class(false), 0);
    CHECK_EQ(model.add_column(text("a"), Kind::unknown), 0);
    CHECK_EQ(model.add_column(text("b"), Kind::numeric), 1);
    CHECK_EQ(model.schema().kinds[0], Kind::unknown);
    CHECK_EQ(model.tree().n_classes(), 2);
    CHECK_EQ(model.tree().n_classes_learned(), 0);
    learn(model, {{text("a"), text("red")}}, std::int64_t{1});
    CHECK_EQ(model.schema().kinds[0], Kind::categorical);  // its first value tells
    CHECK_EQ(model.add_column(text("a"), Kind::numeric), 0);
    CHECK_EQ(model.schema().kinds[0], Kind::categorical);  // a known column stays as it is
}

TEST(a_refused_row_leaves_every_byte_as_it_was) {
    Model model;
    Random random(1);
    for (int i = 0; i < 300; ++i)
        learn(model, {{text("n"), random.uniform()}, {text("c"), text(random.chance(0.5) ? "u" : "v")}},
              random.chance(0.5));
    const Entry fine{text("n"), 0.5};
    check_refused(model, {fine}, text("yes"), 1.0, "The label 'yes' does not go with");
    check_refused(model, {fine}, 0.5, 1.0, "The label is 0.5");
    check_refused(model, {fine}, kNan, 1.0, "class labels are whole numbers or text");
    check_refused(model, {fine, {text("c"), 1.0}}, true, 1.0, "Column 'c' holds text, such as 'v', but now numbers");
    check_refused(model, {{text("new"), 1.0}, {text("n"), text("much")}}, true, 1.0, "Column 'n' is numeric");
    check_refused(model, {fine}, true, -1.0, "negative");
    check_refused(model, {fine}, true, kNan, "NaN");
    check_refused(model, {fine}, true, kInfinity, "2147483647");
    check_refused(model, {fine}, true, 3e9, "2147483647");
    const std::string before = bytes(model);
    learn(model, {fine, {text("new"), 1.0}}, std::int64_t{7}, 0.0);  // nothing to learn, so no name either
    CHECK(bytes(model) == before);
    learn(model, {fine}, true);
    CHECK(bytes(model) != before);
}

TEST(a_value_of_the_other_kind_is_refused_when_predicting_too) {
    Model model;
    learn(model, {{text("n"), 1.0}, {text("c"), text("u")}}, true);
    CHECK_THROWS(encoded(model, {{text("n"), text("u")}}), "Column 'n' is numeric");
    CHECK_THROWS(encoded(model, {{text("c"), 1.0}}), "Column 'c' holds text, such as 'u', but now numbers");
}

TEST(a_column_that_another_row_began_meanwhile_is_checked_as_known) {
    // Two writers prepare their rows before either is learned: for both the column is new.
    Model model;
    const std::vector<Entry> number{{text("x"), 1.0}}, word{{text("x"), text("red")}};
    const auto number_cells = cells_of(model, number), word_cells = cells_of(model, word);
    model.learn_row(number_cells, true, 1.0);
    const std::string before = bytes(model);
    CHECK_THROWS(model.learn_row(word_cells, true, 1.0), "Column 'x' is numeric");
    CHECK(bytes(model) == before);

    Model other;
    other.learn_row(word_cells, true, 1.0);
    const std::string words = bytes(other);
    CHECK_THROWS(other.learn_row(number_cells, true, 1.0), "Column 'x' holds text");
    CHECK(bytes(other) == words);
}

TEST(a_row_of_numbers_is_learned_as_its_mapping_is) {
    Model mapped;
    learn(mapped, {{"x", 1.0}, {"y", 2.0}}, true);
    learn(mapped, {{"z", text("red")}}, false);
    Model encoded_ones = mapped;
    for (int i = 0; i < 300; ++i) {
        learn(mapped, {{"y", i * 0.5}}, i % 3 == 0, 2.0);
        std::vector<double> row = {kMissing, i * 0.5};
        CHECK(encoded_ones.learn_numbers(row, i % 3 == 0 ? 0 : 1, 2.0));
        CHECK_EQ(row.size(), std::size_t{3});
    }
    CHECK(bytes(mapped) == bytes(encoded_ones));
    const double infinity = std::numeric_limits<double>::infinity();
    for (std::vector<double> row : {std::vector<double>{infinity}, {-infinity}, {1.0, 1.0, 0.0}})
        CHECK(!encoded_ones.learn_numbers(row, 0, 1.0));
    std::vector<double> row = {1.0};
    CHECK(encoded_ones.learn_numbers(row, 0, 0.0));
    CHECK_THROWS(encoded_ones.learn_numbers(row, 0, -1.0), "negative");
    CHECK(bytes(mapped) == bytes(encoded_ones));
}

TEST(max_bytes_refuses_names_that_do_not_fit) {
    TreeParams params;
    params.max_bytes = 6000;
    Model model(params);
    learn(model, {{text("x"), 1.0}}, text("no"));
    learn(model, {{text("x"), 2.0}}, text("yes"));
    CHECK(model.tree().nbytes() <= params.max_bytes);
    const std::string before = bytes(model);
    check_refused(model, {{text("x"), 1.0}, {std::string(10000, 'n'), 1.0}}, text("yes"), 1.0, "max_bytes=6000");
    check_refused(model, {{text("x"), 1.0}}, std::string(10000, 'y'), 1.0, "Raise max_bytes");
    CHECK(bytes(model) == before);
    int accepted = 0;
    for (int y = 2; y < 1000; ++y) {
        try {
            learn(model, {{text("x"), 1.0}}, std::to_string(y));
            ++accepted;
        } catch (const std::invalid_argument&) {
            break;
        }
    }
    CHECK(accepted > 3 && accepted < 500);
    CHECK(model.tree().nbytes() <= params.max_bytes);
    learn(model, {{text("x"), 3.0}}, text("yes"));  // known names are welcome
}

TEST(a_category_without_room_is_learned_without_a_name) {
    TreeParams params;
    params.max_bytes = 8000;
    Model model(params);
    Random random(2);
    for (int i = 0; i < 3000; ++i) {
        const std::string category = "category number " + std::to_string(random.below(500));
        learn(model, {{text("c"), category}}, category.back() < '5');
        CHECK(model.tree().nbytes() <= params.max_bytes);
    }
    CHECK(model.schema().categories[0].size() > 5);
    CHECK(model.schema().categories[0].size() < 60);
    CHECK_EQ(model.tree().t(), 3000.0);
    std::string owner;
    CHECK(encode(decode(bytes(model), owner), "") == bytes(model));
}

TEST(nbytes_with_names_is_what_the_heap_holds) {
    using sapwood::testing::make_stream;
    for (const std::size_t n_categories : {1, 5, 33, 200}) {
        const auto stream = make_stream({.rows = 1000, .numbers = 2, .texts = 8, .n_categories = n_categories}, 3);
        const std::size_t before = live_heap_bytes;
        auto model = std::make_unique<Model>();
        for (std::size_t i = 0; i < stream.n_rows(); ++i) stream.learn_row(*model, i);
        const auto held = static_cast<double>(live_heap_bytes - before);
        CHECK(static_cast<double>(model->tree().nbytes()) >= 0.9 * held);
        CHECK(static_cast<double>(model->tree().nbytes()) <= 1.25 * held);
    }
}

TEST(nbytes_counts_the_names) {
    Model model;
    const std::size_t empty = model.tree().nbytes();
    CHECK(empty >= sizeof(Model));
    model.add_class(std::string(1000, 'y'));
    CHECK(model.tree().nbytes() >= empty + 2000);  // in the list and in the map
    model.declare_categorical(std::string(500, 'c'));
    CHECK(model.tree().nbytes() >= empty + 3000);
    for (int i = 0; i < 50; ++i) {  // each name is counted as it comes, and not all anew
        const std::string name(static_cast<std::size_t>(i), 'n');
        learn(model, {{text(("x" + name).c_str()), 1.0}, {text("c"), text(name.c_str())}},
              text(i % 7 ? "u" : name.c_str()));
        CHECK_EQ(model.tree().overhead(), model.schema().nbytes());
    }
    CHECK_EQ(Model(model.fresh()).tree().overhead(), model.fresh().schema().nbytes());
}
