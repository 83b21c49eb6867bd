// How many labels may be asked for: one ledger, and the cap that it is held to.
//
// Every question is open, answered, expired or refunded; what is spent is all but the refunded. The cap is tested
// before each question, on what was asked and not on what was answered, so late or missing answers cannot break it.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string_view>
#include <vector>

namespace sapwood {

enum class Cap : std::uint8_t { none, rate, window, estimated_window, count, period };
constexpr Cap last_of(Cap) {
    return Cap::period;
}

struct BudgetParams {
    Cap cap = Cap::none;
    double rate = 1.0;     // the strategies' B; the cap itself for rate and windows
    bool strict = false;   // rate: spent <= B seen rather than spent <= ceil(B seen)
    double window = 0.0;   // examples
    double count = 0.0;    // labels in all, or per period
    double seconds = 0.0;  // length of a period

    template <class Archive>
    void archive(Archive& a) {
        a(cap, rate, strict, window, count, seconds);
    }
    void validate() const;
    bool operator==(const BudgetParams&) const = default;
};

class Budget {
   public:
    explicit Budget(const BudgetParams& params = {});

    /// A new example has come, at this time (only a period's cap looks at it; an earlier time counts as the latest).
    void see(double now);
    /// Times go on from here. If that is back, what the period before it held is not known, and counts as full.
    void set_clock(double now);
    /// Whether the example that was seen last may be asked about.
    bool allows() const;
    /// It is asked about. Returns the mark under which it can be refunded.
    double ask();

    void answer() { ++answered_; }
    void expire() { ++expired_; }
    /// An answer to a question that had expired: it was paid for.
    void answer_late() { --expired_, ++answered_; }
    /// An open question is taken back, and its label may be spent again. `expired`: it had expired before.
    void refund(double mark, bool expired);

    const BudgetParams& params() const { return params_; }
    /// The latest time seen; minus infinity before the first.
    double clock() const { return now_; }
    /// For a period's cap, the time that passes before it allows a question; 0 if it does.
    double wait() const;
    bool has_settings_of(const Budget& other) const { return params_ == other.params_; }
    std::uint64_t seen() const { return seen_; }
    std::uint64_t asked() const { return asked_; }
    std::uint64_t answered() const { return answered_; }
    std::uint64_t expired() const { return expired_; }
    std::uint64_t refunded() const { return refunded_; }
    std::uint64_t spent() const { return asked_ - refunded_; }
    std::uint64_t open() const { return asked_ - answered_ - expired_ - refunded_; }

    template <class Archive>
    void archive(Archive& a) {
        std::vector<double> marks(marks_.begin(), marks_.end());
        a(params_, seen_, asked_, answered_, expired_, refunded_, now_, estimate_, asked_last_, marks);
        if constexpr (Archive::kReads) marks_.assign(marks.begin(), marks.end());
    }
    /// After reading: the ledger must add up, and keep to its own cap.
    void restore();

   private:
    double largest() const;
    bool keeps_its_cap() const;
    bool marks_are_sound() const;
    void forget_old_marks();
    bool remembers() const { return params_.cap == Cap::window || params_.cap == Cap::period; }

    BudgetParams params_;
    double most_;  // questions that a window or period has room for
    std::uint64_t seen_ = 0, asked_ = 0, answered_ = 0, expired_ = 0, refunded_ = 0;
    double now_ = -std::numeric_limits<double>::infinity();
    double estimate_ = 0.0;     // Zliobaite's recursive count of the questions in the window
    bool asked_last_ = true;    // of the example seen last: its part of the estimate is counted
    std::deque<double> marks_;  // example (window) or time (period) of the questions that still count
};

Cap parse_cap(std::string_view name);
std::string_view name_of(Cap cap);

}  // namespace sapwood
