// A normal distribution estimated from a stream of weighted values (Welford's update, as MOA orders it).
#pragma once

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
            if (!std::isfinite(sum)) [[unlikely]] {  // values near the end of the range must not break it
                if (!std::isfinite(moved)) moved = before;
                sum = squares + w * (x - before) * (x - moved);
                if (!std::isfinite(sum)) sum = std::numeric_limits<double>::max();
            }
            mean = moved;
            squares = sum;
        } else {
            weight = w;
            mean = x;
        }
    }

    double variance() const { return weight > 1.0 ? squares / (weight - 1.0) : 0.0; }
    double deviation() const;
    double density(double x) const;

    /// The weight at or below x that the normal implies, kept inside what was observed; `above` gets the rest.
    double weight_up_to(double x, double& above) const;

    template <class Archive>
    void archive(Archive& a) {
        a(weight, mean, squares, lowest, highest);
    }
};

}  // namespace sapwood
