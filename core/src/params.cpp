#include "sapwood/params.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sapwood/bounds.hpp"

namespace sapwood {
namespace {

constexpr std::array<std::string_view, 4> kCriteria{"gini", "entropy", "kearns-mansour", "error"};
constexpr std::array<std::string_view, 5> kBounds{"c-tree", "theorem", "hoeffding", "hoeffding-corrected", "mcdiarmid"};
constexpr std::array<std::string_view, 3> kNumericSplits{"histogram", "gaussian", "exact"};
constexpr std::array<std::string_view, 3> kLeafPredictions{"majority", "naive-bayes", "adaptive"};
constexpr std::array<std::string_view, 2> kCompats{"none", "moa"};

template <class Enum, std::size_t N>
Enum parse(std::string_view parameter, std::string_view name, const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name) return static_cast<Enum>(i);
    std::string message = std::string(parameter) + " must be one of ";
    for (std::size_t i = 0; i < N; ++i) message += (i ? ", '" : "'") + std::string(names[i]) + "'";
    throw std::invalid_argument(message + "; got '" + std::string(name) + "'.");
}

[[noreturn]] void refuse(const std::string& message) {
    throw std::invalid_argument(message);
}

}  // namespace

std::string_view name_of(Criterion x) {
    return kCriteria[static_cast<std::size_t>(x)];
}
std::string_view name_of(Bound x) {
    return kBounds[static_cast<std::size_t>(x)];
}
std::string_view name_of(NumericSplits x) {
    return kNumericSplits[static_cast<std::size_t>(x)];
}
std::string_view name_of(LeafPrediction x) {
    return kLeafPredictions[static_cast<std::size_t>(x)];
}
Criterion parse_criterion(std::string_view name) {
    return parse<Criterion>("criterion", name, kCriteria);
}
Bound parse_bound(std::string_view name) {
    return parse<Bound>("bound", name, kBounds);
}
NumericSplits parse_numeric_splits(std::string_view name) {
    return parse<NumericSplits>("numeric_splits", name, kNumericSplits);
}
LeafPrediction parse_leaf_prediction(std::string_view name) {
    return parse<LeafPrediction>("leaf_prediction", name, kLeafPredictions);
}
Compat parse_compat(std::string_view name) {
    return parse<Compat>("compat", name, kCompats);
}

void TreeParams::validate() const {
    require_defined(bound, criterion);
    if (uses_c(bound) && !(c > 0.0 && std::isfinite(c))) refuse("c must be a positive number.");
    if (!(delta >= 0.0 && delta < 1.0)) refuse("delta must lie strictly between 0 and 1, or be '1/t'.");
    if (!(tie_threshold >= 0.0 && std::isfinite(tie_threshold)))
        refuse("tie_threshold must be 0 or a positive number.");
    if (!(grace_period >= 1.0 && std::isfinite(grace_period))) refuse("grace_period must be at least 1.");
    if (n_bins < 2) refuse("n_bins must be at least 2.");
    if (max_bytes && numeric_splits == NumericSplits::exact)
        refuse("max_bytes cannot be kept with numeric_splits='exact': use 'histogram' or 'gaussian'.");
    if (compat == Compat::moa) {
        if (bound != Bound::hoeffding) refuse("compat='moa' needs bound='hoeffding'.");
        if (numeric_splits != NumericSplits::gaussian) refuse("compat='moa' needs numeric_splits='gaussian'.");
        if (criterion != Criterion::entropy && criterion != Criterion::gini)
            refuse("compat='moa' needs criterion='entropy' or 'gini'.");
        if (max_bytes) refuse("compat='moa' has no max_bytes.");
    }
}

}  // namespace sapwood
