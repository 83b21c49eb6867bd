// The paper's "Online Stream Validation": each example is predicted, asked about or not, and learned if it was.
//
// A trial owns what lies between two examples (open questions, the background learner) and borrows the strategy, the
// budget and the random numbers, which their owner may look at. The loop is also written in Python (active.py), for
// any learner; both decide alike to the last bit.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sapwood/archive.hpp"
#include "sapwood/budget.hpp"
#include "sapwood/guard.hpp"
#include "sapwood/lesson.hpp"
#include "sapwood/strategy.hpp"

namespace sapwood {

/// What a strategy may know of an example that ends at `node`.
Evidence evidence_at(const Tree& tree, std::uint32_t node, const double* row, const Strategy& strategy);

class Trial {
   public:
    /// `guard` may be null; a label comes `delay` examples after its question.
    Trial(Strategy& strategy, Budget& budget, Guard* guard, Rng& rng, std::uint64_t delay)
        : strategy_(strategy), budget_(budget), guard_(guard), rng_(rng), delay_(delay) {}

    /// Runs rows [begin, end) of a batch whose columns the model knows. Writes what was predicted, and whether it was
    /// asked. `times` may be null.
    void run(Model& model, Lesson& lesson, const Labels& labels, const double* times, std::size_t begin,
             std::size_t end, std::uint32_t* predictions, std::uint8_t* asked);

    std::uint64_t asked() const { return budget_.asked(); }
    std::uint64_t drifts() const { return guard_ ? guard_->drifts() : 0; }
    /// Of the background learner, 0 if there is none.
    std::size_t background_nbytes() const { return background_ ? background_->tree().nbytes() : 0; }
    std::size_t n_open() const { return open_.size(); }

    /// Open questions and the background learner of the trial of a model. After reading, call restore().
    template <class Archive>
    void archive(Archive& a, const Model& model) {
        std::uint64_t format = kFormatNewest;
        bool has_background = background_.has_value();
        a(format);
        if (format != kFormatNewest)
            throw std::invalid_argument("the run was left by another version of sapwood: begin it anew");
        a(has_background);
        if constexpr (Archive::kReads) {
            background_.reset();
            if (has_background) background_.emplace(model.tree().params());
        }
        if (has_background) a(*background_);
        std::vector<Question> open(open_.begin(), open_.end());
        a(open);
        if constexpr (Archive::kReads) open_.assign(open.begin(), open.end());
    }
    /// Checks that what was read is of a trial of this model, with this budget and delay; throws std::invalid_argument
    /// if it is not.
    void restore(const Model& model);

   private:
    struct Question {
        double due = 0.0;  // the example after whose decision the label comes
        std::uint32_t predicted = kNoClass;
        bool feeds = true;
        Value label;
        std::vector<Cell> cells;

        template <class Archive>
        void archive(Archive& a) {
            a(due, predicted, feeds, label, cells);
        }
    };

    void deliver(Model& model, const double* row, std::uint32_t node, std::uint32_t y, bool error, bool feeds);
    void answer_due(Model& model);
    Model& background(const Model& model);

    Strategy& strategy_;
    Budget& budget_;
    Guard* guard_;
    Rng& rng_;
    std::uint64_t delay_;
    std::deque<Question> open_;
    std::optional<Model> background_;
    bool moved_ = false;  // the tree was exchanged, or new names were learned: rows must be encoded and routed again
    std::vector<double> row_;
};

}  // namespace sapwood
