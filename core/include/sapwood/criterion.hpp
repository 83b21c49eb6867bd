// The impurity that a split leaves over (De Rosa 2016, Section III; K classes).
//
// Every criterion has the form  phi = scale * (g(left) + g(right)) / m,  where g takes one side's class counts n_y
// with total n. "No split" is the same with one side. g is exactly 0 on a pure side, and the two sides may be
// exchanged without changing a bit, so mirrored attributes tie exactly.
//
//   gini             g = sum_y n_y (n - n_y) / n           scale 1      (K = 2: hm(p, q))
//   entropy          g = n ln n - sum_y n_y ln n_y         scale 1/2    (H(Y,F) - H(F), halved)
//   kearns-mansour   g = sum_y sqrt(n_y (n - n_y))         scale 1/2    (K = 2: sqrt(p q))
//   error            g = n - max_y n_y                     scale 1
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "sapwood/params.hpp"

namespace sapwood {

/// x ln x with 0 ln 0 = 0; whole numbers below a few thousand come from a table of the same values.
double x_log_x(double x);

template <Criterion criterion>
constexpr double scale_of() {
    return criterion == Criterion::entropy || criterion == Criterion::kearns_mansour ? 0.5 : 1.0;
}

/// g of one side. `counts` has k entries that sum, in order, to `total`; an empty side leaves nothing over.
template <Criterion criterion>
inline double left_over(const double* counts, std::size_t k, double total) {
    if (!(total > 0.0)) return 0.0;
    double sum = 0.0;
    if constexpr (criterion == Criterion::gini) {
        for (std::size_t y = 0; y < k; ++y) sum += counts[y] * (total - counts[y]);
        return sum / total;
    } else if constexpr (criterion == Criterion::entropy) {
        for (std::size_t y = 0; y < k; ++y) sum += x_log_x(counts[y]);
        return x_log_x(total) - sum;
    } else if constexpr (criterion == Criterion::kearns_mansour) {
        for (std::size_t y = 0; y < k; ++y) sum += std::sqrt(counts[y] * (total - counts[y]));
        return sum;
    } else {
        double most = 0.0;
        for (std::size_t y = 0; y < k; ++y) most = counts[y] > most ? counts[y] : most;
        return total - most;
    }
}

/// Calls body.template operator()<criterion>() for the criterion given at run time.
template <class Body>
decltype(auto) with_criterion(Criterion criterion, Body&& body) {
    switch (criterion) {
        case Criterion::gini: return body.template operator()<Criterion::gini>();
        case Criterion::entropy: return body.template operator()<Criterion::entropy>();
        case Criterion::kearns_mansour: return body.template operator()<Criterion::kearns_mansour>();
        case Criterion::error: return body.template operator()<Criterion::error>();
    }
    throw std::logic_error("a criterion without a formula");
}

}  // namespace sapwood
