#include "sapwood/tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sapwood/look.hpp"
#include "sapwood/moa.hpp"
#include "sapwood/naive_bayes.hpp"

namespace sapwood {

Tree::Tree(const TreeParams& params)
    : params_(params), counting_(params, false), nodes_(1), leaves_(1), leaf_of_(1, 0) {
    params_.validate();
    if (at_limit(leaves_[0])) close(leaves_[0]);
    structure_ = measure_structure();
}

void Tree::add_column(Kind kind) {
    make_room(kinds_, kinds_.size() + 1);
    kinds_.push_back(kind);
    for (Leaf& leaf : leaves_) leaf.waits = false;  // its drawer is too narrow now
    structure_ = measure_structure();
}

void Tree::set_kind(std::size_t column, Kind kind) {
    kinds_[column] = kind;
}

void Tree::add_class() {
    make_room(class_seen_, class_seen_.size() + 1);
    class_seen_.push_back(0);
    for (Leaf& leaf : leaves_) {
        make_room(leaf.classes, class_seen_.size());
        leaf.classes.resize(class_seen_.size());
    }
    structure_ = measure_structure();
    if (params_.max_bytes && nbytes() > params_.max_bytes) fit_into_memory();
}

void Tree::set_overhead(std::size_t bytes) {
    overhead_ = bytes;
    if (params_.max_bytes && nbytes() > params_.max_bytes) fit_into_memory();
}

std::uint32_t Tree::depth() const {
    std::uint32_t deepest = 0;
    for (const Leaf& leaf : leaves_) deepest = std::max(deepest, leaf.depth);
    return deepest;
}

// --- learning ---------------------------------------------------------------------------------------------------

void Tree::learn_from(std::uint32_t node, const RowView& row, std::size_t y, double w, std::uint32_t bayes) {
    if (w == 1.0) [[likely]] {
        learn_copy(node, row, y, 1.0, bayes);
    } else if (w != std::floor(w)) {
        if (!counting_.wide) count_in_doubles();
        learn_copy(node, row, y, w, bayes);
    } else if (w > 0.0) {
        learn_copy(node, row, y, 1.0, bayes);
        for (double copy = 1.0; copy < w; copy += 1.0)
            learn_copy(node, counting_.wide ? all_of(row.values) : row, y, 1.0, kNoClass);
    }
}

std::size_t Tree::learn_common(const RoutedRows& rows, const LabelCodes& labels, std::uint32_t* predictions) {
    if (counting_.normals || t_ + static_cast<double>(rows.n) >= Tally::kMostWhole) return 0;
    return kinds_.size() > Drawer::kFewColumns ? learn_waiting<true>(rows, labels, predictions)
                                               : learn_waiting<false>(rows, labels, predictions);
}

/// A function of its own, with all at hand that only a look can change: each row takes a few dozen instructions.
template <bool wide>
std::size_t Tree::learn_waiting(const RoutedRows& rows, const LabelCodes& labels, std::uint32_t* predictions) {
    const auto [values, at, n, complete, ahead] = rows;
    const auto [codes, classes] = labels;
    const std::size_t width = kinds_.size(), ahead_by = ahead * width;
    const double grace = params_.grace_period, t = t_;
    const std::uint32_t* leaf_of = leaf_of_.data();
    Leaf* leaves = leaves_.data();
    std::size_t i = 0;
    for (const double* row = values; i < n; ++i, row += width) {
        const std::uint32_t y = classes[codes[i]], index = leaf_of[at[i]];
        if ((y == kNoClass) | (index == kNoLeaf)) [[unlikely]]
            break;
        Leaf& leaf = leaves[index];
        if (!leaf.waits) [[unlikely]]
            break;
        predictions[i] = leaf.majority;
        lanes::fetch(row + ahead_by, wide ? width * sizeof(double) : 1);
        if constexpr (wide)
            leaf.put_away(all_of(row), y, complete);
        else
            leaf.drawer.put_whole(row, width, y, complete);
        leaf.count(y, 1.0);
        const bool full = wide ? leaf.drawer.full() : leaf.drawer.n == Drawer::kRows;
        const bool due = leaf.m - leaf.last_look >= grace;
        if (full | due) [[unlikely]] {
            t_ = t + static_cast<double>(i + 1);
            if (full) statistics_ += leaf.count_drawer(kinds_, counting_);
            if (due) look(index);
            leaf_of = leaf_of_.data();
            leaves = leaves_.data();
        }
    }
    t_ = t + static_cast<double>(i);
    return i;
}

/// Counts of 32 bits hold no fractions and not every number.
void Tree::count_in_doubles() {
    for (Leaf& leaf : leaves_) statistics_ += leaf.widen_counts(kinds_, counting_);
    counting_ = Counting(params_, true);
    counts_are_whole_ = false;
}

void Tree::learn_copy(std::uint32_t& node, const RowView& row, std::size_t y, double w, std::uint32_t bayes) {
    if (t_ + w >= Tally::kMostWhole && !counting_.wide) [[unlikely]] {
        count_in_doubles();
        return learn_copy(node, all_of(row.values), y, w, bayes);  // zeros, too, are counted from now on
    }
    t_ += w;
    if (!nodes_[node].is_leaf()) {
        node = route(row.values, node);
        bayes = kNoClass;                     // it was asked at a leaf that has been split since
        if (!nodes_[node].is_leaf()) return;  // MOA learns nothing from a row that it cannot route
    }
    if (!class_seen_[y]) [[unlikely]] {
        class_seen_[y] = 1;
        ++n_classes_learned_;
    }
    const std::uint32_t index = nodes_[node].next;
    Leaf& leaf = leaves_[index];
    if (params_.leaf_prediction == LeafPrediction::adaptive)
        leaf.score(bayes != kNoClass ? bayes : bayes_class(leaf, row.values), y, w,
                   params_.compat == Compat::moa);  // MOA's empty vote is for class 0
    statistics_ += leaf.learn(row, kinds_, y, w, counting_);
    if (leaf.collecting == Collecting::yes && params_.compat == Compat::none) [[likely]] {
        if (leaf.m - leaf.last_look >= params_.grace_period) look(index);
    } else if (leaf.collecting == Collecting::yes) {
        if (const double votes = leaf.votes(); votes - leaf.last_look >= params_.grace_period) {
            leaf.last_look = votes;
            look_as_moa(index);
        }
    } else if (leaf.collecting == Collecting::paused && deserves_memory(leaf)) {
        fit_into_memory();
    }
    if (params_.max_bytes && nbytes() > params_.max_bytes) [[unlikely]]
        fit_into_memory();
}

std::uint32_t Tree::bayes_class(const Leaf& leaf, const double* row) const {
    return params_.compat == Compat::moa ? moa::bayes_class(leaf, row, kinds_)
                                         : sapwood::bayes_class(leaf, row, kinds_);
}

Certificate Tree::certify(const Leaf& leaf, const Contest& contest, const Ruling& ruling) const {
    Certificate certificate;
    certificate.feature = contest.best.feature;
    certificate.categorical = kinds_[contest.best.feature] == Kind::categorical;
    certificate.key = contest.best.key;
    certificate.missing_left = contest.best.missing_left;
    certificate.m = leaf.m;
    certificate.t = t_;
    certificate.depth = leaf.depth;
    certificate.d = static_cast<std::uint32_t>(kinds_.size());
    certificate.gap = contest.gap;
    certificate.epsilon = ruling.epsilon;
    certificate.delta = ruling.delta;
    certificate.reason = ruling.reason;
    certificate.gain = contest.gain;
    return certificate;
}

void Tree::look(std::uint32_t index) {
    Leaf& leaf = leaves_[index];
    leaf.last_look = leaf.m;
    if (leaf.pure()) return;
    with_test(params_, [&](const SplitTest auto& test) {
        Occasion occasion{leaf.m, t_, leaf.depth, kinds_.size(), n_classes_learned_};
        Look look(leaf, params_.criterion);
        const Needed needed = test.needed(occasion);
        statistics_ += leaf.count_drawer(kinds_, counting_);
        if (!look.may_pass(needed)) return;
        if (!look.search(leaf, kinds_, params_, counting_, needed)) return;
        occasion.missing_seen = look.missing_seen();
        const Ruling ruling = test.rule(occasion, look.contest());
        if (ruling.splits) apply_split(index, look.contest().best, certify(leaf, look.contest(), ruling));
    });
}

void Tree::look_as_moa(std::uint32_t index) {
    Leaf& leaf = leaves_[index];
    std::size_t voted = 0;
    for (const ClassCount& n : leaf.classes) voted += n.votes != 0.0;
    if (voted < 2) return;
    const double delta = params_.delta > 0.0 ? params_.delta : 1.0 / t_;
    const moa::Decision decision = moa::evaluate(leaf, kinds_, params_, delta);
    if (decision.forget) {
        statistics_ -= leaf.statistics_nbytes();
        leaf.drop_statistics();
        leaf.last_look = leaf.votes();
        leaf.majority_right = leaf.bayes_right = 0.0;  // MOA makes a new leaf of it
    }
    if (!decision.ruling.splits) return;
    Certificate certificate = certify(leaf, decision.contest, decision.ruling);
    certificate.m = leaf.votes();
    apply_split(index, decision.contest.best, certificate);
}

void Tree::apply_split(std::uint32_t index, const Candidate& split, const Certificate& certificate) {
    const std::size_t k = n_classes();
    const std::size_t growth = (room_for(nodes_.size() + 2) - room_for(nodes_.size())) * kNodeBytes +
                               (room_for(leaves_.size() + 1) - room_for(leaves_.size())) * sizeof(Leaf) +
                               (room_for(splits_.size() + 1) - room_for(splits_.size())) * sizeof(Split) +
                               room_for(k) * (sizeof(ClassCount) + sizeof(double));
    if (params_.max_bytes && overhead_ + structure_ + growth > params_.max_bytes) {
        grown_out_ = true;
        close_all();
        return;
    }
    const bool moa = params_.compat == Compat::moa;
    const Kind kind = kinds_[split.feature];
    std::vector<double> left, right;
    if (moa)
        moa::count_sides(leaves_[index], kind, split, left, right);
    else
        count_sides(leaves_[index], kind, counting_, split, left, right);

    Split made{certificate, leaves_[index].node, {}};
    make_room(made.votes, k);
    for (const ClassCount& n : leaves_[index].classes) made.votes.push_back(n.votes);
    make_room(splits_, splits_.size() + 1);
    splits_.push_back(std::move(made));

    const auto first_child = static_cast<std::uint32_t>(nodes_.size());
    const auto right_leaf = static_cast<std::uint32_t>(leaves_.size());
    make_room(nodes_, nodes_.size() + 2);
    nodes_.resize(nodes_.size() + 2);
    Node& node = nodes_[leaves_[index].node];
    node.key = split.key;
    node.feature = split.feature;
    node.categorical = kind == Kind::categorical;
    node.missing_left = split.missing_left;
    node.next = first_child & 0x3fffffff;
    nodes_[first_child].next = index & 0x3fffffff;
    nodes_[first_child + 1].next = right_leaf & 0x3fffffff;
    signposts_.add_split(leaves_[index].node, node, leaves_[index].depth);
    make_room(leaf_of_, nodes_.size());
    leaf_of_[leaves_[index].node] = kNoLeaf;
    leaf_of_.insert(leaf_of_.end(), {index, right_leaf});

    statistics_ -= leaves_[index].statistics_nbytes();
    const std::uint32_t depth = leaves_[index].depth + 1;
    auto child = [&](std::uint32_t at, const std::vector<double>& votes) {
        Leaf leaf = leaf_with(votes, at, depth);
        if (moa) leaf.last_look = leaf.votes();
        if (at_limit(leaf)) close(leaf);
        return leaf;
    };
    make_room(leaves_, leaves_.size() + 1);
    leaves_.push_back(child(first_child + 1, right));
    leaves_[index] = child(first_child, left);
    structure_ += growth;

    if (params_.max_leaves && leaves_.size() >= params_.max_leaves) close_all();
    const auto paused = [](const Leaf& leaf) { return leaf.collecting == Collecting::paused; };
    // The split gave memory back: a paused leaf may have its turn.
    if (params_.max_bytes && std::any_of(leaves_.begin(), leaves_.end(), paused)) fit_into_memory();
}

// --- limits -----------------------------------------------------------------------------------------------------

bool Tree::at_limit(const Leaf& leaf) const {
    return grown_out_ || (params_.has_max_depth && leaf.depth >= params_.max_depth) ||
           (params_.max_leaves && leaves_.size() >= params_.max_leaves);
}

void Tree::close(Leaf& leaf) {
    const std::size_t before = leaf.statistics_nbytes();
    leaf.count_drawer(kinds_, counting_);
    leaf.drawer.close();
    leaf.collecting = Collecting::closed;
    leaf.waits = false;
    if (params_.leaf_prediction == LeafPrediction::majority) {
        release(leaf.attributes);
    } else {
        // Naive Bayes still needs the normals and the categories; thresholds it does not.
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j)
            if (kinds_[j] != Kind::categorical) leaf.attributes[j].tally.forget_keys();
    }
    statistics_ -= before;
    statistics_ += leaf.statistics_nbytes();
}

