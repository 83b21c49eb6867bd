// Proves what a leaf counts: votes, learned and observed, its majority, and the statistics of each attribute, with
// columns and classes that come late; that zeros which are not counted, rows that wait in a drawer, and counts that
// become doubles all give the counts of a plain map; and that the bytes it reports add up.
#include "sapwood/leaf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "sapwood/archive.hpp"

using namespace sapwood;
using sapwood::testing::Random;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Leaf leaf_with(std::size_t n_classes) {
    Leaf leaf;
    leaf.classes.resize(n_classes);
    return leaf;
}

TreeParams params_with(NumericSplits splits, LeafPrediction prediction = LeafPrediction::majority) {
    TreeParams params;
    params.numeric_splits = splits;
    params.leaf_prediction = prediction;
    return params;
}

void learn(Leaf& leaf, const std::vector<double>& row, const std::vector<Kind>& kinds, std::size_t y, double w,
           const TreeParams& params) {
    const Counting counting(params, w != 1.0);
    if (leaf.attributes.size() < kinds.size()) leaf.waits = false;  // as the tree does where a column is new
    leaf.learn({row.data(), nullptr, row.size()}, kinds, y, w, counting);
    leaf.count_drawer(kinds, counting);
}

}  // namespace

TEST(counting_fills_all_three_counts) {
    Leaf leaf = leaf_with(3);
    leaf.classes[1].votes = 2.5;  // inherited from the parent's split
    leaf.majority = majority_of(leaf);
    CHECK_EQ(leaf.majority, 1);
    leaf.count(0, 1.0);
    leaf.count(0, 0.5);
    leaf.count(2, 1.0);
    CHECK_EQ(leaf.m, 2.5);
    CHECK_EQ(leaf.votes(), 5.0);
    CHECK_EQ(leaf.learned(), 2.5);
    CHECK_EQ(leaf.classes[0].votes, 1.5);
    CHECK_EQ(leaf.classes[0].learned, 1.5);
    CHECK_EQ(leaf.classes[1].learned, 0.0);
    CHECK_EQ(leaf.promise(), 2.5);
    CHECK(!leaf.pure());
}

TEST(the_majority_is_the_lowest_of_the_most_voted) {
    Random random(1);
    for (int round = 0; round < 50; ++round) {
        Leaf leaf = leaf_with(1 + random.below(6));
        CHECK_EQ(leaf.majority, majority_of(leaf));
        for (int i = 0; i < 40; ++i) {
            leaf.count(random.below(leaf.classes.size()), 1.0);
            CHECK_EQ(leaf.majority, majority_of(leaf));
        }
    }
    CHECK_EQ(majority_of(Leaf()), 0);
    CHECK_EQ(Leaf().promise(), 0.0);
}

TEST(pure_is_about_what_was_observed) {
    Leaf leaf = leaf_with(2);
    leaf.classes[0].votes = 10.0;  // votes do not count: they were counted at the parent
    CHECK(leaf.pure());
    leaf.count(1, 1.0);
    CHECK(leaf.pure());
    leaf.count(0, 1.0);
    CHECK(!leaf.pure());
}

TEST(each_way_to_split_keeps_what_it_needs) {
    const std::vector<Kind> kinds{Kind::numeric, Kind::categorical};
    const std::vector<double> row{1.5, 2.0};
    struct Case {
        NumericSplits splits;
        LeafPrediction prediction;
        bool keys, normals;
    };
    for (const Case& c : {Case{NumericSplits::histogram, LeafPrediction::majority, true, false},
                          Case{NumericSplits::exact, LeafPrediction::majority, true, false},
                          Case{NumericSplits::gaussian, LeafPrediction::majority, false, true},
                          Case{NumericSplits::histogram, LeafPrediction::naive_bayes, true, true},
                          Case{NumericSplits::gaussian, LeafPrediction::adaptive, false, true}}) {
        Leaf leaf = leaf_with(2);
        learn(leaf, row, kinds, 1, 1.0, params_with(c.splits, c.prediction));
        CHECK_EQ(leaf.attributes.size(), 2);
        CHECK_EQ(leaf.attributes[0].tally.n_keys(), c.keys ? 1 : 0);
        CHECK_EQ(leaf.attributes[0].normals.size(), c.normals ? 2 : 0);
        CHECK_EQ(leaf.attributes[1].tally.n_keys(), 1);  // a category is always counted
        CHECK_EQ(leaf.attributes[1].tally.count(1, 1), 1.0);
        CHECK_EQ(leaf.attributes[1].normals.size(), 0);
    }
}

