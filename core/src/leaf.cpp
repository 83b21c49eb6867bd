#include "sapwood/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sapwood {

Counting::Counting(const TreeParams& params, bool counts_are_wide)
    : tallies(params.numeric_splits != NumericSplits::gaussian),
      normals(params.numeric_splits == NumericSplits::gaussian || params.leaf_prediction != LeafPrediction::majority),
      bayes(params.leaf_prediction != LeafPrediction::majority),
      drawers(tallies && !counts_are_wide && params.max_bytes == 0),
      wide(counts_are_wide),
      limit(params.numeric_splits == NumericSplits::histogram ? params.n_bins : 0) {}

namespace {

std::size_t add_normal(std::vector<Normal>& normals, double x, std::size_t y, double w) {
    std::size_t grown = 0;
    if (y >= normals.size()) {
        grown = make_room(normals, y + 1);
        normals.resize(y + 1);
    }
    normals[y].add(x, w);
    return grown;
}

/// The attribute appears now: all that the leaf has observed so far was missing there.
Attribute attribute_unseen_until_now(const Leaf& leaf, bool wide) {
    Attribute attribute{Tally(wide), {}};
    if (!(leaf.m > 0.0)) return attribute;
    attribute.tally.add_missing(leaf.classes.size());
    for (std::size_t y = 0; y < leaf.classes.size(); ++y) attribute.tally.add_to_row(0, y, leaf.classes[y].observed);
    return attribute;
}

/// Lists what must be counted of a wide row, where zeros need not be.
RowView without_zeros(const RowView& row, const std::vector<Kind>& kinds, const Counting& counting) {
    if (row.columns || !counting.zeros_are_implied() || row.n <= Drawer::kFewColumns) return row;
    thread_local std::vector<std::uint32_t> columns;
    columns.resize(2 * row.n + 3);
    std::size_t n = lanes::best.list_nonzero(row.values, row.n, columns.data());
    for (auto at = kinds.begin();; ++at) {
        at = std::find(at, kinds.end(), Kind::categorical);
        if (at == kinds.end()) break;
        const auto j = static_cast<std::uint32_t>(at - kinds.begin());
        if (row.values[j] == 0.0) columns[n++] = j;  // the first category is no zero
    }
    return {row.values, columns.data(), n};
}

}  // namespace

/// `before` tells the weight of the rows before this one.
template <class Before>
std::size_t Leaf::add_to_tally(std::size_t j, double x, Kind kind, std::size_t y, double w, const Counting& counting,
                               Before&& before) {
    Tally& tally = attributes[j].tally;
    const std::size_t k = classes.size();
    if (kind == Kind::categorical) return tally.add(x, y, w, 0, k);
    std::size_t grown = 0;
    if (counting.zeros_are_implied()) {
        if (x == 0.0) return 0;
        // If zeros came before this new value, they take the last place among the edges.
        if (!tally.full() && tally.n_keys() + 1 == counting.limit && !std::isnan(x) && !tally.has(x) &&
            tally.sum() < before())
            grown += tally.add_key(0.0, counting.limit, k);
    }
    return grown + tally.add(x, y, w, counting.limit, k);
}

std::size_t Leaf::add_to_normals(const double* row, const std::vector<Kind>& kinds, std::size_t y, double w) {
    std::size_t grown = 0;
    for (std::size_t j = 0; j < kinds.size(); ++j)
        if (kinds[j] != Kind::categorical && !std::isnan(row[j]))
            grown += add_normal(attributes[j].normals, row[j], y, w);
    return grown;
}

std::size_t Leaf::count_drawer(const std::vector<Kind>& kinds, const Counting& counting) {
    if (drawer.n == 0) return 0;
    std::size_t grown = 0;
    if (drawer.is_wide()) {
        thread_local Drawer::Sorted cells;
        drawer.sort(cells, std::find(kinds.begin(), kinds.end(), Kind::categorical) != kinds.end());
        for (std::size_t j = 0; j < attributes.size(); ++j) {
            const std::uint32_t first = cells.starts[j], n = cells.starts[j + 1] - first;
            if (kinds[j] == Kind::categorical) {  // the first category is no zero
                double column[Drawer::kRows] = {};
                for (std::uint32_t i = first; i < first + n; ++i) column[cells.rows[i]] = cells.values[i];
                grown += add_column(j, kinds[j], column, {drawer.classes(), drawer.n, 1, drawer.complete}, counting);
            } else if (n > 0) {
                grown += add_column(j, kinds[j], cells.values.data() + first,
                                    {cells.classes.data() + first, n, 1, drawer.complete}, counting);
            }
        }
    } else {
        // The columns whose edges are final are counted together.
        const lanes::Examples examples{drawer.classes(), drawer.n, drawer.width, drawer.complete};
        lanes::Column columns[Drawer::kFewColumns];
        std::size_t n = 0;
        for (std::size_t j = 0; j < attributes.size(); ++j) {
            if (has_final_edges(j))
                columns[n++] = attributes[j].tally.column(drawer.rows() + j);
            else
                grown += add_column(j, kinds[j], drawer.rows() + j, examples, counting);
        }
        std::uint32_t places[Drawer::kFewColumns * Drawer::kRows];
        lanes::best.locate(columns, n, examples, places);
        lanes::count(columns, n, drawer.n, places);
    }
    drawer.before = counted();
    drawer.empty();
    return grown;
}