void Tree::close_all() {
    for (Leaf& leaf : leaves_) close(leaf);
}

/// Whether a paused leaf has become more promising than one that collects. It asks only once in as many rows as there
/// are leaves, which is what the answer costs.
bool Tree::deserves_memory(Leaf& leaf) const {
    const double patience = std::max(params_.grace_period, static_cast<double>(leaves_.size()));
    if (leaf.m - leaf.last_look < patience) return false;
    leaf.last_look = leaf.m;
    bool any_collects = false;
    for (const Leaf& other : leaves_) {
        if (other.collecting != Collecting::yes) continue;
        if (other.promise() < leaf.promise()) return true;
        any_collects = true;
    }
    return !any_collects;
}

/// Gives the statistics' share of max_bytes to the most promising leaves; the others pause.
void Tree::fit_into_memory() {
    const std::size_t fixed = overhead_ + structure_;
    const std::size_t room = fixed < params_.max_bytes ? params_.max_bytes - fixed : 0;
    std::size_t used = 0, collecting = 0;
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
        const Leaf& leaf = leaves_[i];
        if (at_limit(leaf) && params_.leaf_prediction == LeafPrediction::majority) continue;
        order.push_back(i);
        if (leaf.collecting != Collecting::paused) {
            used += leaf.statistics_nbytes();
            ++collecting;
        }
    }
    // A paused leaf that begins again is given the room of an average one.
    const std::size_t average = collecting ? used / collecting : 0;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return leaves_[a].promise() > leaves_[b].promise(); });
    // An eighth stays free, so that this is done once in a while and not for every row.
    const std::size_t target = room - room / 8;
    std::size_t given = 0;
    bool enough = true;
    for (std::uint32_t i : order) {
        Leaf& leaf = leaves_[i];
        const bool paused = leaf.collecting == Collecting::paused;
        const std::size_t cost = paused ? average : leaf.statistics_nbytes();
        enough = enough && given + cost <= target;
        if (enough) {
            given += cost;
            if (paused) {
                leaf.drop_statistics();
                leaf.collecting = at_limit(leaf) ? Collecting::closed : Collecting::yes;
            }
        } else if (!paused) {
            statistics_ -= leaf.statistics_nbytes();
            leaf.drop_statistics();
            leaf.collecting = Collecting::paused;
        }
    }
}

