#include "sapwood/lesson.hpp"

#include <algorithm>
#include <cmath>

namespace sapwood {
namespace {

template <class T>
void copy_numbers(const ColumnView& column, std::size_t begin, std::size_t n, double* out, std::size_t width) {
    const char* at = static_cast<const char*>(column.data) + static_cast<std::ptrdiff_t>(begin) * column.stride;
    if (width == 1 && column.stride == sizeof(T)) {
        const T* from = reinterpret_cast<const T*>(at);
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(from[i]);
        return;
    }
    for (std::size_t i = 0; i < n; ++i, at += column.stride)
        out[i * width] = static_cast<double>(*reinterpret_cast<const T*>(at));
}

void copy_column(const ColumnView& column, std::size_t begin, std::size_t n, double* out, std::size_t width) {
    switch (column.dtype) {
        case Dtype::f64: return copy_numbers<double>(column, begin, n, out, width);
        case Dtype::f32: return copy_numbers<float>(column, begin, n, out, width);
        case Dtype::i8: return copy_numbers<std::int8_t>(column, begin, n, out, width);
        case Dtype::i16: return copy_numbers<std::int16_t>(column, begin, n, out, width);
        case Dtype::i32: return copy_numbers<std::int32_t>(column, begin, n, out, width);
        case Dtype::i64: return copy_numbers<std::int64_t>(column, begin, n, out, width);
        case Dtype::u8: return copy_numbers<std::uint8_t>(column, begin, n, out, width);
        case Dtype::u16: return copy_numbers<std::uint16_t>(column, begin, n, out, width);
        case Dtype::u32: return copy_numbers<std::uint32_t>(column, begin, n, out, width);
        case Dtype::u64: return copy_numbers<std::uint64_t>(column, begin, n, out, width);
    }
}

}  // namespace

void add_fixed_columns(Model& model, const Batch& batch, const std::vector<Value>& names) {
    for (std::size_t j = 0; j < names.size(); ++j) {
        const std::vector<Value>* categories = batch.columns[j].categories;
        if (!categories) {
            model.add_column(names[j], Kind::numeric);
            continue;
        }
        const std::uint32_t column =
            model.add_column(names[j], categories->empty() ? Kind::unknown : Kind::categorical);
        if (model.tree().params().compat == Compat::moa)  // MOA ranks categories as their dictionary lists them
            for (const Value& category : *categories) model.rank_to_learn(column, category);
    }
}

Lesson::Lesson(const Batch& batch, const std::vector<Value>& names, const Model& model)
    : Lesson(batch, names, model, batch.is_sparse() && batch.is_complete()) {
    looks_ahead_ = batch.is_sparse();
}

Lesson::Lesson(const Batch& batch, const std::vector<Value>& names, const Model& model, bool complete, bool finite)
    : batch_(batch), names_(names), complete_(complete), finite_(complete || finite), ranks_(batch.columns.size()) {
    for (std::size_t j = 0; j < names.size(); ++j) {
        targets_.push_back(model.schema().columns.find(names[j]).value_or(kNewColumn));
        if (batch.columns[j].categories) ranks_[j].assign(batch.columns[j].categories->size(), kMissing);
        has_categories_ = has_categories_ || batch.columns[j].categories ||
                          (targets_[j] != kNewColumn && model.schema().kinds[targets_[j]] == Kind::categorical);
    }
}

void Lesson::check(const Model& model) const {
    if (looks_ahead_ && !finite_) batch_.require_finite(names_);
    for (std::size_t j = 0; j < targets_.size(); ++j) {
        const std::vector<Value>* categories = batch_.columns[j].categories;
        if (targets_[j] == kNewColumn || (categories && categories->empty())) continue;
        const bool text = categories && is_text(categories->front());
        if (!model.suits(targets_[j], categories, text)) refuse(model, j, text);
    }
}

/// Throws for a column that does not suit the model's, unless it is one of NaN, which may be of any kind.
void Lesson::refuse(const Model& model, std::size_t j, bool text) const {
    const ColumnView& column = batch_.columns[j];
    std::size_t row = 0;
    while (row < batch_.n_rows && batch_.missing(row, j)) ++row;
    if (row == batch_.n_rows && !column.categories) return;
    std::string example;
    if (row < batch_.n_rows) {
        const Value value =
            column.categories ? (*column.categories)[static_cast<std::size_t>(column.code(row))] : column.number(row);
        example = " The value of row " + std::to_string(row) + " is " + shown(value) + ".";
    }
    model.refuse(targets_[j], text, example);
}

void Lesson::check(const Model& model, const Labels& labels, const double* weights) const {
    check(model);
    for (const Value& label : labels.values) {
        model.require_label(label);
        if (is_text(label) != is_text(labels.values.front()))
            throw TypeMismatch("The batch mixes labels: class labels must be all numbers or all text.");
    }
    if (weights)
        for (std::size_t i = 0; i < batch_.n_rows; ++i) require_weight(weights[i], i);
}

bool Lesson::brings_new_names(const Model& model, const Labels& labels) const {
    const Schema& schema = model.schema();
    const auto fresh = [](const Names& names) { return [&](const Value& v) { return !names.find(v); }; };
    for (const auto* listed : {&labels.values, &labels.declared})
        if (std::any_of(listed->begin(), listed->end(), fresh(schema.classes))) return true;
    for (std::size_t j = 0; j < targets_.size(); ++j) {
        if (targets_[j] == kNewColumn) return true;
        const auto* categories = batch_.columns[j].categories;
        if (!categories && schema.kinds[targets_[j]] == Kind::categorical) return true;  // it may
        if (categories && std::any_of(categories->begin(), categories->end(), fresh(schema.categories[targets_[j]])))
            return true;
    }
    return false;
}

/// Adds the columns whose first value is in this row.
void Lesson::begin_columns(Model& model, std::size_t row) {
    while (!newcomers_.empty() && newcomers_.back().row == row) {
        const std::size_t j = newcomers_.back().column;
        newcomers_.pop_back();
        targets_[j] = model.add_column(names_[j], batch_.columns[j].categories ? Kind::categorical : Kind::numeric);
    }
}

/// Before the first row: which columns have yet to begin, and with which row they will.
void Lesson::prepare(const Model& model, const Labels& labels, const double* weights) {
    classes_.assign(labels.values.size(), kNoClass);
    for (std::size_t j = 0; j < targets_.size(); ++j) {
        if (targets_[j] != kNewColumn && model.schema().kinds[targets_[j]] != Kind::unknown) continue;
        for (std::size_t i = 0; i < batch_.n_rows; ++i) {
            if ((!weights || weights[i] > 0.0) && !batch_.missing(i, j)) {
                newcomers_.push_back({i, j});
                break;
            }
        }
    }
    std::stable_sort(newcomers_.begin(), newcomers_.end(),
                     [](const Newcomer& a, const Newcomer& b) { return a.row < b.row; });
    std::reverse(newcomers_.begin(), newcomers_.end());
}

void Lesson::learn(Model& model, const Labels& labels, const double* weights, std::size_t begin, std::size_t end,
                   std::uint32_t* predictions) {
    if (begin == 0) prepare(model, labels, weights);
    if (batch_.is_sparse() && model.tree().zeros_are_implied() && !model.tree().params().max_bytes)
        return learn_sparse(model, labels, weights, begin, end, predictions);
    // With a byte limit, a name must not be counted before its row: new names are then taken row by row.
    const bool by_row = model.tree().params().max_bytes && brings_new_names(model, labels);
    const std::size_t longest = by_row ? 1 : kBlock;
    Tree& tree = model.tree_;
    nodes_.resize(longest);
    std::uint32_t unread[kBlock];
    for (std::size_t at = begin; at < end;) {
        std::size_t n = std::min(longest, end - at);
        begin_columns(model, at);
        if (!newcomers_.empty()) n = std::min(n, newcomers_.back().row - at);
        const std::size_t width = tree.n_columns();
        look_at(at, n);
        const double* rows = encode(model, &model, weights, at, n, block_);
        const bool whole = is_whole(width);
        tree.route_block(rows, n, width, nodes_.data(), whole);
        for (std::size_t i = 0; i < n; ++i) {
            if (!weights) {
                i += tree.learn_common({rows + i * width, nodes_.data() + i, n - i, whole, ahead_of(rows, at, n)},
                                       {labels.codes + at + i, classes_.data()},
                                       predictions ? predictions + at + i : unread);
                if (i == n) break;
            }
            const double* row = rows + i * width;
            const double w = weights ? weights[at + i] : 1.0;
            std::uint32_t bayes = kNoClass;
            if (predictions) {
                const std::uint32_t node = tree.route(row, nodes_[i]);
                if (node == nodes_[i]) bayes = tree.bayes_at(node, row);
                predictions[at + i] = tree.predict_at(node, row, bayes);
            }
            if (w != 0.0) tree.learn_from(nodes_[i], tree.all_of(row), class_to_learn(model, labels, at + i), w, bayes);
        }
        at += n;
    }
}

/// How far behind a row of this block is the one of the next block that it may fetch; 0 where there is none, or where
/// rows are encoded first, column by column. A block is routed in the order of the tree, and would wait for its rows.
std::size_t Lesson::ahead_of(const double* rows, std::size_t at, std::size_t n) const {
    const bool in_place = batch_.dense && rows == batch_.dense + at * batch_.columns.size();
    return in_place && at + 2 * n <= batch_.n_rows ? n : 0;
}

template <class Visit>
void Lesson::for_each_sparse_row(const Model& model, std::size_t begin, std::size_t end, Visit&& visit) {
    const SparseRows& stored = batch_.sparse;
    block_.assign(model.tree().n_columns(), kMissing);
    for (const std::uint32_t column : targets_)
        if (column != kNewColumn) block_[column] = 0.0;
    std::vector<std::uint32_t> absent, columns;  // those that the batch does not have are missing in every row
    for (std::uint32_t j = 0; j < block_.size(); ++j)
        if (std::isnan(block_[j])) absent.push_back(j);
    for (std::size_t i = begin; i < end; ++i) {
        columns = absent;
        for (std::int64_t at = stored.starts[i]; at < stored.starts[i + 1]; ++at) {
            const std::uint32_t column = targets_[static_cast<std::size_t>(stored.columns[at])];
            if (column == kNewColumn) continue;
            block_[column] = stored.values[at];
            columns.push_back(column);
        }
        visit(i, RowView{block_.data(), columns.data(), columns.size()});
        for (std::size_t at = absent.size(); at < columns.size(); ++at) block_[columns[at]] = 0.0;
    }
}

void Lesson::learn_sparse(Model& model, const Labels& labels, const double* weights, std::size_t begin, std::size_t end,
                          std::uint32_t* predictions) {
    Tree& tree = model.tree_;
    for (std::size_t at = begin; at < end;) {
        begin_columns(model, at);
        const std::size_t stop = newcomers_.empty() ? end : std::min(end, newcomers_.back().row);
        for_each_sparse_row(model, at, stop, [&](std::size_t i, const RowView& row) {
            const std::uint32_t node = tree.route(row.values);
            if (predictions) predictions[i] = tree.predict_at(node, row.values);
            const double w = weights ? weights[i] : 1.0;
            if (w == 0.0) return;
            // A weight that is not whole ends the time of implied zeros: then every column must be counted.
            const bool whole = w == std::floor(w) && tree.zeros_are_implied();
            tree.learn_from(node, whole ? row : tree.all_of(row.values), class_to_learn(model, labels, i), w);
        });
        at = stop;
    }
}

std::uint32_t Lesson::class_to_learn(Model& model, const Labels& labels, std::size_t row) {
    const auto code = static_cast<std::size_t>(labels.codes[row]);
    if (classes_[code] == kNoClass) [[unlikely]]
        classes_[code] = model.add_class(labels.values[code]);
    return classes_[code];
}

/// Before rows are encoded: what there is to know of their values, if it is not known of the whole batch.
void Lesson::look_at(std::size_t begin, std::size_t n) {
    if (looks_ahead_) return;
    complete_ = batch_.is_complete(begin, begin + n);
    if (complete_ || batch_.is_finite(begin, begin + n)) return;
    batch_.require_finite(names_);  // which names the same value, whoever finds one first
}

bool Lesson::is_whole(std::size_t width) const {
    const auto known = static_cast<std::size_t>(
        std::count_if(targets_.begin(), targets_.end(), [](std::uint32_t column) { return column != kNewColumn; }));
    return complete_ && known == width;
}

bool Lesson::needs_ranks(const Model& model, const double* row) const {
    if (!has_categories_) return false;
    for (std::size_t j = 0; j < model.tree().n_columns(); ++j)
        if (row[j] == kUnseen && model.schema().kinds[j] == Kind::categorical) return true;
    return false;
}

std::vector<Cell> Lesson::cells_of(std::size_t row) const {
    std::vector<Cell> cells;
    if (batch_.is_sparse()) {
        for (const std::uint32_t column : targets_) {
            cells.emplace_back();
            cells.back().column = column;
        }
        for (std::int64_t at = batch_.sparse.starts[row]; at < batch_.sparse.starts[row + 1]; ++at)
            cells[static_cast<std::size_t>(batch_.sparse.columns[at])].number = batch_.sparse.values[at];
        std::erase_if(cells, [](const Cell& cell) { return cell.column == kNewColumn || std::isnan(cell.number); });
        return cells;
    }
    for (std::size_t j = 0; j < targets_.size(); ++j) {
        const ColumnView& column = batch_.columns[j];
        if (targets_[j] == kNewColumn || column.missing(row)) continue;
        Cell cell;
        cell.column = targets_[j];
        if (!column.categories) {
            cell.number = column.number(row);
        } else if (const Value& category = (*column.categories)[static_cast<std::size_t>(column.code(row))];
                   is_text(category)) {
            cell.text = true;
            cell.string = std::get<std::string>(category);
        } else {
            cell.number = number_of(category);
        }
        cells.push_back(std::move(cell));
    }
    return cells;
}

double Lesson::rank(const Model& model, Model* learner, std::size_t j, std::int32_t code) {
    double& known = ranks_[j][static_cast<std::size_t>(code)];
    if (!std::isnan(known)) return known;
    const Value& category = (*batch_.columns[j].categories)[static_cast<std::size_t>(code)];
    const double given = learner ? learner->rank_to_learn(targets_[j], category) : model.rank_of(targets_[j], category);
    if (given != kUnseen) known = given;  // an unseen one is asked again: a later row may teach it
    return given;
}

/// The rank of a number in a column whose numbers are categories.
double Lesson::rank_number(const Model& model, Model* learner, std::size_t j, double x) const {
    return learner ? learner->rank_to_learn(targets_[j], x) : model.rank_of(targets_[j], x);
}

const double* Lesson::encode(const Model& model, Model* learner, const double* weights, std::size_t begin,
                             std::size_t n, std::vector<double>& block) {
    const std::size_t width = model.tree().n_columns();
    if ((batch_.dense || batch_.flat.data) && targets_.size() == width) {
        bool in_place = true;
        for (std::size_t j = 0; j < width; ++j)
            in_place = in_place && targets_[j] == j && model.schema().kinds[j] != Kind::categorical;
        if (in_place && batch_.dense) return batch_.dense + begin * width;
        if (in_place) {
            block.resize(n * width);
            copy_column(batch_.flat, begin * width, n * width, block.data(), 1);
            return block.data();
        }
    }
    const bool whole = is_whole(width);
    if (whole)
        block.resize(n * width);  // each value is written
    else
        block.assign(n * width, kMissing);
    if (batch_.is_sparse()) {
        for (std::size_t i = 0; i < n; ++i) {
            double* out = block.data() + i * width;
            for (const std::uint32_t column : targets_)
                if (column != kNewColumn) out[column] = 0.0;
            for (std::int64_t at = batch_.sparse.starts[begin + i]; at < batch_.sparse.starts[begin + i + 1]; ++at) {
                const std::uint32_t column = targets_[static_cast<std::size_t>(batch_.sparse.columns[at])];
                if (column != kNewColumn) out[column] = batch_.sparse.values[at];
            }
        }
        return block.data();
    }
    for (std::size_t j = 0; j < targets_.size(); ++j) {
        if (targets_[j] == kNewColumn) continue;
        const ColumnView& column = batch_.columns[j];
        double* out = block.data() + targets_[j];
        const bool is_categorical = model.schema().kinds[targets_[j]] == Kind::categorical;
        if (!column.categories && !is_categorical) {
            copy_column(column, begin, n, out, width);
            continue;
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (!whole && column.missing(begin + i)) continue;
            Model* teaches = learner && (!weights || weights[begin + i] > 0.0) ? learner : nullptr;
            out[i * width] = column.categories ? rank(model, teaches, j, column.code(begin + i))
                                               : rank_number(model, teaches, j, column.number(begin + i));
        }
    }
    return block.data();
}

template <class Visit>
void Lesson::for_each_row(const Model& model, Visit&& visit) {
    if (batch_.is_sparse())
        return for_each_sparse_row(model, 0, batch_.n_rows, [&](std::size_t i, const RowView& row) {
            visit(i, model.tree().route(row.values), row.values);
            if (watch_) watch_->pass(row.n + 1);
        });
    const std::size_t width = model.tree().n_columns();
    nodes_.resize(kBlock);
    for (std::size_t at = 0; at < batch_.n_rows; at += kBlock) {
        const std::size_t n = std::min(kBlock, batch_.n_rows - at);
        look_at(at, n);
        const double* rows = encode(model, nullptr, nullptr, at, n, block_);
        model.tree().route_block(rows, n, width, nodes_.data(), is_whole(width));
        const std::size_t ahead = ahead_of(rows, at, n);
        for (std::size_t i = 0; i < n; ++i) {
            if (ahead) lanes::fetch(rows + (i + ahead) * width, width * sizeof(double));
            visit(at + i, nodes_[i], rows + i * width);
        }
        if (watch_) watch_->pass(n * (width + 1));
    }
}

void Lesson::predict(const Model& model, std::uint32_t* classes) {
    // Of a batch that is longer than the tree is large, each node is asked once.
    if (batch_.n_rows > model.tree().nodes().size()) {
        if (const std::vector<std::uint32_t> known = model.tree().majorities(); !known.empty())
            return for_each_row(model,
                                [&](std::size_t i, std::uint32_t node, const double*) { classes[i] = known[node]; });
    }
    for_each_row(model, [&](std::size_t i, std::uint32_t node, const double* row) {
        classes[i] = model.tree().predict_at(node, row);
    });
}

void Lesson::predict_probabilities(const Model& model, double* out, const std::vector<std::uint32_t>& places) {
    const std::size_t k = model.tree().n_classes();
    std::vector<double> shares(places.size());
    for_each_row(model, [&](std::size_t i, std::uint32_t node, const double* row) {
        model.tree().probabilities_at(node, row, places.empty() ? out + i * k : shares.data());
        for (std::size_t y = 0; y < places.size(); ++y) out[i * k + places[y]] = shares[y];
    });
}

void Lesson::apply(const Model& model, std::uint32_t* nodes) {
    for_each_row(model, [&](std::size_t i, std::uint32_t node, const double*) { nodes[i] = node; });
}

}  // namespace sapwood
