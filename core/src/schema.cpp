#include "sapwood/schema.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sapwood {

std::optional<std::uint32_t> Names::find(const Value& value) const {
    const auto found = numbers_.find(value);
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
}

std::uint32_t Names::add(const Value& given) {
    const auto* number = std::get_if<double>(&given);
    const Value value = number && *number == 0.0 ? Value(0.0) : given;
    const auto [entry, fresh] = numbers_.try_emplace(value, static_cast<std::uint32_t>(values_.size()));
    if (fresh) {
        values_.push_back(value);
        nbytes_ += cost_of(value);
    }
    return entry->second;
}

std::size_t Names::cost_of(const Value& value) {
    // The value twice (list and map), the map's links and bucket, and the heap part of a long text, each with the
    // allocator's header.
    constexpr std::size_t kEntry = 2 * sizeof(Value) + 5 * sizeof(void*) + 16;
    const auto* text = std::get_if<std::string>(&value);
    return kEntry + (text && text->size() > 15 ? 2 * (text->size() + 1 + 16) : 0);
}

void Schema::add_column(const Value& name, Kind kind) {
    columns.add(name);
    kinds.push_back(kind);
    categories.emplace_back();
}

void Schema::restore() const {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    const auto is_number = [](const Value& value, bool whole) {
        const auto* x = std::get_if<double>(&value);
        return !x || (std::isfinite(*x) && (!whole || *x == std::floor(*x)));
    };
    const auto of_one_kind = [&](const Names& names, bool whole) {
        return std::all_of(names.values().begin(), names.values().end(), [&](const Value& value) {
            return is_text(value) == is_text(names[0]) && is_number(value, whole);
        });
    };
    require(kinds.size() == columns.size() && categories.size() == columns.size(), "a column has no kind");
    require(of_one_kind(classes, true), "a class is no label");
    for (std::size_t j = 0; j < columns.size(); ++j)
        require(of_one_kind(categories[j], false) && (kinds[j] == Kind::categorical || categories[j].size() == 0),
                "a category is none");
    for (const Names* names : {&columns, &declared_categorical})
        for (const Value& name : names->values()) require(is_number(name, false), "a column has no name");
}

std::size_t Schema::cost_of_column(const Value& name) {
    return Names::cost_of(name) + sizeof(Kind) + sizeof(Names);
}

std::size_t Schema::nbytes() const {
    std::size_t sum = sizeof(Schema) + columns.nbytes() + classes.nbytes() + declared_categorical.nbytes() +
                      kinds.size() * (sizeof(Kind) + sizeof(Names));
    for (const Names& names : categories) sum += names.nbytes();
    return sum;
}

}  // namespace sapwood
