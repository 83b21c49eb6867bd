// Proves that a fork waits for a change, that its child gets free locks, and that a change which takes too long leaves
// the child an error and no half-changed thing.
#include "sapwood/locks.hpp"

#include <atomic>
#include <thread>

#include "check.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>

using namespace sapwood;

namespace {

/// Forks, and returns whether the child found what is to hold.
template <class Holds>
bool holds_in_child(Holds&& holds) {
    const pid_t child = fork();
    if (child == 0) _exit(holds() ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_whole(const Locks& locks) {
    try {
        locks.require_whole();
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

/// Another thread amid a change, until it is told to end.
struct Change {
    explicit Change(Locks& locks)
        : thread([this, &locks] {
              std::lock_guard turn(locks.turn);
              std::unique_lock state(locks.state);
              began = true;
              while (!ends) std::this_thread::yield();
          }) {
        while (!began) std::this_thread::yield();
    }
    ~Change() {
        ends = true;
        thread.join();
    }
    std::atomic<bool> began = false, ends = false;
    std::thread thread;
};

bool are_free(Locks& locks) {
    return locks.turn.try_lock() && locks.door.try_lock() && locks.state.try_lock();
}

}  // namespace

TEST(a_fork_waits_for_a_change_and_its_child_has_free_locks) {
    Locks locks, others;
    std::lock_guard turn(others.turn);  // held over several changes, and by nobody in the child
    std::atomic<bool> ended = false;
    Change change(locks);
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ended = true;
        change.ends = true;
    });
    CHECK(holds_in_child([&] { return ended && is_whole(locks) && are_free(locks) && are_free(others); }));
    later.join();
    CHECK(is_whole(locks));
}

TEST(a_change_that_takes_too_long_leaves_the_child_an_error) {
    const auto before = Locks::patience;
    Locks::patience = std::chrono::milliseconds(20);
    Locks locks, others;
    {
        Change change(locks);
        CHECK(holds_in_child([&] { return !is_whole(locks) && is_whole(others) && are_free(others); }));
        CHECK(is_whole(locks));  // in the parent it goes on
    }
    CHECK(holds_in_child([&] { return is_whole(locks); }));
    Locks::patience = before;
}
#endif
