// Proves the tree itself: that it splits when its certificate says so, keeps every limit, treats a weight as copies,
// and that nbytes() is the truth, counted by the operator new of heap.hpp.
#include "sapwood/tree.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "heap.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"
#include "sapwood/bounds.hpp"

// --- streams for a tree -----------------------------------------------------------------------------------------

using namespace sapwood;
using sapwood::testing::Random;

namespace {

/// Rows of doubles with a class each, as a tree takes them.
struct Rows {
    std::size_t width = 0;
    std::vector<Kind> kinds;
    std::vector<double> cells;
    std::vector<std::size_t> classes;
    std::size_t n_classes = 2;

    std::size_t size() const { return classes.size(); }
    const double* row(std::size_t i) const { return cells.data() + i * width; }
};

struct Shape {
    std::size_t n = 3000;
    std::size_t numbers = 4;
    std::size_t texts = 0;
    std::size_t n_classes = 2;
    double noise = 0.05;
    double missing = 0.0;
    double zeros = 0.0;  // probability that a number is 0
};

/// Two thresholds, one below the other, and one category if there is any.
Rows make_rows(const Shape& shape, std::uint64_t seed) {
    Random random(seed);
    Rows rows;
    rows.width = shape.numbers + shape.texts;
    rows.n_classes = shape.n_classes;
    rows.kinds.assign(shape.numbers, Kind::numeric);
    rows.kinds.resize(rows.width, Kind::categorical);
    for (std::size_t i = 0; i < shape.n; ++i) {
        std::vector<double> row;
        for (std::size_t j = 0; j < shape.numbers; ++j) {
            row.push_back(random.uniform());
            if (shape.zeros > 0.0 && random.chance(shape.zeros)) row.back() = 0.0;
        }
        for (std::size_t j = 0; j < shape.texts; ++j) row.push_back(static_cast<double>(random.below(6)));
        std::size_t y = row[0] <= 0.3 ? 0 : row[1] <= 0.6 ? 1 : 2;
        if (shape.texts && row[shape.numbers] == 2.0) ++y;
        if (random.chance(shape.noise)) y = random.below(shape.n_classes);
        for (double x : row) rows.cells.push_back(random.chance(shape.missing) ? kMissing : x);
        rows.classes.push_back(y % shape.n_classes);
    }
    return rows;
}

void prepare(Tree& tree, const Rows& rows) {
    for (const Kind kind : rows.kinds) tree.add_column(kind);
    for (std::size_t y = 0; y < rows.n_classes; ++y) tree.add_class();
}

void learn(Tree& tree, const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) tree.learn(rows.row(i), rows.classes[i], 1.0);
}

Tree taught(const TreeParams& params, const Rows& rows) {
    Tree tree(params);
    prepare(tree, rows);
    learn(tree, rows);
    return tree;
}

double accuracy(const Tree& tree, const Rows& rows) {
    double right = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        right += tree.predict_at(tree.route(rows.row(i)), rows.row(i)) == rows.classes[i];
    return right / static_cast<double>(rows.size());
}

std::string bytes_of_tree(const Tree& tree) {
    Writer writer;
    writer(tree);
    return writer.bytes();
}

std::size_t count_leaves(const Tree& tree, Collecting collecting) {
    return static_cast<std::size_t>(std::count_if(tree.leaves().begin(), tree.leaves().end(),
                                                  [&](const Leaf& leaf) { return leaf.collecting == collecting; }));
}

Tree reloaded(const Tree& tree) {
    const std::string bytes = bytes_of_tree(tree);
    Tree back(tree.params());
    Reader reader(bytes);
    reader(back);
    back.restore(kFormatNewest);
    return back;
}

/// What nbytes() keeps up to date row by row is what a count from nothing gives, beside what the tree's owner holds.
void check_bytes_add_up(const Tree& tree, std::size_t overhead = 0) {
    CHECK_EQ(reloaded(tree).nbytes() + overhead, tree.nbytes());
}

/// How the tree counts now.
Counting counting_of(const Tree& tree) {
    bool wide = false;
    for (const Leaf& leaf : tree.leaves())
        for (const Attribute& attribute : leaf.attributes) wide |= attribute.tally.wide();
    return Counting(tree.params(), wide);
}

/// The counts of all attributes of all leaves, with keys, in full.
std::vector<std::vector<double>> all_counts(const Tree& tree) {
    const Counting counting = counting_of(tree);
    std::vector<std::vector<double>> all;
    Spread spread;
    for (Leaf leaf : tree.leaves()) {
        leaf.count_drawer(tree.kinds(), counting);
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
            leaf.spread(j, tree.kinds()[j], counting, spread);
            std::vector<double> counts(spread.keys, spread.keys + spread.n_keys);
            counts.insert(counts.end(), spread.row(0), spread.row(1 + spread.n_keys));
            // A row above all keys may be there and empty, or not be there yet.
            for (std::size_t y = 0; y < spread.k; ++y)
                counts.push_back(spread.n_rows > 1 + spread.n_keys ? spread.row(1 + spread.n_keys)[y] : 0.0);
            all.push_back(counts);
        }
    }
    return all;
}

