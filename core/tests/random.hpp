// Random numbers for the tests: SplitMix64, the same sequence on every machine (the distributions of <random> are not).
#pragma once

#include <cstddef>
#include <cstdint>

namespace sapwood::testing {

class Random {
   public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
    /// In [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    bool chance(double p) { return uniform() < p; }

   private:
    std::uint64_t state_;
};

}  // namespace sapwood::testing
