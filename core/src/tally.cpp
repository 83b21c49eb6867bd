#include "sapwood/tally.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace sapwood {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

std::size_t Tally::add(double x, std::size_t y, double w, std::size_t limit, std::size_t n_classes) {
    std::size_t grown = 0;
    if (stride_ < n_classes) grown += widen_rows(n_classes, limit);
    std::size_t row = 0;
    if (!std::isnan(x)) {
        const std::size_t i = position(x);
        if (!full_ && (i == n_keys_ || keys()[i] != x)) grown += insert(i, x, limit);
        row = 1 + i;
    }
    add_at(first_ + row * stride_ + y, w);
    return grown;
}

std::size_t Tally::begin_with(const double* values, const lanes::Examples& examples, std::size_t limit,
                              std::size_t n_classes, bool skip_zeros) {
    constexpr std::size_t kMost = lanes::kMostExamples;
    double x[kMost], found[kMost];
    std::uint32_t class_of[kMost], times[kMost] = {};
    std::uint32_t place[kMost], row_at[kMost];  // of each value, and of the first in each place
    std::size_t n = 0;
    bool any_missing = false;
    for (std::size_t i = 0; i < examples.n; ++i) {
        const double value = values[i * examples.step];
        any_missing |= std::isnan(value);
        if (std::isnan(value) || (skip_zeros && value == 0.0)) continue;
        x[n] = value;
        class_of[n++] = examples.classes[i];
    }
    if (n == 0 && !any_missing) return 0;
    // Where each value comes when they are sorted: behind those below it. Equal values meet in one place.
    std::fill(x + n, x + kMost, kInfinity);
    lanes::best.rank(x, n, place);
    for (std::size_t i = 0; i < n; ++i)
        if (times[place[i]]++ == 0) found[place[i]] = x[i];  // of 0 and -0 the first, as one by one
    for (std::size_t at = 0; at < n; at += times[at]) {
        found[n_keys_] = found[at];
        row_at[at] = ++n_keys_;
    }
    stride_ = static_cast<std::uint32_t>(n_classes);
    full_ = limit && n_keys_ == limit;
    block_.assign(room(limit), kInfinity);
    std::copy(found, found + n_keys_, block_.begin());
    place_rows();
    std::memset(at(first_), 0, n_rows() * stride_ * sizeof(std::uint32_t));
    for (std::size_t i = 0; i < n; ++i) add_at(first_ + row_at[place[i]] * stride_ + class_of[i], 1.0);
    for (std::size_t i = 0; any_missing && i < examples.n; ++i)
        if (std::isnan(values[i * examples.step])) add_at(first_ + examples.classes[i], 1.0);
    return nbytes();
}

std::size_t Tally::add_key(double x, std::size_t limit, std::size_t n_classes) {
    const std::size_t grown = stride_ < n_classes ? widen_rows(n_classes, limit) : 0;
    return grown + insert(position(x), x, limit);
}

void Tally::add_to_row(std::size_t row, std::size_t y, double w) {
    std::byte* where = at(first_ + row * stride_ + y);
    if (wide_) {
        const double n = count(row, y) + w;
        std::memcpy(where, &n, sizeof n);
    } else {
        const auto n = static_cast<std::uint32_t>(count(row, y) + w);
        std::memcpy(where, &n, sizeof n);
    }
}

double Tally::count(std::size_t row, std::size_t y) const {
    const std::byte* where = at(first_ + row * stride_ + y);
    if (wide_) {
        double n;
        std::memcpy(&n, where, sizeof n);
        return n;
    }
    std::uint32_t n;
    std::memcpy(&n, where, sizeof n);
    return n;
}

double Tally::sum() const {
    double sum = 0.0;
    for (std::size_t row = 0; row < n_rows(); ++row)
        for (std::size_t y = 0; y < stride_; ++y) sum += count(row, y);
    return sum;
}

template <bool in_sums>
void Tally::take_up(float* left, std::size_t pitch, float* all, float* missing) const {
    if (in_sums && stride_ == 2) return sum_pairs(left, pitch, all, missing);
    const auto whole = [](std::int32_t n) { return static_cast<float>(n); };  // converted faster if signed
    const auto* counts = reinterpret_cast<const std::int32_t*>(at(first_));
    for (std::size_t y = 0; y < stride_; ++y, left += pitch) {
        const std::int32_t* row = counts + y;
        missing[y] = whole(*row);
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < n_keys_; ++i) {
            row += stride_;
            sum += *row;
            left[i] = whole(in_sums ? sum : *row);
        }
        all[y] = whole(full_ ? sum + row[stride_] : sum);
    }
}

