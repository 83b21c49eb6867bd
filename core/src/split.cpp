#include "sapwood/split.hpp"

#include <algorithm>

#include "sapwood/criterion.hpp"

namespace sapwood {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double sum_of(const double* counts, std::size_t k) {
    double sum = 0.0;
    for (std::size_t y = 0; y < k; ++y) sum += counts[y];
    return sum;
}

/// g(left) + g(right), or infinity when a side is empty and the split divides nothing.
template <Criterion criterion>
double left_over_of(const double* left, const double* right, std::size_t k) {
    const double n_left = sum_of(left, k);
    const double n_right = sum_of(right, k);
    if (!(n_left > 0.0) || !(n_right > 0.0)) return kNever;
    return left_over<criterion>(left, k, n_left) + left_over<criterion>(right, k, n_right);
}

/// Offers a candidate whose sides, missing values apart, are given. `side` is room for k doubles.
template <Criterion criterion>
void offer(Candidate& best, double key, const double* left, const double* right, const double* missing,
           bool any_missing, std::size_t k, double* side) {
    if (!any_missing) {
        const double g = left_over_of<criterion>(left, right, k);
        if (g < best.left_over) best = {g, 0, key, sum_of(left, k) >= sum_of(right, k)};
        return;
    }
    for (std::size_t y = 0; y < k; ++y) side[y] = left[y] + missing[y];
    const double g_left = left_over_of<criterion>(side, right, k);
    if (g_left < best.left_over) best = {g_left, 0, key, true};
    for (std::size_t y = 0; y < k; ++y) side[y] = right[y] + missing[y];
    const double g_right = left_over_of<criterion>(left, side, k);
    if (g_right < best.left_over) best = {g_right, 0, key, false};
}

/// Row i of `suffix` becomes the sum of the value rows after i, accumulated from the last.
void sum_suffixes(const Spread& counts, std::vector<double>& suffix) {
    const std::size_t k = counts.k;
    const std::size_t rows = counts.n_rows - 1;
    suffix.resize(rows * k);
    std::fill_n(suffix.begin() + static_cast<std::ptrdiff_t>((rows - 1) * k), k, 0.0);
    for (std::size_t i = rows - 1; i > 0; --i)
        for (std::size_t y = 0; y < k; ++y) suffix[(i - 1) * k + y] = suffix[i * k + y] + counts.row(1 + i)[y];
}

/// Thresholds: left is value <= key. Categories: left is category == key.
template <Criterion criterion>
Candidate best_of_counts(const Spread& counts, bool categorical, SplitScratch& scratch) {
    Candidate best;
    const std::size_t n = counts.n_keys;
    if (n == 0) return best;
    const std::size_t k = counts.k;
    sum_suffixes(counts, scratch.suffix);
    scratch.left.assign(k, 0.0);  // sum of the rows before (categories) or up to (thresholds) this key
    scratch.right.resize(2 * k);
    double* before = scratch.left.data();
    double* rest = scratch.right.data();
    double* side = rest + k;
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = counts.row(1 + i);
        const double* after = scratch.suffix.data() + i * k;
        if (categorical && counts.keys[i] >= 0.0) {  // below 0: a category that had no room for a name
            for (std::size_t y = 0; y < k; ++y) rest[y] = before[y] + after[y];
            offer<criterion>(best, counts.keys[i], row, rest, counts.row(0), counts.any_missing, k, side);
        }
        for (std::size_t y = 0; y < k; ++y) before[y] += row[y];
        if (!categorical)
            offer<criterion>(best, counts.keys[i], before, after, counts.row(0), counts.any_missing, k, side);
    }
    return best;
}

void project_normals(const std::vector<Normal>& normals, double threshold, std::size_t k, double* left, double* right) {
    for (std::size_t y = 0; y < k; ++y) {
        left[y] = right[y] = 0.0;
        if (y < normals.size()) left[y] = normals[y].weight_up_to(threshold, right[y]);
    }
}

