// The locks of a thing that many may read and one may change, which a fork leaves whole.
//
// A child of a fork has only the thread that forked: locks that others held would stay locked in it for ever, and what
// others were changing would stay half-changed. So a fork waits until nobody is amid a change, and lets nobody begin
// one; the child gets new locks.
#pragma once

#include <chrono>
#include <mutex>
#include <shared_mutex>

namespace sapwood {

class Locks {
   public:
    Locks();
    ~Locks();
    Locks(const Locks&) = delete;
    Locks& operator=(const Locks&) = delete;

    std::mutex turn;          // of those who change it; held over several changes
    std::mutex door;          // a waiting writer holds it: readers cannot starve it
    std::shared_mutex state;  // held for one change, or for one look

    /// Throws std::runtime_error in the child of a fork that came amid a change.
    void require_whole() const {
        if (is_torn_) [[unlikely]]
            refuse();
    }
    /// How long a fork waits for one change.
    static inline std::chrono::milliseconds patience{10000};

   private:
    friend struct Forks;
    void renew();
    [[noreturn]] static void refuse();

    bool held_ = false;                           // for a fork
    bool is_torn_ = false;                        // in a child: another thread was amid a change
    Locks *before_ = nullptr, *after_ = nullptr;  // among all
};

}  // namespace sapwood
