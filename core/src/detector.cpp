#include "sapwood/detector.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sapwood/value.hpp"

namespace sapwood {
namespace {

constexpr double kMostWhole = 9007199254740992.0;  // 2^53

void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

void require_positive(double x, const char* message) {
    require(x > 0.0 && std::isfinite(x), message);
}

void require_state(bool holds) {
    require(holds, "a drift detector's counts are broken");
}

bool is_count(double n) {
    return n >= 0.0 && n <= kMostWhole && n == std::floor(n);
}

bool is_power_of_two(double n) {
    int exponent = 0;
    return std::frexp(n, &exponent) == 0.5;
}

}  // namespace

void Ddm::validate() const {
    require_positive(min_examples, "min_examples must be a positive number.");
    require_positive(warning_level, "warning_level must be a positive number.");
    require_positive(drift_level, "drift_level must be a positive number.");
    require(warning_level <= drift_level, "warning_level must not be larger than drift_level.");
}

void Ddm::restore() const {
    validate();
    require_state(is_count(n) && n >= 1.0 && p >= 0.0 && p <= 1.0);
    const bool none_yet = lowest_p == kNever && lowest_s == kNever && lowest_sum == kNever;
    require_state(none_yet || (lowest_p >= 0.0 && lowest_p <= 1.0 && lowest_s >= 0.0 && lowest_s <= 1.0 &&
                               lowest_sum == lowest_p + lowest_s));
}

void PageHinkley::validate() const {
    require_positive(min_examples, "min_examples must be a positive number.");
    require(std::isfinite(delta), "delta must be a number.");
    require_positive(threshold, "threshold must be a positive number.");
    require(alpha > 0.0 && alpha <= 1.0, "alpha must lie between 0 and 1.");
}

void PageHinkley::restore() const {
    validate();
    require_state(is_count(n) && std::isfinite(mean) && !std::isnan(up_sum) && !std::isnan(down_sum));
    require_state(n == 0.0 ? *this == fresh() : lowest <= up_sum && highest >= down_sum);
}

void Adwin::validate() const {
    require(delta > 0.0 && delta < 1.0, "delta must lie strictly between 0 and 1.");
    require(clock >= 1.0 && max_buckets >= 1.0, "clock and max_buckets must be at least 1.");
    require(clock == std::floor(clock) && max_buckets == std::floor(max_buckets),
            "clock and max_buckets must be whole numbers.");
    require_positive(min_part, "min_part must be a positive number.");
    require_positive(min_examples, "min_examples must be a positive number.");
}

/// The window must hold together. Its sums may be any numbers: at worst it is never cut.
void Adwin::restore() const {
    validate();
    require_state(is_count(ticks) && is_count(width) && width <= ticks);
    double sizes = 0.0, alike = 0.0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const double size = buckets[i].size;
        const bool as_before = i > 0 && buckets[i - 1].size == size;
        alike = as_before ? alike + 1.0 : 1.0;
        require_state(is_count(size) && is_power_of_two(size) && alike <= max_buckets);
        require_state(i == 0 || buckets[i - 1].size >= size);
        sizes += size;
    }
    require_state(sizes == width);
}

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

Detector::Detector(Kind kind) : fresh_(kind), kind_(std::move(kind)) {
    std::visit([](const auto& settings) { settings.validate(); }, kind_);
}

void Detector::restore() const {
    const Kind settings = std::visit([](const auto& kind) { return Kind(kind.fresh()); }, kind_);
    require(fresh_ == settings, "a drift detector begins anew with other settings");
}

Level Detector::update(double x) {
    if (!std::visit([x](const auto& kind) { return kind.takes(x); }, kind_))
        throw std::invalid_argument(
            "The detector " + std::string(name()) + " does not take " + to_text(x) + ": " +
            (name() == "ddm" ? "its inputs lie between 0 and 1." : "its inputs are numbers of at most 1e100."));
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
