// A model that many threads may use: any number of readers, one writer.
//
// Learn calls are serialised and each batch is atomic among them. The writer lets readers in between blocks of rows,
// so predict and save see a state between two rows, and wait for a few thousand rows at most. A learn call that
// fails leaves the model as it was; a trial that fails midway, on a label that comes late, does not. A call that its
// watch ends may have learned some rows, and says how many.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "sapwood/locks.hpp"
#include "sapwood/trial.hpp"
#include "sapwood/watch.hpp"

namespace sapwood {

/// Told, after `first` rows of a batch and then after each `every`, how many are done. Nothing if `every` is 0.
struct Reports {
    std::size_t first = 0, every = 0;
    std::function<void(std::size_t rows, const Model&)> tell;
};

/// What became of a batch.
struct Learned {
    std::size_t rows = 0;    // that the model has learned, or gone past
    bool on_others = false;  // it had learned before
    std::exception_ptr end;  // what the watch threw; null if all rows were learned
};

class SharedModel {
   public:
    explicit SharedModel(Model model) : model_(std::move(model)) {}

    /// Calls read(const Model&) while no writer changes it.
    template <class Read>
    decltype(auto) read(Read&& read) const {
        locks_.require_whole();
        std::unique_lock door(locks_.door);  // a waiting writer holds the door: readers cannot starve it
        std::shared_lock lock(locks_.state);
        door.unlock();
        return std::forward<Read>(read)(std::as_const(model_));
    }

    /// Calls write(Model&) alone.
    template <class Write>
    decltype(auto) write(Write&& write) {
        locks_.require_whole();
        std::lock_guard turn(locks_.turn);
        std::unique_lock door(locks_.door);
        std::unique_lock lock(locks_.state);
        door.unlock();
        return std::forward<Write>(write)(model_);
    }

    /// The same without waiting: return false, and do nothing, if another thread is at work or waits to be.
    template <class Read>
    bool try_read(Read&& read) const {
        locks_.require_whole();
        std::unique_lock door(locks_.door, std::try_to_lock);
        if (!door) return false;
        std::shared_lock lock(locks_.state, std::try_to_lock);
        door.unlock();
        if (!lock) return false;
        std::forward<Read>(read)(std::as_const(model_));
        return true;
    }
    template <class Write>
    bool try_write(Write&& write) {
        locks_.require_whole();
        std::unique_lock turn(locks_.turn, std::try_to_lock);
        if (!turn) return false;
        std::unique_lock lock(locks_.state, std::try_to_lock);
        if (!lock) return false;
        std::forward<Write>(write)(model_);
        return true;
    }

    /// Learns a batch in which every column of `fixed` is known from the start (the scikit-learn methods), or begins
    /// with its first value. With `predictions` it is test-then-train. If the watch ends the first batch of all, the
    /// model has learned nothing.
    Learned learn(const Batch& batch, const std::vector<Value>& names, bool fixed_columns, const Labels& labels,
                  const double* weights, std::uint32_t* predictions = nullptr, const Reports& reports = {},
                  Watch* watch = nullptr);
    /// Runs a trial over a batch.
    Learned run(Trial& trial, const Batch& batch, const std::vector<Value>& names, const Labels& labels,
                const double* times, std::uint32_t* predictions, std::uint8_t* asked, const Reports& reports,
                Watch* watch = nullptr);
    /// Makes the columns of a batch known, as learn() does with fixed columns.
    void declare(const Batch& batch, const std::vector<Value>& names);

   private:
    template <class Step>
    Learned step_through(const Batch& batch, const std::vector<Value>& names, bool fixed_columns, const Labels& labels,
                         const double* weights, bool labels_due, bool revocable, const Reports& reports, Watch* watch,
                         Step&& step);

    mutable Locks locks_;
    Model model_;
};

}  // namespace sapwood