/// Of two classes, a row is a pair.
void Tally::sum_pairs(float* left, std::size_t pitch, float* all, float* missing) const {
    const auto pair_at = [](const void* where) {
        std::uint64_t pair;
        std::memcpy(&pair, where, sizeof pair);
        return pair;
    };
    const auto put = [](std::uint64_t pair, float* out) {
        std::int32_t counts[2];
        std::memcpy(counts, &pair, sizeof pair);
        for (std::size_t y = 0; y < 2; ++y) out[y] = static_cast<float>(counts[y]);
    };
    std::uint64_t sum;
    lanes::best.sum_pairs(at(first_ + 2), n_keys_, left, pitch, sum);
    put(pair_at(at(first_)), missing);
    put(full_ ? sum + pair_at(at(first_ + 2 * (n_keys_ + 1))) : sum, all);
}
template void Tally::take_up<true>(float*, std::size_t, float*, float*) const;
template void Tally::take_up<false>(float*, std::size_t, float*, float*) const;

void Tally::copy_rows(double* out, std::size_t width) const {
    const std::size_t rows = n_rows();
    if (rows == 0) return;
    const std::byte* from = at(first_);
    // Rows that are as wide as wanted are one.
    const std::size_t n = width == stride_ ? 1 : rows, each = width == stride_ ? rows * stride_ : stride_;
    for (std::size_t row = 0; row < n; ++row, out += width) {
        if (wide_) {
            std::memcpy(out, from + row * each * sizeof(double), each * sizeof(double));
        } else {
            for (std::size_t i = 0; i < each; ++i) {
                std::int32_t whole;  // below 2^31, and signed numbers are converted faster
                std::memcpy(&whole, from + (row * each + i) * sizeof whole, sizeof whole);
                out[i] = whole;
            }
        }
        if (width > stride_) std::fill(out + each, out + width, 0.0);
    }
}

/// Doubles that a tally of this shape takes: a function of the shape alone, since max_bytes decides by it. One that has
/// a quarter of the keys that it may have is given room for all, so that it moves only a few times.
std::size_t Tally::room(std::size_t limit) const {
    if (stride_ == 0) return 0;
    const auto doubles = [&](std::size_t counts) { return (counts + per_double() - 1) / per_double(); };
    if (full_) limit = n_keys_;
    if (full_ || (limit && 4 * n_keys_ > limit)) {
        const std::size_t keys = rounded_up(limit, lanes::kGroup),
                          pivots = rounded_up(keys / lanes::kGroup, lanes::kPivots);
        return keys + pivots + doubles((limit + 2) * stride_);
    }
    return room_for(n_keys_ + doubles((n_keys_ + 1) * stride_));
}

/// Takes all counts out, lets the shape change, and puts them where they belong then.
template <class Change>
std::size_t Tally::rebuild(std::size_t limit, Change&& change) {
    const std::size_t before = nbytes();
    std::vector<double> keys(this->keys(), this->keys() + n_keys_), rows(n_rows() * stride_);
    copy_rows(rows.data(), stride_);
    change(keys, rows);
    n_keys_ = static_cast<std::uint32_t>(keys.size());
    std::vector<double> block(room(limit), kInfinity);
    block_.swap(block);
    std::copy(keys.begin(), keys.end(), block_.begin());
    place_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::byte* where = at(first_ + i);
        const auto whole = static_cast<std::uint32_t>(wide_ ? 0.0 : rows[i]);
        if (wide_)
            std::memcpy(where, &rows[i], sizeof(double));
        else
            std::memcpy(where, &whole, sizeof whole);
    }
    return nbytes() - before;
}

/// Says where the rows begin: behind the keys, and behind the pivots when the keys are final.
void Tally::place_rows() {
    held_ = full_ ? static_cast<std::uint32_t>(rounded_up(n_keys_, lanes::kGroup)) : 0;
    const std::size_t head = full_ ? held_ + rounded_up(held_ / lanes::kGroup, lanes::kPivots) : n_keys_;
    first_ = static_cast<std::uint32_t>(head * per_double());
    for (std::size_t g = 0; g + 1 < held_ / lanes::kGroup; ++g) block_[held_ + g] = block_[(g + 1) * lanes::kGroup - 1];
}

/// Makes the edges final: the overflow row and the pivots are added.
std::size_t Tally::fill_up() {
    return rebuild(n_keys_, [&](const std::vector<double>&, std::vector<double>& rows) {
        full_ = true;
        rows.resize(rows.size() + stride_, 0.0);
    });
}

