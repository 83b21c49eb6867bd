// Drift detectors: fed one number at a time (here 1 for an error, 0 for none), they say when its mean has changed.
//
// After a drift the next input begins anew. Each follows a published peer to the last decision: DDM that of MOA,
// Page-Hinkley and ADWIN those of river; tests/parity compares them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <variant>
#include <vector>

namespace sapwood {

enum class Level : std::uint8_t { in_control, warning, drift };
constexpr Level last_of(Level) {
    return Level::drift;
}

/// Sums of squares of numbers up to this stay numbers.
inline constexpr double kLargestInput = 1e100;

// Of each kind: validate() throws std::invalid_argument if its settings make no sense, restore() if its state does not
// either. fresh() has the settings alone.

/// Gama, Medas, Castillo and Rodrigues (2004), with MOA's start and levels: an error rate that rises by some standard
/// deviations over its lowest point.
struct Ddm {
    double min_examples = 30.0, warning_level = 2.0, drift_level = 3.0;

    Level update(double error);
    bool rose() const { return true; }
    bool takes(double error) const { return error >= 0.0 && error <= 1.0; }
    Ddm fresh() const { return {min_examples, warning_level, drift_level}; }
    void validate() const;
    void restore() const;
    bool operator==(const Ddm&) const = default;

    template <class Archive>
    void archive(Archive& a) {
        a(min_examples, warning_level, drift_level, n, p, lowest_p, lowest_s, lowest_sum);
    }
    double n = 1.0, p = 1.0;
    double lowest_p = kNever, lowest_s = kNever, lowest_sum = kNever;
    static constexpr double kNever = std::numeric_limits<double>::max();
};

/// Page (1954): the sum of deviations from the mean, less a tolerance, against its extreme so far.
struct PageHinkley {
    enum class Side : std::uint8_t { up, down, both };
    friend constexpr Side last_of(Side) { return Side::both; }
    double min_examples = 30.0, delta = 0.005, threshold = 50.0, alpha = 0.9999;
    Side side = Side::up;

    Level update(double x);
    bool rose() const { return grown; }
    bool takes(double x) const { return std::fabs(x) <= kLargestInput; }
    PageHinkley fresh() const { return {min_examples, delta, threshold, alpha, side}; }
    void validate() const;
    void restore() const;
    bool operator==(const PageHinkley&) const = default;

    template <class Archive>
    void archive(Archive& a) {
        a(min_examples, delta, threshold, alpha, side, n, mean, up_sum, down_sum, lowest, highest, grown);
    }
    double n = 0.0, mean = 0.0, up_sum = 0.0, down_sum = 0.0;
    double lowest = std::numeric_limits<double>::infinity(), highest = -1.0;
    bool grown = false;
};

/// Bifet and Gavalda (2007): a window that is cut wherever the means of its two parts differ by more than chance.
/// Old examples are kept as sums over 1, 2, 4, ... of them, so the window takes memory by its logarithm.
struct Adwin {
    struct Bucket {
        double size = 1.0, total = 0.0, variance = 0.0;
        template <class Archive>
        void archive(Archive& a) {
            a(size, total, variance);
        }
        bool operator==(const Bucket&) const = default;
    };
    double delta = 0.002, clock = 32.0, max_buckets = 5.0, min_part = 5.0, min_examples = 10.0;

    Level update(double x);
    bool rose() const { return grown; }
    bool takes(double x) const { return std::fabs(x) <= kLargestInput; }
    Adwin fresh() const { return {delta, clock, max_buckets, min_part, min_examples}; }
    void validate() const;
    void restore() const;
    bool operator==(const Adwin&) const = default;

    template <class Archive>
    void archive(Archive& a) {
        a(delta, clock, max_buckets, min_part, min_examples, ticks, width, total, variance, grown, buckets);
    }
    double ticks = 0.0, width = 0.0, total = 0.0, variance = 0.0;
    bool grown = false;                // the newer part had the larger mean at the last cut
    std::vector<Bucket> buckets = {};  // oldest first; sizes never increase

   private:
    void insert(double x);
    bool cut_once();
    void forget_oldest();
};

/// Any of them.
class Detector {
   public:
    using Kind = std::variant<Ddm, PageHinkley, Adwin>;
    /// Of a kind that has counted nothing; throws std::invalid_argument if its settings make no sense.
    explicit Detector(Kind kind = Ddm());

    /// Feeds one number; begins anew if the last one told of a drift. Throws std::invalid_argument, with nothing
    /// changed, for one that the kind does not take.
    Level update(double x);
    Level level() const { return level_; }
    /// Whether the last drift was a rise of the mean: more errors, and not fewer.
    bool rose() const {
        return std::visit([](const auto& kind) { return kind.rose(); }, kind_);
    }
    const Kind& kind() const { return kind_; }
    std::string_view name() const;
    bool has_settings_of(const Detector& other) const { return fresh_ == other.fresh_; }

    template <class Archive>
    void archive(Archive& a) {
        auto index = static_cast<std::uint8_t>(kind_.index());
        a(index, level_);
        if constexpr (Archive::kReads) {
            if (index > 2) throw std::invalid_argument("there is no such drift detector");
            fresh_ = kind_ = index == 0 ? Kind(Ddm()) : index == 1 ? Kind(PageHinkley()) : Kind(Adwin());
        }
        std::visit([&](auto& kind) { a(kind); }, fresh_);
        std::visit([&](auto& kind) { a(kind); }, kind_);
    }
    void restore() const;

   private:
    Kind fresh_;  // with the settings, and nothing counted
    Kind kind_;
    Level level_ = Level::in_control;
};

std::string_view name_of(Level level);

}  // namespace sapwood
