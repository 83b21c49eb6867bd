#include "sapwood/trial.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sapwood {

Evidence evidence_at(const Tree& tree, std::uint32_t node, const double* row, const Strategy& strategy) {
    Evidence evidence;
    const std::size_t k = tree.n_classes();
    evidence.k = static_cast<double>(std::max<std::size_t>(2, k));
    evidence.t = tree.t();
    if (strategy.needs_confidence() && tree.n_classes_learned() > 0)
        evidence.confidence = tree.confidence_at(node, row);
    if (strategy.needs_leaf() && k > 0 && tree.nodes()[node].is_leaf()) {
        const std::vector<ClassCount>& classes = tree.leaf_at(node).classes;
        constexpr std::size_t kStride = sizeof(ClassCount) / sizeof(double);
        evidence.weigh(&classes.data()->learned, classes.size(), kStride);
    }
    return evidence;
}

void Trial::run(Model& model, Lesson& lesson, const Labels& labels, const double* times, std::size_t begin,
                std::size_t end, std::uint32_t* predictions, std::uint8_t* asked) {
    Tree& tree = model.tree_;
    if (begin == 0) {
        if (!open_.empty() && !labels.values.empty() && is_text(open_.front().label) != is_text(labels.values.front()))
            throw TypeMismatch(
                "The labels that are still due are of another kind: class labels must be all numbers or all text.");
        for (const Question& question : open_) model.require_suits(question.cells);
        lesson.prepare(model, labels, nullptr);
    }
    lesson.nodes_.resize(Lesson::kBlock);
    const double rate = budget_.params().rate;
    for (std::size_t at = begin; at < end;) {
        const std::size_t n = std::min(Lesson::kBlock, end - at), width = tree.n_columns();
        const double* rows = lesson.encode(model, nullptr, nullptr, at, n, lesson.block_);
        tree.route_block(rows, n, width, lesson.nodes_.data(), lesson.is_whole(width));
        moved_ = false;
        std::size_t i = 0;
        while (i < n && !moved_) {
            const double* row = rows + i * width;
            const std::uint32_t node = tree.route(row, lesson.nodes_[i]);
            tree.advance(1.0);
            budget_.see(times ? times[at + i] : 0.0);
            const std::uint32_t predicted = predictions[at + i] = tree.predict_at(node, row);
            Verdict verdict;
            if (budget_.allows()) verdict = strategy_.decide(evidence_at(tree, node, row, strategy_), rate, rng_);
            asked[at + i] = verdict.ask;
            if (verdict.ask) {
                budget_.ask();
                if (delay_ == 0) {
                    if (lesson.needs_ranks(model, row)) {
                        row = lesson.encode(model, &model, nullptr, at + i, 1, row_);
                        moved_ = true;
                    }
                    // Names of categories come first, as everywhere: both may be short of room.
                    const std::uint32_t y = lesson.class_to_learn(model, labels, at + i);
                    deliver(model, row, node, y, predicted != y, verdict.feeds);
                } else {
                    open_.push_back({static_cast<double>(budget_.seen() + delay_), predicted, verdict.feeds,
                                     labels.values[static_cast<std::size_t>(labels.codes[at + i])],
                                     lesson.cells_of(at + i)});
                }
            }
            if (!open_.empty()) answer_due(model);
            ++i;
        }
        at += i;
    }
}

void Trial::restore(const Model& model) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    if (background_) {
        background_->restore(kFormatNewest);
        model.require_heir(*background_);
    }
    require(open_.size() <= budget_.open(), "more questions are open than were asked");
    const auto seen = static_cast<double>(budget_.seen());
    double last = seen;
    for (const Question& question : open_) {
        require(question.due > seen && question.due >= last && question.due <= seen + static_cast<double>(delay_) &&
                    question.due == std::floor(question.due),
                "a label is due at no time");
        last = question.due;
        require(question.predicted == kNoClass || question.predicted < model.tree().n_classes(),
                "a prediction is no class");
        model.require_label(question.label);
        require(is_text(question.label) == is_text(open_.front().label), "labels are of two kinds");
        model.require_suits(question.cells);
        for (const Cell& cell : question.cells) require(!std::isnan(cell.number), "a missing value is listed");
    }
}

/// The labels whose time has come, in the order of their questions.
void Trial::answer_due(Model& model) {
    while (!open_.empty() && open_.front().due <= static_cast<double>(budget_.seen())) {
        const Question question = std::move(open_.front());
        open_.pop_front();
        const std::size_t names = model.schema().nbytes();
        model.require_label(question.label);
        model.require_suits(question.cells);
        model.encode_to_learn(question.cells, row_);
        const std::uint32_t y = model.add_class(question.label);
        model.require_fits();
        deliver(model, row_.data(), 0, y, question.predicted != y, question.feeds);
        moved_ = moved_ || model.schema().nbytes() != names;
    }
}

void Trial::deliver(Model& model, const double* row, std::uint32_t node, std::uint32_t y, bool error, bool feeds) {
    budget_.answer();
    const Orders orders = guard_ ? guard_->on_label(error, feeds) : Orders();
    // An example was counted when it was seen, and learning counts it again: the clock goes back by one before.
    const auto learn = [&](Model& learner, std::uint32_t from) {
        learner.tree_.advance(-1.0);
        learner.tree_.learn_from(from, learner.tree_.all_of(row), y, 1.0);
    };
    if (orders.renew_before) background_.reset();
    if (orders.train_background) learn(background(model), 0);
    if (orders.swap) {
        background(model);
        model = std::move(*background_);
        background_.reset();
        moved_ = true;
        node = 0;
    }
    if (orders.renew_after) background_.reset();
    if (orders.train_current) learn(model, node);
}

/// The background learner, with the model's names and clock; a new one if there is none.
Model& Trial::background(const Model& model) {
    if (!background_) background_.emplace(model.fresh());
    background_->adopt_names(model.schema());
    background_->advance(model.tree().t() - background_->tree().t());
    return *background_;
}

}  // namespace sapwood
