// A leaf: what it has learned, and what it has counted to find its split.
//
// Three counts per class, because three questions differ: what to predict (votes: inherited from the parent's split,
// and learned), how sure the leaf is of its own (learned), and what the split statistics rest on (observed: learned
// since the leaf last began to collect; less than learned only after max_bytes paused the leaf. While it is paused,
// observed and m only time its next request for memory, and both begin again at 0 when it collects).
#pragma once

#include <cstdint>
#include <vector>

#include "sapwood/memory.hpp"
#include "sapwood/normal.hpp"
#include "sapwood/params.hpp"
#include "sapwood/tally.hpp"

namespace sapwood {

enum class Kind : std::uint8_t { unknown, numeric, categorical };
constexpr Kind last_of(Kind) {
    return Kind::categorical;
}

struct ClassCount {
    double votes = 0.0;
    double learned = 0.0;
    double observed = 0.0;

    template <class Archive>
    void archive(Archive& a) {
        a(votes, learned, observed);
    }
};

/// The statistics of one attribute at one leaf. `normals` has an entry per class where normals are kept.
struct Attribute {
    Tally tally;
    std::vector<Normal> normals;

    std::size_t nbytes() const { return tally.nbytes() + bytes_of(normals); }

    template <class Archive>
    void archive(Archive& a) {
        a(tally, normals);
    }
};

/// yes: collects split statistics. paused: max_bytes took them; class counts go on, and it may begin again.
/// closed: it will never split (max_depth, max_leaves), and keeps only what its predictions need.
enum class Collecting : std::uint8_t { yes, paused, closed };
constexpr Collecting last_of(Collecting) {
    return Collecting::closed;
}

struct Leaf {
    std::uint32_t node = 0;
    std::uint32_t depth = 0;
    Collecting collecting = Collecting::yes;
    std::uint32_t majority = 0;   // the class with most votes; the lowest of equals
    double m = 0.0;               // sum of observed
    double last_look = 0.0;       // m at the last look; under MOA's rules, the votes then
    double majority_right = 0.0;  // how often each way to predict was right here, for adaptive leaves
    double bayes_right = 0.0;
    std::vector<ClassCount> classes;
    std::vector<Attribute> attributes;
    /// Classes per row once every attribute has its final edges, 0 before: learning then only searches and adds.
    std::size_t settled = 0;

    /// Counts one example of class y; the class must exist.
    void count(std::size_t y, double w) {
        ClassCount& n = classes[y];
        n.votes += w;
        n.learned += w;
        n.observed += w;
        m += w;
        const double most = classes[majority].votes;
        if (n.votes > most || (n.votes == most && y < majority)) majority = static_cast<std::uint32_t>(y);
    }

    /// Adds the row's values to the statistics of each attribute. Returns the bytes they grew by. `found`, if not
    /// null, is what find() gave for this row at this leaf.
    std::size_t observe(const double* row, const std::vector<Kind>& kinds, std::size_t y, double w,
                        const TreeParams& params, const std::uint32_t* found) {
        if (!found || y >= settled || attributes.size() != kinds.size()) [[unlikely]]
            return observe_unsettled(row, kinds, y, w, params);
        for (std::size_t j = 0; j < attributes.size(); ++j) attributes[j].tally.add_at(found[j], y, w);
        return 0;
    }
    /// Where each value of the row will be counted, if the leaf is settled; false if it is not.
    bool find(const double* row, std::size_t width, std::uint32_t* found) const {
        if (!settled || attributes.size() != width) return false;
        for (std::size_t j = 0; j < width; ++j) found[j] = attributes[j].tally.find_settled(row[j]);
        return true;
    }

    /// Sum over classes of votes.
    double votes() const;
    /// Sum over classes of learned.
    double learned() const;
    /// Examples that the majority vote gets wrong: what a split here could mend at most.
    double promise() const;
    /// Fewer than two classes observed.
    bool pure() const;

    std::size_t statistics_nbytes() const;
    std::size_t nbytes() const { return bytes_of(classes); }

    /// Forgets the split statistics, and what was observed with them.
    void drop_statistics();

   private:
    std::size_t observe_unsettled(const double* row, const std::vector<Kind>& kinds, std::size_t y, double w,
                                  const TreeParams& params);

   public:
    template <class Archive>
    void archive(Archive& a) {
        a(node, depth, collecting, m, last_look, majority_right, bayes_right, classes, attributes);
    }
};

/// The first class with most votes.
std::uint32_t majority_of(const Leaf& leaf);

}  // namespace sapwood
