#include "sapwood/normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>

namespace sapwood {
namespace {

// Coefficients of Cephes' erf and erfc (S. L. Moshier, Methods and Programs for Mathematical Functions, 1989).
constexpr double kErfcMidTop[] = {2.46196981473530512524E-10, 5.64189564831068821977E-1, 7.46321056442269912687E0,
                                  4.86371970985681366614E1,   1.96520832956077098242E2,  5.26445194995477358631E2,
                                  9.34528527171957607540E2,   1.02755188689515710272E3,  5.57535335369399327526E2};
constexpr double kErfcMidBottom[] = {1.0,
                                     1.32281951154744992508E1,
                                     8.67072140885989742329E1,
                                     3.54937778887819891062E2,
                                     9.75708501743205489753E2,
                                     1.82390916687909736289E3,
                                     2.24633760818710981792E3,
                                     1.65666309194161350182E3,
                                     5.57535340817727675546E2};
constexpr double kErfcFarTop[] = {5.64189583547755073984E-1, 1.27536670759978104416E0, 5.01905042251180477414E0,
                                  6.16021097993053585195E0,  7.40974269950448939160E0, 2.97886665372100240670E0};
constexpr double kErfcFarBottom[] = {1.0,
                                     2.26052863220117276590E0,
                                     9.39603524938001434673E0,
                                     1.20489539808096656605E1,
                                     1.70814450747565897222E1,
                                     9.60896809063285878198E0,
                                     3.36907645100081516050E0};
constexpr double kErfTop[] = {9.60497373987051638749E0, 9.00260197203842689217E1, 2.23200534594684319226E3,
                              7.00332514112805075473E3, 5.55923013010394962768E4};
constexpr double kErfBottom[] = {1.0,
                                 3.35617141647503099647E1,
                                 5.21357949780152679795E2,
                                 4.59432382970980127987E3,
                                 2.26290000613890934246E4,
                                 4.92673942608635921086E4};
constexpr double kLogLargest = 7.09782712893383996732E2;

double polynomial(double x, std::span<const double> coefficients) {
    double value = coefficients[0];
    for (double c : coefficients.subspan(1)) value = value * x + c;
    return value;
}

double error_complement(double a);

double error(double x) {
    if (std::fabs(x) > 1.0) return 1.0 - error_complement(x);
    const double z = x * x;
    return x * polynomial(z, kErfTop) / polynomial(z, kErfBottom);
}

double error_complement(double a) {
    const double x = std::fabs(a);
    if (x < 1.0) return 1.0 - error(a);
    const double exponent = -a * a;
    if (exponent < -kLogLargest) return a < 0.0 ? 2.0 : 0.0;
    const double z = std::exp(exponent);
    const double y = x < 8.0 ? (z * polynomial(x, kErfcMidTop)) / polynomial(x, kErfcMidBottom)
                             : (z * polynomial(x, kErfcFarTop)) / polynomial(x, kErfcFarBottom);
    const double tail = a < 0.0 ? 2.0 - y : y;
    if (tail != 0.0) return tail;
    return a < 0.0 ? 2.0 : 0.0;
}

}  // namespace

double normal_cdf(double z) {
    constexpr double kRootHalf = 7.07106781186547524401E-1;
    const double x = z * kRootHalf;
    const double distance = std::fabs(x);
    if (distance < kRootHalf) return 0.5 + 0.5 * error(x);
    const double tail = 0.5 * error_complement(distance);
    return x > 0.0 ? 1.0 - tail : tail;
}

void Normal::restore() {
    const bool counted = weight > 0.0 && std::isfinite(weight) && std::isfinite(mean) && std::isfinite(squares) &&
                         std::isfinite(lowest) && std::isfinite(highest) && lowest <= highest;
    if (!counted && !(*this == Normal())) throw std::invalid_argument("a leaf's normals are broken");
    squares = std::max(0.0, squares);
}

double Normal::deviation() const {
    return std::sqrt(variance());
}

double Normal::density(double x) const {
    if (!(weight > 0.0)) return 0.0;
    const double sd = deviation();
    if (!(sd > 0.0)) return x == mean ? 1.0 : 0.0;
    const double root_two_pi = std::sqrt(2.0 * std::numbers::pi);
    const double difference = x - mean;
    double exponent = difference * difference / (2.0 * sd * sd);
    if (std::isnan(exponent)) [[unlikely]]  // both are too large for a number; their quotient need not be
        exponent = 0.5 * (difference / sd) * (difference / sd);
    return (1.0 / (root_two_pi * sd)) * std::exp(-exponent);
}

double Normal::weight_up_to(double x, double& above) const {
    above = 0.0;
    if (!(weight > 0.0)) return 0.0;
    if (x < lowest) {
        above = weight;
        return 0.0;
    }
    if (x >= highest) return weight;
    // The mass "at x" is taken from the mass below and given back: it cancels except in rounding, where MOA has it.
    const double at = density(x) * weight;
    const double sd = deviation();
    const double below = sd > 0.0 ? normal_cdf((x - mean) / sd) * weight - at : (x < mean ? weight - at : 0.0);
    above = std::max(0.0, weight - at - below);
    return below + at;
}

}  // namespace sapwood
