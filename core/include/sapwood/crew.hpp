// Several threads for one batch: each asks a model about a range of its rows.
//
// The threads live for one call, so nothing is left behind for a fork or an exit to trip over. They only read, and what
// they write lies apart, so the answers are those of one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sapwood/lesson.hpp"

namespace sapwood {

/// Rows that are worth a thread: for fewer, to begin and end it costs more than it gains.
inline constexpr std::size_t kRowsPerThread = 8192;

/// Calls work(begin, end, watch) for ranges that make up [0, n), side by side in at most `threads` threads. When all
/// have ended, throws what the first range threw that failed. If the caller's watch ends the call, those that the other
/// ranges are given end them.
void divide(std::size_t n, std::size_t threads,
            const std::function<void(std::size_t begin, std::size_t end, Watch*)>& work, Watch* watch = nullptr);

/// Calls ask(lesson, first row) for a lesson of each range of a batch. Throws if the batch must be refused, perhaps
/// when some of it has been asked.
template <class Ask>
void ask_side_by_side(const Model& model, const Batch& batch, const std::vector<Value>& names, std::size_t threads,
                      Ask&& ask, Watch* watch = nullptr) {
    const auto about = [&](const Batch& rows, std::size_t first, Watch* its_watch) {
        Lesson lesson(rows, names, model);
        lesson.watched_by(its_watch);
        lesson.check(model);
        ask(lesson, first);
    };
    if (threads < 2 || batch.n_rows < 2 * kRowsPerThread) return about(batch, 0, watch);
    try {
        divide(
            batch.n_rows, threads,
            [&](std::size_t begin, std::size_t end, Watch* its) { about(batch.slice(begin, end), begin, its); }, watch);
    } catch (const std::invalid_argument&) {
        // The whole batch says what is wrong with it, as it would to one.
        Lesson(batch, names, model, batch.is_complete()).check(model);
        throw;
    }
}

}  // namespace sapwood
