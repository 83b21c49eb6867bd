// A glance at a leaf: about how much the best split of each attribute leaves over.
//
// Nearly every look ends with "not yet". A glance says so at a fraction of the cost of the search, in single precision
// and without asking where the best split is. It errs by no more than `error_` (see glance.cpp), so it rules out no
// split that would pass, and the search then goes through the attributes that may matter, to the last bit.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "sapwood/leaf.hpp"

namespace sapwood {

class Glance {
   public:
    /// At a leaf whose drawer is empty.
    void take(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, const Counting& counting);

    /// No gap is larger, where no split at all leaves this much over.
    double widest_gap(double without_split) const {
        return (without_split < runner_up_ ? without_split : runner_up_) - best_;
    }
    /// Attribute j may have the best split, or the best of the others.
    bool matters(std::size_t j) const { return least_[j] - error_ <= runner_up_; }
    /// Some value was missing, as far as the glance went.
    bool missing_seen() const { return missing_seen_; }

   private:
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    double least_of(const Tally& tally, bool categorical, const Leaf& leaf);
    double least_of_one_key(const Tally& tally, const Leaf& leaf);

    std::vector<double> least_;  // by attribute; minus infinity where it must be searched
    double error_ = 0.0;
    double best_ = -kNever;      // the best split leaves over no less
    double runner_up_ = kNever;  // the best of the other attributes no more
    bool missing_seen_ = false;
    std::vector<float> room_;
};

}  // namespace sapwood
