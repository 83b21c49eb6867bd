#include "sapwood/strategy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace sapwood {
namespace {

struct Named {
    std::string_view name;
    Rule rule;
    bool split;
};
constexpr std::array<Named, 9> kStrategies{{
    {"random", Rule::random, false},
    {"variable-uncertainty", Rule::variable_uncertainty, false},
    {"randomized-variable-uncertainty", Rule::randomized_variable_uncertainty, false},
    {"selective-sampling", Rule::selective_sampling, false},
    {"split", Rule::variable_uncertainty, true},
    {"conf-tree", Rule::conf_tree, false},
    {"split-conf-tree", Rule::conf_tree, true},
    {"all", Rule::all, false},
    {"none", Rule::none, false},
}};

Verdict by_draw(double probability, Rng& rng) {
    const double draw = rng.uniform();
    return {draw <= probability && probability > 0.0, true, Ground::draw, draw, probability};
}

/// rate / (rate + margin), the probability of Sel-Samp and of ConfTree's consistent leaves. No rate asks nothing.
double moderated(double rate, double margin) {
    return rate > 0.0 ? rate / (rate + margin) : 0.0;
}

double normal_tail(double z) {
    return 0.5 * std::erfc(z * 0.70710678118654752);
}

}  // namespace

void Evidence::weigh(const double* learned, std::size_t n, std::size_t stride) {
    double first = 0.0, second = 0.0;
    m = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        const double count = learned[i * stride];
        m += count;
        if (count > first) {
            second = first;
            first = count;
        } else {
            second = std::max(second, count);
        }
    }
    margin = m > 0.0 ? (first - second) / m / 2.0 : 0.0;
}

double leaf_epsilon(const Evidence& e, double delta) {
    if (e.m <= 0.0) return std::numeric_limits<double>::infinity();
    const double odds = 2.0 * (e.k - 1.0) * e.t;
    return std::sqrt(std::log(delta > 0.0 ? odds / delta : odds * e.t) / (2.0 * e.m));
}

void StrategyParams::validate() const {
    const auto require = [](bool holds, const char* message) {
        if (!holds) throw std::invalid_argument(message);
    };
    require(nu >= 0.0 && nu <= 1.0, "nu is a probability: it must lie between 0 and 1.");
    require(step > 0.0 && step < 1.0, "step must lie strictly between 0 and 1.");
    require(theta > 0.0 && std::isfinite(theta), "theta must be a positive number.");
    require(delta >= 0.0 && delta < 1.0, "delta must lie strictly between 0 and 1, or be '1/t'.");
}

void Strategy::restore() const {
    params_.validate();
    const bool moves =
        params_.rule == Rule::variable_uncertainty || params_.rule == Rule::randomized_variable_uncertainty;
    if (moves ? !(theta_ > 0.0 && std::isfinite(theta_)) : theta_ != params_.theta)
        throw std::invalid_argument("a strategy's threshold is broken");
}

Verdict Strategy::decide(const Evidence& evidence, double rate, Rng& rng) {
    if (!params_.split) return decide_by_rule(evidence, rate, rng);
    if (rng.uniform() <= params_.nu) return by_draw(rate, rng);
    Verdict verdict = decide_by_rule(evidence, rate, rng);
    verdict.feeds = false;
    return verdict;
}

Verdict Strategy::decide_by_rule(const Evidence& evidence, double rate, Rng& rng) {
    switch (params_.rule) {
        case Rule::random: return by_draw(rate, rng);
        case Rule::variable_uncertainty: return by_confidence(evidence, theta_);
        case Rule::randomized_variable_uncertainty: return by_confidence(evidence, theta_ * (1.0 + rng.normal()));
        case Rule::selective_sampling: return by_draw(moderated(rate, evidence.margin), rng);
        case Rule::conf_tree: {
            const double eps = leaf_epsilon(evidence, params_.delta);
            // Consistent in the sense of the paper's definition: the margin exceeds epsilon.
            if (!(evidence.margin > eps)) return {true, true, Ground::margin, evidence.margin, eps};
            return by_draw(moderated(rate + eps, evidence.margin), rng);
        }
        case Rule::all: return {true};
        case Rule::none: break;
    }
    return {false};
}

/// VarUn: the threshold falls after each question and rises after each example that is not asked about.
Verdict Strategy::by_confidence(const Evidence& evidence, double limit) {
    const bool ask = evidence.confidence < limit;
    theta_ = std::clamp(theta_ * (ask ? 1.0 - params_.step : 1.0 + params_.step), std::numeric_limits<double>::min(),
                        std::numeric_limits<double>::max());
    return {ask, true, Ground::confidence, evidence.confidence, limit};
}

double Strategy::unsure(const Evidence& evidence, double rate) const {
    switch (params_.rule) {
        case Rule::random: return std::clamp(rate, 0.0, 1.0);
        case Rule::variable_uncertainty: return evidence.confidence < theta_ ? 1.0 : 0.0;
        case Rule::randomized_variable_uncertainty: return normal_tail(evidence.confidence / theta_ - 1.0);
        case Rule::selective_sampling: return moderated(rate, evidence.margin);
        case Rule::conf_tree: return evidence.margin > leaf_epsilon(evidence, params_.delta) ? 0.0 : 1.0;
        case Rule::all: return 1.0;
        case Rule::none: break;
    }
    return 0.0;
}

bool Strategy::needs_confidence() const {
    return params_.rule == Rule::variable_uncertainty || params_.rule == Rule::randomized_variable_uncertainty;
}

bool Strategy::needs_leaf() const {
    return params_.rule == Rule::selective_sampling || params_.rule == Rule::conf_tree;
}

std::vector<std::string_view> strategy_names() {
    std::vector<std::string_view> names;
    for (const Named& known : kStrategies) names.push_back(known.name);
    return names;
}

StrategyParams parse_strategy(std::string_view name) {
    std::string choices;
    for (const Named& known : kStrategies) {
        if (known.name == name) {
            StrategyParams params;
            params.rule = known.rule;
            params.split = known.split;
            return params;
        }
        choices += (choices.empty() ? "'" : ", '") + std::string(known.name) + "'";
    }
    throw std::invalid_argument("strategy must be one of " + choices + "; got '" + std::string(name) + "'.");
}

std::string_view name_of(const StrategyParams& params) {
    for (const Named& known : kStrategies)
        if (known.rule == params.rule && known.split == params.split) return known.name;
    return "split";  // of a rule that has no split of its own: cannot be made by name
}

std::string_view name_of(Ground ground) {
    constexpr std::array<std::string_view, 4> kNames{"always", "draw", "confidence", "margin"};
    return kNames[static_cast<std::size_t>(ground)];
}

}  // namespace sapwood
