#include "sapwood/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sapwood/bounds.hpp"
#include "sapwood/naive_bayes.hpp"

namespace sapwood {
namespace {

/// How unwilling to split a setting is, among those that are otherwise equal.
double caution(const TreeParams& tree) {
    return with_test(tree, [](const SplitTest auto& test) { return test.caution(); });
}

bool same_but_for_caution(TreeParams a, const TreeParams& b) {
    if (uses_c(a.bound)) a.c = b.c;
    if (uses_delta(a.bound) && a.delta > 0.0 && b.delta > 0.0) a.delta = b.delta;
    return a == b;
}

}  // namespace

Sweep::Sweep(std::vector<TreeParams> trees)
    : trees_(trees.empty() ? std::vector<TreeParams>(1) : std::move(trees)),
      names_(trees_.front()),
      counting_(trees_.front(), false) {
    for (const TreeParams& tree : trees_) {
        tree.validate();
        if (tree.max_leaves || tree.max_bytes || tree.compat != Compat::none)
            throw std::invalid_argument("Trees with max_leaves, max_bytes or MOA's rules cannot share their leaves.");
        if (!same_but_for_caution(tree, trees_.front()))
            throw std::invalid_argument("Trees that share their leaves differ in c or delta alone.");
    }
    if (!std::is_sorted(trees_.begin(), trees_.end(),
                        [](const TreeParams& a, const TreeParams& b) { return caution(a) < caution(b); }))
        throw std::invalid_argument("The trees must be sorted: c ascending, delta descending.");
    few_changes_.resize(kFew * kFew);
    n_leaves_.assign(trees_.size(), 1);
    votes_bytes_.assign(trees_.size(), 0);
    places_.emplace_back();
    places_[0].leaf = add_leaf(0, static_cast<std::uint32_t>(trees_.size()), leaf_with({}, 0, 0));
}

std::uint32_t Sweep::add_leaf(std::uint32_t first, std::uint32_t last, Leaf leaf) {
    const TreeParams& common = trees_.front();
    if (common.has_max_depth && leaf.depth >= common.max_depth) leaf.collecting = Collecting::closed;
    const std::uint32_t place = leaf.node;
    if (unused_.empty()) {
        unused_.push_back(static_cast<std::uint32_t>(leaves_.size()));
        leaves_.emplace_back();
    }
    const std::uint32_t at = unused_.back();
    unused_.pop_back();
    leaves_[at] = {first, last, place, std::move(leaf)};
    return at;
}

void Sweep::run(Lesson& lesson, const Labels& labels, std::size_t begin, std::size_t end) {
    if (begin == 0) lesson.prepare(names_, labels, nullptr);
    for (std::size_t at = begin; at < end;) {
        std::size_t n = std::min(Lesson::kBlock, end - at);
        lesson.begin_columns(names_, at);
        if (!lesson.newcomers_.empty()) n = std::min(n, lesson.newcomers_.back().row - at);
        const double* rows = lesson.encode(names_, &names_, nullptr, at, n, lesson.block_);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t y = lesson.class_to_learn(names_, labels, at + i);
            adopt_names();
            learn(rows + i * n_columns_, y);
        }
        at += n;
    }
}

/// New columns and classes reach every leaf, as they reach those of a tree.
void Sweep::adopt_names() {
    const Tree& tree = names_.tree();
    if (n_columns_ != tree.n_columns()) {
        n_columns_ = tree.n_columns();
        for (SharedLeaf& shared : leaves_) shared.leaf.waits = false;
    }
    if (n_classes_ == tree.n_classes()) return;
    n_classes_ = tree.n_classes();
    class_seen_.resize(n_classes_, 0);
    for (SharedLeaf& shared : leaves_) {
        make_room(shared.leaf.classes, n_classes_);
        shared.leaf.classes.resize(n_classes_);
    }
}

void Sweep::learn(const double* row, std::size_t y) {
    t_ += 1.0;
    if (t_ >= Tally::kMostWhole && !counting_.wide) {
        for (SharedLeaf& shared : leaves_) shared.leaf.widen_counts(names_.tree().kinds(), counting_);
        counting_ = Counting(trees_.front(), true);
    }
    const bool first_of_its_class = !class_seen_[y];
    to_visit_.assign(1, 0);
    // What is known of the classes counts from the row that is learned; the predictions are made before.
    const std::size_t learned_before = n_classes_learned_;
    if (first_of_its_class) {
        class_seen_[y] = 1;
        ++n_classes_learned_;
    }
    predicts_ = learned_before > 0;
    // First the leaves, by the splits that are there now: one that splits at this row has learned it. They lie far
    // apart, so each is asked for some visits ahead, and then what it points to.
    visits_.clear();
    while (!to_visit_.empty()) {
        const std::uint32_t at = to_visit_.back();
        to_visit_.pop_back();
        for (const Node& split : places_[at].splits)
            to_visit_.push_back(split.next + (split.goes_left(row[split.feature]) ? 0 : 1));
        if (places_[at].leaf != kNone) visits_.push_back(places_[at].leaf);
    }
    constexpr std::size_t kFar = 6, kNear = 3;
    const std::size_t n = visits_.size();
    for (std::size_t i = 0; i < n; ++i) {
        if (i + kFar < n) lanes::fetch(&leaves_[visits_[i + kFar]], sizeof(SharedLeaf));
        if (i + kNear < n) leaves_[visits_[i + kNear]].leaf.fetch();
        visit(visits_[i], row, y);
    }
}

