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

/// Row i of `suffix` becomes the sum of the tally's value rows after i, accumulated from the last.
void sum_suffixes(const Tally& tally, std::vector<double>& suffix) {
    const std::size_t k = tally.stride();
    const std::size_t rows = tally.n_rows() - 1;
    suffix.resize(rows * k);
    std::fill_n(suffix.begin() + static_cast<std::ptrdiff_t>((rows - 1) * k), k, 0.0);
    for (std::size_t i = rows - 1; i > 0; --i)
        for (std::size_t y = 0; y < k; ++y) suffix[(i - 1) * k + y] = suffix[i * k + y] + tally.row(1 + i)[y];
}

/// Thresholds: left is value <= key. Categories: left is category == key.
template <Criterion criterion>
Candidate best_of_tally(const Tally& tally, bool categorical, bool any_missing, SplitScratch& scratch) {
    Candidate best;
    const std::size_t n = tally.n_keys();
    if (n == 0) return best;
    const std::size_t k = tally.stride();
    sum_suffixes(tally, scratch.suffix);
    scratch.left.assign(k, 0.0);  // sum of the rows before (categories) or up to (thresholds) this key
    scratch.right.resize(2 * k);
    double* before = scratch.left.data();
    double* rest = scratch.right.data();
    double* side = rest + k;
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = tally.row(1 + i);
        const double* after = scratch.suffix.data() + i * k;
        if (categorical && tally.keys()[i] >= 0.0) {  // below 0: a category that had no room for a name
            for (std::size_t y = 0; y < k; ++y) rest[y] = before[y] + after[y];
            offer<criterion>(best, tally.keys()[i], row, rest, tally.missing(), any_missing, k, side);
        }
        for (std::size_t y = 0; y < k; ++y) before[y] += row[y];
        if (!categorical) offer<criterion>(best, tally.keys()[i], before, after, tally.missing(), any_missing, k, side);
    }
    return best;
}

/// The two classes, no missing values case of a numeric tally: the common one, in a form that vectorises. Same
/// arithmetic as best_of_tally, in the same order.
Candidate best_threshold_of_two_classes(const Tally& tally, SplitScratch& scratch) {
    const std::size_t n = tally.n_keys();
    Candidate best;
    if (n == 0) return best;
    const std::size_t rows = tally.n_rows() - 1;
    scratch.suffix.resize(2 * rows);
    scratch.left.resize(2 * n);
    scratch.right.resize(n);
    double* left = scratch.left.data();
    double* g = scratch.right.data();
    double* after = scratch.suffix.data();
    double sum0 = 0.0, sum1 = 0.0;
    for (std::size_t i = rows; i-- > 0;) {
        after[2 * i] = sum0;
        after[2 * i + 1] = sum1;
        sum0 += tally.row(1 + i)[0];
        sum1 += tally.row(1 + i)[1];
    }
    sum0 = sum1 = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        left[2 * i] = sum0 += tally.row(1 + i)[0];
        left[2 * i + 1] = sum1 += tally.row(1 + i)[1];
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double a = left[2 * i], b = left[2 * i + 1], n_left = a + b;
        const double c = after[2 * i], d = after[2 * i + 1], n_right = c + d;
        const double g_left = (a * (n_left - a) + b * (n_left - b)) / n_left;
        const double g_right = (c * (n_right - c) + d * (n_right - d)) / n_right;
        g[i] = g_left + g_right;  // not a number where the right side is empty, and so never the smallest
    }
    for (std::size_t i = 0; i < n; ++i)
        if (g[i] < best.left_over) best = {g[i], 0, tally.keys()[i], true};
    if (best.exists()) {
        const std::size_t i = tally.position(best.key);
        best.missing_left = left[2 * i] + left[2 * i + 1] >= after[2 * i] + after[2 * i + 1];
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
Candidate best_of_normals(const Attribute& attribute, bool any_missing, std::size_t k, SplitScratch& scratch) {
    Candidate best;
    double lowest = kNever, highest = -kNever;
    for (const Normal& normal : attribute.normals) {
        lowest = std::min(lowest, normal.lowest);
        highest = std::max(highest, normal.highest);
    }
    if (!(lowest < highest)) return best;
    scratch.left.resize(k);
    scratch.right.resize(2 * k);
    scratch.suffix.assign(k, 0.0);
    for (std::size_t y = 0; y < attribute.tally.stride(); ++y) scratch.suffix[y] = attribute.tally.missing()[y];
    const double step = (highest - lowest) / (kNormalThresholds + 1);
    for (int i = 1; i <= kNormalThresholds; ++i) {
        const double threshold = lowest + step * i;
        if (!(threshold > lowest && threshold < highest)) continue;
        project_normals(attribute.normals, threshold, k, scratch.left.data(), scratch.right.data());
        offer<criterion>(best, threshold, scratch.left.data(), scratch.right.data(), scratch.suffix.data(), any_missing,
                         k, scratch.right.data() + k);
    }
    return best;
}

}  // namespace

Ranking rank_splits(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, SplitScratch& scratch) {
    Ranking ranking;
    const std::size_t k = leaf.classes.size();
    with_criterion(params.criterion, [&]<Criterion criterion>() {
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
            const Attribute& attribute = leaf.attributes[j];
            const bool any_missing = sum_of(attribute.tally.missing(), attribute.tally.stride()) > 0.0;
            ranking.missing_seen |= any_missing;
            Candidate best;
            if (kinds[j] != Kind::categorical && params.numeric_splits == NumericSplits::gaussian)
                best = best_of_normals<criterion>(attribute, any_missing, k, scratch);
            else if (criterion == Criterion::gini && kinds[j] != Kind::categorical && !any_missing &&
                     attribute.tally.stride() == 2)
                best = best_threshold_of_two_classes(attribute.tally, scratch);
            else
                best = best_of_tally<criterion>(attribute.tally, kinds[j] == Kind::categorical, any_missing, scratch);
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

void count_sides(const Leaf& leaf, Kind kind, const Candidate& split, std::size_t n_classes, std::vector<double>& left,
                 std::vector<double>& right) {
    const Attribute& attribute = leaf.attributes[split.feature];
    const Tally& tally = attribute.tally;
    left.assign(n_classes, 0.0);
    right.assign(n_classes, 0.0);
    if (kind != Kind::categorical && tally.n_keys() == 0) {
        project_normals(attribute.normals, split.key, n_classes, left.data(), right.data());
    } else {
        for (std::size_t i = 1; i < tally.n_rows(); ++i) {
            const double key = i <= tally.n_keys() ? tally.keys()[i - 1] : kNever;
            auto& side = (kind == Kind::categorical ? key == split.key : key <= split.key) ? left : right;
            for (std::size_t y = 0; y < tally.stride(); ++y) side[y] += tally.row(i)[y];
        }
    }
    auto& side = split.missing_left ? left : right;
    for (std::size_t y = 0; y < tally.stride(); ++y) side[y] += tally.missing()[y];
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