TEST(only_the_histogram_has_a_limit) {
    const std::vector<Kind> kinds{Kind::numeric, Kind::categorical};
    TreeParams histogram = params_with(NumericSplits::histogram);
    TreeParams exact = params_with(NumericSplits::exact);
    histogram.n_bins = exact.n_bins = 4;
    Leaf binned = leaf_with(1), all = leaf_with(1);
    for (double x = 1.0; x <= 20.0; x += 1.0) {
        learn(binned, {x, x}, kinds, 0, 1.0, histogram);
        learn(all, {x, x}, kinds, 0, 1.0, exact);
    }
    CHECK_EQ(binned.attributes[0].tally.n_keys(), 4);
    CHECK(binned.attributes[0].tally.full());
    CHECK_EQ(binned.attributes[1].tally.n_keys(), 20);  // categories are never binned
    CHECK_EQ(all.attributes[0].tally.n_keys(), 20);
}

TEST(a_late_column_was_missing_before) {
    const TreeParams params = params_with(NumericSplits::histogram);
    std::vector<Kind> kinds{Kind::numeric};
    Leaf leaf = leaf_with(2);
    leaf.classes[0].votes = 5.0;  // inherited votes were not observed here
    learn(leaf, {1.0}, kinds, 0, 1.0, params);
    learn(leaf, {2.0}, kinds, 1, 1.0, params);
    learn(leaf, {2.0}, kinds, 1, 1.0, params);
    kinds.push_back(Kind::numeric);
    learn(leaf, {3.0, 7.0}, kinds, 1, 1.0, params);
    const Tally& late = leaf.attributes[1].tally;
    CHECK_EQ(late.missing(0), 1.0);
    CHECK_EQ(late.missing(1), 2.0);
    CHECK_EQ(late.n_keys(), 1);
    CHECK_EQ(late.count(1, 1), 1.0);
    learn(leaf, {3.0, kNan}, kinds, 0, 1.0, params);
    CHECK_EQ(leaf.attributes[1].tally.missing(0), 2.0);
}

TEST(missing_values_reach_no_normal) {
    const TreeParams params = params_with(NumericSplits::gaussian);
    Leaf leaf = leaf_with(2);
    learn(leaf, {kNan}, {Kind::numeric}, 1, 1.0, params);
    CHECK_EQ(leaf.attributes[0].normals.size(), 0);
    CHECK_EQ(leaf.attributes[0].tally.missing(1), 1.0);
    learn(leaf, {4.0}, {Kind::numeric}, 1, 1.0, params);
    CHECK_EQ(leaf.attributes[0].normals[1].weight, 1.0);
    CHECK_EQ(leaf.attributes[0].normals[0].weight, 0.0);
}

TEST(a_closed_leaf_keeps_only_normals_of_numbers) {
    Leaf leaf = leaf_with(1);
    leaf.collecting = Collecting::closed;
    const TreeParams params = params_with(NumericSplits::histogram, LeafPrediction::naive_bayes);
    learn(leaf, {1.0, 1.0}, {Kind::numeric, Kind::categorical}, 0, 1.0, params);
    CHECK_EQ(leaf.attributes[0].tally.n_keys(), 0);
    CHECK_EQ(leaf.attributes[0].normals.size(), 1);
    CHECK_EQ(leaf.attributes[1].tally.n_keys(), 1);
}

TEST(observe_returns_the_bytes_it_grew_by) {
    Random random(2);
    for (const LeafPrediction prediction : {LeafPrediction::majority, LeafPrediction::adaptive}) {
        for (const NumericSplits splits : {NumericSplits::histogram, NumericSplits::gaussian, NumericSplits::exact}) {
            for (const bool wide : {false, true}) {
                const Counting counting(params_with(splits, prediction), wide);
                std::vector<Kind> kinds{Kind::numeric};
                Leaf leaf = leaf_with(1);
                std::size_t bytes = leaf.statistics_nbytes();
                CHECK_EQ(bytes, 0);
                for (int i = 0; i < 300; ++i) {
                    if (i % 60 == 59) kinds.push_back(i % 120 == 59 ? Kind::categorical : Kind::numeric);
                    if (i % 70 == 69) leaf.classes.resize(leaf.classes.size() + 1);
                    std::vector<double> row;
                    for (const Kind kind : kinds) {
                        const double x = static_cast<double>(random.below(kind == Kind::categorical ? 9 : 150));
                        row.push_back(random.chance(0.1) ? kNan : x);
                    }
                    const std::size_t y = random.below(leaf.classes.size());
                    bytes += leaf.observe({row.data(), nullptr, row.size()}, kinds, y, wide ? 0.5 : 1.0, counting);
                    leaf.count(y, wide ? 0.5 : 1.0);
                    CHECK_EQ(leaf.statistics_nbytes(), bytes);
                }
            }
        }
    }
}