/// The same nodes, certificates, votes and counts, however they are kept.
void check_same_tree(const char* what, const Tree& a, const Tree& b) {
    const auto require = [&](bool holds, const char* which) {
        if (!holds) check::fail(__FILE__, __LINE__, std::string(what) + ": other " + which);
    };
    const auto bytes = [](const auto& part) {
        Writer writer;
        writer(part);
        return writer.bytes();
    };
    require(bytes(a.nodes()) == bytes(b.nodes()), "nodes");
    require(bytes(a.splits()) == bytes(b.splits()), "splits");
    require(a.leaves().size() == b.leaves().size(), "number of leaves");
    for (std::size_t i = 0; i < std::min(a.leaves().size(), b.leaves().size()); ++i) {
        const Leaf &one = a.leaves()[i], &other = b.leaves()[i];
        require(bytes(one.classes) == bytes(other.classes) && one.m == other.m, "class counts");
        require(one.majority == other.majority && one.collecting == other.collecting, "leaves");
    }
    require(all_counts(a) == all_counts(b), "counts");
    require(a.t() == b.t(), "clock");
}

}  // namespace

// --- growing ----------------------------------------------------------------------------------------------------

TEST(a_new_tree_knows_nothing) {
    Tree tree;
    CHECK_EQ(tree.leaves().size(), 1);
    CHECK_EQ(tree.depth(), 0);
    CHECK_EQ(tree.t(), 0.0);
    CHECK_EQ(tree.predict_at(tree.route(nullptr), nullptr), kNoClass);
    tree.add_class();
    tree.add_class();
    double p[2] = {};
    tree.probabilities_at(0, nullptr, p);
    CHECK_EQ(p[0], 0.5);
    CHECK_EQ(p[1], 0.5);
    CHECK_EQ(tree.predict_at(0, nullptr), kNoClass);  // classes declared, none learned
    tree.advance(5.0);
    CHECK_EQ(tree.t(), 5.0);
}

TEST(it_learns_what_can_be_learned) {
    const Rows train = make_rows({.n = 6000, .n_classes = 3, .noise = 0.0}, 1);
    const Rows test = make_rows({.n = 1000, .n_classes = 3, .noise = 0.0}, 2);
    for (const Criterion criterion :
         {Criterion::gini, Criterion::entropy, Criterion::kearns_mansour, Criterion::error}) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::exact, NumericSplits::gaussian}) {
            TreeParams params;
            params.criterion = criterion;
            params.numeric_splits = splits;
            const Tree tree = taught(params, train);
            CHECK(tree.leaves().size() >= 3);
            CHECK(accuracy(tree, test) > 0.9);
            CHECK_EQ(tree.t(), 6000.0);
            check_bytes_add_up(tree);
        }
    }
}

TEST(every_split_can_be_checked_by_its_certificate) {
    const Rows rows = make_rows({.n = 5000, .texts = 1, .n_classes = 3}, 3);
    struct Case {
        Bound bound;
        Criterion criterion;
        double delta, tie;
    };
    for (const Case& c :
         {Case{Bound::c_tree, Criterion::gini, 0.0, 0.0}, Case{Bound::c_tree, Criterion::entropy, 0.0, 0.08},
          Case{Bound::theorem, Criterion::gini, 0.05, 0.3}, Case{Bound::hoeffding, Criterion::entropy, 1e-7, 0.05},
          Case{Bound::hoeffding_corrected, Criterion::kearns_mansour, 0.0, 0.03},
          Case{Bound::mcdiarmid, Criterion::gini, 0.05, 0.4}}) {
        TreeParams params;
        params.bound = c.bound;
        params.criterion = c.criterion;
        params.delta = c.delta;
        params.tie_threshold = c.tie;
        const Tree tree = taught(params, rows);
        CHECK(!tree.splits().empty());
        for (std::size_t k = 0; k < tree.splits().size(); ++k) {
            const Split& split = tree.splits()[k];
            const Certificate& made = split.certificate;
            const Node& node = tree.nodes()[split.node];
            CHECK_EQ(node.next, 2 * k + 1);
            CHECK_EQ(&tree.split_at(split.node) == &split, true);
            CHECK_EQ(node.feature, made.feature);
            CHECK_EQ(node.key, made.key);
            CHECK_EQ(node.categorical == 1, made.categorical);
            CHECK_EQ(node.missing_left == 1, made.missing_left);
            BoundInput in;
            in.m = made.m;
            in.t = made.t;
            in.d = made.d;
            in.depth = made.depth;
            in.delta = c.delta;
            in.c = params.c;
            in.n_classes = 3.0;
            CHECK_EQ(made.epsilon, epsilon(c.bound, c.criterion, in));
            CHECK_EQ(made.delta, c.delta > 0.0 ? c.delta : 1.0 / made.t);
            CHECK_EQ(made.d, rows.width);
            CHECK(made.gain > 0.0);
            CHECK(made.gain >= made.gap);
            const bool confident = made.gap > gap_factor(c.bound) * made.epsilon;
            CHECK_EQ(made.reason, confident ? Reason::confident : Reason::tie);
            if (!confident) CHECK(made.epsilon <= c.tie);
            double votes = 0.0;
            for (const double n : split.votes) votes += n;
            CHECK(votes >= made.m);  // with what was inherited
        }
    }
}

