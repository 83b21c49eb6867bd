// Proves that concepts come in their order and blend over the width of a change, and that a seed says all.
#include "sapwood/generators.hpp"

#include <vector>

#include "check.hpp"

using namespace sapwood;

namespace {

/// Always says its own number, and draws nothing.
struct Constant {
    std::uint32_t number = 0;
    std::size_t width() const { return 1; }
    std::uint32_t draw(Rng&, double* x) {
        x[0] = number;
        return number;
    }
};

std::vector<std::int64_t> concepts_of(std::size_t n_concepts, std::size_t n_rows, std::size_t width) {
    std::vector<Constant> concepts;
    for (std::uint32_t i = 0; i < n_concepts; ++i) concepts.push_back({i});
    std::vector<double> rows(n_rows);
    std::vector<std::int64_t> labels(n_rows);
    Rng rng(1);
    draw_stream(concepts, n_rows, width, rng, rows.data(), labels.data());
    for (std::size_t i = 0; i < n_rows; ++i) CHECK_EQ(rows[i], static_cast<double>(labels[i]));
    return labels;
}

}  // namespace

TEST(concepts_share_the_rows_out) {
    for (std::size_t n_rows : {1, 2, 7, 100, 101, 999})
        for (std::size_t n = 1; n <= std::min<std::size_t>(n_rows, 9); ++n) {
            CHECK_EQ(start_of(0, n, n_rows), std::size_t{0});
            CHECK_EQ(start_of(n, n, n_rows), n_rows);
            const auto labels = concepts_of(n, n_rows, 0);
            for (std::size_t i = 0; i < n_rows; ++i) {
                const auto now = static_cast<std::size_t>(labels[i]);
                CHECK(start_of(now, n, n_rows) <= i && i < start_of(now + 1, n, n_rows));
            }
        }
}

TEST(a_change_blends_two_concepts_within_its_width_alone) {
    const auto labels = concepts_of(3, 3000, 400);
    int early = 0, late = 0;
    for (std::size_t i = 0; i < 3000; ++i) {
        const auto now = static_cast<std::size_t>(labels[i]);
        const bool changing = (800 <= i && i < 1200) || (1800 <= i && i < 2200);
        if (!changing) CHECK_EQ(now, i / 1000);
        early += i < 1000 && now == 1;
        late += i >= 1000 && i < 2000 && now == 0;
        CHECK(now + 1 >= i / 1000 && now <= i / 1000 + 1);
    }
    CHECK(30 < early && early < 70);  // 50 in the mean, with a deviation below 6
    CHECK(30 < late && late < 70);
}

TEST(weights_and_centres_stay_where_nothing_moves) {
    Rng rng(3);
    Hyperplane plane(4, 0, 0.1, 0.1, 0.0, rng);
    RandomRbf clouds(3, 2, 5, 5, 0.0, rng);
    const auto weights = plane.weights;
    const auto at = clouds.centres[4].at;
    std::vector<double> row(4);
    for (int i = 0; i < 100; ++i) {
        plane.draw(rng, row.data());
        clouds.draw(rng, row.data());
    }
    CHECK(plane.weights == weights);
    CHECK(clouds.centres[4].at == at);
}

TEST(centres_stay_within_the_cube) {
    Rng rng(4);
    RandomRbf clouds(2, 2, 8, 8, 0.05, rng);
    std::vector<double> row(2);
    for (int i = 0; i < 2000; ++i) {
        clouds.draw(rng, row.data());
        for (const auto& centre : clouds.centres)
            for (double x : centre.at) CHECK(0.0 <= x && x <= 1.0);
    }
}
