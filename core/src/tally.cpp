#include "sapwood/tally.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace sapwood {

std::size_t Tally::insert(std::size_t i, double x, std::size_t limit) {
    std::size_t grown = make_room(counts_, counts_.size() + stride_);
    if (limit != 0 && n_keys_ == limit) {
        full_ = true;
        counts_.insert(counts_.end(), stride_, 0.0);  // the overflow row
        return grown + add_pivots();
    }
    grown += make_room(keys_, n_keys_ + 1);
    keys_.insert(keys_.begin() + static_cast<std::ptrdiff_t>(i), x);
    ++n_keys_;
    counts_.insert(counts_.begin() + static_cast<std::ptrdiff_t>((1 + i) * stride_), stride_, 0.0);
    return grown;
}

std::size_t Tally::add_pivots() {
    if (n_keys_ == 0 || n_keys_ % kGroup != 0) return 0;
    const std::size_t n_pivots =
        (n_keys_ / kGroup + kGroup - 1) / kGroup * kGroup;  // whole groups, filled with infinity
    const std::size_t grown = make_room(keys_, n_keys_ + n_pivots);
    keys_.resize(n_keys_ + n_pivots, std::numeric_limits<double>::infinity());
    for (std::size_t g = 0; g < n_keys_ / kGroup; ++g) keys_[n_keys_ + g] = keys_[(g + 1) * kGroup - 1];
    return grown;
}

std::size_t Tally::widen(std::size_t n_classes) {
    const std::size_t rows = stride_ ? n_rows() : 1;
    const std::size_t before = bytes_of(counts_);
    std::vector<double> wider;
    make_room(wider, rows * n_classes);
    wider.resize(rows * n_classes, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t y = 0; y < stride_; ++y) wider[i * n_classes + y] = counts_[i * stride_ + y];
    counts_.swap(wider);
    stride_ = n_classes;
    return bytes_of(counts_) - before;
}

void Tally::forget_keys() {
    std::vector<double> missing(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(stride_));
    counts_.swap(missing);
    release(keys_);
    n_keys_ = 0;
    full_ = false;
}

void Tally::merge(const Tally& other, std::size_t limit) {
    const bool same_keys = n_keys_ == other.n_keys_ && std::equal(keys(), keys() + n_keys_, other.keys());
    if (!same_keys && (full_ || other.full_))
        throw std::invalid_argument("two full histograms with different edges cannot be merged.");
    if (other.stride_ > stride_) widen(other.stride_);
    if (same_keys && other.full_ && !full_) {
        full_ = true;
        make_room(counts_, counts_.size() + stride_);
        counts_.insert(counts_.end(), stride_, 0.0);
        add_pivots();
    }
    for (std::size_t y = 0; y < other.stride_; ++y) counts_[y] += other.counts_[y];
    for (std::size_t i = 0; i + 1 < other.n_rows(); ++i) {
        // A key of the other is added as if its examples came after ours; the overflow row lies above every key.
        const bool overflow = i == other.n_keys_;
        std::size_t at = overflow ? n_keys_ : position(other.keys_[i]);
        if (!overflow && !full_ && (at == n_keys_ || keys_[at] != other.keys_[i])) insert(at, other.keys_[i], limit);
        for (std::size_t y = 0; y < other.stride_; ++y)
            counts_[(1 + at) * stride_ + y] += other.counts_[(1 + i) * other.stride_ + y];
    }
}

bool Tally::valid() const {
    if ((stride_ == 0 || full_) && (n_keys_ == 0) != (stride_ == 0)) return false;
    if (counts_.size() != stride_ * (1 + n_keys_ + (full_ ? 1 : 0))) return false;
    for (std::size_t i = 0; i < n_keys_; ++i)
        if (!std::isfinite(keys_[i]) || (i && !(keys_[i - 1] < keys_[i]))) return false;
    return std::all_of(counts_.begin(), counts_.end(), [](double n) { return std::isfinite(n) && n >= 0.0; });
}

}  // namespace sapwood
