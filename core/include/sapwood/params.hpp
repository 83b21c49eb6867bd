// What a tree may be told: the criterion, the bound, and the limits. Plain data with the defaults of the paper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sapwood {

enum class Criterion : std::uint8_t { gini, entropy, kearns_mansour, error };
enum class Bound : std::uint8_t { c_tree, theorem, hoeffding, hoeffding_corrected, mcdiarmid };
enum class NumericSplits : std::uint8_t { histogram, gaussian, exact };
enum class LeafPrediction : std::uint8_t { majority, naive_bayes, adaptive };
enum class Compat : std::uint8_t { none, moa };

// The last choice of each: a file that names a later one is broken.
constexpr Criterion last_of(Criterion) {
    return Criterion::error;
}
constexpr Bound last_of(Bound) {
    return Bound::mcdiarmid;
}
constexpr NumericSplits last_of(NumericSplits) {
    return NumericSplits::exact;
}
constexpr LeafPrediction last_of(LeafPrediction) {
    return LeafPrediction::adaptive;
}
constexpr Compat last_of(Compat) {
    return Compat::moa;
}

struct TreeParams {
    Criterion criterion = Criterion::gini;
    Bound bound = Bound::c_tree;
    double c = 0.02;
    double delta = 0.0;  // 0 stands for "1/t"
    double tie_threshold = 0.0;
    double grace_period = 100.0;
    LeafPrediction leaf_prediction = LeafPrediction::majority;
    NumericSplits numeric_splits = NumericSplits::histogram;
    std::uint32_t n_bins = 32;
    std::uint32_t max_leaves = 0;  // 0: no limit, here and below
    std::uint32_t max_depth = 0;   // see has_max_depth: a depth of 0 is a real limit
    bool has_max_depth = false;
    std::size_t max_bytes = 0;
    Compat compat = Compat::none;

    template <class Archive>
    void archive(Archive& a) {
        a(criterion, bound, c, delta, tie_threshold, grace_period, leaf_prediction, numeric_splits, n_bins, max_leaves,
          max_depth, has_max_depth, max_bytes, compat);
    }

    bool operator==(const TreeParams&) const = default;

    /// Throws std::invalid_argument with a sentence that names the parameter and what it takes.
    void validate() const;
};

/// The name of each choice, as users write it; parse_* throws std::invalid_argument and lists the choices.
std::string_view name_of(Criterion);
std::string_view name_of(Bound);
std::string_view name_of(NumericSplits);
std::string_view name_of(LeafPrediction);
Criterion parse_criterion(std::string_view);
Bound parse_bound(std::string_view);
NumericSplits parse_numeric_splits(std::string_view);
LeafPrediction parse_leaf_prediction(std::string_view);
Compat parse_compat(std::string_view);

}  // namespace sapwood
