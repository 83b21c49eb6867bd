#include "sapwood/shared_model.hpp"

#include <algorithm>

namespace sapwood {
/// Checks a batch and gives it to step(model, lesson, begin, end) in turns, with readers let in between.
template <class Step>
void SharedModel::step_through(const Batch& batch, const std::vector<Value>& names, bool fixed_columns,
                               const Labels& labels, const double* weights, bool labels_due, bool revocable,
                               const Reports& reports, Step&& step) {
    std::lock_guard turn(turn_);
    std::unique_lock<std::mutex> door(door_, std::defer_lock);
    std::unique_lock<std::shared_mutex> lock(state_, std::defer_lock);
    const auto enter = [&] {
        door.lock();
        lock.lock();
        door.unlock();
    };
    enter();
    // What is refused changes nothing. A model that has learned nothing is easily put back, so its first batch may be
    // refused amid the lesson; of any other batch all values are looked at before.
    const bool by_block = revocable && model_.tree().t() == 0.0;
    const Model untouched = by_block ? model_ : Model();
    const bool complete = !by_block && batch.is_complete();
    const auto lesson_for = [&](const Model& model) {
        return by_block ? Lesson(batch, names, model) : Lesson(batch, names, model, complete);
    };
    const Lesson first = lesson_for(model_);
    first.check(model_, labels, weights);
    // A byte-bounded model may turn out too small for new names: it learns them on a copy.
    const bool on_a_copy = model_.tree().params().max_bytes && (labels_due || first.brings_new_names(model_, labels));
    Model copy = on_a_copy ? model_ : Model();
    Model& model = on_a_copy ? copy : model_;
    if (fixed_columns) add_fixed_columns(model, batch, names);
    for (const Value& label : labels.declared) model.add_class(label);
    Lesson lesson = lesson_for(model);
    std::size_t next_report = reports.every ? reports.first : 0;
    for (std::size_t at = 0; at < batch.n_rows;) {
        std::size_t end = std::min(batch.n_rows, at + kTurn);
        if (next_report) end = std::min(end, next_report);
        try {
            step(model, lesson, at, end);
        } catch (...) {
            if (by_block) model_ = untouched;
            throw;
        }
        at = end;
        if (next_report && at == next_report) {
            reports.tell(at, model);
            next_report = at + reports.every;
        }
        if (!on_a_copy && at < batch.n_rows) {
            lock.unlock();
            enter();
        }
    }
    if (on_a_copy) {
        copy.require_fits();
        model_ = std::move(copy);
    }
}

void SharedModel::learn(const Batch& batch, const std::vector<Value>& names, bool fixed_columns, const Labels& labels,
                        const double* weights, std::uint32_t* predictions, const Reports& reports) {
    step_through(batch, names, fixed_columns, labels, weights, false, true, reports,
                 [&](Model& model, Lesson& lesson, std::size_t begin, std::size_t end) {
                     lesson.learn(model, labels, weights, begin, end, predictions);
                 });
}

void SharedModel::run(Trial& trial, const Batch& batch, const std::vector<Value>& names, const Labels& labels,
                      const double* times, std::uint32_t* predictions, std::uint8_t* asked, const Reports& reports) {
    step_through(batch, names, true, labels, nullptr, trial.n_open() > 0, false, reports,
                 [&](Model& model, Lesson& lesson, std::size_t begin, std::size_t end) {
                     trial.run(model, lesson, labels, times, begin, end, predictions, asked);
                 });
}

void SharedModel::declare(const Batch& batch, const std::vector<Value>& names) {
    write([&](Model& model) {
        Lesson(batch, names, model, batch.is_complete()).check(model);
        add_fixed_columns(model, batch, names);
    });
}

}  // namespace sapwood