std::size_t Tree::structure_nbytes(std::size_t n_leaves, std::size_t n_columns, std::size_t n_classes) {
    return sizeof(Tree) + room_for(n_columns) * sizeof(Kind) + room_for(n_classes) * sizeof(std::uint8_t) +
           room_for(2 * n_leaves - 1) * kNodeBytes + room_for(n_leaves) * sizeof(Leaf) +
           room_for(n_leaves - 1) * sizeof(Split) + n_leaves * room_for(n_classes) * sizeof(ClassCount);
}

std::size_t Tree::measure_structure() const {
    std::size_t sum = structure_nbytes(leaves_.size(), kinds_.size(), class_seen_.size());
    for (const Split& split : splits_) sum += bytes_of(split.votes);
    return sum;
}

void Tree::restore(std::uint64_t format) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    const auto amount = [](double x) { return std::isfinite(x) && x >= 0.0; };
    const std::size_t k = n_classes(), d = n_columns();
    require(amount(t_), "the clock is not a number");
    require(std::all_of(class_seen_.begin(), class_seen_.end(), [](std::uint8_t seen) { return seen <= 1; }),
            "a class was neither seen nor not");
    require(nodes_.size() == 2 * splits_.size() + 1 && leaves_.size() == splits_.size() + 1, "the tree is not whole");
    std::vector<std::uint8_t> is_split(nodes_.size(), 0), is_leaf(nodes_.size(), 0);
    std::vector<std::uint32_t> depth(nodes_.size(), 0);
    for (std::size_t i = 0; i < splits_.size(); ++i) {
        const Split& split = splits_[i];
        // A split's node is older than its children, so there is no cycle; and no node is split twice.
        require(split.node < 2 * i + 1 && !is_split[split.node], "a split has no place in the tree");
        const Node& node = nodes_[split.node];
        require(node.feature < d && node.next == 2 * i + 1 && std::isfinite(node.key), "a split is broken");
        const Certificate& made = split.certificate;
        const bool categorical = node.categorical, missing_left = node.missing_left;
        require(made.feature == node.feature && made.key == node.key && made.categorical == categorical &&
                    made.missing_left == missing_left && made.depth == depth[split.node] && made.d <= d &&
                    amount(made.m) && amount(made.t) && split.votes.size() <= k,
                "a certificate is broken");
        require(categorical == (kinds_[node.feature] == Kind::categorical), "a split is broken");
        require(std::all_of(split.votes.begin(), split.votes.end(), amount), "a count is not a number");
        is_split[split.node] = 1;
        depth[2 * i + 1] = depth[2 * i + 2] = depth[split.node] + 1;
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
        Leaf& leaf = leaves_[i];
        require(leaf.node < nodes_.size() && !is_split[leaf.node] && !is_leaf[leaf.node], "a leaf has no place");
        require(nodes_[leaf.node].is_leaf() && nodes_[leaf.node].next == i && leaf.depth == depth[leaf.node],
                "a leaf is broken");
        is_leaf[leaf.node] = 1;
        require(leaf.classes.size() == k && leaf.attributes.size() <= d, "a leaf does not fit its columns");
        require(amount(leaf.m) && amount(leaf.last_look) && amount(leaf.majority_right) && amount(leaf.bayes_right),
                "a count is not a number");
        for (std::size_t y = 0; y < k; ++y) {
            const ClassCount& n = leaf.classes[y];
            require(amount(n.votes) && amount(n.learned) && amount(n.observed), "a count is not a number");
            require(class_seen_[y] || (n.votes == 0.0 && n.learned == 0.0 && n.observed == 0.0),
                    "a leaf has learned a class that the tree has not");
        }
        for (const Attribute& attribute : leaf.attributes) {
            require(attribute.tally.stride() <= k, "a leaf's counts are broken");
            require(attribute.normals.size() <= k, "a leaf's normals are broken");
        }
        leaf.drawer.settle_in(leaf.attributes.size(), k);
        leaf.waits = leaf.drawer.is_open() && leaf.drawer.width == d;
        leaf.majority = majority_of(leaf);
    }
    signposts_ = Signposts();
    leaf_of_.assign(nodes_.size(), kNoLeaf);
    for (std::uint32_t i = 0; i < leaves_.size(); ++i) leaf_of_[leaves_[i].node] = i;
    for (const Split& split : splits_) signposts_.add_split(split.node, nodes_[split.node], depth[split.node]);
    n_classes_learned_ = static_cast<std::size_t>(std::count(class_seen_.begin(), class_seen_.end(), 1));
    structure_ = measure_structure();
    statistics_ = 0;
    restore_counts(format);
    require((!params_.max_leaves || leaves_.size() <= params_.max_leaves) &&
                (!params_.has_max_depth || this->depth() <= params_.max_depth) && (!grown_out_ || params_.max_bytes),
            "the tree is beyond its limits");
    for (const Leaf& leaf : leaves_) {
        require_sound(leaf);
        statistics_ += leaf.statistics_nbytes();
    }
}

