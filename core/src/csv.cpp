#include "sapwood/csv.hpp"

#include <array>
#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

namespace sapwood {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers up to here are doubles
constexpr int kMostDigits = 19;                           // that surely fit in 64 bits
constexpr std::size_t kReach = 8;                         // bytes that are looked at at once

constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::array<std::uint64_t, 9> kWholePowers = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
constexpr std::array<std::string_view, 6> kMarks = {"NA", "NaN", "nan", "null", "None", "?"};

bool is_digit(char c) {
    return static_cast<unsigned char>(c - '0') < 10;
}

/// The value of eight digits, the first in the lowest byte.
std::uint64_t value_of_eight(std::uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    return (((digits & 0x000000FF000000FF) * 0x000F424000000064 +
             ((digits >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
            32);
}

/// Reads digits into `value`, which wraps if they are too many. Of few, the processor guesses how many come, and does
/// not wait for the answer.
const char* read_few_digits(const char* at, const char* end, std::uint64_t& value) {
    for (; at != end && is_digit(*at); ++at) value = value * 10 + static_cast<std::uint64_t>(*at - '0');
    return at;
}

/// The same, eight at a time.
const char* read_digits(const char* at, const char* end, std::uint64_t& value) {
    if constexpr (std::endian::native == std::endian::little) {
        while (static_cast<std::size_t>(end - at) >= kReach) {
            std::uint64_t bytes;
            std::memcpy(&bytes, at, sizeof bytes);
            bytes ^= 0x3030303030303030;  // digits become 0 to 9
            const std::uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
            if (!others) {
                value = value * kWholePowers[8] + value_of_eight(bytes);
                at += kReach;
                continue;
            }
            const int n = std::countr_zero(others) / 8;
            if (n == 0) return at;
            value = value * kWholePowers[static_cast<std::size_t>(n)] + value_of_eight(bytes << (64 - 8 * n));
            return at + n;
        }
    }
    return read_few_digits(at, end, value);
}

/// Reads a number at `at`, which is not at the end; nullptr if there is none or double cannot hold it.
const char* read_number(const char* at, const char* end, double& out) {
    const char* const begin = at;
    const bool negative = *at == '-';
    if (negative) ++at;
    std::uint64_t mantissa = 0;
    const char* const first = at;
    at = read_few_digits(at, end, mantissa);
    std::ptrdiff_t n_digits = at - first;
    std::int64_t exponent = 0;
    if (at != end && *at == '.') {
        const char* const point = ++at;
        at = read_digits(at, end, mantissa);
        exponent = point - at;
        n_digits += at - point;
    }
    if (n_digits == 0) return nullptr;
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        const bool below = at != end && *at == '-';
        if (at != end && (*at == '-' || *at == '+')) ++at;
        const char* const from = at;
        std::int64_t power = 0;
        for (; at != end && is_digit(*at); ++at) {
            if (power > 9999) return nullptr;
            power = power * 10 + (*at - '0');
        }
        if (at == from) return nullptr;
        exponent += below ? -power : power;
    }
    // Exact numbers and an exact power of ten: one operation rounds once (Clinger 1990).
    constexpr auto most = static_cast<std::int64_t>(kPowers.size()) - 1;
    if (FLT_EVAL_METHOD == 0 && n_digits <= kMostDigits && mantissa <= kExact && exponent >= -most &&
        exponent <= most) {
        const auto whole = static_cast<double>(static_cast<std::int64_t>(mantissa));
        const double size = exponent < 0 ? whole / kPowers[static_cast<std::size_t>(-exponent)]
                                         : whole * kPowers[static_cast<std::size_t>(exponent)];
        out = negative ? -size : size;
        return at;
    }
#if defined(__cpp_lib_to_chars)
    const auto [stop, error] = std::from_chars(begin, at, out);
    return error == std::errc{} && stop == at ? at : nullptr;
#else
    static_cast<void>(begin);
    return nullptr;
#endif
}

/// A line on its way through its fields.
struct Field {
    const char* at;
    const char* end;
    char delimiter;

    bool is_over(const char* p) const { return p == end || *p == delimiter || *p == '\n' || *p == '\r'; }

    /// Goes past a number or a mark of a missing value; false if it is neither.
    bool read(double& out) {
        if (at == end) return false;
        const char* stop = read_number(at, end, out);
        if (!stop) {
            if (*at == ' ' && delimiter != ' ') ++at;  // one, as before the marks
            if (at == end || *at == ' ') return false;
            stop = is_over(at) ? at : read_number(at, end, out);
            if (stop == at) out = kMissing;
        }
        if (!stop) {
            const char* over = at;
            while (!is_over(over)) ++over;
            const std::string_view text(at, static_cast<std::size_t>(over - at));
            for (const std::string_view mark : kMarks)
                if (text == mark) stop = over;
            out = kMissing;
        }
        if (!stop) return false;
        at = stop;
        return true;
    }

    bool read_whole(std::int64_t& out) {
        constexpr std::ptrdiff_t most = 18;
        const bool negative = at != end && *at == '-';
        std::uint64_t value = 0;
        const char* const first = at + negative;
        const char* const stop = read_few_digits(first, end, value);
        if (stop == first || stop - first > most) return false;
        out = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
        at = stop;
        return true;
    }

    /// The same, also with a plus, or with a point or an exponent, where it is below what double holds exactly.
    bool read_decimal(std::int64_t& out) {
        const char* const first = at;
        if (at != end && *at == '+' && at + 1 != end && is_digit(at[1])) ++at;
        if (read_whole(out) && is_over(at)) return true;
        at = first;
        double value = 0.0;
        if (!read(value) || !(std::abs(value) < static_cast<double>(kExact)) || value != std::floor(value))
            return false;
        out = static_cast<std::int64_t>(value);
        return true;
    }
};

/// Reads one line; returns the beginning of the next, or nullptr if it is not plain or not whole.
const char* read_line(const char* at, const char* end, bool final, const CsvLayout& layout, double* row,
                      std::int64_t* label) {
    Field field{at, end, layout.delimiter};
    if (field.at == end || *field.at == '\n' || *field.at == '\r') return nullptr;  // blank
    for (std::size_t j = 0; j < layout.n_columns; ++j) {
        if (j > 0) {
            if (field.at == end || *field.at != layout.delimiter) return nullptr;
            ++field.at;
        }
        if (j != layout.label) {
            if (field.at == end) {
                if (!final) return nullptr;
                *row++ = kMissing;
                continue;
            }
            if (!field.read(*row++)) return nullptr;
            continue;
        }
        if (!(layout.whole_label ? field.read_decimal(*label) : field.read_whole(*label))) return nullptr;
    }
    at = field.at;
    if (at == end) return final ? at : nullptr;
    if (*at == '\r' && at + 1 != end) ++at;
    return *at == '\n' ? at + 1 : nullptr;
}

}  // namespace

CsvStop read_csv(const char* begin, const char* end, bool final, const CsvLayout& layout, double* rows,
                 std::int64_t* labels, std::size_t room) {
    CsvStop stop{0, begin, CsvStop::Why::full};
    const std::size_t width = layout.n_columns - (layout.label < layout.n_columns ? 1 : 0);
    for (; stop.n_rows < room; ++stop.n_rows) {
        const char* next =
            stop.at == end ? nullptr
                           : read_line(stop.at, end, final, layout, rows + stop.n_rows * width, labels + stop.n_rows);
        if (!next) {
            const auto left = static_cast<std::size_t>(end - stop.at);
            const bool whole = left != 0 && (final || std::memchr(stop.at, '\n', left));
            stop.why = whole ? CsvStop::Why::odd : CsvStop::Why::end;
            return stop;
        }
        stop.at = next;
    }
    return stop;
}

}  // namespace sapwood
