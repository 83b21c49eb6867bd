#include "sapwood/generators.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sapwood {
namespace {

std::uint32_t below(Rng& rng, std::size_t n) {
    return static_cast<std::uint32_t>(rng.uniform() * static_cast<double>(n));
}

double between(Rng& rng, double low, double high) {
    return low + (high - low) * rng.uniform();
}

bool within(double x, double low, double high) {
    return low <= x && x <= high;
}

/// About a standard normal: the sum of twelve uniform numbers has variance 1. Exact arithmetic, unlike a logarithm's.
double bell(Rng& rng) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += rng.uniform();
    return sum;
}

/// A label of two classes that is turned round with some chance. The number is drawn whatever the chance.
std::uint32_t noisy(bool y, double noise, Rng& rng) {
    return y != (rng.uniform() < noise);
}

}  // namespace

std::uint32_t Sea::draw(Rng& rng, double* x) {
    for (std::size_t j = 0; j < kWidth; ++j) x[j] = 10.0 * rng.uniform();
    return noisy(x[0] + x[1] <= threshold, noise, rng);
}

std::uint32_t Stagger::draw(Rng& rng, double* x) {
    enum Size { small, medium, large };
    enum Colour { red, green, blue };
    enum Shape { circle, square, triangle };
    const auto size = static_cast<Size>(below(rng, 3));
    const auto colour = static_cast<Colour>(below(rng, 3));
    const auto shape = static_cast<Shape>(below(rng, 3));
    x[0] = size;
    x[1] = colour;
    x[2] = shape;
    switch (rule) {
        case 1: return size == small && colour == red;
        case 2: return colour == green || shape == circle;
        default: return size == medium || size == large;
    }
}

std::uint32_t Led::draw(Rng& rng, double* x) {
    // Segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom.
    static constexpr std::array<std::array<std::uint8_t, 7>, 10> kSegments{{{1, 1, 1, 0, 1, 1, 1},
                                                                            {0, 0, 1, 0, 0, 1, 0},
                                                                            {1, 0, 1, 1, 1, 0, 1},
                                                                            {1, 0, 1, 1, 0, 1, 1},
                                                                            {0, 1, 1, 1, 0, 1, 0},
                                                                            {1, 1, 0, 1, 0, 1, 1},
                                                                            {1, 1, 0, 1, 1, 1, 1},
                                                                            {1, 0, 1, 0, 0, 1, 0},
                                                                            {1, 1, 1, 1, 1, 1, 1},
                                                                            {1, 1, 1, 1, 0, 1, 1}}};
    const std::uint32_t digit = below(rng, 10);
    for (std::size_t j = 0; j < width(); ++j) x[j] = below(rng, 2);
    for (std::size_t s = 0; s < places.size(); ++s) x[places[s]] = noisy(kSegments[digit][s], noise, rng);
    return digit;
}

namespace {

/// Whether one belongs to group A.
bool is_in_group_a(const double* x, std::uint32_t function) {
    using A = Agrawal;
    const double salary = x[A::salary], education = x[A::education], loan = x[A::loan];
    const double income = salary + x[A::commission];
    const std::size_t third = x[A::age] < 40.0 ? 0 : x[A::age] < 60.0 ? 1 : 2;  // of life
    // What the middle of each third of life earns.
    static constexpr double kLeast[] = {50000.0, 75000.0, 25000.0}, kMost[] = {100000.0, 125000.0, 75000.0};
    const bool usual = within(salary, kLeast[third], kMost[third]);
    const auto has_education = [&] {
        const auto least = static_cast<double>(third);
        return within(education, least, third == 0 ? 1.0 : least + 2.0);
    };
    switch (function) {
        case 1: return third != 1;
        case 2: return usual;
        case 3: return has_education();
        case 4: {
            static constexpr double kWithLeast[] = {25000.0, 50000.0, 50000.0}, kWithMost[] = {75000.0, 1e5, 1e5};
            static constexpr double kElseLeast[] = {50000.0, 75000.0, 25000.0}, kElseMost[] = {1e5, 125000.0, 75000.0};
            return has_education() ? within(salary, kWithLeast[third], kWithMost[third])
                                   : within(salary, kElseLeast[third], kElseMost[third]);
        }
        case 5: {
            static constexpr double kUsual[] = {1e5, 2e5, 3e5}, kElse[] = {2e5, 3e5, 1e5};  // the least loan
            const double least = usual ? kUsual[third] : kElse[third];
            return within(loan, least, least + 2e5);
        }
        case 6: return within(income, kLeast[third], kMost[third]);
        case 7: return 2.0 * income / 3.0 - loan / 5.0 - 20000.0 > 0.0;
        case 8: return 2.0 * income / 3.0 - 5000.0 * education - 20000.0 > 0.0;
        case 9: return 2.0 * income / 3.0 - 5000.0 * education - loan / 5.0 - 10000.0 > 0.0;
        default: {
            const double equity = x[A::years] >= 20.0 ? x[A::house] * (x[A::years] - 20.0) / 10.0 : 0.0;
            return 2.0 * income / 3.0 - 5000.0 * education + equity / 5.0 - 10000.0 > 0.0;
        }
    }
}

}  // namespace