void Sweep::visit(std::uint32_t at, const double* row, std::size_t y) {
    SharedLeaf& shared = leaves_[at];
    Leaf& leaf = shared.leaf;
    const TreeParams& common = trees_.front();
    const std::vector<Kind>& kinds = names_.tree().kinds();
    std::uint32_t bayes = kNoClass;
    if (common.leaf_prediction == LeafPrediction::adaptive || leaf.predicts_by_bayes(common.leaf_prediction))
        bayes = bayes_class(leaf, row, kinds);
    const bool by_bayes = leaf.predicts_by_bayes(common.leaf_prediction);
    note(y, !predicts_ ? kNoClass : by_bayes ? bayes : leaf.majority, shared.first, shared.last);
    if (common.leaf_prediction == LeafPrediction::adaptive) leaf.score(bayes, y, 1.0, false);
    leaf.learn({row, nullptr, kinds.size()}, kinds, y, 1.0, counting_);
    if (leaf.collecting == Collecting::yes && leaf.m - leaf.last_look >= common.grace_period) look(at);
}

void Sweep::note(std::size_t y, std::uint32_t predicted, std::uint32_t first, std::uint32_t last) {
    const std::size_t said = predicted == kNoClass ? 0 : std::size_t{1} + predicted;
    std::vector<std::int64_t>& change =
        y < kFew && said < kFew ? few_changes_[y * kFew + said] : changes_[static_cast<std::int64_t>(y << 32 | said)];
    if (change.empty()) change.resize(trees_.size() + 1, 0);
    ++change[first];
    --change[last];
}

void Sweep::look(std::uint32_t at) {
    SharedLeaf& shared = leaves_[at];
    Leaf& leaf = shared.leaf;
    leaf.last_look = leaf.m;
    if (leaf.pure()) return;
    const std::vector<Kind>& kinds = names_.tree().kinds();
    with_test(trees_.front(), [&]<SplitTest Test>(const Test&) {
        Occasion occasion{leaf.m, t_, leaf.depth, kinds.size(), n_classes_learned_};
        Look look(leaf, trees_.front().criterion);
        leaf.count_drawer(kinds, counting_);
        // The most willing of the range: if it cannot pass, no other can.
        const Needed needed = Test(trees_[shared.first]).needed(occasion);
        if (!look.may_pass(needed)) return;
        if (!look.search(leaf, kinds, trees_.front(), counting_, needed)) return;
        occasion.missing_seen = look.missing_seen();
        std::uint32_t end = shared.first;
        while (end < shared.last && Test(trees_[end]).rule(occasion, look.contest()).splits) ++end;
        if (end > shared.first) split(at, end, look.contest().best);
    });
}

/// Splits the leaf for its settings up to `end`.
void Sweep::split(std::uint32_t at, std::uint32_t end, const Candidate& candidate) {
    const std::vector<Kind>& kinds = names_.tree().kinds();
    const Kind kind = kinds[candidate.feature];
    std::vector<double> left, right;
    count_sides(leaves_[at].leaf, kind, counting_, candidate, left, right);
    const std::uint32_t first = leaves_[at].first, place = leaves_[at].place, depth = leaves_[at].leaf.depth + 1;
    const auto children = static_cast<std::uint32_t>(places_.size());
    Node made;
    made.key = candidate.key;
    made.feature = candidate.feature;
    made.categorical = kind == Kind::categorical;
    made.missing_left = candidate.missing_left;
    made.next = children & 0x3fffffff;
    places_.resize(places_.size() + 2);
    places_[place].splits.push_back(made);
    for (std::uint32_t setting = first; setting < end; ++setting) {
        ++n_leaves_[setting];
        votes_bytes_[setting] += room_for(n_classes_) * sizeof(double);
    }
    const bool all = end == leaves_[at].last;
    leaves_[at].first = end;
    if (all) {
        places_[place].leaf = kNone;
        leaves_[at] = {};
        unused_.push_back(at);
    }
    const std::uint32_t left_leaf = add_leaf(first, end, leaf_with(left, children, depth));
    places_[children].leaf = left_leaf;
    const std::uint32_t right_leaf = add_leaf(first, end, leaf_with(right, children + 1, depth));
    places_[children + 1].leaf = right_leaf;
}

std::vector<std::size_t> Sweep::nbytes() const {
    // What leaves hold is added where their settings begin, and taken away where they end.
    std::vector<std::size_t> change(trees_.size() + 1, 0), bytes(trees_.size());
    for (const SharedLeaf& shared : leaves_) {
        const std::size_t held = shared.leaf.statistics_nbytes();
        change[shared.first] += held;
        change[shared.last] -= held;
    }
    std::size_t held = names_.schema().nbytes();
    for (std::size_t setting = 0; setting < trees_.size(); ++setting) {
        held += change[setting];
        bytes[setting] =
            held + votes_bytes_[setting] + Tree::structure_nbytes(n_leaves_[setting], n_columns_, n_classes_);
    }
    return bytes;
}

PairsOfClasses Sweep::take_confusions() {
    for (std::size_t y = 0; y < kFew; ++y)
        for (std::size_t said = 0; said < kFew; ++said)
            if (auto& change = few_changes_[y * kFew + said]; !change.empty())
                changes_[static_cast<std::int64_t>(y << 32 | said)].swap(change);
    PairsOfClasses taken;
    for (const auto& entry : changes_) taken.pairs.push_back(entry.first);
    std::sort(taken.pairs.begin(), taken.pairs.end());
    taken.counts.resize(trees_.size() * taken.pairs.size());
    for (std::size_t at = 0; at < taken.pairs.size(); ++at) {
        const std::vector<std::int64_t>& change = changes_[taken.pairs[at]];
        std::int64_t count = 0;
        for (std::size_t setting = 0; setting < trees_.size(); ++setting) {
            count += change[setting];
            taken.counts[setting * taken.pairs.size() + at] = count;
        }
    }
    changes_.clear();
    return taken;
}

}  // namespace sapwood
