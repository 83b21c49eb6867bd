#include "sapwood/crew.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>

namespace sapwood {

void divide(std::size_t n, std::size_t threads, const std::function<void(std::size_t, std::size_t)>& work) {
    constexpr std::size_t kMost = 256;  // more would only wait for each other
    const std::size_t n_ranges = std::max<std::size_t>(1, std::min({threads, n / kRowsPerThread, kMost}));
    std::vector<std::exception_ptr> thrown(n_ranges);
    const auto run = [&](std::size_t k) noexcept {
        try {
            work(k * n / n_ranges, (k + 1) * n / n_ranges);
        } catch (...) {
            thrown[k] = std::current_exception();
        }
    };
    std::vector<std::thread> crew;
    crew.reserve(n_ranges - 1);
    std::size_t left = 1;  // the first range that no thread has taken; this one does the rest
    try {
        for (; left < n_ranges; ++left) crew.emplace_back(run, left);
    } catch (const std::system_error&) {  // the system has no more threads
    }
    run(0);
    for (; left < n_ranges; ++left) run(left);
    for (std::thread& member : crew) member.join();
    for (const std::exception_ptr& error : thrown)
        if (error) std::rethrow_exception(error);
}

}  // namespace sapwood
