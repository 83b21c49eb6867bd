#include "sapwood/shared_model.hpp"

#include <algorithm>

namespace sapwood {
/// Checks a batch and gives it to step(model, lesson, begin, end) in turns, with readers let in between.
template <class Step>
void SharedModel::step_through(const Batch& batch, const std::vector<Value>& names, bool fixed_columns,
                               const Labels& labels, const double* weights, bool labels_due, const Reports& reports,
                               Step&& step) {
    std::lock_guard turn(turn_);
    std::unique_lock<std::mutex> door(door_, std::defer_lock);
    std::unique_lock<std::shared_mutex> lock(state_, std::defer_lock);
    const auto enter = [&] {
        door.lock();
        lock.lock();
        door.unlock();
    };
    enter();
    const bool complete = batch.is_complete();
    const Lesson first(batch, names, model_, complete);
    first.check(model_, labels, weights);
    // A byte-bounded model may turn out too small for new names: it learns them on a copy.
    const bool on_a_copy = model_.tree().params().max_bytes && (labels_due || first.brings_new_names(model_, labels));
    Model copy = on_a_copy ? model_ : Model();
    Model& model = on_a_copy ? copy : model_;
    if (fixed_columns) add_fixed_columns(model, batch, names);
    Lesson lesson(batch, names, model, complete);
    std::size_t next_report = reports.every ? reports.first : 0;
    for (std::size_t at = 0; at < batch.n_rows;) {
        std::size_t end = std::min(batch.n_rows, at + kTurn);
        if (next_report) end = std::min(end, next_report);
        step(model, lesson, at, end);
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
    step_through(batch, names, fixed_columns, labels, weights, false, reports,
                 [&](Model& model, Lesson& lesson, std::size_t begin, std::size_t end) {
                     lesson.learn(model, labels, weights, begin, end, predictions);
                 });
}

void SharedModel::run(Trial& trial, const Batch& batch, const std::vector<Value>& names, const Labels& labels,
                      const double* times, std::uint32_t* predictions, std::uint8_t* asked, const Reports& reports) {
    step_through(batch, names, true, labels, nullptr, trial.n_open() > 0, reports,
                 [&](Model& model, Lesson& lesson, std::size_t begin, std::size_t end) {
                     trial.run(model, lesson, labels, times, begin, end, predictions, asked);
                 });
}

void SharedModel::declare(const Batch& batch, const std::vector<Value>& names) {
    write([&](Model& model) {
        Lesson(batch, names, model).check(model);
        add_fixed_columns(model, batch, names);
    });
}

}  // namespace sapwood