std::size_t Tally::insert(std::size_t i, double x, std::size_t limit) {
    const std::size_t size = n_keys_, rows = n_rows(), row = stride_ * (wide_ ? sizeof(double) : sizeof(std::uint32_t));
    ++n_keys_;
    place_rows();
    const std::size_t wanted = room(limit);
    std::size_t grown = 0;
    if (wanted > block_.size()) {
        grown = (wanted - block_.size()) * sizeof(double);
        block_.reserve(wanted);
        block_.resize(wanted, 0.0);
    }
    // From the back: the rows behind the new one, those before it, and the keys behind the new one.
    auto* bytes = reinterpret_cast<std::byte*>(block_.data());
    std::byte *from = bytes + size * sizeof(double), *to = from + sizeof(double);
    std::memmove(to + (i + 2) * row, from + (i + 1) * row, (rows - i - 1) * row);
    std::memmove(to, from, (i + 1) * row);
    std::memset(to + (i + 1) * row, 0, row);
    std::memmove(bytes + (i + 1) * sizeof(double), bytes + i * sizeof(double), (size - i) * sizeof(double));
    block_[i] = x;
    return grown + settle(limit);
}

void Tally::take_key_out(double x, std::size_t limit) {
    if (!has(x)) return;
    const auto i = static_cast<std::ptrdiff_t>(position(x)), k = static_cast<std::ptrdiff_t>(stride_);
    rebuild(limit, [&](std::vector<double>& keys, std::vector<double>& rows) {
        keys.erase(keys.begin() + i);
        rows.erase(rows.begin() + (1 + i) * k, rows.begin() + (2 + i) * k);
    });
}

std::size_t Tally::widen_rows(std::size_t n_classes, std::size_t limit) {
    return rebuild(limit, [&](const std::vector<double>&, std::vector<double>& rows) {
        const std::size_t n = stride_ ? n_rows() : 1, k = stride_;
        std::vector<double> wider(n * n_classes, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t y = 0; y < k; ++y) wider[i * n_classes + y] = rows[i * k + y];
        rows.swap(wider);
        stride_ = static_cast<std::uint32_t>(n_classes);
    });
}

std::size_t Tally::widen_counts(std::size_t limit) {
    return rebuild(limit, [&](const std::vector<double>&, const std::vector<double>&) { wide_ = true; });
}

void Tally::settle_in(bool narrow, std::size_t limit) {
    rebuild(limit, [&](const std::vector<double>&, const std::vector<double>&) { wide_ = !narrow; });
    settle(limit);
}

void Tally::forget_keys() {
    rebuild(0, [&](std::vector<double>& keys, std::vector<double>& rows) {
        keys.clear();
        rows.resize(stride_);
        full_ = false;
    });
}

void Tally::merge(const Tally& other, std::size_t limit) {
    const bool same_keys = n_keys_ == other.n_keys_ && std::equal(keys(), keys() + n_keys_, other.keys());
    if (!same_keys && (full_ || other.full_))
        throw std::invalid_argument("two full histograms with different edges cannot be merged.");
    if (other.stride_ == 0) return;
    if (other.wide_ && !wide_) widen_counts(limit);
    if (other.stride_ > stride_) widen_rows(other.stride_, limit);
    for (std::size_t i = 0; i < other.n_rows(); ++i) {
        // A key of the other is added as if its examples came after ours; the overflow row lies above every key.
        std::size_t row = i;
        if (i > 0 && i <= other.n_keys_) {
            const double key = other.keys()[i - 1];
            const std::size_t at = position(key);
            if (!full_ && (at == n_keys_ || keys()[at] != key)) insert(at, key, limit);
            row = 1 + at;
        } else if (i > 0) {
            row = 1 + n_keys_;
        }
        for (std::size_t y = 0; y < other.stride_; ++y) add_to_row(row, y, other.count(i, y));
    }
}

void Tally::restore(std::size_t stride, bool full, const std::vector<double>& keys, const std::vector<double>& rows) {
    const auto require = [](bool holds) {
        if (!holds) throw std::invalid_argument("a leaf's counts are broken");
    };
    require(keys.size() < 0x3fffffff && stride < 0xffffffff);
    require(stride != 0 || (keys.empty() && !full));
    require(!full || !keys.empty());
    require(rows.size() == (stride ? stride * (1 + keys.size() + (full ? 1 : 0)) : 0));
    for (std::size_t i = 0; i < keys.size(); ++i) require(std::isfinite(keys[i]) && (i == 0 || keys[i - 1] < keys[i]));
    require(std::all_of(rows.begin(), rows.end(), [](double n) { return std::isfinite(n) && n >= 0.0; }));
    *this = Tally();
    rebuild(0, [&](std::vector<double>& new_keys, std::vector<double>& new_rows) {
        new_keys = keys;
        new_rows = rows;
        stride_ = static_cast<std::uint32_t>(stride);
        full_ = full;
        wide_ = true;
    });
}

}  // namespace sapwood