// --- the counts are those of a plain map ------------------------------------------------------------------------

namespace {

/// What an attribute should have counted: the first `limit` distinct values are edges, a later value is counted with
/// the smallest edge that is not below it, or above them all.
struct PlainCounts {
    std::size_t limit = 0;
    std::map<double, std::map<std::size_t, double>> edges;
    std::map<std::size_t, double> missing, above;

    void add(double x, std::size_t y, double w) {
        if (std::isnan(x)) {
            missing[y] += w;
        } else if (limit == 0 || edges.size() < limit || edges.count(x)) {
            edges[x][y] += w;
        } else if (const auto edge = edges.lower_bound(x); edge != edges.end()) {
            edge->second[y] += w;
        } else {
            above[y] += w;
        }
    }
};

double value_of(const std::map<std::size_t, double>& counts, std::size_t y) {
    const auto found = counts.find(y);
    return found == counts.end() ? 0.0 : found->second;
}

void check_spread(const Spread& spread, const PlainCounts& plain, std::size_t k, const std::string& where) {
    const auto require = [&](bool holds, const char* what) {
        if (!holds) check::fail(__FILE__, __LINE__, where + ": " + what);
    };
    require(spread.k == k, "the number of classes");
    require(spread.n_keys == plain.edges.size(), "the number of keys");
    require(spread.n_rows == 1 + spread.n_keys || spread.n_rows == 2 + spread.n_keys, "the number of rows");
    if (spread.k != k || spread.n_keys != plain.edges.size()) return;
    bool any_missing = false;
    for (std::size_t y = 0; y < k; ++y) {
        require(spread.row(0)[y] == value_of(plain.missing, y), "a count of missing values");
        any_missing |= value_of(plain.missing, y) > 0.0;
        std::size_t i = 0;
        for (const auto& [key, counts] : plain.edges) {
            require(spread.keys[i] == key, "a key");
            require(spread.row(1 + i)[y] == value_of(counts, y), "a count");
            ++i;
        }
        const double above = spread.n_rows == 2 + i ? spread.row(1 + i)[y] : 0.0;
        require(above == value_of(plain.above, y), "a count above all keys");
    }
    require(spread.any_missing == any_missing, "whether values are missing");
}

/// A random stream of rows: columns and classes may come late, zeros early, late or never.
struct Sparse {
    explicit Sparse(Random& random) : kinds{Kind::numeric} {
        n_columns = 1 + random.below(random.chance(0.1) ? 40 : 6);
        n_classes = 1 + random.below(4);
        for (std::size_t j = 0; j < n_columns; ++j) {
            zeros.push_back(random.chance(0.2) ? 0.0 : random.uniform());
            zeros_begin.push_back(random.chance(0.5) ? 0 : random.below(150));
            kind_of.push_back(j > 0 && random.chance(0.2) ? Kind::categorical : Kind::numeric);
        }
        distinct = random.chance(0.3) ? 3 : random.chance(0.5) ? 30 : 1000;
        missing = random.chance(0.5) ? 0.0 : 0.15;
        late_columns = random.chance(0.5);
        late_classes = random.chance(0.5);
    }
    /// Lets columns and classes come.
    void advance(Random& random, std::size_t& known_classes) {
        while (kinds.size() < n_columns && (!late_columns || random.chance(0.05)))
            kinds.push_back(kind_of[kinds.size()]);
        while (known_classes < n_classes && (!late_classes || random.chance(0.05))) ++known_classes;
    }
    std::vector<double> row(Random& random, std::size_t i) const {
        std::vector<double> out;
        for (std::size_t j = 0; j < kinds.size(); ++j) {
            const double sign = kinds[j] == Kind::categorical || random.chance(0.6) ? 1.0 : -1.0;
            double x = sign * static_cast<double>(1 + random.below(distinct));
            if (i >= zeros_begin[j] && random.chance(zeros[j])) x = random.chance(0.1) ? -0.0 : 0.0;
            if (kinds[j] == Kind::categorical) x = static_cast<double>(random.below(9));
            if (random.chance(missing)) x = kNan;
            out.push_back(x);
        }
        return out;
    }