TEST(where_missing_values_choose_a_side_theorem_4_counts_twice_the_candidates) {
    TreeParams params;
    params.bound = Bound::theorem;
    params.delta = 0.05;
    params.tie_threshold = 0.5;
    const Tree tree = taught(params, make_rows({.n = 5000, .missing = 0.02}, 29));
    CHECK(!tree.splits().empty());
    for (const Split& split : tree.splits()) {
        const Certificate& made = split.certificate;
        const double delta = 0.05 / ((made.depth + 1.0) * (made.depth + 2.0) * made.t * (2.0 * made.d) * made.m);
        CHECK_NEAR(made.epsilon, theorem_gini(made.m, delta), 1e-15);
        CHECK_EQ(made.d, 4);
    }
}

TEST(attributes_that_are_equally_good_wait_for_a_tie) {
    // The second column repeats the first: the gap is 0 for ever.
    for (const double tie : {0.0, 0.02}) {
        TreeParams params;
        params.tie_threshold = tie;
        Tree tree(params);
        for (int j = 0; j < 2; ++j) tree.add_column(Kind::numeric);
        for (int y = 0; y < 2; ++y) tree.add_class();
        Random random(30);
        for (int i = 0; i < 3000; ++i) {
            const double x = random.uniform();
            const double row[] = {x, x};
            tree.learn(row, x > 0.5 ? 1 : 0, 1.0);
        }
        CHECK_EQ(tree.splits().empty(), tie == 0.0);
        if (tree.splits().empty()) continue;
        const Certificate& made = tree.splits()[0].certificate;
        CHECK_EQ(made.reason, Reason::tie);
        CHECK_EQ(made.gap, 0.0);
        CHECK_EQ(made.feature, 0);
        CHECK(made.gain > 0.4);
        CHECK(made.epsilon <= tie);
    }
}

TEST(a_leaf_is_looked_at_once_in_a_grace_period) {
    for (const double grace : {1.0, 50.0, 333.0}) {
        TreeParams params;
        params.grace_period = grace;
        Tree tree(params);
        tree.add_column(Kind::numeric);
        tree.add_class();
        tree.add_class();
        Random random(4);
        for (int i = 0; i < 2000 && tree.splits().empty(); ++i) {
            const double x = random.uniform();
            tree.learn(&x, x > 0.5 ? 1 : 0, 1.0);
        }
        CHECK_EQ(tree.splits().size(), 1);
        CHECK_NEAR(std::fmod(tree.splits()[0].certificate.m, grace), 0.0, 0.0);
        CHECK_EQ(tree.splits()[0].certificate.t, tree.t());
    }
}

TEST(children_begin_with_the_votes_of_their_side) {
    const Rows rows = make_rows({.n = 400, .noise = 0.0}, 5);
    Tree tree{TreeParams{}};
    prepare(tree, rows);
    std::size_t i = 0;
    while (tree.splits().empty() && i < rows.size()) tree.learn(rows.row(i), rows.classes[i], 1.0), ++i;
    CHECK_EQ(tree.splits().size(), 1);
    std::vector<double> votes(4, 0.0);  // of the two children, two classes each
    for (std::size_t r = 0; r < i; ++r) votes[2 * (tree.route(rows.row(r)) - 1) + rows.classes[r]] += 1.0;
    for (std::uint32_t child : {1u, 2u}) {
        const Leaf& leaf = tree.leaf_at(child);
        CHECK_EQ(leaf.node, child);
        CHECK_EQ(leaf.depth, 1);
        CHECK_EQ(leaf.learned(), 0.0);
        CHECK_EQ(leaf.m, 0.0);
        for (std::size_t y = 0; y < 2; ++y) CHECK_EQ(leaf.classes[y].votes, votes[2 * (child - 1) + y]);
        CHECK_EQ(leaf.majority, majority_of(leaf));
    }
}

TEST(missing_values_follow_the_certificate) {
    const Rows rows = make_rows({.n = 5000, .texts = 1, .missing = 0.1}, 6);
    const Tree tree = taught({}, rows);
    CHECK(tree.splits().size() > 2);
    for (const Split& split : tree.splits()) {
        std::vector<double> row(rows.width, 0.5);
        row[split.certificate.feature] = kMissing;
        // From the split's own node on, one step.
        const std::uint32_t first = tree.nodes()[split.node].next;
        std::vector<double> inside = row;
        inside[split.certificate.feature] =
            split.certificate.missing_left ? split.certificate.key : split.certificate.key + 1000.0;
        const std::uint32_t child = split.certificate.missing_left ? first : first + 1;
        CHECK_EQ(tree.route(row.data(), split.node), tree.route(row.data(), child));
        CHECK_EQ(tree.route(inside.data(), split.node), tree.route(inside.data(), child));
    }
}

TEST(routing_in_blocks_is_routing_one_by_one) {
    for (const bool complete : {false, true}) {
        const Rows rows = complete ? make_rows({.n = 4000, .texts = 0, .n_classes = 3, .missing = 0.0}, 7)
                                   : make_rows({.n = 4000, .texts = 2, .n_classes = 3, .missing = 0.1}, 7);
        const Tree tree = taught({}, rows);
        CHECK(tree.depth() >= 2);
        for (const std::size_t n : {0, 1, 7, 8, 9, 16, 255, 256, 3999}) {
            std::vector<std::uint32_t> nodes(n + 1, 12345);
            tree.route_block(rows.cells.data(), n, rows.width, nodes.data(), complete);
            for (std::size_t i = 0; i < n; ++i) CHECK_EQ(nodes[i], tree.route(rows.row(i)));
            CHECK_EQ(nodes[n], 12345);
        }
    }
}

