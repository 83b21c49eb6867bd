// A long call that can be ended: whoever made it is asked now and then whether it is to go on.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace sapwood {

class Watch {
   public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kPeriod{50};

    /// `ask` throws if the call is to end; null: it never is. The thread that works calls it, at most once in a period.
    explicit Watch(std::function<void()> ask) : ask_(std::move(ask)), asked_(Clock::now()) {}

    /// Asks if a period is over.
    void look() {
        if (!ask_) return;
        const auto now = Clock::now();
        if (now - asked_ < kPeriod) return;
        asked_ = now;
        ask_();
    }
    /// The same after so many values were worked on; it looks at the clock once for many.
    void pass(std::size_t values) {
        constexpr std::size_t kMany = std::size_t{1} << 17;
        if ((values_ += values) < kMany) return;
        values_ = 0;
        look();
    }

   private:
    std::function<void()> ask_;
    Clock::time_point asked_;
    std::size_t values_ = 0;
};

/// How many rows are taken in one turn, after which others have theirs: as many as take a moment.
class Turn {
   public:
    explicit Turn(std::size_t width) : rows_(std::clamp<std::size_t>(kValues / (width + 1), 1, kMost)) {}

    std::size_t rows() const { return rows_; }
    void begin() { began_ = Watch::Clock::now(); }
    void end() {
        const auto took = Watch::Clock::now() - began_;
        if (took > Watch::kPeriod && rows_ > 1) rows_ /= 2;
        if (took < Watch::kPeriod / 8 && rows_ < kMost) rows_ = std::min(2 * rows_, kMost);
    }

   private:
    static constexpr std::size_t kMost = 4096, kValues = std::size_t{1} << 20;
    std::size_t rows_;
    Watch::Clock::time_point began_;
};

}  // namespace sapwood
