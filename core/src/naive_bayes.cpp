#include "sapwood/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sapwood {
namespace {

/// A numeric attribute is counted like a category once its values repeat this often on average.
constexpr double kRepeats = 4.0;
constexpr double kSmallest = std::numeric_limits<double>::min();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kFarthest = 1e300;

/// A product of many factors that neither overflows nor vanishes: the logarithm is taken once, of all of them.
struct Product {
    double mantissa = 1.0;
    std::int64_t exponent = 0;

    static constexpr double kLeast = 0x1p-300, kMost = 0x1p300;

    void times(double factor) {
        const double product = mantissa * factor;
        if (product > kLeast && product < kMost) [[likely]]
            mantissa = product;
        else
            mantissa = shifted(mantissa) * shifted(factor);
    }

   private:
    double shifted(double x) {
        int by = 0;
        x = std::frexp(x, &by);
        exponent += by;
        return x;
    }
};

/// What speaks for a class: its probability is sqrt(above / below) exp(-distance / 2), times what all classes share.
struct Evidence {
    Product above, below;
    double distance = 0.0;

    void weigh(double p) {
        above.times(p);
        above.times(p);
    }
    double log() const {
        const auto exponent = static_cast<double>(above.exponent - below.exponent);
        return 0.5 * (std::log(above.mantissa / below.mantissa) + exponent * std::numbers::ln2 - distance);
    }
};

void weigh_frequencies(const Tally& tally, double x, const Leaf& leaf, Evidence* evidence) {
    if (tally.n_keys() == 0) return;
    const std::size_t i = tally.position(x);
    const bool known = i < tally.n_keys() && tally.keys()[i] == x;
    const auto n_keys = static_cast<double>(tally.n_keys());
    for (std::size_t y = 0; y < tally.stride(); ++y) {
        const double with_value = leaf.classes[y].observed - tally.missing(y);
        const double n = known ? tally.count(1 + i, y) : 0.0;
        evidence[y].weigh((n + 1.0) / (with_value + n_keys));
    }
}

void weigh_densities(const std::vector<Normal>& normals, double x, Evidence* evidence) {
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
        // The variance is this over the weight.
        const double spread = std::max(std::min(normal.squares + within, kLargest), kSmallest);
        const double apart = x - normal.mean;
        evidence[y].distance += std::min(apart * apart * normal.weight / spread, kFarthest);  // infinite far out
        evidence[y].below.times(spread);
        evidence[y].above.times(normal.weight);
    }
}

/// A numeric attribute whose values repeat is counted like a category.
bool counts_frequencies(const Attribute& attribute, Kind kind, const Leaf& leaf) {
    if (kind == Kind::categorical) return true;
    const auto n_keys = static_cast<double>(attribute.tally.n_keys());
    return n_keys > 0.0 && !attribute.tally.full() && leaf.m >= kRepeats * n_keys;
}

#if defined(__GNUC__)
using Two = double __attribute__((vector_size(16)));

/// Two classes side by side, in registers: what naive_bayes_scores() does, in the same order, for the common leaf.
/// False for any other: an attribute that is counted, a class without a value, a number that leaves its range.
bool score_two_classes(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds, double* scores) {
    const auto both = [](double x) { return Two{x, x}; };
    const auto in_range = [](Two products) {
        const auto within = (products > Product::kLeast) & (products < Product::kMost);
        return static_cast<bool>(within[0] & within[1]);
    };
    Two above = both(1.0), below = both(1.0), distance = both(0.0);
    for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
        const Attribute& attribute = leaf.attributes[j];
        const double x = row[j];
        if (std::isnan(x)) continue;
        if (attribute.normals.size() != 2 || counts_frequencies(attribute, kinds[j], leaf)) return false;
        const Normal &first = attribute.normals[0], &second = attribute.normals[1];
        const Two weight{first.weight, second.weight}, squares{first.squares, second.squares};
        const double all = squares[0] + squares[1];
        const Two spread = squares + both(all / (weight[0] + weight[1]));
        const Two apart = both(x) - Two{first.mean, second.mean};
        const Two far = apart * apart * weight / spread;
        distance += far;
        below *= spread;  // a spread that is too large or small for a number leaves the range, too
        above *= weight;
        if (!in_range(above) || !in_range(below) || !(far[0] < kFarthest) || !(far[1] < kFarthest)) [[unlikely]]
            return false;
    }
    const double votes = leaf.votes();
    const Two prior = Two{leaf.classes[0].votes, leaf.classes[1].votes} / both(votes);
    above *= prior;
    if (!in_range(above)) return false;
    above *= prior;
    if (!in_range(above)) return false;
    for (int y = 0; y < 2; ++y) scores[y] = Evidence{{above[y]}, {below[y]}, distance[y]}.log();
    return true;
}
#endif

}  // namespace

void naive_bayes_scores(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds, double* scores) {
#if defined(__GNUC__)
    if (leaf.classes.size() == 2 && score_two_classes(leaf, row, kinds, scores)) return;
#endif
    const double votes = leaf.votes();
    const std::size_t k = leaf.classes.size();
    thread_local std::vector<Evidence> room;
    room.assign(k, {});
    Evidence* evidence = room.data();
    for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
        const double x = row[j];
        const Attribute& attribute = leaf.attributes[j];
        if (std::isnan(x)) continue;
        if (counts_frequencies(attribute, kinds[j], leaf))
            weigh_frequencies(attribute.tally, x, leaf, evidence);
        else
            weigh_densities(attribute.normals, x, evidence);
    }
    for (std::size_t y = 0; y < k; ++y) {
        const double n = leaf.classes[y].votes;
        if (n > 0.0) evidence[y].weigh(n / votes);
        scores[y] = n > 0.0 ? evidence[y].log() : -std::numeric_limits<double>::infinity();
    }
}

std::uint32_t bayes_class(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds) {
    const std::size_t k = leaf.classes.size();
    constexpr std::size_t kFew = 8;
    double few[kFew];
    thread_local std::vector<double> many;
    if (k > kFew) many.resize(k);
    double* scores = k > kFew ? many.data() : few;
    naive_bayes_scores(leaf, row, kinds, scores);
    return static_cast<std::uint32_t>(std::max_element(scores, scores + k) - scores);
}

}  // namespace sapwood
