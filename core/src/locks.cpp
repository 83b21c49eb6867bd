#include "sapwood/locks.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define SAPWOOD_FORKS 1
#endif

namespace sapwood {

/// All locks that there are, for a fork to go through.
struct Forks {
    std::mutex mutex;
    Locks* first = nullptr;

    static Forks& all() {
        static Forks* forks = new Forks;  // never destroyed: a thread may outlive the static objects
        return *forks;
    }
    Forks() {
#ifdef SAPWOOD_FORKS
        pthread_atfork([] { all().prepare(); }, [] { all().go_on(); }, [] { all().begin_anew(); });
#endif
    }

    /// Waits until nobody is amid a change. Changes are short.
    void prepare() {
        mutex.lock();
        const auto late = std::chrono::steady_clock::now() + Locks::patience;
        for (Locks* locks = first; locks; locks = locks->after_) {
            while (!(locks->held_ = locks->state.try_lock_shared()) && std::chrono::steady_clock::now() < late)
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
    /// In the parent.
    void go_on() {
        for (Locks* locks = first; locks; locks = locks->after_) {
            if (locks->held_) locks->state.unlock_shared();
            locks->held_ = false;
        }
        mutex.unlock();
    }
    /// In the child.
    void begin_anew() {
        for (Locks* locks = first; locks; locks = locks->after_) locks->renew();
        mutex.unlock();  // which this thread locked
    }
};

Locks::Locks() {
    Forks& forks = Forks::all();
    std::lock_guard lock(forks.mutex);
    after_ = forks.first;
    if (after_) after_->before_ = this;
    forks.first = this;
}

Locks::~Locks() {
    Forks& forks = Forks::all();
    std::lock_guard lock(forks.mutex);
    (before_ ? before_->after_ : forks.first) = after_;
    if (after_) after_->before_ = before_;
}

/// They are not destroyed before: whoever held them is not there to let them go.
void Locks::renew() {
    std::construct_at(&turn);
    std::construct_at(&door);
    std::construct_at(&state);
    is_torn_ = is_torn_ || !held_;
    held_ = false;
}

void Locks::refuse() {
    throw std::runtime_error(
        "Another thread was amid a change of this model when the process was forked, and it is of no use in the child. "
        "Save it before and load it here, or start the process by spawn.");
}

}  // namespace sapwood