/// Adds the values that rows of the drawer have in one column: of numbers in wide rows, those that are not 0.
std::size_t Leaf::add_column(std::size_t j, Kind kind, const double* values, const lanes::Examples& examples,
                             const Counting& counting) {
    Tally& tally = attributes[j].tally;
    if (has_final_edges(j)) {
        tally.add_all(values, examples);
        return 0;
    }
    const bool first_rows = counted() == 0.0 && (!counting.limit || drawer.n <= counting.limit);
    if (!first_rows || tally.stride() != 0) return add_waiting(j, kind, values, examples, counting);
    const bool numeric = kind != Kind::categorical;
    return tally.begin_with(values, examples, numeric ? counting.limit : 0, classes.size(),
                            numeric && counting.zeros_are_implied());
}

/// The same for an attribute that may still find new keys.
std::size_t Leaf::add_waiting(std::size_t j, Kind kind, const double* values, const lanes::Examples& examples,
                              const Counting& counting) {
    std::size_t grown = 0;
    const bool some_rows = drawer.is_wide() && kind != Kind::categorical;
    const bool skip_zeros = counting.zeros_are_implied() && kind != Kind::categorical;
    for (std::size_t i = 0; i < examples.n; ++i) {
        const double* rest = values + i * examples.step;
        i += attributes[j].tally.add_known(rest, examples.from(i), classes.size(), skip_zeros);
        if (i == examples.n) break;
        const auto before = [&] { return counted() + static_cast<double>(some_rows ? drawer.row_of(j, i) : i); };
        grown += add_to_tally(j, values[i * examples.step], kind, examples.classes[i], 1.0, counting, before);
    }
    return grown;
}

std::size_t Leaf::observe(const RowView& given, const std::vector<Kind>& kinds, std::size_t y, double w,
                          const Counting& counting) {
    std::size_t grown = count_drawer(kinds, counting);
    if (attributes.size() < kinds.size()) [[unlikely]] {
        grown -= drawer.nbytes();
        drawer.close();  // it is too narrow now
        grown += make_room(attributes, kinds.size());
        while (attributes.size() < kinds.size()) {
            attributes.push_back(attribute_unseen_until_now(*this, counting.wide));
            grown += attributes.back().nbytes();
        }
    }
    // A closed leaf looks for no threshold: of numbers it keeps only the normals.
    const bool tallies = counting.tallies && collecting != Collecting::closed;
    if (tallies && counting.drawers && !counting.normals && kinds.size() <= Drawer::kManyColumns) {
        grown += begin_to_wait(kinds.size(), counting);
        put_away(given, y);
        return grown;
    }
    const RowView row = without_zeros(given, kinds, counting);
    const bool implied = counting.zeros_are_implied();
    bool all_full = tallies;
    for (std::size_t i = 0; i < row.n; ++i) {
        const std::size_t j = row.columns ? row.columns[i] : i;
        const double x = row.values[j];
        const bool categorical = kinds[j] == Kind::categorical;
        if (implied && x == 0.0 && !categorical) continue;
        Tally& tally = attributes[j].tally;
        if ((categorical || tallies || std::isnan(x)) && !tally.add_known(x, y, w, classes.size())) [[unlikely]]
            grown += add_to_tally(j, x, kinds[j], y, w, counting, [&] { return m; });
        all_full = all_full && tally.full();
    }
    if (counting.normals) grown += add_to_normals(row.values, kinds, y, w);
    // Naive Bayes asks tallies that are not full at every row.
    if (all_full && kinds.size() <= Drawer::kFewColumns) grown += begin_to_wait(kinds.size(), counting);
    return grown;
}

