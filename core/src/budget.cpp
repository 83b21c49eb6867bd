#include "sapwood/budget.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace sapwood {
namespace {

constexpr std::array<std::string_view, 6> kCaps{"none", "rate", "window", "estimated-window", "count", "period"};

}  // namespace

void BudgetParams::validate() const {
    const auto require = [](bool holds, const char* message) {
        if (!holds) throw std::invalid_argument(message);
    };
    const auto whole = [](double x) { return x >= 1.0 && x <= 9007199254740992.0 && x == std::floor(x); };
    require(rate >= 0.0 && rate <= 1.0, "The rate of a budget must lie between 0 and 1.");
    if (cap == Cap::window || cap == Cap::estimated_window)
        require(whole(window), "The window of a budget must be a whole number of at least 1.");
    if (cap == Cap::count || cap == Cap::period)
        require(count == 0.0 || whole(count), "The count of a budget must be a whole number, 0 or more.");
    if (cap == Cap::period)
        require(seconds > 0.0 && std::isfinite(seconds), "The period of a budget must be a positive time.");
}

Budget::Budget(const BudgetParams& params) : params_(params), most_(0.0) {
    params_.validate();
    most_ = largest();
}

/// For a window, ceil(rate * window): the smallest whole c with c / window >= rate. The division is exact where the
/// rate is a decimal fraction, and the product is not (0.07 * 100 is more than 7).
double Budget::largest() const {
    if (params_.cap != Cap::window) return params_.count;
    double most = std::ceil(params_.rate * params_.window);
    while (most > 0.0 && (most - 1.0) / params_.window >= params_.rate) most -= 1.0;
    return most;
}

void Budget::restore() {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    params_.validate();
    require(params_ == params_, "a budget's settings are no numbers");
    most_ = largest();
    constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;  // nobody sees so many, and no count overflows
    require(seen_ <= kMost && asked_ <= seen_ && answered_ <= asked_ && expired_ <= asked_ - answered_ &&
                refunded_ <= asked_ - answered_ - expired_,
            "a budget's ledger does not add up");
    require(now_ < std::numeric_limits<double>::infinity(), "a budget's time is broken");
    require(marks_are_sound(), "a budget's questions are broken");
    require(keeps_its_cap(), "a budget has spent more than it may");
}

/// Its questions in the window or period, as see() and ask() leave them.
bool Budget::marks_are_sound() const {
    if (marks_.size() > (remembers() ? spent() : 0)) return false;
    const bool windowed = params_.cap == Cap::window;
    const double here = windowed ? static_cast<double>(seen_) : now_;
    const double length = windowed ? params_.window : params_.seconds;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
        const double mark = marks_[i];
        if (!(mark <= here) || here - mark >= length || (i > 0 && mark < marks_[i - 1])) return false;
        if (windowed && (mark < 1.0 || mark != std::floor(mark))) return false;
    }
    return true;
}

/// What is spent was allowed when it was asked: since then more may have been seen, but not less.
bool Budget::keeps_its_cap() const {
    const auto seen = static_cast<double>(seen_), spent = static_cast<double>(this->spent());
    const bool estimates = params_.cap == Cap::estimated_window;
    if (!estimates && (estimate_ != 0.0 || !asked_last_)) return false;
    switch (params_.cap) {
        case Cap::none: return true;
        case Cap::rate:
            return spent == 0.0 ||
                   (params_.strict ? spent / seen <= params_.rate : (spent - 1.0) / seen < params_.rate);
        case Cap::estimated_window: return estimate_ >= 0.0 && estimate_ <= params_.rate * params_.window + 1.0;
        case Cap::count: return spent <= params_.count;
        case Cap::window:
        case Cap::period: break;
    }
    return static_cast<double>(marks_.size()) <= most_;
}

void Budget::see(double now) {
    ++seen_;
    now_ = std::max(now_, now);
    if (!asked_last_) estimate_ = estimate_ * ((params_.window - 1.0) / params_.window);
    asked_last_ = params_.cap != Cap::estimated_window;
    forget_old_marks();
}

void Budget::forget_old_marks() {
    if (!remembers()) return;
    const double here = params_.cap == Cap::window ? static_cast<double>(seen_) : now_;
    const double length = params_.cap == Cap::window ? params_.window : params_.seconds;
    while (!marks_.empty() && here - marks_.front() >= length) marks_.pop_front();
}

bool Budget::allows() const {
    const auto seen = static_cast<double>(seen_), spent = static_cast<double>(this->spent());
    switch (params_.cap) {
        case Cap::none: return true;
        case Cap::rate: return params_.strict ? (spent + 1.0) / seen <= params_.rate : spent / seen < params_.rate;
        case Cap::estimated_window: return estimate_ / params_.window < params_.rate;
        case Cap::count: return spent < params_.count;
        case Cap::window:
        case Cap::period: break;
    }
    return static_cast<double>(marks_.size()) < most_;
}

void Budget::set_clock(double now) {
    if (now < now_) marks_.assign(static_cast<std::size_t>(std::min(most_, static_cast<double>(spent()))), now);
    now_ = now;
    forget_old_marks();
}

double Budget::wait() const {
    if (params_.cap != Cap::period || allows()) return 0.0;
    return marks_.empty() ? std::numeric_limits<double>::infinity() : marks_.front() + params_.seconds - now_;
}

double Budget::ask() {
    ++asked_;
    if (params_.cap == Cap::estimated_window) {
        estimate_ = estimate_ * ((params_.window - 1.0) / params_.window) + 1.0;
        asked_last_ = true;
    }
    const double mark = params_.cap == Cap::period ? now_ : static_cast<double>(seen_);
    if (remembers()) marks_.push_back(mark);
    return mark;
}

void Budget::refund(double mark, bool expired) {
    ++refunded_;
    if (expired) --expired_;
    if (params_.cap == Cap::estimated_window) {
        const double age = static_cast<double>(seen_) - mark - (asked_last_ ? 0.0 : 1.0);
        estimate_ = std::max(0.0, estimate_ - std::pow((params_.window - 1.0) / params_.window, age));
    }
    const auto found = std::find(marks_.begin(), marks_.end(), mark);
    if (found != marks_.end())
        marks_.erase(found);
    else if (marks_.size() > spent())  // one of those that stand for all before set_clock()
        marks_.pop_front();
}

Cap parse_cap(std::string_view name) {
    for (std::size_t i = 0; i < kCaps.size(); ++i)
        if (kCaps[i] == name) return static_cast<Cap>(i);
    throw std::invalid_argument("There is no budget named '" + std::string(name) + "'.");
}

std::string_view name_of(Cap cap) {
    return kCaps[static_cast<std::size_t>(cap)];
}

}  // namespace sapwood