/// Checks that a leaf has what one of its state keeps, and that its counts agree.
void Tree::require_sound(const Leaf& leaf) const {
    const auto require = [](bool holds) {
        if (!holds) throw std::invalid_argument("a leaf's counts do not agree");
    };
    const bool collects = leaf.collecting == Collecting::yes, closed = leaf.collecting == Collecting::closed;
    require(!collects || !at_limit(leaf));
    require(collects || !leaf.drawer.is_open());
    require(collects || leaf.attributes.empty() || (closed && counting_.bayes));
    require(leaf.collecting != Collecting::paused || params_.max_bytes);
    require(!leaf.drawer.is_open() || counting_.drawers);
    require(leaf.last_look <= (params_.compat == Compat::moa ? leaf.votes() : leaf.m));
    // Sums of the same weights in another order differ by their roundings.
    constexpr double kRounding = 1e-6;
    const auto at_most = [&](double part, double whole) {
        return part <= (counting_.wide ? whole * (1.0 + kRounding) : whole);
    };
    double observed = 0.0;
    for (const ClassCount& n : leaf.classes) observed += n.observed;
    require(at_most(observed, leaf.m) && at_most(leaf.m, observed));
    for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
        const auto& [tally, normals] = leaf.attributes[j];
        const bool categorical = kinds_[j] == Kind::categorical;
        require(categorical || tally.n_keys() == 0 || (counting_.tallies && !closed));
        require(normals.empty() || (counting_.normals && !categorical));
        for (std::size_t y = 0; y < leaf.classes.size(); ++y) {
            double counted = 0.0;
            for (std::size_t row = 0; y < tally.stride() && row < tally.n_rows(); ++row) counted += tally.count(row, y);
            require(at_most(counted, leaf.classes[y].observed));
            require(y >= normals.size() || at_most(normals[y].weight, leaf.classes[y].observed));
        }
    }
}

