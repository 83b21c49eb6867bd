// Proves the random numbers: SplitMix64's published outputs, uniform numbers from their 53 upper bits, normal ones by
// Box and Muller with nothing kept, and a state of one word from which the sequence goes on.
#include "sapwood/rng.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "check.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;

TEST(the_outputs_are_those_of_splitmix64) {
    Rng rng(0);
    for (const std::uint64_t expected : {0xE220A8397B1DCDAFu, 0x6E789E6AA1B965F4u, 0x06C45D188009454Fu})
        CHECK_EQ(rng.next(), expected);
    CHECK_EQ(Rng().next(), 0xE220A8397B1DCDAFu);
}

TEST(a_uniform_number_is_53_bits_of_the_next_output) {
    Rng rng(42), twin(42);
    double lowest = 1.0, highest = 0.0, sum = 0.0;
    std::array<int, 10> tenths{};
    for (int i = 0; i < 100000; ++i) {
        const double u = rng.uniform();
        CHECK_EQ(u, std::ldexp(static_cast<double>(twin.next() >> 11), -53));
        CHECK(u >= 0.0 && u < 1.0);
        lowest = std::min(lowest, u);
        highest = std::max(highest, u);
        sum += u;
        ++tenths[static_cast<std::size_t>(u * 10.0)];
    }
    CHECK(lowest < 1e-3 && highest > 1.0 - 1e-3);
    CHECK_NEAR(sum / 100000, 0.5, 0.004);  // over four standard deviations
    for (const int n : tenths) CHECK_NEAR(n / 1e5, 0.1, 0.004);
}

TEST(the_largest_output_is_still_below_one) {
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    CHECK(static_cast<double>(kAll >> 11) * 0x1.0p-53 < 1.0);
}

TEST(a_normal_number_is_two_uniform_ones) {
    Rng rng(7), twin(7);
    double sum = 0.0, squares = 0.0;
    int beyond_two = 0;
    constexpr int kDraws = 100000;
    for (int i = 0; i < kDraws; ++i) {
        const double z = rng.normal();
        const double u = twin.uniform(), v = twin.uniform();
        CHECK_EQ(z, std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(6.283185307179586 * v));
        CHECK_EQ(rng.state(), twin.state());
        CHECK(std::isfinite(z));
        sum += z;
        squares += z * z;
        beyond_two += std::fabs(z) > 2.0;
    }
    const double mean = sum / kDraws;
    CHECK_NEAR(mean, 0.0, 0.015);
    CHECK_NEAR(squares / kDraws - mean * mean, 1.0, 0.02);
    CHECK_NEAR(beyond_two / double{kDraws}, 0.0455, 0.003);
}

TEST(the_sequence_goes_on_from_its_state) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        Rng rng(seed);
        for (int i = 0; i < 10; ++i) rng.next();
        Writer out;
        out(rng);
        Rng back(5), from_state(rng.state());
        Reader in(out.bytes());
        in(back);
        CHECK(in.at_end());
        for (int i = 0; i < 10; ++i) {
            const std::uint64_t expected = rng.next();
            CHECK_EQ(back.next(), expected);
            CHECK_EQ(from_state.next(), expected);
        }
    }
}
