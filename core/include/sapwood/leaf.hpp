// A leaf: what it has learned, and what it has counted to find its split.
//
// Three counts per class, because three questions differ: what to predict (votes: inherited from the parent's split,
// and learned), how sure the leaf is of its own (learned), and what the split statistics rest on (observed: learned
// since the leaf last began to collect; less than learned only after max_bytes paused the leaf. While it is paused,
// observed and m only time its next request for memory, and both begin again at 0 when it collects).
#pragma once

#include <cstdint>
#include <vector>

#include "sapwood/drawer.hpp"
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

/// How the leaves of a tree count: one for all of them.
struct Counting {
    bool tallies = true;   // numbers are counted by value, for thresholds
    bool normals = false;  // numbers are summed up as normals, for naive Bayes or gaussian splits
    bool bayes = false;    // leaves may predict by naive Bayes
    bool drawers = false;  // rows may wait in a drawer
    bool wide = false;     // some weight was not whole, or there were too many examples: counts are doubles
    std::size_t limit = 0;

    Counting(const TreeParams& params, bool counts_are_wide);
    /// A number that is 0 is not counted: what a leaf observed and no row has, was 0. Wide tables of mostly zeros
    /// then cost by what is not 0. Only whole counts can be subtracted without a rounding, and naive Bayes asks for
    /// the zeros at every row.
    bool zeros_are_implied() const { return tallies && !normals && !wide; }
};

/// What an attribute has counted, as the search for a split reads it: all classes, zeros included.
struct Spread {
    const double* keys = nullptr;
    std::size_t n_keys = 0;
    std::size_t n_rows = 0;  // as a tally has them: missing, one per key, overflow
    std::size_t k = 0;
    bool any_missing = false;
    std::vector<double> rows, zeros, own_keys;

    const double* row(std::size_t i) const { return rows.data() + i * k; }
};

/// yes: collects split statistics. paused: max_bytes took them; class counts go on, and it may begin again.
/// closed: it will never split (max_depth, max_leaves), and keeps only what its predictions need.
enum class Collecting : std::uint8_t { yes, paused, closed };
constexpr Collecting last_of(Collecting) {
    return Collecting::closed;
}

struct Leaf {
    std::vector<Attribute> attributes;
    std::vector<ClassCount> classes;
    Drawer drawer;
    std::uint32_t majority = 0;  // the class with most votes; the lowest of equals
    Collecting collecting = Collecting::yes;
    bool waits = false;      // rows go into the drawer
    double m = 0.0;          // sum of observed
    double last_look = 0.0;  // m at the last look; under MOA's rules, the votes then
    std::uint32_t node = 0;
    std::uint32_t depth = 0;
    double majority_right = 0.0;  // how often each way to predict was right here, for adaptive leaves
    double bayes_right = 0.0;

    /// Counts one example of class y; the class must exist.
    void count(std::size_t y, double w) {
        ClassCount* const all = classes.data();
        const std::uint32_t leader = majority;
        ClassCount& n = all[y];
        n.votes += w;
        n.learned += w;
        n.observed += w;
        m += w;
        const double most = all[leader].votes;
        // One branch, which is rarely taken: whether the class is the majority's is anybody's guess.
        const bool overtakes = (n.votes > most) | ((n.votes == most) & (y < leader));
        if (overtakes) [[unlikely]]
            majority = static_cast<std::uint32_t>(y);
    }

    /// Asks for the memory that the next row will want; the leaf itself must be there.
    void fetch() const {
        lanes::fetch(classes.data(), sizeof(ClassCount));
        drawer.fetch();
    }
    /// Puts a row of weight 1 into the drawer; the leaf must wait, and the row be counted before the drawer is.
    void put_away(const RowView& row, std::size_t y, bool complete = false) { drawer.put(row, y, complete); }
    /// Learns one row: counts what must be counted of it, now or later. Returns the bytes that the statistics grew by.
    [[gnu::always_inline]] std::size_t learn(const RowView& row, const std::vector<Kind>& kinds, std::size_t y,
                                             double w, const Counting& counting) {
        std::size_t grown = 0;
        if (waits) [[likely]] {
            put_away(row, y);
            if (counting.normals) grown += add_to_normals(row.values, kinds, y, w);
            count(y, w);
            if (drawer.full()) grown += count_drawer(kinds, counting);
            return grown;
        }
        if (collecting == Collecting::yes || (collecting == Collecting::closed && counting.bayes))
            grown += observe(row, kinds, y, w, counting);
        count(y, w);
        return grown;
    }
    /// Notes which way to predict was right. `always` counts naive Bayes before the first vote, too.
    void score(std::uint32_t bayes, std::size_t y, double w, bool always) {
        const bool voted = classes[majority].votes > 0.0;
        if (voted && majority == y) majority_right += w;
        if ((voted || always) && bayes == y) bayes_right += w;
    }
    /// Whether naive Bayes predicts here, where leaves may.
    bool predicts_by_bayes(LeafPrediction by) const {
        if (by == LeafPrediction::majority || attributes.empty()) return false;
        return by == LeafPrediction::naive_bayes || !(majority_right > bayes_right);
    }
    /// Counts the rows in the drawer. Returns the bytes that the statistics grew by.
    std::size_t count_drawer(const std::vector<Kind>& kinds, const Counting& counting);
    /// Adds the row's values to the statistics of each attribute. Returns the bytes they grew by.
    std::size_t observe(const RowView& row, const std::vector<Kind>& kinds, std::size_t y, double w,
                        const Counting& counting);

    /// Adds the numbers of a row to the normals. Returns the bytes they grew by.
    std::size_t add_to_normals(const double* row, const std::vector<Kind>& kinds, std::size_t y, double w);

    /// What attribute j has counted, in full. The drawer must be empty.
    void spread(std::size_t j, Kind kind, const Counting& counting, Spread& out) const;
    /// Counts in doubles from now on, zeros like other numbers. Returns the bytes it grew by.
    std::size_t widen_counts(const std::vector<Kind>& kinds, const Counting& before);

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

    template <class Archive>
    void archive(Archive& a) {
        a(node, depth, collecting, m, last_look, majority_right, bayes_right, classes, attributes);
        if constexpr (Archive::kReads)
            if (a.format < 2) return;
        drawer.archive(a, m);
    }

   private:
    /// The part of m that does not wait.
    double counted() const { return m - static_cast<double>(drawer.n); }
    std::size_t begin_to_wait(std::size_t width, const Counting& counting);
    /// The attribute's edges are final, and each class has a place among its counts.
    bool has_final_edges(std::size_t j) const {
        return attributes[j].tally.full() && attributes[j].tally.stride() >= classes.size();
    }
    std::size_t add_column(std::size_t j, Kind kind, const double* values, const lanes::Examples& examples,
                           const Counting& counting);
    std::size_t add_waiting(std::size_t j, Kind kind, const double* values, const lanes::Examples& examples,
                            const Counting& counting);
    template <class Before>
    std::size_t add_to_tally(std::size_t j, double x, Kind kind, std::size_t y, double w, const Counting& counting,
                             Before&& before);
};

/// The first class with most votes.
std::uint32_t majority_of(const Leaf& leaf);

}  // namespace sapwood
