#include "sapwood/look.hpp"

#include <algorithm>

#include "sapwood/criterion.hpp"

namespace sapwood {
namespace {

SplitScratch& scratch() {
    thread_local SplitScratch room;
    return room;
}

}  // namespace

Look::Look(const Leaf& leaf, Criterion criterion)
    : scale_(with_criterion(criterion, []<Criterion c>() { return scale_of<c>(); })),
      m_(leaf.m),
      left_over_(left_over_without_split(leaf, criterion, scratch())),
      no_split_(phi(left_over_)) {}

bool Look::search(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, const Counting& counting,
                  const Needed& needed) {
    thread_local Glance glance;
    glance.take(leaf, kinds, params, counting);
    if (!needed.any_gain && phi(glance.widest_gap(left_over_)) <= needed.gap) return false;
    const Ranking ranking = rank_splits(leaf, kinds, params, counting, scratch(), &glance);
    if (!ranking.best.exists()) return false;
    const double best = phi(ranking.best.left_over);
    missing_seen_ = ranking.missing_seen;
    contest_ = {ranking.best, no_split_ - best, phi(std::min(ranking.runner_up, left_over_)) - best};
    return true;
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