    std::size_t n_columns, n_classes, distinct;
    double missing;
    bool late_columns, late_classes;
    std::vector<Kind> kinds, kind_of;  // those that have begun; all of them
    std::vector<double> zeros;
    std::vector<std::size_t> zeros_begin;
};

/// One way to learn: with the drawer as a tree uses it, each row on its own, or each row without its zeros.
enum class Way { drawer, one_by_one, without_zeros };

struct Pupil {
    Way way;
    Counting counting;
    Leaf leaf = leaf_with(1);
    std::size_t bytes = 0, waited = 0;

    void learn(const std::vector<double>& row, const std::vector<Kind>& kinds, std::size_t y, double w) {
        if (way == Way::drawer && leaf.waits) {
            ++waited;
            bytes += leaf.learn({row.data(), nullptr, row.size()}, kinds, y, w, counting);
        } else {
            RowView view{row.data(), nullptr, row.size()};
            std::vector<std::uint32_t> columns;
            for (std::uint32_t j = 0; j < row.size(); ++j)
                if (row[j] != 0.0 || kinds[j] == Kind::categorical) columns.push_back(j);
            if (way == Way::without_zeros && counting.zeros_are_implied())
                view = {row.data(), columns.data(), columns.size()};
            bytes += leaf.observe(view, kinds, y, w, counting);
            leaf.count(y, w);
        }
    }
};

struct Round {
    NumericSplits splits = NumericSplits::histogram;
    LeafPrediction prediction = LeafPrediction::majority;
    std::size_t rows = 200;
    std::size_t widened_at = 1000000;  // from this row on, weights are fractions
    bool wide = false;                 // from the start
};

/// Learns one random stream in every way, and compares with the map now and then.
void check_round(Random& random, const Round& round, const std::string& where) {
    TreeParams params = params_with(round.splits, round.prediction);
    params.n_bins = static_cast<std::uint32_t>(2 + random.below(39));
    Sparse stream(random);
    std::vector<Pupil> pupils;
    for (const Way way : {Way::drawer, Way::one_by_one, Way::without_zeros})
        pupils.push_back({way, Counting(params, round.wide)});
    std::vector<PlainCounts> plain;
    std::map<std::size_t, double> observed;
    std::size_t known_classes = 1;
    Spread spread;
    for (std::size_t i = 0; i < round.rows; ++i) {
        const std::size_t columns = stream.kinds.size();
        stream.advance(random, known_classes);
        while (plain.size() < stream.kinds.size()) {
            plain.push_back(
                {stream.kinds[plain.size()] == Kind::categorical ? 0 : pupils[0].counting.limit, {}, {}, {}});
            plain.back().missing = observed;
        }
        const std::vector<double> row = stream.row(random, i);
        const std::size_t y = random.below(known_classes);
        const bool fractions = round.wide || i >= round.widened_at;
        const double w = fractions ? 0.25 * static_cast<double>(1 + random.below(8)) : 1.0;
        for (Pupil& pupil : pupils) {
            if (i == round.widened_at) {
                pupil.bytes += pupil.leaf.widen_counts(
                    std::vector<Kind>(stream.kinds.begin(),
                                      stream.kinds.begin() + static_cast<std::ptrdiff_t>(columns)),
                    pupil.counting);
                pupil.counting = Counting(params, true);
                CHECK(!pupil.leaf.waits);
                CHECK_EQ(pupil.leaf.statistics_nbytes(), pupil.bytes);
            }
            if (columns < stream.kinds.size()) pupil.leaf.waits = false;  // as Tree::add_column does
            pupil.leaf.classes.resize(known_classes);
            pupil.learn(row, stream.kinds, y, w);
            CHECK_EQ(pupil.leaf.statistics_nbytes(), pupil.bytes);
        }
        for (std::size_t j = 0; j < row.size(); ++j) plain[j].add(row[j], y, w);
        observed[y] += w;
        if (!random.chance(0.05) && i + 1 < round.rows) continue;
        for (Pupil& pupil : pupils) {
            pupil.bytes += pupil.leaf.count_drawer(stream.kinds, pupil.counting);
            CHECK_EQ(pupil.leaf.statistics_nbytes(), pupil.bytes);
            for (std::size_t j = 0; j < plain.size(); ++j) {
                pupil.leaf.spread(j, stream.kinds[j], pupil.counting, spread);
                check_spread(spread, plain[j], known_classes,
                             where + ", way " + std::to_string(static_cast<int>(pupil.way)) + ", row " +
                                 std::to_string(i) + ", column " + std::to_string(j));
            }
        }
    }
    if (pupils[0].counting.drawers && round.prediction == LeafPrediction::majority)
        CHECK(pupils[0].waited > round.rows / 2);
    for (const Pupil& pupil : pupils) CHECK(pupil.way == Way::drawer || pupil.waited == 0);
}

}  // namespace

