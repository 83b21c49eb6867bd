// Proves what makes two outside values the same (1, 1.0 and true), that equal values hash alike, and how they are
// written in messages.
#include "sapwood/value.hpp"

#include <cstdint>
#include <limits>

#include "check.hpp"

using namespace sapwood;

namespace {

const ValueEqual same;
const ValueHash hash;

}  // namespace

TEST(numbers_are_equal_whatever_their_type) {
    const Value one[] = {true, std::int64_t{1}, 1.0};
    for (const Value& a : one) {
        for (const Value& b : one) {
            CHECK(same(a, b));
            CHECK_EQ(hash(a), hash(b));
        }
        CHECK(!same(a, Value(false)));
        CHECK(!same(a, Value(std::int64_t{2})));
        CHECK(!same(a, Value(1.5)));
    }
    CHECK(same(Value(false), Value(0.0)));
    CHECK(same(Value(0.0), Value(-0.0)));
    CHECK_EQ(hash(Value(0.0)), hash(Value(-0.0)));
    CHECK_EQ(hash(Value(false)), hash(Value(-0.0)));
}

TEST(text_is_never_a_number) {
    CHECK(!same(Value(std::string("1")), Value(std::int64_t{1})));
    CHECK(!same(Value(1.0), Value(std::string("1.0"))));
    CHECK(!same(Value(std::string("True")), Value(true)));
    CHECK(same(Value(std::string("red")), Value(std::string("red"))));
    CHECK(!same(Value(std::string("red")), Value(std::string("Red"))));
    CHECK_EQ(hash(Value(std::string("red"))), hash(Value(std::string("red"))));
}

TEST(large_integers_are_compared_exactly) {
    constexpr std::int64_t kBeyondDouble = (std::int64_t{1} << 53) + 1;
    CHECK(!same(Value(kBeyondDouble), Value(kBeyondDouble - 1)));
    CHECK(same(Value(kBeyondDouble), Value(kBeyondDouble)));
    constexpr double kDouble = 9007199254740992.0;  // 2^53, and what 2^53 + 1 is rounded to
    CHECK(!same(Value(kBeyondDouble), Value(kDouble)));
    CHECK(!same(Value(kDouble), Value(kBeyondDouble)));
    CHECK(same(Value(kBeyondDouble - 1), Value(kDouble)));
    CHECK(!same(Value(std::numeric_limits<std::int64_t>::max()), Value(0x1p63)));
    CHECK(same(Value(std::numeric_limits<std::int64_t>::min()), Value(-0x1p63)));
    CHECK(!same(Value(std::int64_t{-7}), Value(std::int64_t{7})));
}

TEST(number_of_and_is_text) {
    CHECK_EQ(number_of(Value(true)), 1.0);
    CHECK_EQ(number_of(Value(false)), 0.0);
    CHECK_EQ(number_of(Value(std::int64_t{-3})), -3.0);
    CHECK_EQ(number_of(Value(2.5)), 2.5);
    CHECK(is_text(Value(std::string())));
    CHECK(!is_text(Value(0.0)));
    CHECK(!is_text(Value(false)));
}

TEST(values_are_written_as_python_writes_them) {
    CHECK_EQ(to_text(Value(std::string("red"))), "'red'");
    CHECK_EQ(to_text(Value(std::string())), "''");
    CHECK_EQ(to_text(Value(true)), "True");
    CHECK_EQ(to_text(Value(false)), "False");
    CHECK_EQ(to_text(Value(std::int64_t{-12})), "-12");
    CHECK_EQ(to_text(Value(0.5)), "0.5");
}

TEST(utf_8_is_told_from_other_bytes) {
    for (const char* text :
         {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xb3", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"})
        CHECK(is_utf8(text));
    CHECK(is_utf8(std::string("nul\0inside", 10)));
    for (const char* text :
         {"\xff", "\x80", "a\xbf", "\xc3", "\xc3(", "\xe2\x82", "\xe2\x82(", "\xf0\x9f\x8c", "\xc3\xa9\xa9"})
        CHECK(!is_utf8(text));
    CHECK(!is_utf8("\xc0\xaf"));          // overlong
    CHECK(!is_utf8("\xe0\x80\xaf"));      // overlong
    CHECK(!is_utf8("\xf0\x80\x80\xaf"));  // overlong
    CHECK(!is_utf8("\xed\xa0\x80"));      // half of a surrogate pair
    CHECK(!is_utf8("\xf4\x90\x80\x80"));  // beyond the last character
    CHECK(!is_utf8("\xf8\x88\x80\x80\x80"));
}
