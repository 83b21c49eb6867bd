// A very small test harness: TEST registers, CHECK* report and go on, main runs all and counts.
// One source file per executable, so that main can live here.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace check {

struct Test {
    const char* name;
    void (*run)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

struct Registered {
    Registered(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

/// Failures of the running test.
inline int& failures() {
    static int count = 0;
    return count;
}

inline void fail(const char* file, int line, const std::string& message) {
    constexpr int kMostPrinted = 10;  // a broken loop need not fill the screen
    if (++failures() <= kMostPrinted) std::printf("%s:%d: %s\n", file, line, message.c_str());
}

inline void require(bool holds, const char* file, int line, const char* what) {
    if (!holds) fail(file, line, std::string(what) + " is false");
}

inline std::string show(std::string_view text) {
    constexpr std::size_t kLongest = 200;
    std::string out = "\"";
    for (const char c : text.substr(0, kLongest)) out += c >= ' ' && c <= '~' ? c : '.';
    out += text.size() > kLongest ? "...\"" : "\"";
    return out;
}

template <class T>
std::string show(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_enum_v<T>) {
        return "choice " + std::to_string(static_cast<long long>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(value));
        return digits;
    } else if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
        return show(std::string_view(value));
    } else {
        return "(a value that cannot be shown)";
    }
}

template <class T>
inline constexpr bool is_number = std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;

template <class A, class B>
bool equal(const A& a, const B& b) {
    if constexpr (is_number<A> && is_number<B>)
        return std::cmp_equal(a, b);
    else
        return a == b;
}

template <class A, class B>
void require_equal(const char* file, int line, const char* what, const A& a, const B& b) {
    if (!equal(a, b)) fail(file, line, std::string(what) + " differ: " + show(a) + " and " + show(b));
}

inline void require_near(const char* file, int line, const char* what, double a, double b, double tolerance) {
    if (!(std::fabs(a - b) <= tolerance))  // also when one is not a number
        fail(file, line,
             std::string(what) + " differ: " + show(a) + " and " + show(b) + ", by more than " + show(tolerance));
}

/// Every refusal of the core is a std::invalid_argument, and says what is wrong.
template <class Body>
void require_throws(const char* file, int line, const char* what, const char* part, Body&& body) {
    try {
        body();
    } catch (const std::invalid_argument& error) {
        if (!std::strstr(error.what(), part))
            fail(file, line, std::string(what) + " threw " + show(error.what()) + ", without " + show(part));
        return;
    } catch (const std::exception& error) {
        return fail(file, line, std::string(what) + " threw another exception: " + show(error.what()));
    }
    fail(file, line, std::string(what) + " threw nothing");
}

inline int run_all(std::string_view only) {
    int passed = 0, failed = 0;
    for (const Test& test : tests()) {
        if (std::string_view(test.name).find(only) == std::string_view::npos) continue;
        failures() = 0;
        try {
            test.run();
        } catch (const std::exception& error) {
            fail(test.name, 0, std::string("an exception left the test: ") + error.what());
        }
        if (failures()) std::printf("FAILED %s (%d)\n", test.name, failures());
        ++(failures() ? failed : passed);
        std::fflush(stdout);
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed || passed == 0 ? 1 : 0;
}

}  // namespace check

#define TEST(name)                                                        \
    static void test_##name();                                            \
    static const check::Registered registered_##name(#name, test_##name); \
    static void test_##name()
#define CHECK(expr) check::require(static_cast<bool>(expr), __FILE__, __LINE__, #expr)
#define CHECK_EQ(a, b) check::require_equal(__FILE__, __LINE__, #a " and " #b, a, b)
#define CHECK_NEAR(a, b, tolerance) check::require_near(__FILE__, __LINE__, #a " and " #b, a, b, tolerance)
#define CHECK_THROWS(expr, part) \
    check::require_throws(__FILE__, __LINE__, #expr, part, [&] { static_cast<void>(expr); })

/// Runs the tests whose name contains the argument; all of them without one.
int main(int argc, char** argv) {
    return check::run_all(argc > 1 ? argv[1] : "");
}
