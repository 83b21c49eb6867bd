// Streams whose law is known and changes: the generators by which the learners of this field are compared.
//
// A concept draws one row at a time; some of them move with each row. Only arithmetic and square roots are used, which
// are the same everywhere, and the random numbers are our own, so the stream of a seed never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sapwood/rng.hpp"

namespace sapwood {

/// Street and Kim (2001): of three numbers from 0 to 10, class 1 where the first two sum to no more than a threshold.
struct Sea {
    static constexpr std::size_t kWidth = 3;
    double threshold = 8.0, noise = 0.1;  // share of labels that are turned round

    std::size_t width() const { return kWidth; }
    std::uint32_t draw(Rng& rng, double* x);
};

/// Schlimmer and Granger (1986): size, colour and shape with three values each; three rules.
struct Stagger {
    static constexpr std::size_t kWidth = 3;
    std::uint32_t rule = 1;

    std::size_t width() const { return kWidth; }
    std::uint32_t draw(Rng& rng, double* x);
};

/// Breiman, Friedman, Olshen and Stone (1984): a digit by the seven segments of a display, each wrong with some
/// chance, among bits that mean nothing. `places` are the columns of the segments.
struct Led {
    double noise = 0.1;
    std::size_t irrelevant = 17;
    std::vector<std::uint32_t> places;

    std::size_t width() const { return places.size() + irrelevant; }
    std::uint32_t draw(Rng& rng, double* x);
};

/// Agrawal, Imielinski and Swami (1993): nine attributes of people who ask for a loan; class 1 is their group A, by one
/// of ten functions. Numbers are moved afterwards by up to `perturbation` of their range.
struct Agrawal {
    enum Column : std::size_t { salary, commission, age, education, car, zipcode, house, years, loan };
    static constexpr std::size_t kWidth = 9;
    std::uint32_t function = 1;
    double perturbation = 0.0;

    std::size_t width() const { return kWidth; }
    std::uint32_t draw(Rng& rng, double* x);
};

/// Hulten, Spencer and Domingos (2001): class 1 above a hyperplane of which some weights move with every row.
struct Hyperplane {
    std::size_t n_moving = 0;
    double step = 0.001, turn = 0.1;  // a weight moves by `step`, and turns back with this chance
    double noise = 0.05;
    std::vector<double> weights, directions;

    Hyperplane(std::size_t n_features, std::size_t moving, double step_size, double turn_chance, double label_noise,
               Rng& rng);
    std::size_t width() const { return weights.size(); }
    std::uint32_t draw(Rng& rng, double* x);
};

/// Clouds of points round centres, some of which move with every row (as in MOA's RandomRBFGeneratorDrift).
struct RandomRbf {
    struct Centre {
        std::vector<double> at, move;
        double spread = 0.0, weight = 0.0;
        std::uint32_t y = 0;
    };
    std::size_t n_moving = 0;
    double speed = 0.0;
    double total_weight = 0.0;
    std::vector<Centre> centres;

    RandomRbf(std::size_t n_features, std::size_t n_classes, std::size_t n_centres, std::size_t moving,
              double speed_of_centres, Rng& rng);
    std::size_t width() const { return centres.front().at.size(); }
    std::uint32_t draw(Rng& rng, double* x);

   private:
    void move_centres();
};

/// The first row of concept `i` of `n`, where all are about equally long.
inline std::size_t start_of(std::size_t i, std::size_t n, std::size_t n_rows) {
    return i * (n_rows / n) + i * (n_rows % n) / n;
}

/// Draws rows from concepts one after the other. Over `width` rows around a change, the chance that a row is of the
/// new concept rises from 0 to 1 in even steps.
template <class Concept>
void draw_stream(std::vector<Concept> concepts, std::size_t n_rows, std::size_t width, Rng& rng, double* rows,
                 std::int64_t* labels) {
    const std::size_t n = concepts.size(), columns = concepts.front().width();
    std::size_t now = 0;
    for (std::size_t i = 0; i < n_rows; ++i) {
        while (now + 1 < n && 2 * i >= 2 * start_of(now + 1, n, n_rows) + width) ++now;
        std::size_t chosen = now;
        if (now + 1 < n && width > 0) {
            const std::size_t change = start_of(now + 1, n, n_rows);
            const double into = static_cast<double>(i) + 0.5 - static_cast<double>(change);
            const double share = 0.5 + into / static_cast<double>(width);
            if (share > 0.0) chosen += rng.uniform() < share;
        }
        labels[i] = concepts[chosen].draw(rng, rows + i * columns);
    }
}

}  // namespace sapwood
