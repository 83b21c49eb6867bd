// A tree with its names: takes rows as users have them, and learns them in order.
//
// Everything that can be wrong with an input is found before the first row is learned, so a call either happens or
// leaves the model as it was. Batches go through a Lesson (lesson.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "sapwood/batch.hpp"
#include "sapwood/schema.hpp"
#include "sapwood/tree.hpp"

namespace sapwood {

inline constexpr std::uint32_t kNewColumn = 0xffffffff;

/// One named value of a row that came as a mapping; missing values are not listed.
struct Cell {
    std::uint32_t column = kNewColumn;
    const Value* name = nullptr;  // of a new column
    bool text = false;
    double number = 0.0;
    std::string string;

    Value value() const { return text ? Value(string) : Value(number); }
    /// Throws std::invalid_argument, with the column's name, if the number is infinite.
    void require_finite(const Value& column_name) const {
        if (!text && std::isinf(number)) [[unlikely]]
            refuse_infinite(column_name);
    }
    [[noreturn]] static void refuse_infinite(const Value& column_name);

    /// Of a cell whose column is known.
    template <class Archive>
    void archive(Archive& a) {
        a(column, text, number, string);
    }
};

class Model {
   public:
    explicit Model(const TreeParams& params = {}) : tree_(params) { count_names(); }

    const Tree& tree() const { return tree_; }
    const Schema& schema() const { return schema_; }
    void advance(double n) { tree_.advance(n); }

    /// Columns and classes may be declared before any row; known ones stay as they are.
    std::uint32_t add_column(const Value& name, Kind kind);
    std::uint32_t add_class(const Value& label);
    void declare_categorical(const Value& column);

    /// A model with the same parameters, names and clock that has learned nothing.
    Model fresh() const;
    /// Takes over the names of a model that it began as a fresh copy of, so that both give them the same numbers.
    void adopt_names(const Schema& theirs);

    /// Throws std::invalid_argument unless the other one began as a fresh copy of this model.
    void require_heir(const Model& other) const;

    /// Learns one row given as a mapping. Throws, with nothing changed, if a value does not suit its column. With
    /// `seen`, advance() has counted the row already.
    void learn_row(const std::vector<Cell>& cells, const Value& label, double w, bool seen = false);
    /// Learns one row of numbers with a class that is known, as learn_row() would, if suits_numbers() holds; otherwise
    /// returns false, with nothing changed.
    bool learn_numbers(std::vector<double>& row, std::uint32_t y, double w, bool seen = false);
    /// Whether an encoded row, NaN where it has no value, has finite values and these in columns of numbers only. It
    /// is filled up to the number of columns.
    bool suits_numbers(std::vector<double>& row) const;
    /// Makes the columns of a row known that has been seen, learned or not: they count from now on.
    void see_columns(const std::vector<Cell>& cells);
    /// The encoded row of a mapping, for learning: its columns and categories become known.
    void encode_to_learn(const std::vector<Cell>& cells, std::vector<double>& row);
    /// The encoded row of a mapping, for predicting.
    void encode_row(const std::vector<Cell>& cells, std::vector<double>& row) const;

    /// Whether numbers, or categories that are text or numbers, suit the column.
    bool suits(std::uint32_t column, bool category, bool text) const;
    /// Throws the TypeMismatch for what does not: it says what the column holds, what came, and gives an example.
    [[noreturn]] void refuse(std::uint32_t column, bool text, const std::string& example) const;
    /// Throws if a row given as a mapping could not be learned.
    void require_suits(const std::vector<Cell>& cells) const;
    /// Throws unless the label can be a class beside those known: a whole number, or text where they are text.
    void require_label(const Value& label) const;
    /// Throws std::invalid_argument if the model is larger than max_bytes.
    void require_fits() const;

    /// The rank of a category, given at its first learned appearance; kUnseen if max_bytes leaves no room for it.
    double rank_to_learn(std::uint32_t column, const Value& category);
    double rank_of(std::uint32_t column, const Value& category) const;

    template <class Archive>
    void archive(Archive& a) {
        a(schema_, tree_);
    }
    /// After reading from a file of this format: checks that names and tree belong together.
    void restore(std::uint64_t format);

   private:
    friend class Lesson;
    friend class Sweep;
    friend class Trial;
    void count_names();
    void learn_checked_row(const std::vector<Cell>& cells, const Value& label, double w, bool seen);

    Schema schema_;
    Tree tree_;
};

}  // namespace sapwood
