#include "sapwood/value.hpp"

#include <cmath>
#include <functional>
#include <sstream>

namespace sapwood {

bool is_text(const Value& value) {
    return std::holds_alternative<std::string>(value);
}

bool is_utf8(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size();) {
        const auto first = static_cast<unsigned char>(bytes[i]);
        const std::size_t length = first < 0x80         ? 1
                                   : first >> 5 == 0x6  ? 2
                                   : first >> 4 == 0xe  ? 3
                                   : first >> 3 == 0x1e ? 4
                                                        : 0;
        if (length == 0 || i + length > bytes.size()) return false;
        std::uint32_t point = length == 1 ? first : first & (0x7fu >> length);
        for (std::size_t k = 1; k < length; ++k) {
            const auto next = static_cast<unsigned char>(bytes[i + k]);
            if (next >> 6 != 0x2) return false;
            point = point << 6 | (next & 0x3fu);
        }
        constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // a longer form than needed is refused
        if (point < kLeast[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return false;
        i += length;
    }
    return true;
}

double number_of(const Value& value) {
    if (const auto* b = std::get_if<bool>(&value)) return *b ? 1.0 : 0.0;
    if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
    return std::get<double>(value);
}

std::string to_text(const Value& value) {
    if (const auto* s = std::get_if<std::string>(&value)) return "'" + *s + "'";
    if (const auto* b = std::get_if<bool>(&value)) return *b ? "True" : "False";
    if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
    std::ostringstream out;
    out << std::get<double>(value);
    return out.str();
}

std::string shown(const Value& value) {
    constexpr std::size_t kShown = 60;
    const auto* text = std::get_if<std::string>(&value);
    if (!text || text->size() <= kShown) return to_text(value);
    std::size_t end = kShown;
    while (end > 0 && (static_cast<unsigned char>((*text)[end]) & 0xC0) == 0x80) --end;  // amid a character
    return to_text(text->substr(0, end) + "…");
}

std::size_t ValueHash::operator()(const Value& value) const {
    if (const auto* s = std::get_if<std::string>(&value)) return std::hash<std::string>{}(*s);
    return std::hash<double>{}(number_of(value));  // -0.0 and 0.0 hash alike
}

bool ValueEqual::operator()(const Value& a, const Value& b) const {
    if (is_text(a) != is_text(b)) return false;
    if (is_text(a)) return std::get<std::string>(a) == std::get<std::string>(b);
    const auto* i = std::get_if<std::int64_t>(&a);
    const auto* j = std::get_if<std::int64_t>(&b);
    if (i && j) return *i == *j;  // exact beyond 2^53
    if (number_of(a) != number_of(b)) return false;
    // Beyond 2^53 several whole numbers have one double: only that which has its value is equal to it.
    const auto is_exact = [](const std::int64_t* whole, double number) {
        constexpr double limit = 0x1p63;
        return !whole || (number < limit && static_cast<std::int64_t>(number) == *whole);
    };
    return is_exact(i, number_of(b)) && is_exact(j, number_of(a));
}

}  // namespace sapwood
