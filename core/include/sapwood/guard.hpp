// What to do about drift: from the errors of a learner it tells when a fresh one is trained, and when it takes over.
//
// It holds no learner, so the native loop and the Python one follow the same orders. Two rules: ours, and that of
// MOA's SingleClassifierDrift (which may swap in a background learner that is untrained, or stale from a warning long
// ago).
#pragma once

#include <cstdint>

#include "sapwood/detector.hpp"
#include "sapwood/params.hpp"

namespace sapwood {

/// To be carried out in this order.
struct Orders {
    bool renew_before = false;      // the background learner begins anew
    bool train_background = false;  // it learns the example
    bool swap = false;              // it takes the place of the current learner
    bool renew_after = false;       // and a new background learner begins
    bool train_current = true;      // the current learner, after any swap, learns the example
};

class Guard {
   public:
    /// `swap_after`: labels that a background learner must have learned before it takes over.
    explicit Guard(Detector detector, double swap_after = 30.0, Compat compat = Compat::none)
        : detector_(std::move(detector)), swap_after_(swap_after), compat_(compat) {
        validate();
    }
    Guard() : Guard(Detector()) {}

    /// A label has come: was the prediction given for its example an error, and may it feed the detector?
    Orders on_label(bool error, bool feeds);

    const Detector& detector() const { return detector_; }
    std::uint64_t drifts() const { return drifts_; }
    std::uint64_t warnings() const { return warnings_; }
    Compat compat() const { return compat_; }
    bool has_settings_of(const Guard& other) const {
        return detector_.has_settings_of(other.detector_) && swap_after_ == other.swap_after_ &&
               compat_ == other.compat_;
    }

    template <class Archive>
    void archive(Archive& a) {
        a(detector_, swap_after_, compat_, state_, armed_, background_, drifts_, warnings_);
    }
    void restore() const;

   private:
    enum class State : std::uint8_t { in_control, warning, replacing };
    friend constexpr State last_of(State) { return State::replacing; }
    void validate() const;
    Orders on_label_as_moa(bool error, bool feeds);

    Detector detector_;
    double swap_after_;
    Compat compat_;
    State state_ = State::in_control;
    bool armed_ = false;       // MOA's rule: the next warning begins a new background learner
    double background_ = 0.0;  // examples that the background learner has learned
    std::uint64_t drifts_ = 0, warnings_ = 0;
};

}  // namespace sapwood
