#include "sapwood/model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace sapwood {

void Model::count_names() {
    tree_.set_overhead(schema_.nbytes());
}

std::uint32_t Model::add_column(const Value& name, Kind kind) {
    if (schema_.declared_categorical.find(name)) kind = Kind::categorical;
    if (const auto known = schema_.columns.find(name)) {
        if (schema_.kinds[*known] == Kind::unknown) {
            schema_.kinds[*known] = kind;
            tree_.set_kind(*known, kind);
        }
        return *known;
    }
    schema_.add_column(name, kind);
    tree_.add_column(kind);
    tree_.set_overhead(tree_.overhead() + Schema::cost_of_column(name));
    return static_cast<std::uint32_t>(schema_.columns.size() - 1);
}

std::uint32_t Model::add_class(const Value& label) {
    if (const auto known = schema_.classes.find(label)) return *known;
    const std::uint32_t y = schema_.classes.add(label);
    tree_.add_class();
    tree_.set_overhead(tree_.overhead() + Names::cost_of(label));
    return y;
}

void Model::declare_categorical(const Value& column) {
    schema_.declared_categorical.add(column);
    count_names();
}

double Model::rank_of(std::uint32_t column, const Value& category) const {
    const auto known = schema_.categories[column].find(category);
    return known ? *known : kUnseen;
}

double Model::rank_to_learn(std::uint32_t column, const Value& category) {
    Names& names = schema_.categories[column];
    if (const auto known = names.find(category)) return *known;
    // Names may fill half of max_bytes, so that room is left to learn with.
    const std::size_t most = tree_.params().max_bytes;
    const std::size_t cost = Names::cost_of(category);
    if (most && (tree_.overhead() + cost > most / 2 || tree_.fixed_nbytes() + cost > most)) return kUnseen;
    const std::uint32_t rank = names.add(category);
    tree_.set_overhead(tree_.overhead() + cost);
    return rank;
}

bool Model::suits(std::uint32_t column, bool category, bool text) const {
    if (schema_.kinds[column] == Kind::numeric) return !category;
    const Names& known = schema_.categories[column];
    return known.size() == 0 || is_text(known[0]) == text;
}

void Model::refuse(std::uint32_t column, bool text, const std::string& example) const {
    std::string what = "Column " + to_text(schema_.columns[column]);
    if (schema_.kinds[column] == Kind::numeric)
        what += std::string(" is numeric, but now holds ") + (text ? "text" : "categories") +
                ". Pass numbers, booleans or dates, and NaN";
    else if (text)
        what += " holds numbers as categories, such as " + shown(schema_.categories[column][0]) +
                ", but now text. Pass numbers, and NaN";
    else
        what +=
            " holds text, such as " + shown(schema_.categories[column][0]) + ", but now numbers. Pass text, and NaN";
    throw TypeMismatch(what + " or None for missing." + example);
}

void Model::require_label(const Value& label) const {
    if (const auto* x = std::get_if<double>(&label); x && !(std::isfinite(*x) && *x == std::floor(*x)))
        throw std::invalid_argument("The label is " + to_text(label) + "; class labels are whole numbers or text.");
    if (schema_.classes.size() != 0 && is_text(schema_.classes[0]) != is_text(label))
        throw TypeMismatch("The label " + to_text(label) + " does not go with " + to_text(schema_.classes[0]) +
                           ": class labels must be all numbers or all text.");
}

void Cell::refuse_infinite(const Value& column_name) {
    throw std::invalid_argument("The value of " + to_text(column_name) + " is infinite; use None for missing.");
}

void Model::require_fits() const {
    const std::size_t most = tree_.params().max_bytes;
    if (most && tree_.nbytes() > most)
        throw std::invalid_argument("max_bytes=" + std::to_string(most) +
                                    " is too small: the names, classes and nodes of this model need " +
                                    std::to_string(tree_.fixed_nbytes()) + " bytes. Raise max_bytes.");
}

void Model::require_suits(const std::vector<Cell>& cells) const {
    for (const Cell& cell : cells) {
        if (!cell.name && cell.column >= schema_.columns.size())
            throw std::invalid_argument("A row has a value for a column that does not exist.");
        cell.require_finite(cell.name ? *cell.name : schema_.columns[cell.column]);
        // A column that was new when the row was read may have begun meanwhile, in another thread's row.
        const auto column = cell.name ? schema_.columns.find(*cell.name) : std::optional(cell.column);
        if (!column) continue;
        if (!suits(*column, cell.text, cell.text)) refuse(*column, cell.text, "");
    }
}

void Model::learn_row(const std::vector<Cell>& cells, const Value& label, double w, bool seen) {
    require_weight(w, std::nullopt);
    require_label(label);
    require_suits(cells);
    bool new_names = !schema_.classes.find(label);
    for (const Cell& cell : cells) new_names = new_names || (cell.name && !schema_.columns.find(*cell.name));
    if (w == 0.0) return;
    if (!new_names || !tree_.params().max_bytes) return learn_checked_row(cells, label, w, seen);
    // New classes and columns cannot be refused one by one: learn on a copy, and keep it only if it fits.
    Model copy = *this;
    copy.learn_checked_row(cells, label, w, seen);
    copy.require_fits();
    *this = std::move(copy);
}

