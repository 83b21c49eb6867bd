#include "sapwood/shared_model.hpp"

#include <algorithm>

namespace sapwood {

namespace {

/// What is known of a batch's values.
struct Values {
    bool complete = true, finite = true;

    /// Looks at all of them; throws what the watch throws.
    Values(const Batch& batch, Watch* watch) {
        Turn turn(batch.is_sparse() ? 0 : batch.columns.size());
        for (std::size_t at = 0, end = 0; at < batch.n_rows && finite; at = end) {
            end = std::min(batch.n_rows, at + turn.rows());
            if (!batch.is_complete(at, end)) {
                complete = false;
                finite = batch.is_finite(at, end);
            }
            if (watch) watch->look();
        }
    }
    Values() = default;
};

}  // namespace

/// Checks a batch and gives it to step(model, lesson, begin, end) in turns, with readers let in between.
template <class Step>
Learned SharedModel::step_through(const Batch& batch, const std::vector<Value>& names, bool fixed_columns,
                                  const Labels& labels, const double* weights, bool labels_due, bool revocable,
                                  const Reports& reports, Watch* watch, Step&& step) {
    locks_.require_whole();
    std::lock_guard turns(locks_.turn);
    std::unique_lock<std::mutex> door(locks_.door, std::defer_lock);
    std::unique_lock<std::shared_mutex> lock(locks_.state, std::defer_lock);
    const auto enter = [&] {
        door.lock();
        lock.lock();
        door.unlock();
    };
    enter();
    Learned learned;
    learned.on_others = model_.tree().n_classes_learned() > 0;
    // What is refused changes nothing. A model that has learned nothing is easily put back, so its first batch may be
    // refused amid the lesson; of any other batch all values are looked at before.
    const bool by_block = revocable && !learned.on_others;
    const Model untouched = by_block ? model_ : Model();
    Values values;
    if (!by_block) {
        lock.unlock();  // the model stays as it is: it is our turn
        try {
            values = Values(batch, watch);
        } catch (...) {
            learned.end = std::current_exception();
            return learned;
        }
        enter();
    }
    const auto lesson_for = [&](const Model& model) {
        return by_block ? Lesson(batch, names, model) : Lesson(batch, names, model, values.complete, values.finite);
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
    Turn turn(batch.is_sparse() ? 0 : batch.columns.size());
    for (std::size_t at = 0; at < batch.n_rows;) {
        std::size_t end = std::min(batch.n_rows, at + turn.rows());
        if (next_report) end = std::min(end, next_report);
        turn.begin();
        try {
            step(model, lesson, at, end);
        } catch (...) {
            if (by_block) model_ = untouched;
            throw;
        }
        learned.rows = at = end;
        if (next_report && at == next_report) {
            reports.tell(at, model);
            next_report = at + reports.every;
        }
        if (at == batch.n_rows) break;
        turn.end();
        lock.unlock();
        try {
            if (watch) watch->look();
        } catch (...) {
            learned.end = std::current_exception();
        }
        enter();
        if (learned.end) break;
    }
    if (learned.end && by_block) {
        model_ = untouched;
        learned.rows = 0;
    } else if (on_a_copy) {
        try {
            copy.require_fits();
            model_ = std::move(copy);
        } catch (const std::invalid_argument&) {
            if (!learned.end) throw;
            learned.rows = 0;
        }
    }
    return learned;
}

Learned SharedModel::learn(const Batch& batch, const std::vector<Value>& names, bool fixed_columns,
                           const Labels& labels, const double* weights, std::uint32_t* predictions,
                           const Reports& reports, Watch* watch) {
    return step_through(batch, names, fixed_columns, labels, weights, false, true, reports, watch,
                        [&](Model& model, Lesson& lesson, std::size_t begin, std::size_t end) {
                            lesson.learn(model, labels, weights, begin, end, predictions);
                        });
}

Learned SharedModel::run(Trial& trial, const Batch& batch, const std::vector<Value>& names, const Labels& labels,
                         const double* times, std::uint32_t* predictions, std::uint8_t* asked, const Reports& reports,
                         Watch* watch) {
    return step_through(batch, names, true, labels, nullptr, trial.n_open() > 0, false, reports, watch,
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
