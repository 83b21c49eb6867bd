// The rules of MOA's HoeffdingTree where they differ from ours: compat="moa".
//
// Written from a description of its behaviour, not from its source, for the binary-split tree (its option -b). The
// order of arithmetic follows MOA's, since a rounding in a projected class weight can move a split by one example.
//   - inherited class votes count as evidence: weight, entropy before the split and Hoeffding's n use all votes
//   - merits in bits (InfoGain, with its 1 % minimum branch) or 1 - Gini, best = greatest, later attribute wins ties
//   - no check that the best merit is positive; ties split when epsilon < tau (strict)
//   - naive Bayes multiplies densities, without logarithms
#pragma once

#include <vector>

#include "sapwood/ruling.hpp"

namespace sapwood::moa {

struct Decision {
    bool forget = false;  // "no split" won: drop the statistics and begin again
    Contest contest;      // in our units, as the ruling
    Ruling ruling;
};

/// The evaluation of one leaf with at least two classes among its votes.
Decision evaluate(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params, double delta);

/// The projected class votes of the two branches.
void count_sides(const Leaf& leaf, Kind kind, const Candidate& split, std::vector<double>& left,
                 std::vector<double>& right);

/// (votes_y / votes) * product of p(x_j | y); all zero before the first vote.
void naive_bayes_scores(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds, double* scores);
/// The class with the highest score; the lowest of equals.
std::uint32_t bayes_class(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds);

}  // namespace sapwood::moa
