// A model that many threads may use: any number of readers, one writer.
//
// Learn calls are serialised and each batch is atomic among them. The writer lets readers in between blocks of rows,
// so predict and save see a state between two rows, and wait for a few thousand rows at most. A call that fails
// leaves the model as it was.
#pragma once

#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "sapwood/lesson.hpp"

namespace sapwood {

class SharedModel {
   public:
    explicit SharedModel(Model model) : model_(std::move(model)) {}

    /// Calls read(const Model&) while no writer changes it.
    template <class Read>
    decltype(auto) read(Read&& read) const {
        std::unique_lock door(door_);  // a waiting writer holds the door: readers cannot starve it
        std::shared_lock lock(state_);
        door.unlock();
        return std::forward<Read>(read)(std::as_const(model_));
    }

    /// Calls write(Model&) alone.
    template <class Write>
    decltype(auto) write(Write&& write) {
        std::lock_guard turn(turn_);
        std::unique_lock door(door_);
        std::unique_lock lock(state_);
        door.unlock();
        return std::forward<Write>(write)(model_);
    }

    /// Told after every `every` rows of a lesson, and at its end, how many rows are done, and how many of them were
    /// predicted right before they were learned.
    using Progress = std::function<void(std::size_t rows, std::size_t right, const Model&)>;

    /// Learns a batch in which every column of `fixed` is known from the start (the scikit-learn methods), or begins
    /// with its first value. With `predictions` it is test-then-train.
    void learn(const Batch& batch, const std::vector<Value>& names, bool fixed_columns, const Labels& labels,
               const double* weights, std::uint32_t* predictions = nullptr, std::size_t every = 0,
               const Progress& progress = {});

   private:
    static constexpr std::size_t kTurn = 4096;  // rows between two chances for readers

    mutable std::mutex door_;
    mutable std::shared_mutex state_;
    std::mutex turn_;
    Model model_;
};

}  // namespace sapwood
