// Many trees over one stream that differ only in how sure they must be: what they have in common is done once.
//
// The settings are sorted, the most willing to split first. Trees that have made the same splits, at the same rows, on
// the way to a leaf have the same leaf there, to the last count; so a leaf is kept for a range of settings. At a look
// the first of the range split, perhaps all or none of them: their children are new leaves for that part of the range,
// and for the others the leaf stays one. A row is counted once at each leaf that it reaches, not once per tree.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sapwood/lesson.hpp"
#include "sapwood/look.hpp"

namespace sapwood {

/// How often each class was predicted as each, in the pairs that came.
struct PairsOfClasses {
    std::vector<std::int64_t> pairs;   // the true class, and in the lower 32 bits 1 + the predicted one or 0 for none
    std::vector<std::int64_t> counts;  // per tree, of each pair
};

class Sweep {
   public:
    /// Each tree is to be the one before it, or less willing to split at every look: c ascending, or delta descending.
    /// All else must be equal. Throws std::invalid_argument where trees cannot share leaves (max_leaves, max_bytes,
    /// MOA's rules) or are not sorted.
    explicit Sweep(std::vector<TreeParams> trees);

    /// Test-then-train of rows [begin, end) by every tree. The first call for a batch must have begin 0.
    void run(Lesson& lesson, const Labels& labels, std::size_t begin, std::size_t end);
    Model& names() { return names_; }
    const Model& names() const { return names_; }

    std::size_t size() const { return trees_.size(); }
    /// Leaves of each tree, and the bytes that it would hold by itself.
    const std::vector<std::uint32_t>& n_leaves() const { return n_leaves_; }
    std::vector<std::size_t> nbytes() const;
    /// What was predicted since the last call.
    PairsOfClasses take_confusions();

   private:
    static constexpr std::uint32_t kNone = 0xffffffff;

    struct SharedLeaf {
        std::uint32_t first = 0, last = 0;  // settings
        std::uint32_t place = 0;
        Leaf leaf;
    };
    /// Where settings may be a leaf still, or have split; `next` of a split is its left child's place.
    struct Place {
        std::uint32_t leaf = kNone;
        std::vector<Node> splits;
    };

    void learn(const double* row, std::size_t y);
    void visit(std::uint32_t leaf, const double* row, std::size_t y);
    void look(std::uint32_t leaf);
    void split(std::uint32_t leaf, std::uint32_t end, const Candidate& candidate);
    std::uint32_t add_leaf(std::uint32_t first, std::uint32_t last, Leaf leaf);
    void note(std::size_t y, std::uint32_t predicted, std::uint32_t first, std::uint32_t last);
    void adopt_names();

    std::vector<TreeParams> trees_;
    Model names_;  // of columns, categories and classes; its own tree learns nothing
    Counting counting_;
    double t_ = 0.0;
    std::size_t n_classes_ = 0, n_classes_learned_ = 0, n_columns_ = 0;
    std::vector<std::uint8_t> class_seen_;
    std::vector<Place> places_;
    std::vector<SharedLeaf> leaves_;
    std::vector<std::uint32_t> unused_;  // leaves that all have split
    std::vector<std::uint32_t> n_leaves_;
    std::vector<std::size_t> votes_bytes_;  // per tree, of what its splits remember
    /// Per true and predicted class, the change of the count from one setting to the next: in a table for the first
    /// classes, and for the others by pair, since of many classes few pairs come.
    static constexpr std::size_t kFew = 32;
    std::vector<std::vector<std::int64_t>> few_changes_;
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> changes_;
    bool predicts_ = false;                         // some label was learned before this row
    std::vector<std::uint32_t> to_visit_, visits_;  // places, and their leaves
};

}  // namespace sapwood