TEST(probabilities_are_shares_and_agree_with_the_prediction) {
    const Rows rows = make_rows({.n = 3000, .texts = 1, .n_classes = 4, .missing = 0.05}, 8);
    for (const LeafPrediction prediction :
         {LeafPrediction::majority, LeafPrediction::naive_bayes, LeafPrediction::adaptive}) {
        TreeParams params;
        params.leaf_prediction = prediction;
        const Tree tree = taught(params, rows);
        for (std::size_t i = 0; i < 300; ++i) {
            double p[4];
            const std::uint32_t node = tree.route(rows.row(i));
            tree.probabilities_at(node, rows.row(i), p);
            CHECK_NEAR(p[0] + p[1] + p[2] + p[3], 1.0, 1e-12);
            for (const double share : p) CHECK(share >= 0.0);
            const std::uint32_t y = tree.predict_at(node, rows.row(i));
            CHECK_EQ(p[y], *std::max_element(p, p + 4));
        }
    }
}

TEST(naive_bayes_answers_numbers_far_out_with_shares_too) {
    for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian}) {
        TreeParams params;
        params.leaf_prediction = LeafPrediction::naive_bayes;
        params.numeric_splits = splits;
        Tree tree = taught(params, make_rows({.n = 500}, 9));
        const auto check_shares = [&] {
            for (const double x : {0.5, 1e100, -1e200, 1e308, -1e308}) {
                const std::vector<double> row(4, x);
                double p[2];
                tree.probabilities_at(tree.route(row.data()), row.data(), p);
                CHECK_NEAR(p[0] + p[1], 1.0, 1e-12);
            }
        };
        check_shares();
        for (const double x : {1e200, -1e200, 1e308, -1e308, 1e200})  // and when such numbers are learned
            for (const std::size_t y : {0, 1}) tree.learn(std::vector<double>(4, x).data(), y, 1.0);
        check_shares();
        reloaded(tree);  // what it has learned can be loaded again
    }
}

TEST(columns_and_classes_may_come_late) {
    const Rows rows = make_rows({.n = 4000, .n_classes = 3, .noise = 0.0}, 10);
    Tree tree{TreeParams{}};
    tree.add_column(Kind::numeric);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i == 500) tree.add_column(Kind::numeric);
        while (tree.n_classes() <= rows.classes[i]) tree.add_class();
        tree.learn(rows.row(i), rows.classes[i], 1.0);
        if (i % 500 == 499) check_bytes_add_up(tree);
    }
    CHECK_EQ(tree.n_columns(), 2);
    CHECK_EQ(tree.n_classes_learned(), 3);
    CHECK(accuracy(tree, rows) > 0.9);
}

// --- weights ----------------------------------------------------------------------------------------------------

TEST(a_whole_weight_is_that_many_copies) {
    const Rows rows = make_rows({.n = 1500, .texts = 1, .missing = 0.05}, 11);
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        TreeParams params;
        params.leaf_prediction = prediction;
        Tree weighted(params), copied(params);
        prepare(weighted, rows);
        prepare(copied, rows);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto w = static_cast<double>((i * 7) % 5);  // 0 to 4
            weighted.learn(rows.row(i), rows.classes[i], w);
            for (double copy = 0.0; copy < w; copy += 1.0) copied.learn(rows.row(i), rows.classes[i], 1.0);
        }
        CHECK(weighted.splits().size() > 1);
        CHECK(bytes_of_tree(weighted) == bytes_of_tree(copied));
        CHECK_EQ(weighted.nbytes(), copied.nbytes());
    }
}

TEST(a_weight_of_zero_changes_nothing) {
    const Rows rows = make_rows({.n = 300}, 12);
    Tree tree = taught({}, rows);
    const std::string before = bytes_of_tree(tree);
    for (std::size_t i = 0; i < rows.size(); ++i) tree.learn(rows.row(i), rows.classes[i], 0.0);
    CHECK(bytes_of_tree(tree) == before);
}

TEST(a_fraction_counts_as_such) {
    Tree tree{TreeParams{}};
    tree.add_column(Kind::numeric);
    tree.add_class();
    const double x = 1.0;
    tree.learn(&x, 0, 0.25);
    tree.learn(&x, 0, 2.5);
    CHECK_EQ(tree.t(), 2.75);
    CHECK_EQ(tree.leaves()[0].m, 2.75);
    CHECK_EQ(tree.leaves()[0].attributes[0].tally.count(1, 0), 2.75);
}

// --- drawers, zeros and doubles ---------------------------------------------------------------------------------

TEST(rows_that_wait_are_learned_like_others) {
    // A tree with a byte limit has no drawers; this one never meets its limit.
    for (const LeafPrediction prediction :
         {LeafPrediction::majority, LeafPrediction::naive_bayes, LeafPrediction::adaptive}) {
        for (const double zeros : {0.0, 0.3, 0.9}) {
            for (const std::uint32_t n_bins : {2u, 8u, 32u, 33u}) {
                const Rows rows = make_rows(
                    {.n = 3000, .texts = n_bins == 8 ? 1u : 0u, .n_classes = 3, .missing = 0.02, .zeros = zeros}, 32);
                TreeParams params;
                params.leaf_prediction = prediction;
                params.n_bins = n_bins;
                params.tie_threshold = 0.1;
                TreeParams limited = params;
                limited.max_bytes = 1000000000;
                Tree waiting(params), direct(limited);
                prepare(waiting, rows);
                prepare(direct, rows);
                bool waited = false;
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    waiting.learn(rows.row(i), rows.classes[i], 1.0);
                    direct.learn(rows.row(i), rows.classes[i], 1.0);
                    for (const Leaf& leaf : waiting.leaves()) waited |= leaf.drawer.n > 0;
                    for (const Leaf& leaf : direct.leaves()) CHECK(!leaf.waits);
                    if (i % 157 == 0) check_same_tree("drawers", waiting, direct);
                }
                check_same_tree("drawers", waiting, direct);
                check_bytes_add_up(waiting);
                check_bytes_add_up(direct);
                CHECK(!waiting.splits().empty());
                CHECK(waited || prediction != LeafPrediction::majority);
            }
        }
    }
}

