#include "sapwood/detector.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sapwood {

Level Ddm::update(double error) {
    p += (error - p) / n;
    const double s = std::sqrt(p * (1.0 - p) / n);
    n += 1.0;
    if (n < min_examples) return Level::in_control;
    if (p + s <= lowest_sum) {
        lowest_p = p;
        lowest_s = s;
        lowest_sum = p + s;
    }
    if (n > min_examples && p + s > lowest_p + drift_level * lowest_s) return Level::drift;
    return p + s > lowest_p + warning_level * lowest_s ? Level::warning : Level::in_control;
}

Level PageHinkley::update(double x) {
    n += 1.0;
    mean += (x - mean) / n;
    const double deviation = x - mean;
    up_sum = alpha * up_sum + deviation - delta;
    down_sum = alpha * down_sum + deviation + delta;
    lowest = std::min(lowest, up_sum);
    highest = std::max(highest, down_sum);
    if (n < min_examples) return Level::in_control;
    const bool up = side != Side::down && up_sum - lowest > threshold;
    const bool down = side != Side::up && highest - down_sum > threshold;
    grown = up;
    return up || down ? Level::drift : Level::in_control;
}

Level Adwin::update(double x) {
    insert(x);
    ticks += 1.0;
    if (std::fmod(ticks, clock) != 0.0 || width <= min_examples) return Level::in_control;
    bool cut = false;
    while (cut_once()) cut = true;
    return cut ? Level::drift : Level::in_control;
}

/// Adds one example; wherever more than max_buckets have one size, the two oldest of them become one.
void Adwin::insert(double x) {
    width += 1.0;
    if (width > 1.0) {
        const double off = x - total / (width - 1.0);
        variance += (width - 1.0) * off * off / width;
    }
    total += x;
    buckets.push_back({1.0, x, 0.0});
    for (std::size_t end = buckets.size(); end > 0;) {
        const double size = buckets[end - 1].size;
        std::size_t begin = end;
        while (begin > 0 && buckets[begin - 1].size == size) --begin;
        if (static_cast<double>(end - begin) <= max_buckets) break;
        Bucket& older = buckets[begin];
        const Bucket& newer = buckets[begin + 1];
        const double apart = older.total / size - newer.total / size;
        older.variance = older.variance + newer.variance + size * 0.5 * apart * apart;
        older.total += newer.total;
        older.size *= 2.0;
        buckets.erase(buckets.begin() + static_cast<std::ptrdiff_t>(begin) + 1);
        end = begin + 1;
    }
}

/// Looks for a place where the window should be cut; if there is one, forgets its oldest bucket.
bool Adwin::cut_once() {
    double n0 = 0.0, n1 = width, u0 = 0.0, u1 = total;
    const double log_term = std::log(2.0 * std::log(width) / delta);
    for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
        n0 += buckets[i].size;
        n1 -= buckets[i].size;
        u0 += buckets[i].total;
        u1 -= buckets[i].total;
        if (n0 < min_part || n1 < min_part) continue;
        const double apart = u0 / n0 - u1 / n1;
        const double m = 1.0 / (n0 - min_part + 1.0) + 1.0 / (n1 - min_part + 1.0);
        const double eps = std::sqrt(2.0 * m * (variance / width) * log_term) + 2.0 / 3.0 * log_term * m;
        if (!(std::fabs(apart) > eps)) continue;  // rounding may leave a variance below 0, and no eps
        grown = apart < 0.0;
        forget_oldest();
        return true;
    }
    return false;
}

void Adwin::forget_oldest() {
    const Bucket oldest = buckets.front();
    buckets.erase(buckets.begin());
    width -= oldest.size;
    total -= oldest.total;
    const double apart = oldest.total / oldest.size - total / width;
    variance -= oldest.variance + oldest.size * width * apart * apart / (oldest.size + width);
}

Level Detector::update(double x) {
    if (level_ == Level::drift) kind_ = fresh_;
    level_ = std::visit([x](auto& kind) { return kind.update(x); }, kind_);
    return level_;
}

std::string_view Detector::name() const {
    constexpr std::array<std::string_view, 3> kNames{"ddm", "page-hinkley", "adwin"};
    return kNames[kind_.index()];
}

std::string_view name_of(Level level) {
    constexpr std::array<std::string_view, 3> kNames{"in control", "warning", "drift"};
    return kNames[static_cast<std::size_t>(level)];
}

}  // namespace sapwood