/// A file holds counts as doubles. The first format did not say whether they are whole, and counted zeros.
void Tree::restore_counts(std::uint64_t format) {
    // No more was counted than the clock did, which says when counts of 32 bits no longer suffice.
    const auto whole = [most = std::min(t_, Tally::kMostWhole)](double n) { return n == std::floor(n) && n <= most; };
    if (format < 2) {
        for (const Leaf& leaf : leaves_)
            for (const ClassCount& n : leaf.classes) counts_are_whole_ = counts_are_whole_ && whole(n.observed);
        for (const Leaf& leaf : leaves_)
            for (const Attribute& attribute : leaf.attributes)
                counts_are_whole_ = counts_are_whole_ && attribute.tally.all_counts(whole);
    }
    counting_ = Counting(params_, !counts_are_whole_ || (format < 2 && t_ >= Tally::kMostWhole));
    for (Leaf& leaf : leaves_) {
        if (leaf.drawer.n && !counting_.drawers) throw std::invalid_argument("a leaf's last rows are broken");
        leaf.waits = leaf.waits && counting_.drawers && leaf.collecting == Collecting::yes &&
                     leaf.attributes.size() == kinds_.size();
        for (std::size_t y = 0; !counting_.wide && y < leaf.classes.size(); ++y) {
            const double observed = leaf.classes[y].observed;
            if (!whole(observed)) throw std::invalid_argument("a count is not whole");
            const std::uint32_t* waiting = leaf.drawer.classes();
            const auto waits = static_cast<double>(std::count(waiting, waiting + leaf.drawer.n, y));
            for (const Attribute& attribute : leaf.attributes) {
                double sum = waits;
                for (std::size_t row = 0; y < attribute.tally.stride() && row < attribute.tally.n_rows(); ++row)
                    sum += attribute.tally.count(row, y);
                if (sum > observed) throw std::invalid_argument("a leaf's counts are broken");
            }
        }
        for (std::size_t j = 0; j < leaf.attributes.size(); ++j) {
            Tally& tally = leaf.attributes[j].tally;
            const std::size_t limit = kinds_[j] == Kind::categorical ? 0 : counting_.limit;
            if (!counting_.wide && !tally.all_counts(whole)) throw std::invalid_argument("a count is not whole");
            if (tally.full() ? !limit || tally.n_keys() != limit : limit && tally.n_keys() > limit)
                throw std::invalid_argument("a leaf's counts are broken");
            if (counting_.zeros_are_implied() && kinds_[j] != Kind::categorical && !tally.full() && tally.has(0.0)) {
                if (format >= 2) throw std::invalid_argument("a leaf's counts are broken");
                tally.take_key_out(0.0, limit);
            }
            tally.settle_in(!counting_.wide, limit);
        }
    }
}

