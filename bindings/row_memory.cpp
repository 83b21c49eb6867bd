#include "row_memory.hpp"

#include <algorithm>
#include <cmath>

namespace sapwood::python {

bool RowMemory::read(const nb::dict& x, std::vector<double>& row) {
    row.assign(width_, kMissing);
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t at = 0;
    for (std::size_t i = 0; PyDict_Next(x.ptr(), &at, &key, &value); ++i) {
        double number = 0.0;
        if (PyFloat_Check(value)) {
            number = PyFloat_AsDouble(value);
        } else if (value == Py_None) {
            continue;
        } else if (PyLong_CheckExact(value) || PyBool_Check(value)) {
            number = PyFloat_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                return false;
            }
        } else {
            return false;
        }
        if (std::isnan(number)) continue;
        const bool same = i < keys_.size() && keys_[i].key.ptr() == key;
        const std::uint32_t column = same ? keys_[i].column : find(key, i);
        if (column == kNewColumn) return false;
        row[column] = number;
    }
    return true;
}

/// The column of a key that is not the object last seen at its position; its name may be.
std::uint32_t RowMemory::find(nb::handle key, std::size_t position) {
    if (!PyUnicode_CheckExact(key.ptr())) return kNewColumn;
    if (position < keys_.size()) {
        const KnownKey& known = keys_[position];
        if (known.key.is_valid() && PyUnicode_CheckExact(known.key.ptr()) &&
            PyUnicode_Compare(known.key.ptr(), key.ptr()) == 0)
            return known.column;
    }
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
    if (!text) {
        PyErr_Clear();
        return kNewColumn;
    }
    const std::uint32_t column = column_of({text, static_cast<std::size_t>(size)});
    if (column != kNewColumn) remember(key, position, column);
    return column;
}

std::uint32_t RowMemory::column_of(std::string_view name) const {
    const auto known = text_columns_.find(name);
    return known == text_columns_.end() ? kNewColumn : known->second;
}

void RowMemory::remember(nb::handle key, std::size_t position, std::uint32_t column) {
    if (!is_plain(key) || (position < keys_.size() && keys_[position].key.is(key))) return;
    if (PyUnicode_CheckExact(key.ptr())) {
        Py_ssize_t size = 0;
        const char* text = PyUnicode_AsUTF8AndSize(key.ptr(), &size);
        if (!text) throw nb::python_error();
        text_columns_.try_emplace(std::string(text, static_cast<std::size_t>(size)), column);
    }
    if (position >= keys_.size()) keys_.resize(position + 1);
    keys_[position] = {nb::borrow(key), column};
    width_ = std::max<std::size_t>(width_, column + 1);
}

void RowMemory::remember(nb::handle label, std::uint32_t y) {
    if (!is_plain(label)) return;
    const std::size_t home = place_of(label);
    std::size_t at = home;
    for (std::size_t i = 0; i < kProbes; ++i) {
        const std::size_t next = (home + i) % kLabels;
        if (labels_[next].label.is_valid() && !labels_[next].label.is(label)) continue;
        at = next;
        break;
    }
    labels_[at] = {nb::borrow(label), y};
}

}  // namespace sapwood::python
