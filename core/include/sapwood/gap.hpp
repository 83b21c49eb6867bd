// The split test of the paper and of its baselines.
#pragma once

#include "sapwood/bounds.hpp"
#include "sapwood/ruling.hpp"

namespace sapwood {

/// The gap must be larger than a bound allows for chance, or the bound so narrow that equals need not be told apart.
class GapTest {
   public:
    explicit GapTest(const TreeParams& params) : params_(params), factor_(gap_factor(params.bound)) {}

    Needed needed(const Occasion& occasion) const;
    Ruling rule(const Occasion& occasion, const Contest& contest) const;
    double caution() const { return uses_c(params_.bound) ? params_.c : -params_.delta; }

   private:
    double epsilon_at(const Occasion& occasion) const;

    const TreeParams& params_;
    double factor_;
};
static_assert(SplitTest<GapTest>);

}  // namespace sapwood
