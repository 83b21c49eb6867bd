#include "sapwood/moa.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sapwood::moa {
namespace {

constexpr double kWorst = -std::numeric_limits<double>::infinity();
constexpr double kSmallestBranch = 0.01;  // InfoGain's minimum share of the weight

using Votes = std::vector<double>;

double sum_of(const Votes& votes) {
    double sum = 0.0;
    for (double v : votes) sum += v;
    return sum;
}

double log_2(double x) {
    return std::log(x) / std::log(2.0);
}

double entropy(const Votes& votes) {
    double e = 0.0, sum = 0.0;
    for (double v : votes) {
        if (v > 0.0) {
            e -= v * log_2(v);
            sum += v;
        }
    }
    return sum > 0.0 ? (e + sum * log_2(sum)) / sum : 0.0;
}

double gini(const Votes& votes, double sum) {
    double g = 1.0;
    for (double v : votes) {
        const double p = v / sum;
        g -= p * p;
    }
    return g;
}

/// The merit of dividing `before` into the branches; greater is better.
double merit(Criterion criterion, const Votes& before, const std::vector<const Votes*>& branches) {
    double total = 0.0;
    std::vector<double> weights;
    for (const Votes* branch : branches) {
        weights.push_back(sum_of(*branch));
        total += weights.back();
    }
    if (criterion == Criterion::gini) {
        double g = 0.0;
        for (std::size_t i = 0; i < branches.size(); ++i)
            g += branches[i]->empty() ? 0.0 : (weights[i] / total) * gini(*branches[i], weights[i]);
        return 1.0 - g;
    }
    const auto large =
        std::count_if(weights.begin(), weights.end(), [&](double w) { return w / total > kSmallestBranch; });
    if (large < 2) return kWorst;
    double after = 0.0;
    for (std::size_t i = 0; i < branches.size(); ++i) after += weights[i] * entropy(*branches[i]);
    return entropy(before) - after / total;
}

/// MOA's class vectors end at the largest class index that they hold.
void trim(Votes& votes) {
    while (!votes.empty() && votes.back() == 0.0) votes.pop_back();
}

void project(const std::vector<Normal>& normals, double threshold, Votes& left, Votes& right) {
    left.assign(normals.size(), 0.0);
    right.assign(normals.size(), 0.0);
    for (std::size_t y = 0; y < normals.size(); ++y) left[y] = normals[y].weight_up_to(threshold, right[y]);
}

void divide(const Tally& tally, double key, Votes& left, Votes& right) {
    left.assign(tally.stride(), 0.0);
    right.assign(tally.stride(), 0.0);
    for (std::size_t i = 0; i < tally.n_keys(); ++i) {
        Votes& side = tally.keys()[i] == key ? left : right;
        for (std::size_t y = 0; y < tally.stride(); ++y) side[y] += tally.count(1 + i, y);
    }
}

struct Suggestion {
    double merit = kWorst;
    bool none = true;  // the null split
    Candidate candidate;
};

/// The attribute's own best split; false if it has nothing to suggest.
bool suggest(const Leaf& leaf, std::size_t j, Kind kind, Criterion criterion, const Votes& before, Suggestion& out) {
    const Attribute& attribute = leaf.attributes[j];
    Votes left, right;
    bool found = false;
    auto offer = [&](double key) {
        const double m = merit(criterion, before, {&left, &right});
        if (!found || m > out.merit) out = {m, false, {0.0, static_cast<std::uint32_t>(j), key, true}};
        found = true;
    };
    if (kind == Kind::categorical) {
        // Every rank below the largest seen competes, whether or not this leaf has seen it.
        const Tally& tally = attribute.tally;
        const std::size_t top = tally.n_keys() ? static_cast<std::size_t>(tally.keys()[tally.n_keys() - 1]) + 1 : 0;
        for (std::size_t v = 0; v < top; ++v) {
            divide(tally, static_cast<double>(v), left, right);
            if (top < 2) right.clear();  // no other value: a branch without entries, which Gini passes over
            offer(static_cast<double>(v));
        }
        return found;
    }
    double lowest = -kWorst, highest = kWorst;
    for (const Normal& normal : attribute.normals) {
        lowest = std::min(lowest, normal.lowest);
        highest = std::max(highest, normal.highest);
    }
    if (!(lowest < highest)) return false;
    const double step = (highest - lowest) / (kNormalThresholds + 1.0);
    for (int i = 1; i <= kNormalThresholds; ++i) {
        const double threshold = lowest + step * i;
        if (!(threshold > lowest && threshold < highest)) continue;
        project(attribute.normals, threshold, left, right);
        offer(threshold);
    }
    return found;
}

}  // namespace