// --- predicting -------------------------------------------------------------------------------------------------

std::uint32_t Tree::route(const double* row, std::uint32_t at) const {
    const Node* nodes = nodes_.data();
    while (!nodes[at].is_leaf()) {
        const Node& node = nodes[at];
        const double x = row[node.feature];
        if (std::isnan(x) && params_.compat == Compat::moa) [[unlikely]]
            return at;
        at = node.next + (node.goes_left(x) ? 0 : 1);
    }
    return at;
}

void Tree::route_block(const double* rows, std::size_t n, std::size_t width, std::uint32_t* nodes,
                       bool complete) const {
    if (params_.compat != Compat::moa) return signposts_.route(rows, n, width, nodes, complete);
    for (std::size_t i = 0; i < n; ++i) nodes[i] = route(rows + i * width);  // it stops where a value is missing
}

std::vector<std::uint32_t> Tree::majorities() const {
    std::vector<std::uint32_t> classes;
    if (params_.leaf_prediction != LeafPrediction::majority) return classes;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) classes.push_back(predict_at(node, nullptr));
    return classes;
}

std::uint32_t Tree::predict_at(std::uint32_t node, const double* row, std::uint32_t bayes) const {
    if (n_classes_learned_ == 0) return kNoClass;
    if (!nodes_[node].is_leaf()) {
        const std::vector<double>& votes = split_at(node).votes;
        return static_cast<std::uint32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
    }
    const Leaf& leaf = leaf_at(node);
    if (!leaf.predicts_by_bayes(params_.leaf_prediction)) return leaf.majority;
    return bayes != kNoClass ? bayes : bayes_class(leaf, row);
}

