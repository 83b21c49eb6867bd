// The names around a tree: its columns, their categories, and its classes, each in the order of first appearance.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "sapwood/leaf.hpp"
#include "sapwood/value.hpp"

namespace sapwood {

/// Values numbered from 0 in the order in which they were added.
class Names {
   public:
    std::optional<std::uint32_t> find(const Value& value) const;
    /// The number of a known value, or the next one. -0 and 0 are one value, which is kept as 0.
    std::uint32_t add(const Value& value);
    std::size_t size() const { return values_.size(); }
    const Value& operator[](std::size_t i) const { return values_[i]; }
    const std::vector<Value>& values() const { return values_; }
    std::size_t nbytes() const { return nbytes_; }
    /// What nbytes would grow by.
    static std::size_t cost_of(const Value& value);

    template <class Archive>
    void archive(Archive& a) {
        if constexpr (Archive::kReads) {
            std::vector<Value> values;
            a(values);
            *this = Names();
            for (const Value& value : values) add(value);
            if (size() != values.size()) throw std::invalid_argument("a name is there twice");
        } else {
            a(values_);
        }
    }

   private:
    std::vector<Value> values_;
    std::unordered_map<Value, std::uint32_t, ValueHash, ValueEqual> numbers_;
    std::size_t nbytes_ = 0;
};

struct Schema {
    Names columns;
    std::vector<Kind> kinds;        // per column
    std::vector<Names> categories;  // per column; empty for numbers
    Names classes;
    Names declared_categorical;  // columns, known or not, whose numbers are categories

    void add_column(const Value& name, Kind kind);
    std::size_t nbytes() const;
    /// What nbytes would grow by.
    static std::size_t cost_of_column(const Value& name);

    template <class Archive>
    void archive(Archive& a) {
        a(columns, kinds, categories, classes, declared_categorical);
    }
    void restore() const;
};

}  // namespace sapwood