TEST(columns_and_classes_that_come_late_meet_the_drawer) {
    const Rows rows = make_rows({.n = 3000, .numbers = 40, .n_classes = 4, .missing = 0.02, .zeros = 0.4}, 33);
    TreeParams params, limited;
    params.tie_threshold = limited.tie_threshold = 0.1;
    params.n_bins = limited.n_bins = 6;
    limited.max_bytes = 1000000000;
    Tree waiting(params), direct(limited);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (Tree* tree : {&waiting, &direct}) {
            // At last there are too many columns to wait.
            while (tree->n_columns() < std::min<std::size_t>(40, 1 + i / 50)) tree->add_column(Kind::numeric);
            while (tree->n_classes() <= std::min<std::size_t>(3, i / 100) || tree->n_classes() <= rows.classes[i])
                tree->add_class();
            tree->learn(rows.row(i), rows.classes[i], 1.0);
        }
        if (i % 97 == 0) {
            check_same_tree("late names", waiting, direct);
            check_bytes_add_up(waiting);
        }
    }
    check_same_tree("late names", waiting, direct);
    CHECK(!waiting.splits().empty());
}

TEST(a_row_may_come_without_its_zeros) {
    for (const std::size_t numbers : {5, 32, 33, 50}) {                  // kept whole, and as what is not 0
        for (const double before : {0.0, Tally::kMostWhole - 1000.5}) {  // in the middle, counts become doubles
            const Rows rows =
                make_rows({.n = 3000, .numbers = numbers, .n_classes = 3, .missing = 0.02, .zeros = 0.6}, 34);
            TreeParams params;
            params.tie_threshold = 0.1;
            Tree sparse(params), all(params);
            prepare(sparse, rows);
            prepare(all, rows);
            sparse.advance(before);
            all.advance(before);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                std::vector<std::uint32_t> columns;
                for (std::uint32_t j = 0; j < rows.width; ++j)
                    if (rows.row(i)[j] != 0.0) columns.push_back(j);
                const double w = i % 7 ? 1.0 : 3.0;
                const RowView row{rows.row(i), columns.data(), columns.size()};
                sparse.learn_from(0, sparse.zeros_are_implied() ? row : sparse.all_of(row.values), rows.classes[i], w);
                all.learn(rows.row(i), rows.classes[i], w);
            }
            CHECK(!all.splits().empty());
            CHECK_EQ(all.zeros_are_implied(), before == 0.0);
            CHECK(bytes_of_tree(sparse) == bytes_of_tree(all));
            CHECK_EQ(sparse.nbytes(), all.nbytes());
        }
    }
}

TEST(a_fraction_in_the_middle_changes_nothing_that_was_counted) {
    // One tree counts in doubles from its first row, which it is given as two halves; the other begins to in the
    // middle.
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::naive_bayes}) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::exact, NumericSplits::gaussian}) {
            for (const std::size_t middle : {1, 20, 150, 700, 1999}) {
                const Rows rows = make_rows(
                    {.n = 2500, .texts = 1, .n_classes = 3, .missing = 0.02, .zeros = middle % 2 ? 0.0 : 0.3}, middle);
                TreeParams params;
                params.leaf_prediction = prediction;
                params.numeric_splits = splits;
                params.n_bins = 10;
                params.tie_threshold = 0.1;
                Tree doubles(params), late(params);
                for (const Kind kind : rows.kinds) {
                    doubles.add_column(kind);
                    late.add_column(kind);
                }
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    for (Tree* tree : {&doubles, &late}) {
                        while (tree->n_classes() < std::max(std::min<std::size_t>(3, 1 + i / 30), rows.classes[i] + 1))
                            tree->add_class();
                        const bool halves = (i == 0 && tree == &doubles) || i == middle;
                        const double w = i > middle && i % 3 == 0 ? 0.5 * static_cast<double>(1 + i % 5) : 1.0;
                        for (int half = 0; halves && half < 2; ++half) tree->learn(rows.row(i), rows.classes[i], 0.5);
                        if (!halves) tree->learn(rows.row(i), rows.classes[i], w);
                    }
                    if (i % 311 == 0 || i == middle) check_same_tree("doubles", doubles, late);
                }
                check_same_tree("doubles", doubles, late);
                CHECK(!late.zeros_are_implied());
                CHECK(bytes_of_tree(doubles) == bytes_of_tree(late));
                CHECK_EQ(doubles.nbytes(), late.nbytes());
                CHECK(!late.splits().empty());
                check_bytes_add_up(late);
            }
        }
    }
}