std::uint32_t Tree::bayes_at(std::uint32_t node, const double* row) const {
    if (params_.leaf_prediction != LeafPrediction::adaptive || n_classes() == 0 || !nodes_[node].is_leaf())
        return kNoClass;
    return bayes_class(leaf_at(node), row);
}

void Tree::probabilities_at(std::uint32_t node, const double* row, double* out) const {
    const std::size_t k = n_classes();
    double sum = 0.0;
    if (!nodes_[node].is_leaf()) {
        const std::vector<double>& votes = split_at(node).votes;
        for (std::size_t y = 0; y < k; ++y) sum += out[y] = y < votes.size() ? votes[y] : 0.0;
    } else if (const Leaf& leaf = leaf_at(node); leaf.predicts_by_bayes(params_.leaf_prediction)) {
        bayes_scores(leaf, row, out);
        if (params_.compat != Compat::moa) {
            const double most = *std::max_element(out, out + k);
            // The best is 1, also where a count that was rounded away has made it infinite.
            for (std::size_t y = 0; y < k; ++y) out[y] = out[y] == most ? 1.0 : std::exp(out[y] - most);
        }
        for (std::size_t y = 0; y < k; ++y) sum += out[y];
    } else {
        for (std::size_t y = 0; y < k; ++y) sum += out[y] = leaf.classes[y].votes;
    }
    if (std::isinf(sum)) {  // each is a number, and their sum is none
        sum = 0.0;
        for (std::size_t y = 0; y < k; ++y) sum += out[y] /= std::numeric_limits<double>::max();
    }
    for (std::size_t y = 0; y < k; ++y) out[y] = sum > 0.0 ? out[y] / sum : 1.0 / static_cast<double>(k);
}

double Tree::confidence_at(std::uint32_t node, const double* row) const {
    const std::size_t k = n_classes();
    if (nodes_[node].is_leaf()) {
        // By majority the class with most votes has the largest share, to the last bit.
        if (const Leaf& leaf = leaf_at(node); !leaf.predicts_by_bayes(params_.leaf_prediction)) {
            const double sum = leaf.votes();
            return sum > 0.0 ? leaf.classes[leaf.majority].votes / sum : 1.0 / static_cast<double>(k);
        }
    }
    thread_local std::vector<double> probabilities;
    probabilities.resize(k);
    probabilities_at(node, row, probabilities.data());
    return *std::max_element(probabilities.begin(), probabilities.end());
}

void Tree::bayes_scores(const Leaf& leaf, const double* row, double* scores) const {
    (params_.compat == Compat::moa ? moa::naive_bayes_scores : naive_bayes_scores)(leaf, row, kinds_, scores);
}

}  // namespace sapwood
