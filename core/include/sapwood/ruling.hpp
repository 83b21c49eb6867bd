// Whether the best split of a leaf may happen: the seam between the search for a split and what makes sure of it.
//
// A test hears of the leaf as an Occasion and of what the search found as a Contest, and gives a Ruling. Before the
// search it says what is needed to pass, and that is all that the search knows of it. A new test is a type with these
// three functions, a case in with_test() (look.hpp), and a row in the table of parameters.
#pragma once

#include <concepts>
#include <cstdint>

#include "sapwood/split.hpp"

namespace sapwood {

/// The leaf at the moment of a look.
struct Occasion {
    double m = 0.0;  // examples that the candidates were counted on
    double t = 0.0;  // examples of the stream so far
    std::uint32_t depth = 0;
    std::size_t columns = 0;
    std::size_t classes = 0;    // that were ever learned
    bool missing_seen = false;  // thresholds then compete twice: missing values may go either way
};

/// What the search found, in units of the criterion.
struct Contest {
    Candidate best;
    double gain = 0.0;  // of the best split over no split
    double gap = 0.0;   // of the best split over the next best: no split, or that of another attribute
};

/// The least that could pass. A gap of no more than this does not, unless any gain will do.
struct Needed {
    double gap = 0.0;
    bool any_gain = false;
};

struct Ruling {
    bool splits = false;
    Reason reason = Reason::confident;
    double epsilon = 0.0;
    double delta = 0.0;
};

template <class Test>
concept SplitTest = requires(const Test test, const Occasion& occasion, const Contest& contest) {
    { test.needed(occasion) } -> std::same_as<Needed>;
    { test.rule(occasion, contest) } -> std::same_as<Ruling>;
    { test.caution() } -> std::same_as<double>;  // how unwilling it is, among those that are otherwise equal
};

}  // namespace sapwood
