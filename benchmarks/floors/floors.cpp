// Floors: rows per CPU second of the least that a learner of rows must do, in loops written for that alone.
//
//   floors STREAM TREE
// STREAM is the binary stream that benchmarks/moa describes. TREE is little-endian: int32 nodes, then for each node
// double key, int32 feature (-1: a leaf), int32 next (the left child, the right one follows it; of a leaf its number),
// int32 flags (1: x == key goes left, else x <= key; 2: a missing value goes left).
//
// Then each line of standard input names a pass, and one line of JSON answers it:
//   read    adds up all values
//   route   finds the leaf of every row, and adds up their numbers
//   count   finds it, and adds one to a counter [leaf][attribute][bin][class] for every attribute. The bin is five bits
//           of the value itself, so that it costs a shift and the counters are met as scattered as a histogram's.
// A pass may be done in several ways (rows side by side, or one after the other); the first call tries them all, and
// the fastest one is the floor.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kBlock = 256;
constexpr std::size_t kBins = 32;

struct Stream {
    std::size_t rows = 0, width = 0, classes = 0;
    std::vector<double> values;
    std::vector<std::uint32_t> labels;
};

/// A leaf leads to itself: everything is <= its key, and `next` is its own place.
struct Node {
    double key = std::numeric_limits<double>::infinity();
    std::uint32_t feature = 0;
    std::uint32_t next = 0;
};

struct Tree {
    std::vector<Node> nodes;
    std::vector<double> lows;  // of a categorical split its key, else minus infinity: x must be above that, too
    std::vector<std::uint8_t> flags;
    std::vector<std::uint32_t> leaf_of;  // number of the leaf, per node
    std::size_t leaves = 0;
    bool numeric = true;  // no categorical split
};

template <class T>
T take(std::ifstream& file) {
    T value{};
    if (!file.read(reinterpret_cast<char*>(&value), sizeof value)) throw std::runtime_error("a file ends early");
    return value;
}

template <class T>
void take(std::ifstream& file, std::vector<T>& values) {
    const auto size = static_cast<std::streamsize>(values.size() * sizeof(T));
    if (!file.read(reinterpret_cast<char*>(values.data()), size)) throw std::runtime_error("a file ends early");
}

Stream read_stream(const char* path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 8> magic{};
    file.read(magic.data(), magic.size());
    if (!file || std::string(magic.begin(), magic.end()) != "SAPWMOA1") throw std::runtime_error("not a stream");
    Stream stream;
    stream.rows = static_cast<std::size_t>(take<std::int64_t>(file));
    stream.width = static_cast<std::size_t>(take<std::int32_t>(file));
    stream.classes = static_cast<std::size_t>(take<std::int32_t>(file));
    std::vector<std::int32_t> kinds(stream.width);
    take(file, kinds);
    stream.values.resize(stream.rows * stream.width);
    take(file, stream.values);
    stream.labels.resize(stream.rows);
    take(file, stream.labels);
    return stream;
}

Tree read_tree(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const auto n = static_cast<std::uint32_t>(take<std::int32_t>(file));
    Tree tree;
    tree.leaf_of.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const auto key = take<double>(file);
        const auto feature = take<std::int32_t>(file);
        const auto next = static_cast<std::uint32_t>(take<std::int32_t>(file));
        const auto flags = static_cast<std::uint8_t>(take<std::int32_t>(file));
        if (feature < 0) {
            tree.nodes.push_back({std::numeric_limits<double>::infinity(), 0, i});
            tree.lows.push_back(-std::numeric_limits<double>::infinity());
            tree.flags.push_back(2);  // a missing value stays here, too
            tree.leaf_of[i] = next;
            ++tree.leaves;
        } else {
            tree.nodes.push_back({key, static_cast<std::uint32_t>(feature), next});
            tree.lows.push_back((flags & 1) != 0 ? key : -std::numeric_limits<double>::infinity());
            tree.flags.push_back(flags);
            tree.numeric = tree.numeric && (flags & 1) == 0;
        }
    }
    return tree;
}

// --- one step down: branch-free ---

struct Plain {  // numbers only, none missing
    static std::uint32_t step(const Tree& tree, std::uint32_t at, const double* row) {
        const Node& node = tree.nodes[at];
        return node.next + static_cast<std::uint32_t>(!(row[node.feature] <= node.key));
    }
};

struct Complete {  // numbers and categories, none missing
    static std::uint32_t step(const Tree& tree, std::uint32_t at, const double* row) {
        const Node& node = tree.nodes[at];
        const double x = row[node.feature];
        return node.next +
               (static_cast<std::uint32_t>(!(x <= node.key)) | static_cast<std::uint32_t>(x < tree.lows[at]));
    }
};

struct General {
    static std::uint32_t step(const Tree& tree, std::uint32_t at, const double* row) {
        const Node& node = tree.nodes[at];
        const double x = row[node.feature];
        const bool left = ((x <= node.key) & (x >= tree.lows[at])) | (((tree.flags[at] & 2) != 0) & (x != x));
        return node.next + static_cast<std::uint32_t>(!left);
    }
};