TEST(zeros_that_are_not_counted_can_be_told_from_the_rest) {
    Random random(20);
    for (int i = 0; i < 400; ++i) check_round(random, {}, "histogram, round " + std::to_string(i));
    for (int i = 0; i < 60; ++i)
        check_round(random, {.splits = NumericSplits::exact}, "exact, round " + std::to_string(i));
}

TEST(zeros_are_counted_where_naive_bayes_asks_for_them) {
    Random random(21);
    for (int i = 0; i < 100; ++i)
        check_round(random, {.prediction = LeafPrediction::adaptive, .rows = 300}, "adaptive " + std::to_string(i));
}

TEST(counts_that_become_doubles_stay_what_they_are) {
    Random random(22);
    for (int i = 0; i < 200; ++i)
        check_round(random, {.widened_at = random.below(150)}, "widened, round " + std::to_string(i));
    for (int i = 0; i < 50; ++i)
        check_round(random, {.splits = NumericSplits::exact, .widened_at = random.below(150)},
                    "exact, widened, round " + std::to_string(i));
    for (int i = 0; i < 50; ++i)
        check_round(random, {.prediction = LeafPrediction::naive_bayes, .widened_at = random.below(150)},
                    "naive Bayes, widened, round " + std::to_string(i));
    for (int i = 0; i < 50; ++i) check_round(random, {.wide = true}, "wide, round " + std::to_string(i));
}

TEST(zeros_of_a_class_that_came_when_the_edges_were_final_are_widened_too) {
    TreeParams params;
    params.n_bins = 2;
    const Counting counting(params, false);
    Leaf leaf = leaf_with(1);
    for (const double x : {-1.0, -2.0}) learn(leaf, {x}, {Kind::numeric}, 0, 1.0, params);
    CHECK(leaf.attributes[0].tally.full());
    leaf.classes.resize(4);
    for (const std::size_t y : {1, 3, 3}) learn(leaf, {0.0}, {Kind::numeric}, y, 1.0, params);
    leaf.widen_counts({Kind::numeric}, counting);
    const Tally& tally = leaf.attributes[0].tally;
    CHECK_EQ(tally.stride(), 4);
    CHECK_EQ(tally.sum(), 5.0);
    CHECK_EQ(tally.count(1, 0), 1.0);
    CHECK_EQ(tally.count(2, 0), 1.0);
    if (tally.stride() == 4) CHECK(tally.count(3, 1) == 1.0 && tally.count(3, 3) == 2.0);
}

TEST(a_zero_among_the_first_values_is_an_edge_and_a_later_one_is_not) {
    TreeParams params;
    params.n_bins = 3;
    const Counting counting(params, false);
    CHECK(counting.zeros_are_implied());
    const auto keys_of = [&](const std::vector<double>& values) {
        Leaf leaf = leaf_with(1);
        for (const double x : values) learn(leaf, {x}, {Kind::numeric}, 0, 1.0, params);
        Spread spread;
        leaf.spread(0, Kind::numeric, counting, spread);
        return std::vector<double>(spread.keys, spread.keys + spread.n_keys);
    };
    using Keys = std::vector<double>;
    CHECK(keys_of({0.0}) == (Keys{0.0}));
    CHECK(keys_of({5.0, 0.0}) == (Keys{0.0, 5.0}));
    CHECK(keys_of({5.0, 0.0, -2.0}) == (Keys{-2.0, 0.0, 5.0}));
    CHECK(keys_of({5.0, 0.0, -2.0, 7.0}) == (Keys{-2.0, 0.0, 5.0}));  // the zero came before the 7
    CHECK(keys_of({5.0, -2.0, 0.0, 7.0}) == (Keys{-2.0, 0.0, 5.0}));
    CHECK(keys_of({5.0, -2.0, 7.0, 0.0}) == (Keys{-2.0, 5.0, 7.0}));  // and here after it
    CHECK(keys_of({5.0, -2.0, 5.0, kNan, 7.0, 0.0}) == (Keys{-2.0, 5.0, 7.0}));
    CHECK(keys_of({kNan, kNan, 5.0, -2.0, 7.0}) == (Keys{-2.0, 5.0, 7.0}));  // what is missing was no zero
}