TEST(counts_that_outgrow_32_bits_become_doubles) {
    const Rows rows = make_rows({.n = 2000, .n_classes = 3, .missing = 0.02, .zeros = 0.2}, 35);
    TreeParams params;
    params.tie_threshold = 0.1;
    Tree doubles(params), late(params);
    for (Tree* tree : {&doubles, &late}) {
        prepare(*tree, rows);
        tree->advance(Tally::kMostWhole - 1000.0);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        late.learn(rows.row(i), rows.classes[i], 1.0);
        for (int half = 0; i == 0 && half < 2; ++half) doubles.learn(rows.row(i), rows.classes[i], 0.5);
        if (i > 0) doubles.learn(rows.row(i), rows.classes[i], 1.0);
        CHECK_EQ(late.zeros_are_implied(), late.t() < Tally::kMostWhole);
        if (i % 130 == 0 || (i > 990 && i < 1010)) {
            check_same_tree("outgrown", doubles, late);
            check_same_tree("outgrown, reloaded", reloaded(late), late);
            check_bytes_add_up(late);
        }
    }
    CHECK(!late.splits().empty());
}

TEST(a_saved_tree_learns_on_the_same) {
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        for (const double zeros : {0.0, 0.5}) {
            const Rows rows =
                make_rows({.n = 1500, .texts = zeros > 0.0 ? 1u : 0u, .missing = 0.02, .zeros = zeros}, 36);
            TreeParams params;
            params.leaf_prediction = prediction;
            params.n_bins = 9;
            Tree tree(params), saved(params);
            prepare(tree, rows);
            prepare(saved, rows);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const double w = i > 1200 ? 0.5 : 1.0;
                tree.learn(rows.row(i), rows.classes[i], w);
                saved.learn(rows.row(i), rows.classes[i], w);
                if (i % 7 != 0) continue;
                const std::size_t before = saved.nbytes();
                saved = reloaded(saved);
                CHECK_EQ(saved.nbytes(), before);
                CHECK_EQ(saved.zeros_are_implied(), tree.zeros_are_implied());
                CHECK(bytes_of_tree(saved) == bytes_of_tree(tree));
            }
        }
    }
}

TEST(a_clock_that_passes_32_bits_between_two_rows_loses_no_count) {
    // Rows that are only seen move the clock too.
    const Rows rows = make_rows({.n = 300, .missing = 0.02, .zeros = 0.4}, 37);
    Tree tree = taught({}, rows);
    tree.advance(2.0 * Tally::kMostWhole);
    const Tree back = reloaded(tree);
    Tree on = tree, back_on = back;
    learn(on, rows);
    learn(back_on, rows);
    check_same_tree("after the clock has passed", on, back_on);
    check_bytes_add_up(tree);
}

namespace {

/// What a tree with these parameters says to the bytes of another one.
void load_as(const TreeParams& params, const std::string& bytes) {
    Tree tree(params);
    Reader reader(bytes);
    reader(tree);
    tree.restore(kFormatNewest);
    CHECK(all_counts(tree).size() > 0);
}

}  // namespace

TEST(counts_that_do_not_suit_the_parameters_are_refused) {
    const Rows rows = make_rows({.n = 90, .zeros = 0.2}, 41);
    TreeParams params;
    params.n_bins = 500;
    const std::string bytes = bytes_of_tree(taught(params, rows));
    load_as(params, bytes);
    for (const std::uint32_t n_bins : {2u, 3u, 8u, 16u, 40u}) {  // more keys than there may be
        params.n_bins = n_bins;
        CHECK_THROWS(load_as(params, bytes), "broken");
    }
}

TEST(rows_that_wait_in_a_tree_without_drawers_are_refused) {
    const Rows rows = make_rows({.n = 90}, 42);
    const Tree tree = taught({}, rows);
    CHECK(tree.leaves()[0].drawer.n > 0);
    std::string bytes = bytes_of_tree(tree);
    load_as({}, bytes);
    bytes.back() = 0;  // it now says that weights were not whole
    CHECK_THROWS(load_as({}, bytes), "broken");
    TreeParams limited;
    limited.max_bytes = 1000000;
    CHECK_THROWS(load_as(limited, bytes_of_tree(tree)), "broken");
}

TEST(a_leaf_that_closes_counts_its_drawer_once) {
    // The leaves that are closed by the split of another still hold rows that bring new values.
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::naive_bayes}) {
        for (const std::uint32_t most : {2u, 3u, 4u, 5u}) {
            for (const std::uint32_t n_bins : {8u, 512u}) {
                const Rows rows = make_rows({.n = 4000, .n_classes = 3, .zeros = 0.2}, 38);
                TreeParams params;
                params.leaf_prediction = prediction;
                params.max_leaves = most;
                params.n_bins = n_bins;
                Tree tree(params);
                prepare(tree, rows);
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    const std::size_t leaves = tree.leaves().size();
                    tree.learn(rows.row(i), rows.classes[i], 1.0);
                    if (tree.leaves().size() != leaves) check_bytes_add_up(tree);
                }
                CHECK_EQ(tree.leaves().size(), most);
                check_bytes_add_up(tree);
            }
        }
    }
}

// --- limits -----------------------------------------------------------------------------------------------------

