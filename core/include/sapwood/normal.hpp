// A normal distribution estimated from a stream of weighted values (Welford's update, as MOA orders it).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace sapwood {

/// P(Z <= z) for standard normal Z, by the rational approximations of Cephes (S. Moshier): MOA uses the same, and a
/// differently rounded one would change its trees.
double normal_cdf(double z);

struct Normal {
    double weight = 0.0;
    double mean = 0.0;
    double squares = 0.0;  // sum of squared deviations
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -std::numeric_limits<double>::infinity();

    void add(double x, double w) {
        if (x < lowest) lowest = x;
        if (x > highest) highest = x;
        if (weight > 0.0) {
            weight += w;
            const double before = mean;
            double moved = before + w * (x - before) / weight;
            double sum = squares + w * (x - before) * (x - moved);
            if (!(sum >= 0.0 && std::isfinite(sum))) [[unlikely]] {
                // Values near the end of the range must not break it, nor a mean that was moved past x by a rounding.
                if (!std::isfinite(moved)) moved = before;
                sum = std::max(0.0, squares + w * (x - before) * (x - moved));
                if (!std::isfinite(sum)) sum = std::numeric_limits<double>::max();
            }
            mean = moved;
            squares = sum;
        } else {
            weight = w;
            mean = x;
        }
    }

    double variance() const {
        return weight > 1.0 ? std::min(squares / (weight - 1.0), std::numeric_limits<double>::max()) : 0.0;
    }
    double deviation() const;
    double density(double x) const;

    /// The weight at or below x that the normal implies, kept inside what was observed; `above` gets the rest.
    double weight_up_to(double x, double& above) const;

    template <class Archive>
    void archive(Archive& a) {
        a(weight, mean, squares, lowest, highest);
    }
    /// After reading. Earlier versions let a rounding leave a sum of squares below 0.
    void restore();

    bool operator==(const Normal&) const = default;
};

}  // namespace sapwood
