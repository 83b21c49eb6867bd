// The tree: routes rows to leaves, learns at them, and splits a leaf when its bound says so (the paper's Algorithm 1).
//
// A row is an array of doubles, one per column: a number, or the rank of a category; NaN is missing, kUnseen a
// category that was never learned. The tree knows no names, files or threads: see model.hpp, format.hpp and
// shared_model.hpp. Nodes, leaves and splits are indices into arrays; the k-th split made the nodes 2k+1 and 2k+2.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sapwood/leaf.hpp"
#include "sapwood/params.hpp"
#include "sapwood/ruling.hpp"
#include "sapwood/signposts.hpp"

namespace sapwood {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kUnseen = -1.0;
inline constexpr std::uint32_t kNoClass = 0xffffffff;

struct Node {
    static constexpr std::uint32_t kLeaf = 0xffffffff;
    double key = 0.0;
    std::uint32_t feature = kLeaf;
    std::uint32_t next : 30 = 0;  // left child (the right one follows it), or the leaf's index
    std::uint32_t categorical : 1 = 0;
    std::uint32_t missing_left : 1 = 0;

    bool is_leaf() const { return feature == kLeaf; }
    /// Where a value goes at a split.
    bool goes_left(double x) const {
        if (std::isnan(x)) [[unlikely]]
            return missing_left;
        return categorical ? x == key : x <= key;
    }

    template <class Archive>
    void archive(Archive& a) {
        std::uint32_t n = next;
        bool c = categorical, l = missing_left;
        a(key, feature, n, c, l);
        if constexpr (Archive::kReads) {
            next = n & 0x3fffffff;
            categorical = c;
            missing_left = l;
        }
    }
};

/// Rows, each with a node that it is known to pass. `complete` if no value is missing. With `ahead`, each fetches the
/// row so many behind it into the cache, which will be wanted next.
struct RoutedRows {
    const double* values;
    const std::uint32_t* nodes;
    std::size_t n;
    bool complete;
    std::size_t ahead;
};

/// The classes of rows: codes, and the class of each code (kNoClass where no example of it has been learned).
struct LabelCodes {
    const std::int32_t* codes;
    const std::uint32_t* classes;
};

/// A split that was made, with the class votes of the leaf at that moment.
struct Split {
    Certificate certificate;
    std::uint32_t node = 0;
    std::vector<double> votes;

    template <class Archive>
    void archive(Archive& a) {
        a(certificate, node, votes);
    }
};

class Tree {
   public:
    explicit Tree(const TreeParams& params = {});

    // --- what it is told of the data ---
    void add_column(Kind kind);
    void set_kind(std::size_t column, Kind kind);
    void add_class();
    /// Bytes that the owner holds for this tree (names); counted in nbytes and against max_bytes.
    void set_overhead(std::size_t bytes);
    std::size_t overhead() const { return overhead_; }

    // --- learning ---
    /// Learns one row; a whole-number weight is that many copies in a row, 0 changes nothing.
    void learn(const double* row, std::size_t y, double w) { learn_from(0, all_of(row), y, w); }
    /// The same, starting at a node that the row is known to pass; `bayes` is what
    /// bayes_at() said there, if it was asked.
    void learn_from(std::uint32_t node, const RowView& row, std::size_t y, double w, std::uint32_t bayes = kNoClass);
    /// Predicts and learns rows of weight 1 as long as they are the common case: majority leaves, known classes, rows
    /// that wait. Returns how many that were. `predictions` has room for all.
    std::size_t learn_common(const RoutedRows& rows, const LabelCodes& labels, std::uint32_t* predictions);
    /// A row of which every column must be counted.
    RowView all_of(const double* row) const { return {row, nullptr, kinds_.size()}; }
    /// Whether columns of numbers that are 0 may be left out of a RowView.
    bool zeros_are_implied() const { return counting_.zeros_are_implied(); }
    /// Counts rows that were seen and not learned.
    void advance(double n) { t_ += n; }

