#include "sapwood/signposts.hpp"

#include <algorithm>
#include <cstring>

#include "sapwood/memory.hpp"
#include "sapwood/tree.hpp"

namespace sapwood {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlock = 256;     // rows that are routed before the late ones are gathered
constexpr std::size_t kLateLevels = 3;  // that these go before they are gathered again

}  // namespace

Signposts::Signposts() {
    add_leaf();
}

void Signposts::add_leaf() {
    const std::size_t at = keys_.size();
    const auto add = [](auto& array, auto value) {
        make_room(array, array.size() + 1);
        array.push_back(value);
    };
    add(keys_, std::numeric_limits<double>::infinity());
    add(ways_, Way{0, static_cast<std::uint32_t>(at)});
    add(fine_prints_, FinePrint());
}

void Signposts::add_split(std::uint32_t at, const Node& node, std::uint32_t depth) {
    add_leaf();
    add_leaf();
    keys_[at] = node.key;
    ways_[at] = {static_cast<std::uint32_t>(node.feature * sizeof(double)), node.next};
    fine_prints_[at] = {node.categorical ? node.key : FinePrint().low, !node.missing_left};
    has_categories_ |= static_cast<bool>(node.categorical);
    ++n_leaves_;
    depths_ += depth + 2;  // two leaves one level below take the place of one
}

void Signposts::route(const double* rows, std::size_t n, std::size_t width, std::uint32_t* nodes, bool complete) const {
    if (width == 0 || keys_.size() == 1) return std::fill_n(nodes, n, 0u), void();
    for (std::size_t at = 0; at < n; at += kBlock) {
        const double* first = rows + at * width;
        const std::size_t block = std::min(kBlock, n - at);
        if (!complete)
            route_block<true, true>(first, block, width, nodes + at);
        else if (has_categories_)
            route_block<true, false>(first, block, width, nodes + at);
        else
            route_block<false, false>(first, block, width, nodes + at);
    }
}

template <bool with_categories, bool with_missing>
inline std::size_t Signposts::step(std::size_t at, const char* row) const {
    const Way& way = ways_.data()[at];
    double x;
    std::memcpy(&x, row + way.offset, sizeof x);
    // The same where x is a number; put like this, the comparison's carry is the sum's.
    const double key = keys_.data()[at];
    auto right = static_cast<std::uint32_t>(with_missing ? x > key : !(key >= x));
    if constexpr (with_categories) right |= static_cast<std::uint32_t>(x < fine_prints_.data()[at].low);
    if constexpr (with_missing)
        right |= static_cast<std::uint32_t>(x != x) & static_cast<std::uint32_t>(fine_prints_.data()[at].missing_right);
    return way.next + right;
}

template <bool with_categories, bool with_missing>
void Signposts::route_block(const double* rows, std::size_t n, std::size_t width, std::uint32_t* nodes) const {
    const auto* bytes = reinterpret_cast<const char*>(rows);
    const std::size_t row_size = width * sizeof(double), levels = depths_ / n_leaves_;
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const char* row = bytes + i * row_size;
        std::size_t at[kLanes] = {};
        for (std::size_t level = 0; level < levels; ++level)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                at[lane] = step<with_categories, with_missing>(at[lane], row + lane * row_size);
        for (std::size_t lane = 0; lane < kLanes; ++lane) nodes[i + lane] = static_cast<std::uint32_t>(at[lane]);
    }
    std::fill(nodes + i, nodes + n, 0u);  // fewer than there are lanes: they begin with the late ones

    std::uint32_t late[kBlock + kLanes];
    std::size_t n_late = 0;
    for (i = 0; i < n; ++i) {
        late[n_late] = static_cast<std::uint32_t>(i);
        n_late += leads_on(nodes[i]);
    }
    while (n_late != 0) {
        std::fill_n(late + n_late, kLanes, late[n_late - 1]);  // the last group is made whole with one row
        for (i = 0; i < n_late; i += kLanes) {
            std::size_t at[kLanes];
            for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = nodes[late[i + lane]];
            for (std::size_t level = 0; level < kLateLevels; ++level)
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    at[lane] = step<with_categories, with_missing>(at[lane], bytes + late[i + lane] * row_size);
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                nodes[late[i + lane]] = static_cast<std::uint32_t>(at[lane]);
        }
        std::size_t still = 0;
        for (i = 0; i < n_late; ++i) {
            late[still] = late[i];
            still += leads_on(nodes[late[i]]);
        }
        n_late = still;
    }
}

}  // namespace sapwood
