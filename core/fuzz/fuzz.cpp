// Reads states that were made to deceive. Each begins as the state of a real learner; some fields get other contents,
// some bytes are changed, and length and checksum are made anew. It must be refused, or work like any other.
//
//     fuzz [KIND | all] [COUNT] [FIRST]
//
// An input is made from its number alone, so that `fuzz KIND 1 NUMBER` repeats it.
#include "fuzz.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

using namespace sapwood::testing;

namespace {

struct Named {
    const char* name;
    StateKind (*make)();
};
constexpr Named kKinds[] = {{"model", models},   {"detector", detectors},  {"guard", guards},
                            {"budget", budgets}, {"strategy", strategies}, {"trial", trials}};

struct Current {
    const char* kind = "";
    std::uint64_t number = 0;
} current;

void tell_current() {
    std::fprintf(stderr, "fuzz: input %llu of the kind %s; again: fuzz %s 1 %llu\n",
                 static_cast<unsigned long long>(current.number), current.kind, current.kind,
                 static_cast<unsigned long long>(current.number));
}

/// Some fields, from the last to the first, with lies or with what another field of their type holds.
std::string with_lies(const StateKind& kind, const Fields& seed, Random& random) {
    std::string state = seed.bytes();
    std::vector<std::size_t> which;
    for (std::size_t n = 1 + random.below(3); n > 0; --n) which.push_back(random.below(seed.all().size()));
    std::sort(which.rbegin(), which.rend());
    std::size_t end = state.size();
    for (const std::size_t i : which) {
        const Fields::Field& field = seed.all()[i];
        if (field.end > end) continue;  // a list around a field that was changed
        end = field.begin;
        std::string content = lie(seed, field, random);
        if (random.chance(0.2)) {
            const Fields& other = kind.seeds[random.below(kind.seeds.size())];
            const Fields::Field& theirs = other.all()[random.below(other.all().size())];
            if (theirs.type == field.type) content = other.content(theirs);
        }
        state.replace(field.begin, field.end - field.begin, content);
    }
    return state;
}

std::string with_noise(const StateKind& kind, std::string state, Random& random) {
    for (std::size_t n = 1 + random.below(3); n > 0 && !state.empty(); --n) {
        const std::size_t at = random.below(state.size()), rest = state.size() - at;
        switch (random.below(6)) {
            case 0: state[at] = static_cast<char>(random.next()); break;
            case 1: state[at] = static_cast<char>(state[at] ^ (1 << random.below(8))); break;
            case 2: state.erase(at, 1 + random.below(std::min<std::size_t>(rest, 9))); break;
            case 3: state.insert(at, state.substr(at, 1 + random.below(std::min<std::size_t>(rest, 20)))); break;
            case 4: state.insert(at, 1 + random.below(4), "\0\1\x7f\xff"[random.below(4)]); break;
            default: {
                const std::string& other = kind.seeds[random.below(kind.seeds.size())].bytes();
                if (at < other.size()) state = state.substr(0, at) + other.substr(at);
            }
        }
    }
    return state;
}

bool run(const StateKind& kind, std::uint64_t count, std::uint64_t first) {
    current.kind = kind.name;
    std::uint64_t accepted = 0, failed = 0;
    for (current.number = first; current.number < first + count; ++current.number) {
        alarm(60);  // an input that takes so long is a failure, too
        Random random(current.number * 0x9e3779b97f4a7c15u + static_cast<unsigned char>(kind.name[0]));
        const std::size_t seed = random.below(kind.seeds.size());
        std::string state = random.chance(0.75) ? with_lies(kind, kind.seeds[seed], random) : kind.seeds[seed].bytes();
        if (random.chance(0.35)) state = with_noise(kind, std::move(state), random);
        try {
            kind.live(state, seed, random);
            ++accepted;
        } catch (const std::invalid_argument&) {
        } catch (const std::exception& error) {
            tell_current();
            std::fprintf(stderr, "fuzz: %s: ", error.what());
            for (const char byte : state) std::fprintf(stderr, "%02x", static_cast<unsigned char>(byte));
            std::fprintf(stderr, "\n");
            if (++failed == 20) break;
        }
    }
    alarm(0);
    std::printf("%s: %llu inputs, %llu accepted, %llu failed\n", kind.name, static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(accepted), static_cast<unsigned long long>(failed));
    std::fflush(stdout);
    return failed == 0;
}

}  // namespace

extern "C" void __sanitizer_set_death_callback(void (*callback)());

int main(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "all";
    const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
    const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
    __sanitizer_set_death_callback(&tell_current);
    bool passed = true, known = false;
    for (const auto& [name, make] : kKinds) {
        if (wanted != "all" && wanted != name) continue;
        known = true;
        passed = run(make(), count, first) && passed;
    }
    return passed && known ? 0 : 1;
}
