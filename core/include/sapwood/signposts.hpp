// The splits of a tree as many rows follow them side by side.
//
// Eight rows go down together, level by level: their loads overlap, and no branch depends on a value. All of them go as
// many levels as leaves are deep on average; a leaf leads to itself. Those that have farther to go are then gathered,
// and go on together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sapwood {

struct Node;

class Signposts {
   public:
    /// What a node takes.
    static constexpr std::size_t kBytes = 4 * sizeof(double);

    /// Those of a tree with one node.
    Signposts();
    /// The leaf `at`, of this depth, has become a split; its children are the nodes that come next.
    void add_split(std::uint32_t at, const Node& node, std::uint32_t depth);

    /// Finds the leaves of n rows of `width` doubles; `complete` if no value is missing.
    void route(const double* rows, std::size_t n, std::size_t width, std::uint32_t* nodes, bool complete) const;

   private:
    /// x <= key goes to `next`, other x to the node after it.
    struct Way {
        std::uint32_t offset = 0;  // of the feature in a row, in bytes
        std::uint32_t next = 0;
    };
    /// For trees and rows with more than numbers: `low` is the category that goes left, and below every number
    /// elsewhere. A missing value goes left unless told otherwise, and stays at a leaf.
    struct FinePrint {
        double low = -std::numeric_limits<double>::infinity();
        std::uint64_t missing_right = 0;
    };
    static_assert(sizeof(double) + sizeof(Way) + sizeof(FinePrint) == kBytes);

    void add_leaf();
    template <bool with_categories, bool with_missing>
    std::size_t step(std::size_t at, const char* row) const;
    template <bool with_categories, bool with_missing>
    void route_block(const double* rows, std::size_t n, std::size_t width, std::uint32_t* nodes) const;
    bool leads_on(std::uint32_t at) const { return ways_[at].next != at; }

    std::vector<double> keys_;  // per node, as are the next two; infinite at a leaf
    std::vector<Way> ways_;
    std::vector<FinePrint> fine_prints_;
    bool has_categories_ = false;
    std::size_t n_leaves_ = 1, depths_ = 0;  // and the sum of their depths
};

}  // namespace sapwood
