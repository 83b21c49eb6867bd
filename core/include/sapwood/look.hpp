// A look at a leaf: which split is best, and whether a bound lets it happen (the paper's Algorithm 1, lines 4 to 8).
#pragma once

#include <optional>

#include "sapwood/split.hpp"

namespace sapwood {

/// What a bound has to know of the stream so far.
struct Progress {
    double t = 0.0;
    std::size_t n_classes_learned = 0;
};

/// epsilon of the parameters' bound at a leaf. Where missing values were seen, each threshold competes twice.
double epsilon_at(const Leaf& leaf, const TreeParams& params, std::size_t d, const Progress& progress,
                  bool missing_seen);

class Look {
   public:
    Look(const Leaf& leaf, const TreeParams& params);

    /// No gap exceeds the impurity there is: false if no split can pass such a bound, and the search can be spared.
    bool may_pass(double eps, const TreeParams& params) const {
        return !(factor_ * eps >= no_split_ && eps > params.tie_threshold);
    }
    /// Finds the best split and its gap; the leaf's drawer must be empty. False if there is none, or none that passes
    /// an epsilon which is at least this.
    bool search(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, const Counting& counting,
                double eps);
    /// Whether the split passes the bound: its gap beats it, or it is a tie that need not be told apart.
    std::optional<Reason> passes(double eps, const TreeParams& params) const;

    const Candidate& best() const { return ranking_.best; }
    bool missing_seen() const { return ranking_.missing_seen; }
    double gap() const { return gap_; }
    /// Impurity of "no split" less that of the best one.
    double gain() const { return no_split_ - best_; }

   private:
    double phi(double left_over) const { return scale_ * left_over / m_; }

    double scale_, factor_, m_, left_over_, no_split_;
    double best_ = 0.0, gap_ = 0.0;
    Ranking ranking_;
};

/// A leaf that begins with inherited votes.
Leaf leaf_with(const std::vector<double>& votes, std::uint32_t node, std::uint32_t depth);

}  // namespace sapwood
