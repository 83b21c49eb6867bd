// Delimited text of plain numbers, read straight into rows.
//
// Only what has one meaning is read: numbers in decimal, the usual marks of a missing value, whole-numbered labels, one
// line per row. At anything else (a quote, text, a line with too few fields, a number that double cannot hold) the
// reader stops before the line, for one that knows all rules to go on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sapwood {

struct CsvLayout {
    static constexpr std::size_t kNoLabel = static_cast<std::size_t>(-1);

    char delimiter = ',';
    std::size_t n_columns = 0;     // with the label
    std::size_t label = kNoLabel;  // its column
    bool whole_label = false;      // a label may be written as a decimal number that is whole: 1.0, 2e3
};

/// Where a reader stopped, and why.
struct CsvStop {
    enum class Why : std::uint8_t { full, end, odd };

    std::size_t n_rows = 0;  // read
    const char* at = nullptr;
    Why why = Why::end;  // `full`: there is no room; `end`: no whole line is left; `odd`: the line is not plain
};

/// Reads lines from [begin, end) into at most `room` rows of numbers, NaN where missing, and as many labels. The last
/// line needs no newline if `final`. Numbers are rounded to nearest, as strtod does.
CsvStop read_csv(const char* begin, const char* end, bool final, const CsvLayout& layout, double* rows,
                 std::int64_t* labels, std::size_t room);

}  // namespace sapwood
