// What the single rows of a stream have in common: their key objects, in one order, and their few label objects.
//
// A shortcut past reading names and labels, for rows of numbers. It holds references, so that no object that it knows
// can be another one by now, and only exact str, int and bool, which never change. Of the interpreter's lock: every
// call needs it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "convert.hpp"

namespace sapwood::python {

class RowMemory {
   public:
    /// Reads a row as the tree takes it, up to the last column known here. Returns false if it is not one of numbers in
    /// known columns: such a row has to be read cell by cell. Whether its columns hold numbers is for the model to say.
    bool read(const nb::dict& x, std::vector<double>& row);
    /// The column of a text name; kNewColumn if it is not known here.
    std::uint32_t column_of(std::string_view name) const;
    /// The column of the key at a position of a row. Columns never move.
    void remember(nb::handle key, std::size_t position, std::uint32_t column);

    /// The class of a label; kNoClass if it is not known here.
    std::uint32_t class_of(nb::handle label) const {
        const std::size_t home = place_of(label);
        for (std::size_t i = 0; i < kProbes; ++i) {
            const KnownLabel& known = labels_[(home + i) % kLabels];
            if (known.label.is(label)) return known.y;
        }
        return kNoClass;
    }
    void remember(nb::handle label, std::uint32_t y);
    /// Whether it can be remembered: what it stands for never changes.
    static bool is_plain(nb::handle object) {
        return PyUnicode_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr()) || PyBool_Check(object.ptr());
    }

    /// Room for a row, which is made once and then lent from call to call.
    class Room {
       public:
        explicit Room(RowMemory& memory) : memory_(memory), row_(std::move(memory.room_)) {}
        ~Room() { memory_.room_ = std::move(row_); }
        Room(const Room&) = delete;
        Room& operator=(const Room&) = delete;
        std::vector<double>& operator*() { return row_; }
        std::vector<double>* operator->() { return &row_; }

       private:
        RowMemory& memory_;
        std::vector<double> row_;
    };

   private:
    struct KnownKey {
        nb::object key;
        std::uint32_t column = kNewColumn;
    };
    struct KnownLabel {
        nb::object label;
        std::uint32_t y = kNoClass;
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    static constexpr std::size_t kLabels = 256, kProbes = 4;

    static std::size_t place_of(nb::handle label) {
        return (reinterpret_cast<std::uintptr_t>(label.ptr()) * 0x9e3779b97f4a7c15u >> 32) % kLabels;
    }
    std::uint32_t find(nb::handle key, std::size_t position);

    std::vector<KnownKey> keys_;  // per position in a row
    std::size_t width_ = 0;       // the columns known here are less
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> text_columns_;
    std::array<KnownLabel, kLabels> labels_;
    std::vector<double> room_;
};

}  // namespace sapwood::python
