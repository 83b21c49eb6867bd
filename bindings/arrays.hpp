// Arrays that the core fills and Python owns.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace sapwood::python {

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using WholeNumbers = nb::ndarray<nb::numpy, std::int64_t>;

template <class Array, class T>
Array array_of(std::unique_ptr<T[]> data, std::initializer_list<std::size_t> shape) {
    T* pointer = data.release();
    nb::capsule owner(pointer, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Array(pointer, shape, owner);
}

/// Room that is written by the threads that fill it, and not before.
template <class T>
std::unique_ptr<T[]> unwritten(std::size_t n) {
    return std::unique_ptr<T[]>(new T[n]);
}

/// Whole numbers of any type, in an array of one.
template <class T>
WholeNumbers array_of(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
    auto data = unwritten<std::int64_t>(values.size());
    std::copy(values.begin(), values.end(), data.get());
    return array_of<WholeNumbers>(std::move(data), shape);
}

}  // namespace sapwood::python
