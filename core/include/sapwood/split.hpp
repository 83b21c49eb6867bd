// The search for a leaf's best split, and the record that is kept of a split that was made.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sapwood/glance.hpp"

namespace sapwood {

enum class Reason : std::uint8_t { confident, tie };
constexpr Reason last_of(Reason) {
    return Reason::tie;
}

/// Why a leaf was split: enough to check the decision by hand.
struct Certificate {
    std::uint32_t feature = 0;
    bool categorical = false;
    double key = 0.0;  // the threshold, or the rank of the category
    bool missing_left = true;
    double m = 0.0;
    double t = 0.0;
    std::uint32_t depth = 0;
    std::uint32_t d = 0;
    double gap = 0.0;
    double epsilon = 0.0;
    double delta = 0.0;
    Reason reason = Reason::confident;
    double gain = 0.0;  // impurity of "no split" less that of this one

    template <class Archive>
    void archive(Archive& a) {
        a(feature, categorical, key, missing_left, m, t, depth, d, gap, epsilon, delta, reason, gain);
    }
};

/// One way to divide a leaf: value <= key (or category == key) goes left.
struct Candidate {
    double left_over = std::numeric_limits<double>::infinity();  // g(left) + g(right), see criterion.hpp
    std::uint32_t feature = 0;
    double key = 0.0;
    bool missing_left = true;

    bool exists() const { return left_over < std::numeric_limits<double>::infinity(); }
};

/// The best split of the best attribute, and what the best of the other attributes leaves over.
struct Ranking {
    Candidate best;
    double runner_up = std::numeric_limits<double>::infinity();
    bool missing_seen = false;
};

/// Number of thresholds tried between the extremes of a numeric attribute kept as normals.
inline constexpr int kNormalThresholds = 10;

/// Working space of one look, shared by its attributes.
struct SplitScratch {
    Spread counts;
    std::vector<double> suffix, left, right, observed;
};

/// Ranks all candidates of a leaf. Equal left-over impurity: the lower attribute, then the lower key, then
/// missing values to the left. With a glance at the leaf, attributes that cannot matter are left out.
Ranking rank_splits(const Leaf& leaf, const std::vector<Kind>& kinds, const TreeParams& params,
                    const Counting& counting, SplitScratch& scratch, const Glance* glance = nullptr);

/// Class counts of the two sides of a candidate, missing values included.
void count_sides(const Leaf& leaf, Kind kind, const Counting& counting, const Candidate& split,
                 std::vector<double>& left, std::vector<double>& right);

/// phi of "no split" times m / scale: g over what the leaf has observed.
double left_over_without_split(const Leaf& leaf, Criterion criterion, SplitScratch& scratch);

}  // namespace sapwood
