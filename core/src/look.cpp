#include "sapwood/look.hpp"

#include <algorithm>

#include "sapwood/bounds.hpp"
#include "sapwood/criterion.hpp"

namespace sapwood {
namespace {

SplitScratch& scratch() {
    thread_local SplitScratch room;
    return room;
}

}  // namespace

double epsilon_at(const Leaf& leaf, const TreeParams& params, std::size_t d, const Progress& progress,
                  bool missing_seen) {
    BoundInput in;
    in.m = leaf.m;
    in.t = progress.t;
    in.d = static_cast<double>(d);
    in.depth = leaf.depth;
    in.delta = params.delta;
    in.c = params.c;
    in.n_classes = static_cast<double>(std::max<std::size_t>(2, progress.n_classes_learned));
    // Each threshold competes twice where missing values may go either way: Theorem 4 then counts 2 d m candidates.
    if (params.bound == Bound::theorem && missing_seen) in.d *= 2.0;
    return epsilon(params.bound, params.criterion, in);
}

Look::Look(const Leaf& leaf, const TreeParams& params)
    : scale_(with_criterion(params.criterion, []<Criterion criterion>() { return scale_of<criterion>(); })),
      factor_(gap_factor(params.bound)),
      m_(leaf.m),
      left_over_(left_over_without_split(leaf, params.criterion, scratch())),
      no_split_(phi(left_over_)) {}

bool Look::search(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, const Counting& counting,
                  double eps) {
    thread_local Glance glance;
    glance.take(leaf, kinds, params, counting);
    if (phi(glance.widest_gap(left_over_)) <= factor_ * eps && eps > params.tie_threshold) return false;
    ranking_ = rank_splits(leaf, kinds, params, counting, scratch(), &glance);
    if (!ranking_.best.exists()) return false;
    best_ = phi(ranking_.best.left_over);
    gap_ = phi(std::min(ranking_.runner_up, left_over_)) - best_;
    return true;
}

std::optional<Reason> Look::passes(double eps, const TreeParams& params) const {
    if (gap_ > factor_ * eps) return Reason::confident;
    if (eps <= params.tie_threshold && best_ < no_split_) return Reason::tie;
    return std::nullopt;
}

Leaf leaf_with(const std::vector<double>& votes, std::uint32_t node, std::uint32_t depth) {
    Leaf leaf;
    leaf.node = node;
    leaf.depth = depth;
    make_room(leaf.classes, votes.size());
    leaf.classes.resize(votes.size());
    for (std::size_t y = 0; y < votes.size(); ++y) leaf.classes[y].votes = votes[y];
    leaf.majority = majority_of(leaf);
    return leaf;
}

}  // namespace sapwood
