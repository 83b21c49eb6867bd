// Python objects to core values and back. Holds what a borrowed batch borrows from.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <deque>
#include <exception>
#include <vector>

#include "sapwood/lesson.hpp"
#include "sapwood/watch.hpp"

namespace sapwood::python {

namespace nb = nanobind;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

/// A bool, int, float or str (NumPy's scalars too); `what` names it in the TypeError for anything else.
Value to_value(nb::handle object, const char* what);
nb::object to_python(const Value& value);
std::vector<Value> to_values(nb::handle list, const char* what);

/// Reads one value of a mapping. Returns false if it is missing (None, NaN, pandas' NA).
bool read_cell(nb::handle value, nb::handle key, Cell& cell);

/// A tree's parameters as the package gives them, validated.
TreeParams read_params(const nb::dict& given);

/// A batch and everything that it points into.
class HeldBatch {
   public:
    /// `columns` is a two-dimensional numeric array; or a list with, per column, a one-dimensional numeric array or a
    /// pair (int32 codes, list of categories); or a tuple (float64 values, int32 columns, int64 starts, number of
    /// columns) of sparse rows.
    HeldBatch(nb::handle columns, nb::handle names, std::size_t n_rows);

    const Batch& batch() const { return batch_; }
    const std::vector<Value>& names() const { return names_; }

   private:
    void add_matrix(const AnyArray& matrix);
    void add_column(nb::handle column);
    void add_sparse(const nb::tuple& stored);

    Batch batch_;
    std::vector<Value> names_;
    std::vector<AnyArray> arrays_;
    std::deque<std::vector<Value>> categories_;  // addresses must not move
};

/// How a call ends early whose `stop` said so.
struct Stop {};

/// Asks Python whether a long call is to end: its signals, which only the main thread hears, and `stop()` unless it is
/// None. It takes the interpreter's lock to ask, so nobody may wait with that for what the call holds meanwhile; nor
/// may a signal's handler, which runs in the same thread, change `what` the call is about.
Watch watch_for(nb::handle stop = nb::none(), const void* what = nullptr);

/// Throws std::runtime_error in a signal's handler that interrupted a call about this: it would wait for itself.
void require_not_amid(const void* what);

/// What is to be raised where a watch has ended a call that learned some rows: it says how many. None if it was told
/// to stop.
nb::object told(const std::exception_ptr& end, std::size_t rows, std::size_t n_rows);

[[noreturn]] void raise(nb::handle error);

}  // namespace sapwood::python