TEST(only_rows_of_whole_weights_wait) {
    for (const std::size_t d : {std::size_t{1}, Drawer::kFewColumns, Drawer::kFewColumns + 1, Drawer::kManyColumns,
                                Drawer::kManyColumns + 1}) {
        const std::vector<Kind> kinds(d, Kind::numeric);
        const std::vector<double> row(d, 1.5);
        TreeParams params;
        Leaf leaf = leaf_with(1);
        learn(leaf, row, kinds, 0, 1.0, params);
        CHECK_EQ(leaf.waits, d <= Drawer::kManyColumns);
        leaf = leaf_with(1);
        learn(leaf, row, kinds, 0, 0.5, params);
        CHECK(!leaf.waits);
        leaf = leaf_with(1);
        leaf.collecting = Collecting::closed;
        params.leaf_prediction = LeafPrediction::naive_bayes;
        learn(leaf, row, kinds, 0, 1.0, params);
        CHECK(!leaf.waits);
        leaf = leaf_with(1);
        params = {};
        params.max_bytes = 1000000;
        learn(leaf, row, kinds, 0, 1.0, params);
        CHECK(!leaf.waits);
    }
    // Naive Bayes must see what is counted until the edges are final.
    TreeParams params = params_with(NumericSplits::histogram, LeafPrediction::naive_bayes);
    params.n_bins = 4;
    Leaf leaf = leaf_with(1);
    for (double x = 1.0; x <= 4.0; x += 1.0) {
        learn(leaf, {x}, {Kind::numeric}, 0, 1.0, params);
        CHECK_EQ(leaf.waits, x == 4.0);
    }
}

TEST(a_drawer_takes_only_rows_that_can_be_true) {
    /// A drawer as it comes from a file: a row's values, then its class.
    const auto settles = [](const std::vector<double>& read, std::uint32_t n, std::uint32_t places,
                            std::size_t columns) {
        Writer writer;
        writer(n, places, 0.0, read);
        Drawer drawer;
        Reader reader(writer.bytes());
        drawer.archive(reader, 0.0);
        try {
            drawer.settle_in(columns, 2);
        } catch (const std::invalid_argument&) {
            return false;
        }
        CHECK_EQ(drawer.n, n);
        CHECK_EQ(drawer.is_open(), places != 0);
        CHECK(n == 0 || !drawer.complete);  // a file does not say
        CHECK_EQ(drawer.nbytes(), places ? Drawer::nbytes_for(columns) : 0);
        return true;
    };
    CHECK(settles({}, 0, 0, 7));
    CHECK(settles({}, 0, 3, 2));
    CHECK(settles({kNan, -3.5, 1.0}, 1, 3, 2));
    CHECK(!settles({kNan, -3.5, 1.0}, 1, 3, 3));
    CHECK(!settles({kNan, -3.5, 1.0}, 2, 3, 2));
    CHECK(!settles({kNan, -3.5, 1.0}, 1, 0, 2));
    CHECK(!settles(std::vector<double>(3 * Drawer::kRows, 1.0), Drawer::kRows, 3, 2));  // full: it would be counted
    CHECK(!settles({1.0, std::numeric_limits<double>::infinity(), 1.0}, 1, 3, 2));
    for (const double y : {-1.0, 0.5, 2.0, kNan, 1e300}) CHECK(!settles({kNan, -3.5, y}, 1, 3, 2));
    // Of wide rows no more than there is room for.
    const std::uint32_t wide = 101;
    CHECK(settles(std::vector<double>(7 * wide, 1.0), 7, wide, wide - 1));
    CHECK(!settles(std::vector<double>(10 * wide, 1.0), 10, wide, wide - 1));
    CHECK(settles(std::vector<double>(31 * wide, 0.0), 31, wide, wide - 1));
    CHECK(!settles({}, 0, Drawer::kManyColumns + 2, Drawer::kManyColumns + 1));
}