TEST(max_leaves_is_kept_and_closes_the_tree) {
    const Rows rows = make_rows({.n = 5000, .texts = 1, .n_classes = 3}, 13);
    for (const std::uint32_t most : {1u, 2u, 3u, 5u}) {
        for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::naive_bayes}) {
            TreeParams params;
            params.max_leaves = most;
            params.leaf_prediction = prediction;
            const Tree tree = taught(params, rows);
            CHECK_EQ(tree.leaves().size(), most);
            CHECK_EQ(count_leaves(tree, Collecting::closed), most);
            for (const Leaf& leaf : tree.leaves()) {
                CHECK_EQ(leaf.attributes.empty(), prediction == LeafPrediction::majority);
                if (!leaf.attributes.empty()) CHECK_EQ(leaf.attributes[0].tally.n_keys(), 0);
            }
            check_bytes_add_up(tree);
        }
    }
}

TEST(max_depth_is_kept) {
    const Rows rows = make_rows({.n = 5000, .n_classes = 3}, 14);
    const Tree unlimited = taught({}, rows);
    CHECK(unlimited.depth() > 2);
    for (const std::uint32_t most : {0u, 1u, 2u}) {
        TreeParams params;
        params.max_depth = most;
        params.has_max_depth = true;
        const Tree tree = taught(params, rows);
        CHECK_EQ(tree.depth(), most);
        for (const Leaf& leaf : tree.leaves())
            CHECK_EQ(leaf.collecting, leaf.depth == most ? Collecting::closed : Collecting::yes);
        check_bytes_add_up(tree);
    }
}

TEST(max_bytes_is_kept_after_every_row) {
    const Rows rows = make_rows({.n = 12000, .numbers = 6, .texts = 1, .n_classes = 3}, 15);
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian}) {
            for (const std::size_t most : {std::size_t{12000}, std::size_t{40000}}) {
                TreeParams params;
                params.max_bytes = most;
                params.leaf_prediction = prediction;
                params.numeric_splits = splits;
                Tree tree(params);
                prepare(tree, rows);
                std::size_t largest = 0;
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    tree.learn(rows.row(i), rows.classes[i], 1.0);
                    largest = std::max(largest, tree.nbytes());
                }
                CHECK(largest <= most);
                CHECK(tree.fixed_nbytes() <= tree.nbytes());
                CHECK_EQ(tree.t(), 12000.0);
                check_bytes_add_up(tree);
            }
        }
    }
}

TEST(a_byte_limit_slows_the_tree_down_but_does_not_stop_it) {
    const Rows rows = make_rows({.n = 30000, .numbers = 6, .n_classes = 3, .noise = 0.02}, 16);
    TreeParams params;
    params.max_bytes = 20000;  // one leaf with its statistics takes some 14000
    Tree tree(params);
    prepare(tree, rows);
    std::size_t idle = 0;  // rows at which no leaf collects, though there is room to grow
    for (std::size_t i = 0; i < rows.size(); ++i) {
        tree.learn(rows.row(i), rows.classes[i], 1.0);
        idle += count_leaves(tree, Collecting::yes) == 0 && count_leaves(tree, Collecting::paused) > 0;
    }
    CHECK_EQ(idle, 0);
    CHECK(tree.leaves().size() >= 3);
    CHECK(accuracy(tree, rows) > 0.9);
}

TEST(a_split_gives_memory_back_to_a_paused_leaf) {
    const Rows rows = make_rows({.n = 20000, .numbers = 6, .n_classes = 3, .noise = 0.1}, 31);
    TreeParams params;
    params.tie_threshold = 0.05;
    params.max_bytes = 60000;  // room for about four leaves
    Tree tree(params);
    prepare(tree, rows);
    std::size_t resumed = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<std::uint32_t> paused;
        for (const Leaf& leaf : tree.leaves())
            if (leaf.collecting == Collecting::paused) paused.push_back(leaf.node);
        const std::size_t splits = tree.splits().size();
        tree.learn(rows.row(i), rows.classes[i], 1.0);
        if (tree.splits().size() == splits) continue;
        for (const std::uint32_t node : paused) {
            if (!tree.nodes()[node].is_leaf() || tree.leaf_at(node).collecting != Collecting::yes) continue;
            ++resumed;
            CHECK_EQ(tree.leaf_at(node).m, 0.0);  // it observes from here on
            CHECK(tree.leaf_at(node).learned() > 0.0 || tree.leaf_at(node).votes() > 0.0);
        }
    }
    CHECK(resumed > 0);
}

TEST(a_tree_whose_structure_fills_max_bytes_splits_no_more) {
    const Rows rows = make_rows({.n = 20000, .numbers = 2, .n_classes = 3, .noise = 0.3}, 17);
    TreeParams params;
    params.grace_period = 20;
    params.n_bins = 4;
    params.tie_threshold = 0.5;  // splits at every look
    params.max_bytes = 25000;
    Tree tree = taught(params, rows);
    const std::size_t leaves = tree.leaves().size();
    CHECK(leaves > 4);
    CHECK(tree.nbytes() <= params.max_bytes);
    CHECK_EQ(count_leaves(tree, Collecting::closed), leaves);
    learn(tree, rows);
    CHECK_EQ(tree.leaves().size(), leaves);
    check_bytes_add_up(tree);
}