std::size_t Leaf::begin_to_wait(std::size_t width, const Counting& counting) {
    if (!counting.drawers) return 0;
    const std::size_t before = drawer.nbytes();
    drawer.open(width);
    waits = true;
    return drawer.nbytes() - before;
}

void Leaf::spread(std::size_t j, Kind kind, const Counting& counting, Spread& out) const {
    const Tally& tally = attributes[j].tally;
    const std::size_t k = out.k = classes.size();
    out.keys = tally.keys();
    out.n_keys = tally.n_keys();
    out.n_rows = std::max<std::size_t>(1, tally.n_rows());
    out.rows.resize((out.n_rows + 1) * k);
    if (tally.stride())
        tally.copy_rows(out.rows.data(), k);
    else
        std::fill(out.rows.begin(), out.rows.end(), 0.0);
    out.any_missing = std::any_of(out.row(0), out.row(0) + k, [](double n) { return n > 0.0; });
    if (kind == Kind::categorical || !counting.zeros_are_implied()) return;

    // What was observed and is in no row was 0.
    out.zeros.resize(k);
    for (std::size_t y = 0; y < k; ++y) out.zeros[y] = classes[y].observed;
    for (std::size_t row = 0; row < out.n_rows; ++row)
        for (std::size_t y = 0; y < k; ++y) out.zeros[y] -= out.rows[row * k + y];
    if (std::none_of(out.zeros.begin(), out.zeros.end(), [](double n) { return n > 0.0; })) return;
    const std::size_t at = tally.position(0.0);
    const auto row = out.rows.begin() + static_cast<std::ptrdiff_t>((1 + at) * k);
    if (tally.full()) {
        for (std::size_t y = 0; y < k; ++y) row[static_cast<std::ptrdiff_t>(y)] += out.zeros[y];
        return;
    }
    std::copy_backward(row, out.rows.begin() + static_cast<std::ptrdiff_t>(out.n_rows * k), out.rows.end());
    std::copy(out.zeros.begin(), out.zeros.end(), row);
    out.own_keys.assign(tally.keys(), tally.keys() + out.n_keys);
    out.own_keys.insert(out.own_keys.begin() + static_cast<std::ptrdiff_t>(at), 0.0);
    out.keys = out.own_keys.data();
    ++out.n_keys;
    ++out.n_rows;
}

std::size_t Leaf::widen_counts(const std::vector<Kind>& kinds, const Counting& before) {
    std::size_t grown = count_drawer(kinds, before) - drawer.nbytes();
    drawer.close();
    waits = false;
    Spread spread_out;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        Tally& tally = attributes[j].tally;
        const std::size_t limit = kinds[j] == Kind::categorical ? 0 : before.limit;
        if (before.zeros_are_implied() && kinds[j] != Kind::categorical) {
            spread(j, kinds[j], before, spread_out);
            const bool seen =
                std::any_of(spread_out.zeros.begin(), spread_out.zeros.end(), [](double n) { return n > 0.0; });
            if (seen)
                grown += tally.full() ? tally.add_missing(classes.size()) : tally.add_key(0.0, limit, classes.size());
            for (std::size_t y = 0; seen && y < classes.size(); ++y)
                tally.add_to_row(1 + tally.position(0.0), y, spread_out.zeros[y]);
        }
        grown += tally.widen_counts(limit);
    }
    return grown;
}

double Leaf::votes() const {
    double sum = 0.0;
    for (const ClassCount& n : classes) sum += n.votes;
    return sum;
}

double Leaf::learned() const {
    double sum = 0.0;
    for (const ClassCount& n : classes) sum += n.learned;
    return sum;
}

double Leaf::promise() const {
    return classes.empty() ? 0.0 : votes() - classes[majority].votes;
}

bool Leaf::pure() const {
    std::size_t seen = 0;
    for (const ClassCount& n : classes) seen += n.observed > 0.0;
    return seen < 2;
}

std::size_t Leaf::statistics_nbytes() const {
    std::size_t sum = bytes_of(attributes) + drawer.nbytes();
    for (const Attribute& attribute : attributes) sum += attribute.nbytes();
    return sum;
}

void Leaf::drop_statistics() {
    release(attributes);
    drawer.close();
    waits = false;
    for (ClassCount& n : classes) n.observed = 0.0;
    m = 0.0;
    last_look = 0.0;
}

std::uint32_t majority_of(const Leaf& leaf) {
    std::uint32_t best = 0;
    for (std::uint32_t y = 1; y < leaf.classes.size(); ++y)
        if (leaf.classes[y].votes > leaf.classes[best].votes) best = y;
    return best;
}

}  // namespace sapwood
