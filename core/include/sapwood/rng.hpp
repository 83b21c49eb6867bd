// Random numbers that are the same everywhere: SplitMix64 (Steele, Lea and Flood, 2014), one word of state.
#pragma once

#include <cmath>
#include <cstdint>

namespace sapwood {

class Rng {
   public:
    explicit Rng(std::uint64_t seed = 0) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    /// Uniform on [0, 1), with 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    /// Standard normal, by Box and Muller. Two numbers are drawn and nothing is kept, so one word is all the state.
    double normal() {
        constexpr double kTwoPi = 6.283185307179586;
        const double u = uniform(), v = uniform();
        return std::sqrt(-2.0 * std::log(1.0 - u)) * std::cos(kTwoPi * v);
    }

    std::uint64_t state() const { return state_; }

    template <class Archive>
    void archive(Archive& a) {
        a(state_);
    }

   private:
    std::uint64_t state_;
};

}  // namespace sapwood
