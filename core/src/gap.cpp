#include "sapwood/gap.hpp"

#include <algorithm>

namespace sapwood {

Needed GapTest::needed(const Occasion& occasion) const {
    const double eps = epsilon_at(occasion);
    return {factor_ * eps, eps <= params_.tie_threshold};
}

Ruling GapTest::rule(const Occasion& occasion, const Contest& contest) const {
    Ruling ruling;
    ruling.epsilon = epsilon_at(occasion);
    ruling.delta = params_.delta > 0.0 ? params_.delta : 1.0 / occasion.t;
    const bool confident = contest.gap > factor_ * ruling.epsilon;
    ruling.reason = confident ? Reason::confident : Reason::tie;
    ruling.splits = confident || (ruling.epsilon <= params_.tie_threshold && contest.gain > 0.0);
    return ruling;
}

double GapTest::epsilon_at(const Occasion& occasion) const {
    BoundInput in;
    in.m = occasion.m;
    in.t = occasion.t;
    in.d = static_cast<double>(occasion.columns);
    in.depth = occasion.depth;
    in.delta = params_.delta;
    in.c = params_.c;
    in.n_classes = static_cast<double>(std::max<std::size_t>(2, occasion.classes));
    // Each threshold competes twice where missing values may go either way: Theorem 4 then counts 2 d m candidates.
    if (params_.bound == Bound::theorem && occasion.missing_seen) in.d *= 2.0;
    return epsilon(params_.bound, params_.criterion, in);
}

}  // namespace sapwood