Decision evaluate(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, double delta) {
    Votes before;
    for (const ClassCount& n : leaf.classes) before.push_back(n.votes);
    trim(before);
    const double weight = sum_of(before);
    const bool bits = params.criterion == Criterion::entropy;
    const double unit = bits ? 0.5 * std::numbers::ln2 : 1.0;

    std::vector<Suggestion> suggestions;
    suggestions.push_back({merit(params.criterion, before, {&before}), true, {}});
    for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
        Suggestion s;
        if (suggest(leaf, j, kinds[j], params.criterion, before, s)) suggestions.push_back(s);
    }
    // Not-a-number sorts as the greatest, as Java's Double.compare has it.
    std::stable_sort(suggestions.begin(), suggestions.end(), [](const Suggestion& a, const Suggestion& b) {
        if (std::isnan(a.merit) || std::isnan(b.merit)) return !std::isnan(a.merit) && std::isnan(b.merit);
        return a.merit < b.merit;
    });
    Decision decision;
    const Suggestion& best = suggestions.back();
    if (suggestions.size() < 2) {  // only the null split, and a single suggestion wins untested
        decision.forget = true;
        return decision;
    }
    const double range = bits ? log_2(static_cast<double>(std::max<std::size_t>(2, before.size()))) : 1.0;
    const double eps = std::sqrt(range * range * std::log(1.0 / delta) / (2.0 * weight));
    const double gap = best.merit - suggestions[suggestions.size() - 2].merit;
    const bool confident = gap > eps;
    if (!confident && !(eps * unit < params.tie_threshold)) return decision;
    decision.forget = best.none;
    const double gain = bits ? best.merit : best.merit - merit(params.criterion, before, {&before});
    decision.contest = {best.candidate, gain * unit, gap * unit};
    decision.ruling = {!best.none, confident ? Reason::confident : Reason::tie, eps * unit, delta};
    return decision;
}

void count_sides(const Leaf& leaf, Kind kind, const Candidate& split, std::vector<double>& left,
                 std::vector<double>& right) {
    const std::size_t n_classes = leaf.classes.size();
    const Attribute& attribute = leaf.attributes[split.feature];
    if (kind == Kind::categorical)
        divide(attribute.tally, split.key, left, right);
    else
        project(attribute.normals, split.key, left, right);
    left.resize(n_classes, 0.0);
    right.resize(n_classes, 0.0);
}

void naive_bayes_scores(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds, double* scores) {
    const double votes = leaf.votes();
    for (std::size_t y = 0; y < leaf.classes.size(); ++y) scores[y] = votes > 0.0 ? leaf.classes[y].votes / votes : 0.0;
    for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
        const double x = row[j];
        if (std::isnan(x)) continue;
        const Attribute& attribute = leaf.attributes[j];
        const Tally& tally = attribute.tally;
        for (std::size_t y = 0; y < leaf.classes.size(); ++y) {
            double p = 0.0;
            if (kinds[j] != Kind::categorical) {
                p = y < attribute.normals.size() ? attribute.normals[y].density(x) : 0.0;
            } else if (y < tally.stride()) {
                double n = 0.0, top = 0.0, count = 0.0;  // count: of this value; top: largest rank seen of this class
                for (std::size_t i = 0; i < tally.n_keys(); ++i) {
                    const double c = tally.count(1 + i, y);
                    n += c;
                    if (c > 0.0) top = tally.keys()[i] + 1.0;
                    if (tally.keys()[i] == x) count = c;
                }
                p = n > 0.0 ? (count + 1.0) / (n + top) : 0.0;
            }
            scores[y] = std::min(scores[y] * p, std::numeric_limits<double>::max());  // many densities may be large
        }
    }
}

std::uint32_t bayes_class(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds) {
    thread_local std::vector<double> scores;
    scores.resize(leaf.classes.size());
    naive_bayes_scores(leaf, row, kinds, scores.data());
    return static_cast<std::uint32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

}  // namespace sapwood::moa
