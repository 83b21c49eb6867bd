#include "sapwood/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sapwood {
namespace {

/// A numeric attribute is counted like a category once its values repeat this often on average.
constexpr double kRepeats = 4.0;
constexpr double kSmallest = std::numeric_limits<double>::min();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kFarthest = 1e300;

void add_frequencies(const Tally& tally, double x, const Leaf& leaf, double* scores) {
    const std::size_t i = tally.position(x);
    const bool known = i < tally.n_keys() && tally.keys()[i] == x;
    const auto n_keys = static_cast<double>(tally.n_keys());
    for (std::size_t y = 0; y < tally.stride(); ++y) {
        const double with_value = leaf.classes[y].observed - tally.missing()[y];
        const double n = known ? tally.row(1 + i)[y] : 0.0;
        scores[y] += std::log((n + 1.0) / (with_value + n_keys));
    }
}

void add_densities(const std::vector<Normal>& normals, double x, double* scores) {
    double squares = 0.0, weight = 0.0;
    for (const Normal& normal : normals) {
        squares += normal.squares;
        weight += normal.weight;
    }
    if (!(squares > 0.0)) return;
    const double within = std::min(squares, kLargest) / weight;
    for (std::size_t y = 0; y < normals.size(); ++y) {
        const Normal& normal = normals[y];
        if (!(normal.weight > 0.0)) continue;
        const double variance =
            std::clamp(normal.squares / normal.weight + within / normal.weight, kSmallest, kLargest);
        const double distance = x - normal.mean;
        const double squared = std::min(distance * distance / variance, kFarthest);  // infinite for values far out
        scores[y] -= 0.5 * (std::log(variance) + squared);
    }
}

}  // namespace

void naive_bayes_scores(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds, double* scores) {
    const double votes = leaf.votes();
    for (std::size_t y = 0; y < leaf.classes.size(); ++y) {
        const double n = leaf.classes[y].votes;
        scores[y] = n > 0.0 ? std::log(n / votes) : -std::numeric_limits<double>::infinity();
    }
    for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
        const double x = row[j];
        const Attribute& attribute = leaf.attributes[j];
        if (std::isnan(x)) continue;
        const auto n_keys = static_cast<double>(attribute.tally.n_keys());
        const bool repeats = n_keys > 0.0 && !attribute.tally.full() && leaf.m >= kRepeats * n_keys;
        if (kinds[j] == Kind::categorical || repeats)
            add_frequencies(attribute.tally, x, leaf, scores);
        else
            add_densities(attribute.normals, x, scores);
    }
}

}  // namespace sapwood
