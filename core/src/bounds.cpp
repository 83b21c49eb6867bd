#include "sapwood/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace sapwood {
namespace {

using std::log;
using std::log2;
using std::sqrt;
using std::numbers::ln2;
using std::numbers::log2e;

/// What no switch over the choices can reach.
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// Section VII: c sqrt(ln(m^2 h^2 t d) / m), h counted from 1 at the root; entropy has an extra factor ln m.
double c_tree(Criterion criterion, const BoundInput& in) {
    const double h = in.depth + 1.0;
    const double logarithm = log(in.m * in.m * h * h * in.t * in.d);
    const double e = in.c * sqrt(std::max(0.0, logarithm) / in.m);
    return criterion == Criterion::entropy ? e * std::max(0.0, log(in.m)) : e;
}

/// Theorem 4: delta shared out over depths, times, attributes and thresholds.
double theorem(Criterion criterion, const BoundInput& in) {
    const double h = in.depth;
    const double delta = delta_in_force(in) / ((h + 1.0) * (h + 2.0) * in.t * in.d * in.m);
    switch (criterion) {
        case Criterion::entropy: return theorem_entropy(in.m, delta, in.n_classes);
        case Criterion::gini: return theorem_gini(in.m, delta);
        case Criterion::kearns_mansour: return theorem_kearns_mansour(in.m, delta, in.n_classes);
        case Criterion::error: break;  // there is no such theorem: require_defined
    }
    return kUndefined;
}

/// The range of the criterion, R in Hoeffding's bound.
double range_of(Criterion criterion, double n_classes) {
    switch (criterion) {
        case Criterion::entropy: return 0.5 * log(n_classes);
        case Criterion::kearns_mansour: return 0.5 * sqrt(n_classes - 1.0);
        case Criterion::gini:
        case Criterion::error: return 1.0;
    }
    return kUndefined;
}

double sampling_error(const BoundInput& in) {
    return sqrt(log(1.0 / delta_in_force(in)) / (2.0 * in.m));
}

/// Rutkowski et al. 2013 as the paper prints it (its equation 2), from bits of gain into our units.
double mcdiarmid(Criterion criterion, const BoundInput& in) {
    if (criterion == Criterion::gini) return 8.0 * sampling_error(in);
    const double k = in.n_classes;
    const double factor = 6.0 * (k * log2e + log2(2.0 * in.m)) + 2.0 * log2(k);
    return factor * sampling_error(in) * 0.5 * ln2;
}

struct Facts {
    bool stream, delta, c;  // what it uses
    double gap_factor;
};

Facts facts_of(Bound bound) {
    switch (bound) {
        case Bound::c_tree: return {true, false, true, 2.0};
        case Bound::theorem: return {true, true, false, 2.0};
        case Bound::hoeffding_corrected: return {false, true, false, 2.0};
        case Bound::hoeffding:
        case Bound::mcdiarmid: return {false, true, false, 1.0};
    }
    throw std::logic_error("a bound without facts");
}

}  // namespace

double delta_in_force(const BoundInput& in) {
    return in.delta > 0.0 ? in.delta : 1.0 / in.t;
}

double theorem_entropy(double m, double delta, double n_classes) {
    return std::max(0.0, log(m)) * sqrt(2.0 / m * log(4.0 / delta)) + n_classes / m;
}

double theorem_gini(double m, double delta) {
    return sqrt(8.0 / m * log(2.0 / delta)) + 4.0 * sqrt(1.0 / m);
}

double theorem_kearns_mansour(double m, double delta, double n_classes) {
    if (n_classes <= 2.0) return 4.0 * sqrt(log(8.0 / delta) / m);
    return 2.0 * n_classes * sqrt(log(8.0 * n_classes / delta) / m);
}

void require_defined(Bound bound, Criterion criterion) {
    if (bound == Bound::theorem && criterion == Criterion::error)
        throw std::invalid_argument(
            "bound='theorem' is not defined for criterion='error': there is no such theorem. Use 'gini', 'entropy' or "
            "'kearns-mansour', or another bound.");
    if (bound == Bound::mcdiarmid && criterion != Criterion::entropy && criterion != Criterion::gini)
        throw std::invalid_argument("bound='mcdiarmid' is defined for criterion='entropy' and 'gini' only; got '" +
                                    std::string(name_of(criterion)) + "'.");
}

double epsilon(Bound bound, Criterion criterion, const BoundInput& in) {
    require_defined(bound, criterion);
    switch (bound) {
        case Bound::c_tree: return c_tree(criterion, in);
        case Bound::theorem: return theorem(criterion, in);
        case Bound::hoeffding:
        case Bound::hoeffding_corrected: return range_of(criterion, in.n_classes) * sampling_error(in);
        case Bound::mcdiarmid: return mcdiarmid(criterion, in);
    }
    return kUndefined;
}

double gap_factor(Bound bound) {
    return facts_of(bound).gap_factor;
}

bool uses_stream(Bound bound) {
    return facts_of(bound).stream;
}

bool uses_delta(Bound bound) {
    return facts_of(bound).delta;
}

bool uses_c(Bound bound) {
    return facts_of(bound).c;
}

}  // namespace sapwood
