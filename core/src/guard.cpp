#include "sapwood/guard.hpp"

#include <cmath>
#include <stdexcept>

namespace sapwood {

void Guard::validate() const {
    if (!(swap_after_ > 0.0 && std::isfinite(swap_after_)))
        throw std::invalid_argument("swap_after must be a positive number.");
}

void Guard::restore() const {
    validate();
    const bool counts = background_ >= 0.0 && std::isfinite(background_) && background_ == std::floor(background_);
    const bool moa = compat_ == Compat::moa;
    const bool as_ruled = moa ? state_ == State::in_control && background_ == 0.0 : !armed_;
    if (!counts || !as_ruled) throw std::invalid_argument("what is done about drift is broken");
}

Orders Guard::on_label(bool error, bool feeds) {
    if (compat_ == Compat::moa) return on_label_as_moa(error, feeds);
    Orders orders;
    const auto begin = [&](State state) {
        if (state_ == State::in_control) {
            orders.renew_before = true;
            background_ = 0.0;
        }
        state_ = state;
    };
    // While the background learner is on its way in, nothing that the old one does can change that.
    if (feeds && state_ != State::replacing) {
        const Level level = detector_.update(error ? 1.0 : 0.0);
        // A window that is cut because errors have become fewer is good news: the learner has learned.
        if (level == Level::drift && detector_.rose()) {
            ++drifts_;
            begin(State::replacing);
        } else if (level == Level::warning) {
            if (state_ == State::in_control) ++warnings_;
            begin(State::warning);
        } else {
            orders.renew_before = state_ == State::warning;  // it passed: what was learned since is not kept
            state_ = State::in_control;
        }
    }
    orders.train_background = state_ != State::in_control;
    if (orders.train_background) background_ += 1.0;
    if (state_ == State::replacing && background_ >= swap_after_) {
        orders.swap = true;
        orders.train_current = false;  // it has just learned the example
        state_ = State::in_control;
    }
    return orders;
}

Orders Guard::on_label_as_moa(bool error, bool feeds) {
    Orders orders;
    const Level level = feeds ? detector_.update(error ? 1.0 : 0.0) : detector_.level();
    if (level == Level::warning) {
        orders.renew_before = feeds && armed_;
        if (orders.renew_before) ++warnings_;
        if (feeds) armed_ = false;
        orders.train_background = true;
    } else if (level == Level::drift && feeds) {
        ++drifts_;
        orders.swap = orders.renew_after = true;
    } else if (feeds) {
        armed_ = true;
    }
    return orders;
}

}  // namespace sapwood
