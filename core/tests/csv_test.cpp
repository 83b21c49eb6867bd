// Proves that numbers are read from text to the last bit, that nothing is read beyond the end of the text, and that the
// reader stops before a line that is not plain.
#include "sapwood/csv.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.hpp"
#include "random.hpp"

using namespace sapwood;

namespace {

struct Read {
    std::vector<double> rows;
    std::vector<std::int64_t> labels;
    CsvStop stop;
    std::size_t at = 0;
};

/// The text is in memory of its own size, so that a sanitizer sees what is read beyond it.
Read read(const std::string& text, std::size_t n_columns, std::size_t label, bool final = true, bool whole = false,
          std::size_t room = 100) {
    const std::vector<char> bytes(text.begin(), text.end());
    CsvLayout layout;
    layout.n_columns = n_columns;
    layout.label = label;
    layout.whole_label = whole;
    Read result{std::vector<double>(room * n_columns), std::vector<std::int64_t>(room), {}, 0};
    result.stop = read_csv(bytes.data(), bytes.data() + bytes.size(), final, layout, result.rows.data(),
                           result.labels.data(), room);
    result.at = static_cast<std::size_t>(result.stop.at - bytes.data());
    return result;
}

bool reads_as(const std::string& text) {
    const Read found = read(text, 1, CsvLayout::kNoLabel);
    const double expected = std::strtod(text.c_str(), nullptr);
    return found.stop.n_rows == 1 &&
           std::bit_cast<std::uint64_t>(found.rows[0]) == std::bit_cast<std::uint64_t>(expected);
}

bool is_odd(const std::string& line, std::size_t n_columns = 2, bool whole = false) {
    const Read found = read("1,0\n" + line, n_columns, 1, true, whole);
    return found.stop.n_rows == 1 && found.at == 4 && found.stop.why == CsvStop::Why::odd;
}

}  // namespace

TEST(numbers_are_read_to_the_last_bit) {
    for (const char* text : {"0",
                             "-0",
                             "-0.0",
                             "1.",
                             ".5",
                             "-.5",
                             "0.1",
                             "123456789012345678",
                             "9007199254740993",
                             "9007199254740992",
                             "1e22",
                             "1e23",
                             "1e-22",
                             "1e-23",
                             "1.7976931348623157e308",
                             "1E+5",
                             "00012.50",
                             "0.000000000000000000000000123",
                             "179769313486231570000000000000",
                             "8.5e-1"})
        CHECK(reads_as(text));
    testing::Random random(7);
    char text[64];
    for (int i = 0; i < 200'000; ++i) {
        const double any = std::bit_cast<double>(random.next());
        const double unit = random.uniform() * ((i & 1) ? 1.0 : -1000.0);
        for (const double x : {any, unit}) {
            if (!std::isfinite(x) || (x != 0.0 && std::abs(x) < 1e-300)) continue;
            const int digits = i % 18;
            std::snprintf(text, sizeof text, "%.*e", digits, x);
            CHECK(reads_as(text) || std::isinf(std::strtod(text, nullptr)));
            if (std::abs(x) > 1e15) continue;
            std::snprintf(text, sizeof text, "%.*f", digits, x);
            CHECK(reads_as(text));
        }
    }
}

TEST(rows_labels_and_missing_values) {
    const Read found = read("1.5,0,-2\r\nNA,12,?\n,-3,null\n4,1,", 3, 1);
    CHECK_EQ(found.stop.n_rows, std::size_t{4});
    CHECK(found.stop.why == CsvStop::Why::end);
    CHECK_EQ(found.rows[0], 1.5);
    CHECK_EQ(found.rows[1], -2.0);
    CHECK(std::isnan(found.rows[2]) && std::isnan(found.rows[3]) && std::isnan(found.rows[4]));
    CHECK(std::isnan(found.rows[5]) && std::isnan(found.rows[7]));
    CHECK_EQ(found.rows[6], 4.0);
    CHECK_EQ(found.labels[0], std::int64_t{0});
    CHECK_EQ(found.labels[1], std::int64_t{12});
    CHECK_EQ(found.labels[2], std::int64_t{-3});
    CHECK_EQ(read("1,2e3\n", 2, 1, true, true).labels[0], std::int64_t{2000});
}

TEST(it_stops_before_what_is_not_plain) {
    for (const char* line : {"\n",     "1\n",    "1,0,0\n", "x,0\n",   "\"1\",0\n",
                             "1,x\n",  "1,\n",   "1,0.5\n", "1,1.0\n", "1e,0\n",
                             "+1,0\n", "1 ,0\n", "  1,0\n", "inf,0\n", "1e999,0\n",
                             "-,0\n",  ".,0\n",  "1,0 \n",  "NAN,0\n", "1,9999999999999999999\n",
                             "1,0\r",  "1,+1\n", "0x1,0\n"})
        CHECK(is_odd(line));
    CHECK(is_odd("1,1.5\n", 2, true));
    CHECK(is_odd("1,NA\n", 2, true));
    CHECK(is_odd("1,1e17\n", 2, true));
    CHECK(is_odd("1,+-1\n", 2, true));
}

TEST(whole_labels_are_exact_beyond_what_double_holds) {
    for (const char* line : {"1,9007199254740993\n", "1,+9007199254740993\n"})
        CHECK_EQ(read(line, 2, 1, true, true).labels[0], std::int64_t{9007199254740993});
    CHECK_EQ(read("1,9007199254740993\n", 2, 1).labels[0], std::int64_t{9007199254740993});
    CHECK_EQ(read("1,9007199254740991.0\n", 2, 1, true, true).labels[0], std::int64_t{9007199254740991});
    // Which of two whole numbers a decimal stood for is not known from here on.
    for (const char* line : {"1,9007199254740992.0\n", "1,9007199254740993.0\n"}) CHECK(is_odd(line, 2, true));
}

TEST(a_line_that_is_not_whole_waits) {
    const std::string text = "0.25,1\n0.123456789,1";
    for (std::size_t n = 7; n <= text.size(); ++n) {
        const Read found = read(text.substr(0, n), 2, 1, false);
        CHECK_EQ(found.stop.n_rows, std::size_t{1});
        CHECK_EQ(found.at, std::size_t{7});
        CHECK(found.stop.why == CsvStop::Why::end);
    }
    CHECK_EQ(read(text, 2, 1, true).stop.n_rows, std::size_t{2});
    const Read full = read("1,0\n2,1\n3,0\n", 2, 1, true, false, 2);
    CHECK_EQ(full.stop.n_rows, std::size_t{2});
    CHECK_EQ(full.at, std::size_t{8});
    CHECK(full.stop.why == CsvStop::Why::full);
}
