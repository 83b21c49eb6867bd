// The kinds of state that are fuzzed, and what each must hold to once it was accepted.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fields.hpp"

namespace sapwood::testing {

/// A state was accepted, and does not hold to what every state holds to.
struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void hold(bool holds, const char* what) {
    if (!holds) throw Broken(what);
}

/// What a learner or run is saved as, but for names and settings in text.
struct StateKind {
    const char* name;
    /// States of real learners; all variants of this kind, each as small as it can be.
    std::vector<Fields> seeds;
    /// Reads a state made from the seed of this number, and lives on with it: learns, predicts, asks, saves and loads.
    /// Throws std::invalid_argument if it is refused, Broken if it should have been.
    std::function<void(const std::string& state, std::size_t seed, Random& random)> live;
};

StateKind models();
StateKind detectors();
StateKind guards();
StateKind budgets();
StateKind strategies();
StateKind trials();

}  // namespace sapwood::testing