    // --- predicting; never changes the tree ---
    /// The node where the row ends, starting from `node`: a leaf, or under MOA's rules a split whose value is missing.
    std::uint32_t route(const double* row, std::uint32_t node = 0) const;
    /// Routes n rows of `width` doubles; `complete` if no value is missing.
    void route_block(const double* rows, std::size_t n, std::size_t width, std::uint32_t* nodes, bool complete) const;
    /// The predicted class of a row that ends at `node`; kNoClass before the first label.
    std::uint32_t predict_at(std::uint32_t node, const double* row) const { return predict_at(node, row, kNoClass); }
    /// The same where what naive Bayes says may be known.
    std::uint32_t predict_at(std::uint32_t node, const double* row, std::uint32_t bayes) const;
    /// What naive Bayes says of a row that ends at `node`, where learning the row will ask for it; kNoClass elsewhere.
    std::uint32_t bayes_at(std::uint32_t node, const double* row) const;
    /// The class that each node would predict by its votes alone, for batches; empty where naive Bayes may have a say.
    std::vector<std::uint32_t> majorities() const;
    /// Class probabilities of a row that ends at `node`; uniform before the first label.
    void probabilities_at(std::uint32_t node, const double* row, double* out) const;
    /// The largest of them.
    double confidence_at(std::uint32_t node, const double* row) const;

    // --- looking inside ---
    const TreeParams& params() const { return params_; }
    const std::vector<Node>& nodes() const { return nodes_; }
    const std::vector<Leaf>& leaves() const { return leaves_; }
    const std::vector<Split>& splits() const { return splits_; }
    const std::vector<Kind>& kinds() const { return kinds_; }
    const Leaf& leaf_at(std::uint32_t node) const { return leaves_[nodes_[node].next]; }
    const Split& split_at(std::uint32_t node) const { return splits_[(nodes_[node].next - 1) / 2]; }
    std::size_t n_columns() const { return kinds_.size(); }
    std::size_t n_classes() const { return class_seen_.size(); }
    std::size_t n_classes_learned() const { return n_classes_learned_; }
    double t() const { return t_; }
    std::uint32_t depth() const;
    std::size_t nbytes() const { return overhead_ + structure_ + statistics_; }
    /// What the nodes and class counts of a tree take, without the votes that splits remember.
    static std::size_t structure_nbytes(std::size_t n_leaves, std::size_t n_columns, std::size_t n_classes);
    /// The part of nbytes that cannot be given back: nodes, class counts and names, but no split statistics.
    std::size_t fixed_nbytes() const { return overhead_ + structure_; }

    /// Everything that makes up the tree, in file order. After reading, call restore().
    template <class Archive>
    void archive(Archive& a) {
        a(t_, grown_out_, kinds_, class_seen_, nodes_, leaves_, splits_);
        if constexpr (Archive::kReads) {
            if (a.format >= 2) a(counts_are_whole_);
        } else {
            a(counts_are_whole_);
        }
    }
    /// Recomputes what is derived and checks what must hold; throws std::invalid_argument if it does not. `format` is
    /// that of the file.
    void restore(std::uint64_t format);

   private:
    template <bool wide>
    [[gnu::noinline]] std::size_t learn_waiting(const RoutedRows& rows, const LabelCodes& labels,
                                                std::uint32_t* predictions);
    void learn_copy(std::uint32_t& node, const RowView& row, std::size_t y, double w, std::uint32_t bayes);
    void count_in_doubles();
    void bayes_scores(const Leaf& leaf, const double* row, double* scores) const;
    std::uint32_t bayes_class(const Leaf& leaf, const double* row) const;
    void look(std::uint32_t leaf_index);
    void look_as_moa(std::uint32_t leaf_index);
    void apply_split(std::uint32_t leaf_index, const Candidate& split, const Certificate& certificate);
    Certificate certify(const Leaf& leaf, const Contest& contest, const Ruling& ruling) const;
    bool at_limit(const Leaf& leaf) const;
    void close(Leaf& leaf);
    void close_all();
    void fit_into_memory();
    bool deserves_memory(Leaf& leaf) const;
    void restore_counts(std::uint64_t format);
    void require_sound(const Leaf& leaf) const;
    std::size_t measure_structure() const;

    TreeParams params_;
    double t_ = 0.0;
    bool counts_are_whole_ = true;
    Counting counting_;
    bool grown_out_ = false;  // the structure alone fills max_bytes: it splits no more
    std::vector<Kind> kinds_;
    std::vector<std::uint8_t> class_seen_;  // 1 once an example of the class was learned
    std::vector<Node> nodes_;
    std::vector<Leaf> leaves_;
    std::vector<Split> splits_;

    // Derived.
    static constexpr std::uint32_t kNoLeaf = 0xffffffff;
    static constexpr std::size_t kNodeBytes = sizeof(Node) + Signposts::kBytes + sizeof(std::uint32_t);
    Signposts signposts_;
    std::vector<std::uint32_t> leaf_of_;  // per node; kNoLeaf where it is a split
    std::size_t n_classes_learned_ = 0;
    std::size_t overhead_ = 0;
    std::size_t structure_ = 0;
    std::size_t statistics_ = 0;
};

}  // namespace sapwood
