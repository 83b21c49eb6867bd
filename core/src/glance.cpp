#include "sapwood/glance.hpp"

#include <algorithm>

#include "sapwood/lane_steps.hpp"

namespace sapwood {
namespace {

/// Whole numbers up to this are exact in single precision.
constexpr double kMostExact = 16777216.0;
constexpr double kHalfStep = 1.0 / kMostExact;  // an operation errs by this share of its result at most

}  // namespace

/// Counts and their sums are exact. Of k classes, a side of n examples has n^2 - sum_y n_y^2 with an error of at most
/// k + 2 half steps of n^2: one for n^2, one for each square, k - 1 for adding them and one for the difference, where
/// what is subtracted is no more than n^2. Two products, their sum and a quotient follow. Divided by n, that is k + 6
/// half steps of n on either side, and of m for both. For two classes 2 a b errs by less.
void Glance::take(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params,
                  const Counting& counting) {
    const std::size_t d = leaf.attributes.size();
    best_ = runner_up_ = kNever;
    missing_seen_ = false;
    error_ = static_cast<double>(leaf.classes.size() + 6) * kHalfStep * leaf.m;
    const bool can = params.criterion == Criterion::gini && counting.tallies && !counting.wide && leaf.m <= kMostExact;
    least_.assign(d, can ? kNever : -kNever);
    if (!can) {
        best_ = -kNever;
        return;
    }
    double first = kNever, second = kNever;  // the two smallest that are known
    for (std::size_t j = 0; j < d; ++j) {
        const double least = least_[j] = least_of(leaf.attributes[j].tally, kinds[j] == Kind::categorical, leaf);
        best_ = std::min(best_, least - error_);
        if (least == -kNever) continue;
        second = std::min(second, std::max(first, least));
        first = std::min(first, least);
    }
    runner_up_ = second + error_;
}

/// Of numbers with one key, which divide only what was 0 from what was not. In double precision, which errs by less.
double Glance::least_of_one_key(const Tally& tally, const Leaf& leaf) {
    double one = 0.0, other = 0.0, squares_of_one = 0.0, squares_of_other = 0.0;
    for (std::size_t y = 0; y < leaf.classes.size(); ++y) {
        const double n = y < tally.stride() ? tally.count(1, y) : 0.0, zeros = leaf.classes[y].observed - n;
        one += n;
        other += zeros;
        squares_of_one += n * n;
        squares_of_other += zeros * zeros;
    }
    return one > 0.0 && other > 0.0 ? lanes::left_over(one, squares_of_one, other, squares_of_other) : kNever;
}

double Glance::least_of(const Tally& tally, bool categorical, const Leaf& leaf) {
    std::size_t n = tally.n_keys();
    const std::size_t k = leaf.classes.size(), known = tally.stride();
    if (!categorical && n == 1 && !tally.full() && !tally.any_missing()) return least_of_one_key(tally, leaf);
    // A category without a name has no split. Without any value, or with zeros only, there is none at all.
    if (categorical && n > 0 && tally.keys()[0] < 0.0) return -kNever;
    if (known == 0 || (categorical && n == 0)) return kNever;
    const std::size_t pitch = lanes::whole_groups(n + 1);
    room_.assign(k * pitch + 3 * k, 0.0F);
    float *left = room_.data(), *all = left + k * pitch, *counted = all + k, *missing = counted + k;
    if (categorical)
        tally.split_up(left, pitch, counted, missing);
    else
        tally.sum_up(left, pitch, counted, missing);
    bool zeros = false, any_missing = false;
    for (std::size_t y = 0; y < k; ++y) {
        any_missing |= missing[y] > 0.0F;
        all[y] = static_cast<float>(leaf.classes[y].observed) - missing[y];
        zeros |= all[y] > counted[y];  // what was observed and not counted was 0
    }
    if (!categorical && zeros) {
        const std::size_t at = tally.position(0.0);
        const bool own_key = !tally.full();
        n += own_key;
        for (std::size_t y = 0; y < k; ++y) {
            float* of = left + y * pitch;
            if (own_key) {
                std::copy_backward(of + at, of + n - 1, of + n);
                of[at] = at ? of[at - 1] : 0.0F;
            }
            for (std::size_t i = at; i < n; ++i) of[i] += all[y] - counted[y];
        }
    }
    if (any_missing)
        for (std::size_t y = 0; y < k; ++y) all[y] += missing[y];
    float least = lanes::best.least_gini({left, pitch, n, k, all});
    if (any_missing) {  // they may go to the left as well
        missing_seen_ = true;
        for (std::size_t y = 0; y < k; ++y)
            for (std::size_t i = 0; i < n; ++i) left[y * pitch + i] += missing[y];
        least = std::min(least, lanes::best.least_gini({left, pitch, n, k, all}));
    }
    return least;
}

}  // namespace sapwood