/// Equally spaced thresholds strictly between the lowest and the highest value seen.
template <Criterion criterion>
Candidate best_of_normals(const Attribute& attribute, const Spread& counts, SplitScratch& scratch) {
    Candidate best;
    double lowest = kNever, highest = -kNever;
    for (const Normal& normal : attribute.normals) {
        lowest = std::min(lowest, normal.lowest);
        highest = std::max(highest, normal.highest);
    }
    if (!(lowest < highest)) return best;
    const std::size_t k = counts.k;
    scratch.left.resize(k);
    scratch.right.resize(2 * k);
    const double step = (highest - lowest) / (kNormalThresholds + 1);
    for (int i = 1; i <= kNormalThresholds; ++i) {
        const double threshold = lowest + step * i;
        if (!(threshold > lowest && threshold < highest)) continue;
        project_normals(attribute.normals, threshold, k, scratch.left.data(), scratch.right.data());
        offer<criterion>(best, threshold, scratch.left.data(), scratch.right.data(), counts.row(0), counts.any_missing,
                         k, scratch.right.data() + k);
    }
    return best;
}

}  // namespace

Ranking rank_splits(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params,
                    const Counting& counting, SplitScratch& scratch, const Glance* glance) {
    Ranking ranking;
    if (glance) ranking.missing_seen = glance->missing_seen();
    Spread& counts = scratch.counts;
    with_criterion(params.criterion, [&]<Criterion criterion>() {
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
            if (glance && !glance->matters(j)) continue;
            const bool categorical = kinds[j] == Kind::categorical;
            // A column that had no value but 0 cannot be split.
            if (!categorical && counting.zeros_are_implied() && leaf.attributes[j].tally.stride() == 0) continue;
            leaf.spread(j, kinds[j], counting, counts);
            Candidate best = !categorical && !counting.tallies
                                 ? best_of_normals<criterion>(leaf.attributes[j], counts, scratch)
                                 : best_of_counts<criterion>(counts, categorical, scratch);
            ranking.missing_seen |= counts.any_missing;
            best.feature = static_cast<std::uint32_t>(j);
            if (best.left_over < ranking.best.left_over) {
                ranking.runner_up = ranking.best.left_over;
                ranking.best = best;
            } else {
                ranking.runner_up = std::min(ranking.runner_up, best.left_over);
            }
        }
    });
    return ranking;
}

void count_sides(const Leaf& leaf, Kind kind, const Counting& counting, const Candidate& split,
                 std::vector<double>& left, std::vector<double>& right) {
    Spread counts;
    leaf.spread(split.feature, kind, counting, counts);
    const std::size_t k = counts.k;
    left.assign(k, 0.0);
    right.assign(k, 0.0);
    if (kind != Kind::categorical && !counting.tallies) {
        project_normals(leaf.attributes[split.feature].normals, split.key, k, left.data(), right.data());
    } else {
        for (std::size_t i = 1; i < counts.n_rows; ++i) {
            const double key = i <= counts.n_keys ? counts.keys[i - 1] : kNever;
            auto& side = (kind == Kind::categorical ? key == split.key : key <= split.key) ? left : right;
            for (std::size_t y = 0; y < k; ++y) side[y] += counts.row(i)[y];
        }
    }
    auto& side = split.missing_left ? left : right;
    for (std::size_t y = 0; y < k; ++y) side[y] += counts.row(0)[y];
}

double left_over_without_split(const Leaf& leaf, Criterion criterion, SplitScratch& scratch) {
    scratch.observed.clear();
    for (const ClassCount& n : leaf.classes) scratch.observed.push_back(n.observed);
    return with_criterion(criterion, [&]<Criterion c>() {
        const std::size_t k = scratch.observed.size();
        return left_over<c>(scratch.observed.data(), k, sum_of(scratch.observed.data(), k));
    });
}

}  // namespace sapwood
