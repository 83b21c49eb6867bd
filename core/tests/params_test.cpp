// Proves that every choice has one name, that every wrong parameter is refused with its name, and that the defaults
// are those of the paper.
#include "sapwood/params.hpp"

#include <limits>
#include <string>

#include "check.hpp"

using namespace sapwood;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The defaults with one change.
template <class Change>
TreeParams with(Change&& change) {
    TreeParams params;
    change(params);
    return params;
}

TreeParams moa() {
    TreeParams params;
    params.compat = Compat::moa;
    params.criterion = Criterion::entropy;
    params.bound = Bound::hoeffding;
    params.numeric_splits = NumericSplits::gaussian;
    params.delta = 1e-7;
    return params;
}

template <class Choice, class Parse>
void check_round_trip(Choice last, Parse&& parse) {
    for (int i = 0; i <= static_cast<int>(last); ++i) {
        const auto choice = static_cast<Choice>(i);
        CHECK(!name_of(choice).empty());
        CHECK_EQ(parse(name_of(choice)), choice);
    }
}

}  // namespace

TEST(every_choice_has_a_name_that_parses_back) {
    check_round_trip(last_of(Criterion{}), parse_criterion);
    check_round_trip(last_of(Bound{}), parse_bound);
    check_round_trip(last_of(NumericSplits{}), parse_numeric_splits);
    check_round_trip(last_of(LeafPrediction{}), parse_leaf_prediction);
    CHECK_EQ(name_of(Criterion::kearns_mansour), "kearns-mansour");
    CHECK_EQ(name_of(Bound::c_tree), "c-tree");
    CHECK_EQ(name_of(Bound::hoeffding_corrected), "hoeffding-corrected");
    CHECK_EQ(name_of(NumericSplits::histogram), "histogram");
    CHECK_EQ(name_of(LeafPrediction::naive_bayes), "naive-bayes");
    CHECK_EQ(parse_compat("moa"), Compat::moa);
    CHECK_EQ(parse_compat("none"), Compat::none);
}

TEST(an_unknown_name_lists_the_choices) {
    CHECK_THROWS(parse_criterion("Gini"), "'gini', 'entropy', 'kearns-mansour', 'error'; got 'Gini'");
    CHECK_THROWS(parse_bound(""), "bound must be one of 'c-tree'");
    CHECK_THROWS(parse_numeric_splits("bins"), "numeric_splits must be one of");
    CHECK_THROWS(parse_leaf_prediction("nb"), "leaf_prediction must be one of");
    CHECK_THROWS(parse_compat("weka"), "compat must be one of");
}

TEST(the_defaults_are_valid_and_those_of_the_paper) {
    const TreeParams params;
    params.validate();
    CHECK_EQ(params.criterion, Criterion::gini);
    CHECK_EQ(params.bound, Bound::c_tree);
    CHECK_EQ(params.delta, 0.0);  // 1/t
    CHECK_EQ(params.tie_threshold, 0.0);
    moa().validate();
}

TEST(each_wrong_number_is_refused_by_name) {
    for (const double c : {0.0, -1.0, kNan, kInfinity})
        CHECK_THROWS(with([&](TreeParams& p) { p.c = c; }).validate(), "c must");
    for (const double delta : {-0.1, 1.0, 2.0, kNan, kInfinity})
        CHECK_THROWS(with([&](TreeParams& p) { p.delta = delta; }).validate(), "delta must");
    for (const double tie : {-0.1, kNan, kInfinity})
        CHECK_THROWS(with([&](TreeParams& p) { p.tie_threshold = tie; }).validate(), "tie_threshold must");
    for (const double grace : {0.0, 0.5, -1.0, kNan, kInfinity})
        CHECK_THROWS(with([&](TreeParams& p) { p.grace_period = grace; }).validate(), "grace_period must");
    for (const std::uint32_t bins : {0u, 1u})
        CHECK_THROWS(with([&](TreeParams& p) { p.n_bins = bins; }).validate(), "n_bins must");
}

TEST(the_least_values_are_allowed) {
    with([](TreeParams& p) { p.grace_period = 1.0; }).validate();
    with([](TreeParams& p) { p.n_bins = 2; }).validate();
    with([](TreeParams& p) { p.delta = 1e-300; }).validate();
    with([](TreeParams& p) { p.has_max_depth = true; }).validate();
    with([](TreeParams& p) { p.max_leaves = 1; }).validate();
}

TEST(c_is_looked_at_only_where_it_is_used) {
    with([](TreeParams& p) { p.bound = Bound::hoeffding, p.c = -1.0; }).validate();
}

TEST(combinations_without_a_meaning_are_refused) {
    CHECK_THROWS(with([](TreeParams& p) { p.bound = Bound::theorem, p.criterion = Criterion::error; }).validate(),
                 "bound='theorem' is not defined for criterion='error'");
    CHECK_THROWS(
        with([](TreeParams& p) { p.bound = Bound::mcdiarmid, p.criterion = Criterion::kearns_mansour; }).validate(),
        "bound='mcdiarmid'");
    CHECK_THROWS(with([](TreeParams& p) { p.max_bytes = 1 << 20, p.numeric_splits = NumericSplits::exact; }).validate(),
                 "max_bytes cannot be kept");
}

TEST(compat_moa_takes_only_what_moa_has) {
    const auto moa_with = [](auto&& change) {
        TreeParams params = moa();
        change(params);
        return params;
    };
    CHECK_THROWS(moa_with([](TreeParams& p) { p.bound = Bound::c_tree; }).validate(), "bound='hoeffding'");
    CHECK_THROWS(moa_with([](TreeParams& p) { p.numeric_splits = NumericSplits::histogram; }).validate(),
                 "numeric_splits='gaussian'");
    CHECK_THROWS(moa_with([](TreeParams& p) { p.criterion = Criterion::error; }).validate(), "criterion='entropy'");
    CHECK_THROWS(moa_with([](TreeParams& p) { p.max_bytes = 1 << 20; }).validate(), "has no max_bytes");
}