TEST(a_drawer_keeps_its_rows_and_classes_apart) {
    Random random(33);
    for (const std::size_t columns : {1, 2, 3, 4, 5, 8, 31, 32}) {
        Drawer drawer;
        drawer.open(columns);
        std::vector<double> rows(columns * Drawer::kRows);
        for (double& x : rows) x = random.uniform();
        for (std::size_t i = 0; i < Drawer::kRows; ++i) {
            CHECK(!drawer.full());
            CHECK(drawer.complete == (i < 5));
            drawer.put({rows.data() + i * columns, nullptr, columns}, 7 * i, i != 4);
        }
        CHECK(drawer.full());
        CHECK(std::equal(rows.begin(), rows.end(), drawer.rows()));
        CHECK(drawer.whole_rows() == rows);
        for (std::size_t i = 0; i < Drawer::kRows; ++i) CHECK_EQ(drawer.classes()[i], 7 * i);
        drawer.empty();
        CHECK(drawer.complete && drawer.n == 0);
        drawer.close();
        CHECK_EQ(drawer.nbytes(), 0);
    }
}

TEST(a_drawer_of_wide_rows_keeps_what_is_not_zero_by_column) {
    Random random(34);
    for (const std::size_t width : {33, 54, 123, 1000}) {
        for (const double zeros : {0.0, 0.5, 0.9, 1.0}) {
            Drawer drawer;
            drawer.open(width);
            std::vector<double> rows;
            while (!drawer.full()) {
                std::vector<double> row(width);
                std::vector<std::uint32_t> listed;
                for (std::uint32_t j = 0; j < width; ++j) {
                    if (!random.chance(zeros)) row[j] = random.chance(0.1) ? kNan : random.uniform() - 0.5;
                    if (row[j] != 0.0 || random.chance(0.1)) listed.push_back(j);  // a zero may be listed, too
                }
                const bool whole = random.chance(0.5);
                drawer.put({row.data(), whole ? nullptr : listed.data(), whole ? width : listed.size()}, rows.size());
                rows.insert(rows.end(), row.begin(), row.end());
            }
            CHECK(drawer.n >= std::min<std::size_t>(Drawer::kRows, 8));
            CHECK_EQ(drawer.n * width, rows.size());
            const std::vector<double> kept = drawer.whole_rows();
            Drawer::Sorted sorted;
            const bool with_rows = random.chance(0.5);
            drawer.sort(sorted, with_rows);
            for (std::size_t j = 0, at = 0; j < width; ++j) {
                CHECK_EQ(sorted.starts[j], at);
                for (std::size_t i = 0; i < drawer.n; ++i) {
                    const double x = rows[i * width + j];
                    CHECK(kept[i * width + j] == x || (std::isnan(x) && std::isnan(kept[i * width + j])));
                    if (x == 0.0) continue;
                    CHECK(sorted.values[at] == x || (std::isnan(x) && std::isnan(sorted.values[at])));
                    if (with_rows) CHECK_EQ(sorted.rows[at], i);
                    CHECK_EQ(drawer.row_of(j, at - sorted.starts[j]), i);
                    CHECK_EQ(sorted.classes[at], i * width);
                    ++at;
                }
                CHECK_EQ(sorted.starts[j + 1], at);
            }
        }
    }
}

TEST(dropping_the_statistics_keeps_votes_and_learned) {
    const TreeParams params;
    Leaf leaf = leaf_with(2);
    for (double x = 0.0; x < 10.0; x += 1.0) learn(leaf, {x}, {Kind::numeric}, x < 3.0 ? 0 : 1, 1.0, params);
    leaf.last_look = 5.0;
    leaf.drop_statistics();
    CHECK_EQ(leaf.statistics_nbytes(), 0);
    CHECK(leaf.attributes.empty());
    CHECK_EQ(leaf.m, 0.0);
    CHECK_EQ(leaf.last_look, 0.0);
    CHECK_EQ(leaf.votes(), 10.0);
    CHECK_EQ(leaf.learned(), 10.0);
    CHECK_EQ(leaf.classes[1].observed, 0.0);
    CHECK(leaf.pure());
    CHECK_EQ(leaf.majority, 1);
    // What comes next is observed from here on.
    learn(leaf, {1.0}, {Kind::numeric}, 0, 1.0, params);
    CHECK_EQ(leaf.attributes[0].tally.missing(1), 0.0);
    CHECK_EQ(leaf.m, 1.0);
}
