// A value that came from outside: a class label, a category or a column name.
//
// Numbers are equal when they are numerically equal, whatever their type (1, 1.0 and true are one label, as in Python);
// the representation that came first is the one that is kept and given back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace sapwood {

using Value = std::variant<bool, std::int64_t, double, std::string>;

bool is_text(const Value& value);

/// Whether the bytes are UTF-8, as all text of a model is.
bool is_utf8(std::string_view bytes);

/// The number held; only for values that are not text.
double number_of(const Value& value);

/// How the value is written in messages: 'red', 3, 0.5, True.
std::string to_text(const Value& value);

/// The same, not too long.
std::string shown(const Value& value);

struct ValueHash {
    std::size_t operator()(const Value& value) const;
};

struct ValueEqual {
    bool operator()(const Value& a, const Value& b) const;
};

}  // namespace sapwood
