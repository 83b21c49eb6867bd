// When to ask for a label: the paper's ConfTree and the rules it is compared with (Sections VI and VIII).
//
// A strategy sees an example only as Evidence, and knows no tree, no budget and no labels. To add one: a Rule with its
// name in strategy.cpp, a case in decide() and one in unsure(), and its twin in reference/asking_reference.py.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sapwood/rng.hpp"

namespace sapwood {

enum class Rule : std::uint8_t {
    random,
    variable_uncertainty,
    randomized_variable_uncertainty,
    selective_sampling,
    conf_tree,
    all,
    none
};
constexpr Rule last_of(Rule) {
    return Rule::none;
}

/// What is known of an example when it comes.
struct Evidence {
    double confidence = 0.0;  // the largest class probability; 0 before the first label
    double margin = 0.0;      // half the difference of the two largest class shares learned at the leaf
    double m = 0.0;           // examples learned at the leaf
    double k = 2.0;           // classes known, at least 2
    double t = 1.0;           // examples seen, with this one

    /// Fills margin and m from the examples of each class learned at a leaf.
    void weigh(const double* learned, std::size_t n, std::size_t stride = 1);
};

/// Theorem 5: |share - 1/2|, or for more classes half the margin, errs by less than this at a leaf.
/// sqrt(ln(2 (k - 1) t / delta) / (2 m)); delta 0 stands for 1/t, and m = 0 gives infinity.
double leaf_epsilon(const Evidence& evidence, double delta);

/// On what a verdict rests: `value` was compared with `limit`.
enum class Ground : std::uint8_t {
    always,      // by definition
    draw,        // a random number with a probability
    confidence,  // the model's confidence with a threshold
    margin       // the leaf's margin with epsilon: it is not consistent
};

struct Verdict {
    bool ask = false;
    bool feeds = true;  // its label may feed a drift detector: chosen at random, or no split strategy
    Ground ground = Ground::always;
    double value = 0.0;
    double limit = 0.0;
};

struct StrategyParams {
    Rule rule = Rule::conf_tree;
    bool split = false;  // with probability nu ask at random, else by the rule
    double nu = 0.2;
    double step = 0.01;
    double theta = 1.0;
    double delta = 0.0;  // 0 stands for 1/t

    template <class Archive>
    void archive(Archive& a) {
        a(rule, split, nu, step, theta, delta);
    }
    void validate() const;
    bool operator==(const StrategyParams&) const = default;
};

class Strategy {
   public:
    explicit Strategy(const StrategyParams& params = {}) : params_(params), theta_(params.theta) { params.validate(); }

    /// Decides about one example and moves the strategy's own state; `rate` is the budget's B.
    Verdict decide(const Evidence& evidence, double rate, Rng& rng);
    /// The probability with which it would ask about an example now, leaving out the exploration of leaves that are
    /// sure and the random part of a split strategy.
    double unsure(const Evidence& evidence, double rate) const;

    bool needs_confidence() const;
    bool needs_leaf() const;
    /// It needs to know m, and not only shares: class probabilities alone will not do.
    bool needs_m() const { return params_.rule == Rule::conf_tree; }
    const StrategyParams& params() const { return params_; }
    double theta() const { return theta_; }

    template <class Archive>
    void archive(Archive& a) {
        a(params_, theta_);
    }
    void restore() const;
    bool has_settings_of(const Strategy& other) const { return params_ == other.params_; }

   private:
    Verdict decide_by_rule(const Evidence& evidence, double rate, Rng& rng);
    Verdict by_confidence(const Evidence& evidence, double limit);

    StrategyParams params_;
    double theta_;
};

/// Names as users write them; parse_strategy throws std::invalid_argument and lists them.
std::vector<std::string_view> strategy_names();
StrategyParams parse_strategy(std::string_view name);
std::string_view name_of(const StrategyParams& params);
std::string_view name_of(Ground ground);

}  // namespace sapwood
