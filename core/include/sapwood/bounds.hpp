// The confidence bounds: how far an estimated left-over impurity may lie from the true one.
//
//   m      examples at the leaf             t      examples of the stream so far
//   d      attributes                       depth  of the leaf, 0 at the root
//   delta  allowed probability of failure   K      classes, at least 2
//
// Sources: De Rosa, "Confidence Decision Trees via Online and Active Learning for Streaming (BIG) Data" (2016).
// docs/theory.md derives the forms for K > 2.
#pragma once

#include "sapwood/params.hpp"

namespace sapwood {

struct BoundInput {
    double m = 1.0;
    double t = 1.0;
    double d = 1.0;
    double depth = 0.0;
    double delta = 0.0;  // 0 stands for 1/t
    double c = 0.0;
    double n_classes = 2.0;
};

/// delta as the bound will use it: the number given, or 1/t.
double delta_in_force(const BoundInput& in);

/// Theorems 1, 2 and 3: the half-width of the interval for one split.
double theorem_entropy(double m, double delta, double n_classes);
double theorem_gini(double m, double delta);
double theorem_kearns_mansour(double m, double delta, double n_classes);

/// epsilon of the bound for the criterion; throws std::invalid_argument where there is no such bound.
double epsilon(Bound bound, Criterion criterion, const BoundInput& in);

/// Throws std::invalid_argument if the bound is not defined for the criterion.
void require_defined(Bound bound, Criterion criterion);

/// A split is confident when gap > this factor times epsilon: 2, or 1 for those that test as VFDT does.
double gap_factor(Bound bound);

/// Which of its inputs a bound uses; m always, n_classes by all that have a delta.
bool uses_stream(Bound bound);  // t, d and depth
bool uses_delta(Bound bound);
bool uses_c(Bound bound);

}  // namespace sapwood