TEST(names_count_against_max_bytes) {
    const Rows rows = make_rows({.n = 2000}, 18);
    TreeParams params;
    params.max_bytes = 30000;
    Tree tree = taught(params, rows);
    const std::size_t before = tree.nbytes();
    CHECK(count_leaves(tree, Collecting::yes) > 0);
    tree.set_overhead(25000);
    CHECK(tree.nbytes() >= 25000);
    CHECK(tree.nbytes() < before + 25000);  // statistics gave way
    CHECK(tree.nbytes() <= params.max_bytes);
    check_bytes_add_up(tree, 25000);
}

// --- nbytes is the truth ----------------------------------------------------------------------------------------

namespace {

/// Learns and compares nbytes() with the bytes that the tree holds on the heap.
void check_truth(const char* what, const TreeParams& params, const Rows& rows) {
    const auto check_now = [&](const Tree& tree, std::size_t held) {
        const double share = static_cast<double>(tree.nbytes()) / static_cast<double>(held);
        if (share < 0.9 || share > 1.25)
            check::fail(__FILE__, __LINE__,
                        std::string(what) + ": nbytes() is " + check::show(tree.nbytes()) + ", the heap holds " +
                            check::show(held) + " (" + check::show(share) + "), after " + check::show(tree.t()) +
                            " rows");
    };
    taught(params, rows);  // makes the working space of a look, which is the thread's and not the tree's
    const std::size_t before = live_heap_bytes;
    auto tree = std::make_unique<Tree>(params);
    prepare(*tree, rows);
    bool paused = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        tree->learn(rows.row(i), rows.classes[i], 1.0);
        const bool pauses = count_leaves(*tree, Collecting::paused) > 0;
        if (i % 1000 == 999 || pauses != paused) check_now(*tree, live_heap_bytes - before);
        paused = pauses;
    }
    if (params.max_bytes) CHECK(paused);
    tree.reset();
    CHECK_EQ(live_heap_bytes, before);
}

}  // namespace

TEST(nbytes_is_what_the_heap_holds) {
    TreeParams params;
    check_truth("histogram", params, make_rows({.n = 6000}, 19));
    check_truth("histogram, many classes", params,
                make_rows({.n = 6000, .numbers = 8, .texts = 2, .n_classes = 7}, 20));
    params.n_bins = 7;
    check_truth("small histogram", params, make_rows({.n = 6000, .numbers = 3, .n_classes = 3, .missing = 0.1}, 21));
    params = {};
    params.leaf_prediction = LeafPrediction::adaptive;
    check_truth("adaptive", params, make_rows({.n = 6000, .numbers = 5, .texts = 2, .n_classes = 3}, 22));
    params.max_leaves = 3;
    check_truth("adaptive, closed", params, make_rows({.n = 6000, .numbers = 5, .texts = 2, .n_classes = 3}, 23));
    params = {};
    params.numeric_splits = NumericSplits::gaussian;
    check_truth("gaussian", params, make_rows({.n = 6000, .numbers = 10, .n_classes = 3}, 24));
    params.numeric_splits = NumericSplits::exact;
    check_truth("exact", params, make_rows({.n = 6000, .numbers = 10}, 25));
    check_truth("exact, one column", params, make_rows({.n = 3000, .numbers = 2, .noise = 0.9}, 26));
    params = {};
    check_truth("many zeros", params, make_rows({.n = 6000, .numbers = 40, .zeros = 0.9}, 39));
    check_truth("some zeros", params, make_rows({.n = 6000, .numbers = 10, .zeros = 0.4}, 40));
}

TEST(nbytes_is_what_the_heap_holds_after_pausing) {
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::naive_bayes}) {
        TreeParams params;
        params.leaf_prediction = prediction;
        params.max_bytes = 30000;
        check_truth("max_bytes", params, make_rows({.n = 12000, .numbers = 8, .n_classes = 3}, 27));
    }
}

// --- the rules of MOA -------------------------------------------------------------------------------------------

TEST(under_moa_s_rules_a_row_that_cannot_be_routed_is_not_learned) {
    TreeParams params;
    params.compat = Compat::moa;
    params.criterion = Criterion::entropy;
    params.bound = Bound::hoeffding;
    params.numeric_splits = NumericSplits::gaussian;
    params.delta = 1e-7;
    params.tie_threshold = 0.05;
    params.grace_period = 200;
    const Rows rows = make_rows({.n = 4000, .texts = 1, .noise = 0.0}, 28);
    Tree tree = taught(params, rows);
    CHECK(!tree.splits().empty());
    const std::vector<double> nothing(rows.width, kMissing);
    CHECK_EQ(tree.route(nothing.data()), 0);
    double p[2];
    tree.probabilities_at(0, nothing.data(), p);  // the votes at the time of the split
    const std::vector<double>& votes = tree.splits()[0].votes;
    CHECK_NEAR(p[0], votes[0] / (votes[0] + votes[1]), 1e-15);
    CHECK_EQ(tree.predict_at(0, nothing.data()), votes[0] >= votes[1] ? 0 : 1);
    const auto learned = [&] {
        double sum = 0.0;
        for (const Leaf& leaf : tree.leaves()) sum += leaf.learned();
        return sum;
    };
    const double before = learned();
    tree.learn(nothing.data(), 0, 1.0);
    CHECK_EQ(learned(), before);
    CHECK_EQ(tree.t(), 4001.0);
    std::vector<std::uint32_t> nodes(9);
    tree.route_block(std::vector<double>(9 * rows.width, kMissing).data(), 9, rows.width, nodes.data(), false);
    for (const std::uint32_t node : nodes) CHECK_EQ(node, 0);
}