/// Routes a block with `Side` rows side by side; 1 goes row by row and stops at each leaf.
template <class Step, std::size_t Side>
void route_block(const Tree& tree, const double* rows, std::size_t n, std::size_t width, std::uint32_t* out) {
    std::size_t i = 0;
    for (; i + Side <= n; i += Side) {
        std::array<std::uint32_t, Side> at{};
        for (std::uint32_t moved = 1; moved != 0;) {
            moved = 0;
            for (std::size_t k = 0; k < Side; ++k) {
                const std::uint32_t next = Step::step(tree, at[k], rows + (i + k) * width);
                moved |= next ^ at[k];
                at[k] = next;
            }
        }
        for (std::size_t k = 0; k < Side; ++k) out[i + k] = tree.leaf_of[at[k]];
    }
    if constexpr (Side > 1) route_block<Step, 1>(tree, rows + i * width, n - i, width, out + i);
}

using Router = void (*)(const Tree&, const double*, std::size_t, std::size_t, std::uint32_t*);

// --- the passes; each returns a number that depends on all of its work ---

double sum_values(const Stream& stream) {
    std::array<double, 8> sums{};
    const std::size_t n = stream.values.size();
    std::size_t i = 0;
    for (; i + sums.size() <= n; i += sums.size())
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += stream.values[i + k];
    for (; i < n; ++i) sums[0] += stream.values[i];
    double sum = 0;
    for (const double part : sums) sum += part;
    return sum;
}

template <class Use>
void for_blocks(const Stream& stream, const Tree& tree, Router router, Use use) {
    std::array<std::uint32_t, kBlock> leaves;
    for (std::size_t from = 0; from < stream.rows; from += kBlock) {
        const std::size_t n = std::min(kBlock, stream.rows - from);
        router(tree, stream.values.data() + from * stream.width, n, stream.width, leaves.data());
        use(from, n, leaves.data());
    }
}

double route_all(const Stream& stream, const Tree& tree, Router router) {
    std::uint64_t sum = 0;
    for_blocks(stream, tree, router, [&](std::size_t, std::size_t n, const std::uint32_t* leaves) {
        for (std::size_t i = 0; i < n; ++i) sum += leaves[i];
    });
    return static_cast<double>(sum);
}

double count_all(const Stream& stream, const Tree& tree, Router router, std::vector<std::uint32_t>& counters) {
    const std::size_t classes = stream.classes, per_leaf = stream.width * kBins * classes;
    for_blocks(stream, tree, router, [&](std::size_t from, std::size_t n, const std::uint32_t* leaves) {
        for (std::size_t i = 0; i < n; ++i) {
            const double* row = stream.values.data() + (from + i) * stream.width;
            std::uint32_t* counter = counters.data() + leaves[i] * per_leaf + stream.labels[from + i];
            for (std::size_t j = 0; j < stream.width; ++j, counter += kBins * classes)
                ++counter[(std::bit_cast<std::uint64_t>(row[j]) >> 47 & (kBins - 1)) * classes];
        }
    });
    return static_cast<double>(counters[counters.size() / 2]);
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double seconds_of(Work work, double& result) {
    const double start = cpu_seconds();
    result = work();
    return cpu_seconds() - start;
}

class Floors {
   public:
    Floors(Stream stream, Tree tree) : stream_(std::move(stream)), tree_(std::move(tree)) {
        const bool complete =
            std::none_of(stream_.values.begin(), stream_.values.end(), [](double x) { return std::isnan(x); });
        routers_ = !complete ? routers<General>() : tree_.numeric ? routers<Plain>() : routers<Complete>();
        counters_.assign(tree_.leaves * stream_.width * kBins * stream_.classes, 0);
    }

    /// CPU seconds of a pass; the first time, the fastest way is chosen.
    double measure(const std::string& pass, double& result) {
        if (pass != "read" && pass != "route" && pass != "count") throw std::runtime_error("no such pass: " + pass);
        if (chosen_.count(pass) == 0) {
            std::pair<double, Router> best{std::numeric_limits<double>::infinity(), routers_[0]};
            for (const Router router : routers_)
                for (int again = 0; again < 2; ++again)
                    best = std::min(best, std::pair{run(pass, router, result), router},
                                    [](const auto& a, const auto& b) { return a.first < b.first; });
            chosen_[pass] = best.second;
        }
        return run(pass, chosen_[pass], result);
    }

    const Stream& stream() const { return stream_; }

   private:
    template <class Step>
    static std::vector<Router> routers() {
        return {route_block<Step, 1>, route_block<Step, 4>, route_block<Step, 8>, route_block<Step, 16>};
    }

    double run(const std::string& pass, Router router, double& result) {
        if (pass == "read") return seconds_of([&] { return sum_values(stream_); }, result);
        if (pass == "route") return seconds_of([&] { return route_all(stream_, tree_, router); }, result);
        return seconds_of([&] { return count_all(stream_, tree_, router, counters_); }, result);
    }

    Stream stream_;
    Tree tree_;
    std::vector<Router> routers_;
    std::map<std::string, Router> chosen_;
    std::vector<std::uint32_t> counters_;
};

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3) throw std::runtime_error("usage: floors STREAM TREE");
        Floors floors(read_stream(argv[1]), read_tree(argv[2]));
        for (std::string pass; std::getline(std::cin, pass);) {
            double result = 0;
            const double seconds = floors.measure(pass, result);
            std::printf("{\"pass\": \"%s\", \"cpu_seconds\": %.9f, \"rows_per_second\": %.6g, \"result\": %.17g}\n",
                        pass.c_str(), seconds, static_cast<double>(floors.stream().rows) / seconds, result);
            std::fflush(stdout);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "floors: %s\n", error.what());
        return 1;
    }
    return 0;
}