bool Model::learn_numbers(std::vector<double>& row, std::uint32_t y, double w, bool seen) {
    require_weight(w, std::nullopt);
    if (!suits_numbers(row)) return false;
    if (w == 0.0) return true;
    if (seen) tree_.advance(-w);  // learning will count it again
    tree_.learn(row.data(), y, w);
    return true;
}

bool Model::suits_numbers(std::vector<double>& row) const {
    const std::size_t d = tree_.n_columns();
    row.resize(d, kMissing);
    bool suits = true;
    for (std::size_t j = 0; j < d; ++j)
        suits &= std::isnan(row[j]) || (!std::isinf(row[j]) && schema_.kinds[j] == Kind::numeric);
    return suits;
}

void Model::learn_checked_row(const std::vector<Cell>& cells, const Value& label, double w, bool seen) {
    std::vector<double> row;
    encode_to_learn(cells, row);
    const std::uint32_t y = add_class(label);
    if (seen) tree_.advance(-w);  // learning will count it again
    tree_.learn(row.data(), y, w);
}

void Model::see_columns(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells)
        add_column(cell.name ? *cell.name : schema_.columns[cell.column],
                   cell.text ? Kind::categorical : Kind::numeric);
}

void Model::encode_to_learn(const std::vector<Cell>& cells, std::vector<double>& row) {
    see_columns(cells);
    row.assign(tree_.n_columns(), kMissing);
    for (const Cell& cell : cells) {
        const std::uint32_t j = cell.column == kNewColumn ? *schema_.columns.find(*cell.name) : cell.column;
        row[j] = schema_.kinds[j] == Kind::categorical ? rank_to_learn(j, cell.value()) : cell.number;
    }
}

Model Model::fresh() const {
    Model model(tree_.params());
    model.schema_.declared_categorical = schema_.declared_categorical;
    model.adopt_names(schema_);
    model.advance(tree_.t());
    return model;
}

void Model::adopt_names(const Schema& theirs) {
    for (std::size_t j = 0; j < theirs.columns.size(); ++j) {
        add_column(theirs.columns[j], theirs.kinds[j]);
        for (std::size_t rank = schema_.categories[j].size(); rank < theirs.categories[j].size(); ++rank)
            schema_.categories[j].add(theirs.categories[j][rank]);
    }
    for (std::size_t y = schema_.classes.size(); y < theirs.classes.size(); ++y) add_class(theirs.classes[y]);
    count_names();
}

void Model::require_heir(const Model& other) const {
    const auto begins_with = [](const Names& ours, const Names& theirs) {
        return theirs.size() <= ours.size() &&
               std::equal(theirs.values().begin(), theirs.values().end(), ours.values().begin());
    };
    const Schema& theirs = other.schema_;
    bool alike = begins_with(schema_.columns, theirs.columns) && begins_with(schema_.classes, theirs.classes) &&
                 other.tree_.params() == tree_.params() && other.tree_.t() <= tree_.t() &&
                 theirs.declared_categorical.values() == schema_.declared_categorical.values();
    for (std::size_t j = 0; alike && j < theirs.columns.size(); ++j)
        alike = begins_with(schema_.categories[j], theirs.categories[j]) &&
                (theirs.kinds[j] == Kind::unknown || theirs.kinds[j] == schema_.kinds[j]);
    if (!alike) throw std::invalid_argument("the background learner is not one of this model");
}

void Model::encode_row(const std::vector<Cell>& cells, std::vector<double>& row) const {
    row.assign(tree_.n_columns(), kMissing);
    for (const Cell& cell : cells) {
        if (cell.column == kNewColumn) continue;
        cell.require_finite(schema_.columns[cell.column]);
        const Kind kind = schema_.kinds[cell.column];
        if (!suits(cell.column, cell.text, cell.text)) refuse(cell.column, cell.text, "");
        row[cell.column] = kind == Kind::categorical ? rank_of(cell.column, cell.value()) : cell.number;
    }
}

void Model::restore(std::uint64_t format) {
    const auto require = [](bool holds) {
        if (!holds) throw std::invalid_argument("the names do not fit the tree");
    };
    const std::size_t d = tree_.n_columns();
    require(schema_.columns.size() == d && schema_.kinds == tree_.kinds() && schema_.categories.size() == d);
    require(schema_.classes.size() == tree_.n_classes());
    tree_.restore(format);
    const auto is_rank = [&](std::size_t column, double key) {
        return key >= 0.0 && key < static_cast<double>(schema_.categories[column].size()) && key == std::floor(key);
    };
    for (const Split& split : tree_.splits()) {
        const Certificate& made = split.certificate;
        require(!made.categorical || is_rank(made.feature, made.key));
    }
    for (const Leaf& leaf : tree_.leaves()) {
        const std::vector<double> waiting = leaf.drawer.whole_rows();
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
            if (schema_.kinds[j] != Kind::categorical) continue;
            for (std::size_t i = 0; i < leaf.drawer.n; ++i) {
                const double x = waiting[i * leaf.drawer.width + j];
                require(std::isnan(x) || is_rank(j, x));
            }
            const Tally& tally = leaf.attributes[j].tally;
            for (std::size_t i = 0; i < tally.n_keys(); ++i)
                require(is_rank(j, tally.keys()[i]) || (tally.keys()[i] == kUnseen && tree_.params().max_bytes));
        }
    }
    count_names();
    // Without a name it has learned nothing, and its first row will say that max_bytes is too small.
    if (d > 0 || tree_.n_classes() > 0) require_fits();
}

}  // namespace sapwood