std::uint32_t Agrawal::draw(Rng& rng, double* x) {
    x[salary] = between(rng, 20000.0, 150000.0);
    const double paid = between(rng, 10000.0, 75000.0);
    x[commission] = x[salary] >= 75000.0 ? 0.0 : paid;
    x[age] = 20.0 + below(rng, 61);
    x[education] = below(rng, 5);
    x[car] = 1.0 + below(rng, 20);
    x[zipcode] = below(rng, 9);
    x[house] = (9.0 - x[zipcode]) * 100000.0 * between(rng, 0.5, 1.5);
    x[years] = 1.0 + below(rng, 30);
    x[loan] = between(rng, 0.0, 500000.0);
    const bool in_a = is_in_group_a(x, function);
    struct Range {
        Column column;
        double low, high;
    };
    static constexpr Range kNumbers[] = {{salary, 20000.0, 150000.0}, {commission, 10000.0, 75000.0},
                                         {age, 20.0, 80.0},           {house, 50000.0, 1350000.0},
                                         {years, 1.0, 30.0},          {loan, 0.0, 500000.0}};
    for (const Range& of : kNumbers) {
        const double moved = perturbation * (of.high - of.low) * between(rng, -1.0, 1.0);
        if (of.column == commission && x[commission] == 0.0) continue;  // there is none to be mistaken about
        x[of.column] = std::clamp(x[of.column] + moved, of.low, of.high);
    }
    return in_a;
}

Hyperplane::Hyperplane(std::size_t n_features, std::size_t moving, double step_size, double turn_chance,
                       double label_noise, Rng& rng)
    : n_moving(moving), step(step_size), turn(turn_chance), noise(label_noise), directions(n_features, 1.0) {
    for (std::size_t j = 0; j < n_features; ++j) weights.push_back(rng.uniform());
}

std::uint32_t Hyperplane::draw(Rng& rng, double* x) {
    double above = 0.0, all = 0.0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        x[j] = rng.uniform();
        above += weights[j] * x[j];
        all += weights[j];
    }
    const std::uint32_t y = noisy(above >= 0.5 * all, noise, rng);
    for (std::size_t j = 0; j < n_moving; ++j) {
        weights[j] += directions[j] * step;
        if (rng.uniform() < turn) directions[j] = -directions[j];
    }
    return y;
}

RandomRbf::RandomRbf(std::size_t n_features, std::size_t n_classes, std::size_t n_centres, std::size_t moving,
                     double speed_of_centres, Rng& rng)
    : n_moving(moving), speed(speed_of_centres) {
    for (std::size_t i = 0; i < n_centres; ++i) {
        Centre centre;
        double length = 0.0;
        for (std::size_t j = 0; j < n_features; ++j) {
            centre.at.push_back(rng.uniform());
            centre.move.push_back(between(rng, -1.0, 1.0));
            length += centre.move[j] * centre.move[j];
        }
        for (double& part : centre.move) part /= std::sqrt(length);
        centre.spread = rng.uniform();
        centre.weight = rng.uniform();
        // Each class has a centre, as far as there are enough.
        centre.y = i < n_classes ? static_cast<std::uint32_t>(i) : below(rng, n_classes);
        total_weight += centre.weight;
        centres.push_back(std::move(centre));
    }
}

std::uint32_t RandomRbf::draw(Rng& rng, double* x) {
    move_centres();
    double left = total_weight * rng.uniform();
    std::size_t chosen = 0;
    while (chosen + 1 < centres.size() && left >= centres[chosen].weight) left -= centres[chosen++].weight;
    const Centre& centre = centres[chosen];
    double length = 0.0;
    for (std::size_t j = 0; j < width(); ++j) {
        x[j] = between(rng, -1.0, 1.0);
        length += x[j] * x[j];
    }
    const double scale = bell(rng) * centre.spread / std::sqrt(length);
    for (std::size_t j = 0; j < width(); ++j) x[j] = centre.at[j] + scale * x[j];
    return centre.y;
}

/// A centre that comes to a side of the unit cube turns back there.
void RandomRbf::move_centres() {
    if (speed == 0.0) return;
    for (std::size_t i = 0; i < n_moving; ++i) {
        Centre& centre = centres[i];
        for (std::size_t j = 0; j < width(); ++j) {
            double& at = centre.at[j];
            at += centre.move[j] * speed;
            if (at >= 0.0 && at <= 1.0) continue;
            at = std::clamp(at, 0.0, 1.0);
            centre.move[j] = -centre.move[j];
        }
    }
}

}  // namespace sapwood
