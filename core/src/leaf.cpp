#include "sapwood/leaf.hpp"

#include <cmath>

namespace sapwood {
namespace {

bool keeps_normals(const TreeParams& params) {
    return params.numeric_splits == NumericSplits::gaussian || params.leaf_prediction != LeafPrediction::majority;
}

std::size_t add_normal(std::vector<Normal>& normals, double x, std::size_t y, double w) {
    std::size_t grown = 0;
    if (y >= normals.size()) {
        grown = make_room(normals, y + 1);
        normals.resize(y + 1);
    }
    normals[y].add(x, w);
    return grown;
}

/// The attribute appears now: all that the leaf has observed so far was missing there.
Attribute attribute_unseen_until_now(const Leaf& leaf) {
    Attribute attribute{Tally(leaf.classes.size()), {}};
    for (std::size_t y = 0; y < leaf.classes.size(); ++y) attribute.tally.missing()[y] = leaf.classes[y].observed;
    return attribute;
}

}  // namespace

std::size_t Leaf::observe_unsettled(const double* row, const std::vector<Kind>& kinds, std::size_t y, double w,
                                    const TreeParams& params) {
    std::size_t grown = 0;
    if (attributes.size() < kinds.size()) [[unlikely]] {
        grown += make_room(attributes, kinds.size());
        while (attributes.size() < kinds.size()) {
            attributes.push_back(attribute_unseen_until_now(*this));
            grown += attributes.back().nbytes();
        }
    }
    const bool normals = keeps_normals(params);
    // A closed leaf looks for no threshold: of numbers it keeps only the normals.
    const bool tallies = params.numeric_splits != NumericSplits::gaussian && collecting != Collecting::closed;
    const std::size_t limit = params.numeric_splits == NumericSplits::histogram ? params.n_bins : 0;
    bool all_settled = tallies && !normals;
    for (std::size_t j = 0; j < kinds.size(); ++j) {
        Attribute& attribute = attributes[j];
        const double x = row[j];
        if (kinds[j] == Kind::categorical) {
            grown += attribute.tally.add(x, y, w, 0);
        } else {
            if (tallies || std::isnan(x)) grown += attribute.tally.add(x, y, w, limit);
            if (normals && !std::isnan(x)) grown += add_normal(attribute.normals, x, y, w);
        }
        all_settled = all_settled && attribute.tally.settled(classes.size());
    }
    settled = all_settled ? classes.size() : 0;
    return grown;
}

double Leaf::votes() const {
    double sum = 0.0;
    for (const ClassCount& n : classes) sum += n.votes;
    return sum;
}

double Leaf::learned() const {
    double sum = 0.0;
    for (const ClassCount& n : classes) sum += n.learned;
    return sum;
}

double Leaf::promise() const {
    return classes.empty() ? 0.0 : votes() - classes[majority].votes;
}

bool Leaf::pure() const {
    std::size_t seen = 0;
    for (const ClassCount& n : classes) seen += n.observed > 0.0;
    return seen < 2;
}

std::size_t Leaf::statistics_nbytes() const {
    std::size_t sum = bytes_of(attributes);
    for (const Attribute& attribute : attributes) sum += attribute.nbytes();
    return sum;
}

void Leaf::drop_statistics() {
    release(attributes);
    settled = 0;
    for (ClassCount& n : classes) n.observed = 0.0;
    m = 0.0;
    last_look = 0.0;
}

std::uint32_t majority_of(const Leaf& leaf) {
    std::uint32_t best = 0;
    for (std::uint32_t y = 1; y < leaf.classes.size(); ++y)
        if (leaf.classes[y].votes > leaf.classes[best].votes) best = y;
    return best;
}

}  // namespace sapwood
