// A look at a leaf: which split is best, and by how much (the paper's Algorithm 1, lines 4 to 8).
#pragma once

#include <stdexcept>

#include "sapwood/gap.hpp"

namespace sapwood {

/// Calls body(test) with the test that the parameters name; they must outlive it.
template <class Body>
decltype(auto) with_test(const TreeParams& params, Body&& body) {
    switch (params.bound) {
        case Bound::c_tree:
        case Bound::theorem:
        case Bound::hoeffding:
        case Bound::hoeffding_corrected:
        case Bound::mcdiarmid: return body(GapTest(params));
    }
    throw std::logic_error("a bound without a test");
}

class Look {
   public:
    Look(const Leaf& leaf, Criterion criterion);

    /// No gap exceeds the impurity there is: false if no split can pass, and the search can be spared.
    bool may_pass(const Needed& needed) const { return needed.any_gain || no_split_ > needed.gap; }
    /// Finds the best split and its gap; the leaf's drawer must be empty. False if there is none, or none that passes.
    bool search(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, const Counting& counting,
                const Needed& needed);

    const Contest& contest() const { return contest_; }
    bool missing_seen() const { return missing_seen_; }

   private:
    double phi(double left_over) const { return scale_ * left_over / m_; }

    double scale_, m_, left_over_, no_split_;
    Contest contest_;
    bool missing_seen_ = false;
};

/// A leaf that begins with inherited votes.
Leaf leaf_with(const std::vector<double>& votes, std::uint32_t node, std::uint32_t depth);

}  // namespace sapwood
