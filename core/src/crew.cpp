#include "sapwood/crew.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace sapwood {
namespace {

/// How a range ends that the caller wants no more.
struct Stopped {};

}  // namespace

void divide(std::size_t n, std::size_t threads,
            const std::function<void(std::size_t begin, std::size_t end, Watch*)>& work, Watch* watch) {
    constexpr std::size_t kMost = 256;  // more would only wait for each other
    const std::size_t n_ranges = std::max<std::size_t>(1, std::min({threads, n / kRowsPerThread, kMost}));
    std::vector<std::exception_ptr> thrown(n_ranges);
    std::atomic<bool> stopped = false;
    std::mutex ends;
    std::condition_variable ended;
    std::size_t n_ended = 0;
    const auto run = [&](std::size_t k, Watch* its_watch) noexcept {
        try {
            work(k * n / n_ranges, (k + 1) * n / n_ranges, its_watch);
        } catch (...) {
            thrown[k] = std::current_exception();
        }
    };
    const auto run_beside = [&](std::size_t k) noexcept {
        Watch obedient([&] {
            if (stopped) throw Stopped();
        });
        run(k, &obedient);
        std::lock_guard lock(ends);
        ++n_ended;
        ended.notify_one();
    };
    std::vector<std::thread> crew;
    crew.reserve(n_ranges - 1);
    std::size_t left = 1;  // the first range that no thread has taken; this one does the rest
    try {
        for (; left < n_ranges; ++left) crew.emplace_back(run_beside, left);
    } catch (const std::system_error&) {  // the system has no more threads
    }
    std::exception_ptr end;  // what the watch threw
    try {
        run(0, watch);
        for (; left < n_ranges && !thrown[0]; ++left) run(left, watch);
        std::unique_lock lock(ends);
        while (watch && !thrown[0] && !ended.wait_for(lock, Watch::kPeriod, [&] { return n_ended == crew.size(); })) {
            lock.unlock();
            watch->look();
            lock.lock();
        }
    } catch (...) {
        end = std::current_exception();
    }
    stopped = end || thrown[0];
    for (std::thread& member : crew) member.join();
    if (end) std::rethrow_exception(end);
    for (const std::exception_ptr& error : thrown)
        if (error) std::rethrow_exception(error);
}

}  // namespace sapwood
