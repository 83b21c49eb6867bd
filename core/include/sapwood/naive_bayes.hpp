// Naive Bayes at a leaf, from the statistics that it keeps anyway.
//
// Hundreds of attributes do not underflow: factors are multiplied with an exponent of their own, and the logarithm is
// taken once per class. A missing value says nothing. A category, or a number whose values repeat, has the smoothed
// frequency (n + 1) / (n_y + number of keys); another number has the density of a normal whose variance is the class's,
// drawn a little (one example's weight) towards the variance within all classes.
#pragma once

#include <vector>

#include "sapwood/leaf.hpp"

namespace sapwood {

/// Log of the unnormalised posterior of each class; -infinity for a class with no votes.
void naive_bayes_scores(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds, double* scores);
/// The class with the highest score; the lowest of equals.
std::uint32_t bayes_class(const Leaf& leaf, const double* row, const std::vector<Kind>& kinds);

}  // namespace sapwood
