#include "convert.hpp"

#include <nanobind/stl/string.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace sapwood::python {
namespace {

std::string name_of_type(nb::handle object) {
    return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

/// Changes with each fork.
std::atomic<long> generation{1};

void count_forks() {
#ifndef _WIN32
    static const int registered = pthread_atfork(nullptr, nullptr, [] { ++generation; });
    static_cast<void>(registered);
#endif
}

/// Python's threading knows. It is asked once in a thread, and again after a fork, which may make another one the main
/// one.
bool is_main_thread() {
    thread_local long asked = 0;
    thread_local bool is_main = false;
    if (const long now = generation; now != asked) {
        count_forks();
        const nb::object main = nb::module_::import_("threading").attr("main_thread")().attr("ident");
        is_main = !main.is_none() && nb::cast<unsigned long>(main) == PyThread_get_thread_ident();
        asked = now;
    }
    return is_main;
}

/// What the call is about in which this thread asks Python.
thread_local const void* asking_about = nullptr;

struct Asking {
    explicit Asking(const void* what) : before(std::exchange(asking_about, what)) {}
    ~Asking() { asking_about = before; }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;
    const void* before;
};

/// The seconds of a date, time or duration, in `number`; false if the object is no such thing.
bool read_time(nb::handle object, nb::handle key, double& number) {
    try {
        const nb::object seconds = nb::module_::import_("sapwood._times").attr("second_of")(object);
        if (!seconds.is_none()) number = nb::cast<double>(seconds);
        return !seconds.is_none();
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
        const std::string what = nb::cast<std::string>(nb::str(error.value()));
        throw TypeMismatch("The value of " + to_text(to_value(key, "A column name")) + " is " + what + ".");
    }
}

/// Its `owner()` is named where it is no text that could be kept.
template <class Owner>
std::string text_of(nb::handle object, Owner&& owner) {
    Py_ssize_t size = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size)) return {text, static_cast<std::size_t>(size)};
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
    PyErr_Clear();
    throw std::invalid_argument(owner() + " has half of a surrogate pair, which is no text.");
}

Dtype dtype_of(const AnyArray& array) {
    const nb::dlpack::dtype dtype = array.dtype();
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(dtype.code);
    const int bits = dtype.bits;
    if (code == Code::Float && bits == 64) return Dtype::f64;
    if (code == Code::Float && bits == 32) return Dtype::f32;
    if (code == Code::Int)
        return bits == 64 ? Dtype::i64 : bits == 32 ? Dtype::i32 : bits == 16 ? Dtype::i16 : Dtype::i8;
    if (code == Code::UInt)
        return bits == 64 ? Dtype::u64 : bits == 32 ? Dtype::u32 : bits == 16 ? Dtype::u16 : Dtype::u8;
    throw nb::type_error("unsupported array dtype");
}

}  // namespace

Value to_value(nb::handle object, const char* what) {
    if (PyUnicode_Check(object.ptr())) return text_of(object, [&] { return std::string(what); });
    if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
    if (PyFloat_Check(object.ptr())) return PyFloat_AsDouble(object.ptr());
    if (PyIndex_Check(object.ptr())) {
        nb::object index = nb::steal(PyNumber_Index(object.ptr()));
        if (index.is_valid()) {
            const long long n = PyLong_AsLongLong(index.ptr());
            if (n == -1 && PyErr_Occurred()) {
                PyErr_Clear();
                throw std::invalid_argument(std::string(what) + " does not fit in 64 bits.");
            }
            return static_cast<std::int64_t>(n);
        }
        PyErr_Clear();
    }
    const std::string type = name_of_type(object);
    if (type == "bool" || type == "bool_") return nb::cast<bool>(nb::bool_(nb::borrow(object)));
    if (type.rfind("float", 0) == 0 || type == "Decimal") {
        const double x = PyFloat_AsDouble(object.ptr());
        if (x == -1.0 && PyErr_Occurred()) throw nb::python_error();
        return x;
    }
    throw TypeMismatch(std::string(what) + " must be a number or text; got " + type + ".");
}

nb::object to_python(const Value& value) {
    return std::visit([](const auto& v) -> nb::object { return nb::cast(v); }, value);
}

std::vector<Value> to_values(nb::handle list, const char* what) {
    std::vector<Value> values;
    for (nb::handle item : list) values.push_back(to_value(item, what));
    return values;
}

bool read_cell(nb::handle value, nb::handle key, Cell& cell) {
    PyObject* object = value.ptr();
    if (PyFloat_Check(object)) {
        cell.number = PyFloat_AsDouble(object);
        return !std::isnan(cell.number);
    }
    if (object == Py_None) return false;
    if (PyUnicode_Check(object)) {
        cell.text = true;
        cell.string = text_of(value, [&] { return "The value of " + to_text(to_value(key, "A column name")); });
        return true;
    }
    const std::string type = name_of_type(value);
    if (type == "NAType" || type == "NaTType") return false;
    const bool whole = PyIndex_Check(object) && !PySequence_Check(object) && type != "timedelta64";
    const bool is_number = whole || type == "bool" || type == "bool_" || type == "Decimal" || type == "longdouble" ||
                           type.rfind("float", 0) == 0;
    if (!is_number) {
        if (read_time(value, key, cell.number)) return !std::isnan(cell.number);
        throw TypeMismatch("The value of " + to_text(to_value(key, "A column name")) + " is a " + type +
                           "; a column holds numbers, booleans, dates or text, and None where it is missing.");
    }
    cell.number = PyFloat_AsDouble(object);
    if (cell.number == -1.0 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
        PyErr_Clear();
        throw std::invalid_argument("The value of " + to_text(to_value(key, "A column name")) +
                                    " is too large for a number.");
    }
    return !std::isnan(cell.number);
}

HeldBatch::HeldBatch(nb::handle columns, nb::handle names, std::size_t n_rows)
    : names_(to_values(names, "A column name")) {
    batch_.n_rows = n_rows;
    if (nb::isinstance<nb::tuple>(columns))
        add_sparse(nb::cast<nb::tuple>(columns));
    else if (nb::isinstance<nb::list>(columns))
        for (nb::handle column : columns) add_column(column);
    else
        add_matrix(nb::cast<AnyArray>(columns));
}

void HeldBatch::add_matrix(const AnyArray& matrix) {
    arrays_.push_back(matrix);
    const Dtype dtype = dtype_of(matrix);
    const auto size = static_cast<std::ptrdiff_t>(matrix.itemsize());
    const auto* data = static_cast<const char*>(matrix.data());
    const auto d = static_cast<std::ptrdiff_t>(matrix.shape(1));
    for (std::ptrdiff_t j = 0; j < d; ++j)
        batch_.columns.push_back({data + j * matrix.stride(1) * size, matrix.stride(0) * size, dtype, nullptr});
    if (matrix.stride(1) != 1 || (matrix.stride(0) != d && batch_.n_rows != 1)) return;
    if (dtype == Dtype::f64)
        batch_.dense = reinterpret_cast<const double*>(data);
    else
        batch_.flat = {data, size, dtype, nullptr};
}

void HeldBatch::add_sparse(const nb::tuple& stored) {
    static constexpr double kZero = 0.0;
    const auto d = nb::cast<std::size_t>(stored[3]);
    for (std::size_t i = 0; i < 3; ++i) arrays_.push_back(nb::cast<AnyArray>(stored[i]));
    const auto& [values, columns, starts] = std::tie(arrays_[0], arrays_[1], arrays_[2]);
    const bool typed = dtype_of(values) == Dtype::f64 && dtype_of(columns) == Dtype::i32 &&
                       dtype_of(starts) == Dtype::i64 && starts.shape(0) == batch_.n_rows + 1;
    if (!typed) throw std::invalid_argument("Sparse rows are float64 values, int32 columns and int64 starts.");
    batch_.sparse = {static_cast<const double*>(values.data()), static_cast<const std::int32_t*>(columns.data()),
                     static_cast<const std::int64_t*>(starts.data())};
    // They are followed without a check later.
    const auto n = static_cast<std::int64_t>(std::min(values.shape(0), columns.shape(0)));
    bool fits = batch_.sparse.starts[0] >= 0 && batch_.sparse.starts[batch_.n_rows] <= n;
    for (std::size_t i = 0; i < batch_.n_rows; ++i)
        fits = fits && batch_.sparse.starts[i] <= batch_.sparse.starts[i + 1];
    for (std::size_t i = 0; fits && i < batch_.n_rows; ++i) {
        std::int64_t last = -1;
        for (std::int64_t at = batch_.sparse.starts[i]; at < batch_.sparse.starts[i + 1]; ++at) {
            fits = fits && batch_.sparse.columns[at] > last;
            last = batch_.sparse.columns[at];
        }
        fits = fits && last < static_cast<std::int64_t>(d);
    }
    if (!fits)
        throw std::invalid_argument(
            "The sparse matrix is broken: its indices lie outside of it, or are not in order though it says so.");
    batch_.columns.assign(d, {&kZero, 0, Dtype::f64, nullptr});
}

void HeldBatch::add_column(nb::handle column) {
    const std::vector<Value>* categories = nullptr;
    if (nb::isinstance<nb::tuple>(column)) {
        categories_.push_back(to_values(column[1], "A category"));
        for (Value& category : categories_.back())
            if (!is_text(category)) category = number_of(category);  // 3 and 3.0 are one category, in one form
        categories = &categories_.back();
        arrays_.push_back(nb::cast<AnyArray>(column[0]));
    } else {
        arrays_.push_back(nb::cast<AnyArray>(column));
    }
    const AnyArray& array = arrays_.back();
    batch_.columns.push_back(
        {array.data(), array.stride(0) * static_cast<std::ptrdiff_t>(array.itemsize()), dtype_of(array), categories});
}

Watch watch_for(nb::handle stop, const void* what) {
    // Signals are the main thread's; and another may find no interpreter any more that it could ask.
    if (!is_main_thread() && stop.is_none()) return Watch(nullptr);
    return Watch([stop, what] {
        nb::gil_scoped_acquire locked;
        const Asking now(what);
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!stop.is_none() && nb::cast<bool>(stop())) throw Stop();
    });
}

void require_not_amid(const void* what) {
    if (asking_about == what)
        throw std::runtime_error(
            "A signal's handler cannot change a model amid a call that learns or predicts with it. It may save the "
            "model, or raise an error to end the call.");
}

nb::object told(const std::exception_ptr& end, std::size_t rows, std::size_t n_rows) {
    try {
        std::rethrow_exception(end);
    } catch (const nb::python_error& error) {
        return nb::module_::import_("sapwood.interrupted").attr("told")(error.value(), rows, n_rows);
    } catch (const Stop&) {
        return nb::none();
    }
}

void raise(nb::handle error) {
    PyErr_SetObject(error.type().ptr(), error.ptr());
    throw nb::python_error();
}

TreeParams read_params(const nb::dict& given) {
    TreeParams params;
    params.criterion = parse_criterion(nb::cast<std::string>(given["criterion"]));
    params.bound = parse_bound(nb::cast<std::string>(given["bound"]));
    params.c = nb::cast<double>(given["c"]);
    params.delta = nb::cast<double>(given["delta"]);
    params.tie_threshold = nb::cast<double>(given["tie_threshold"]);
    params.grace_period = nb::cast<double>(given["grace_period"]);
    params.leaf_prediction = parse_leaf_prediction(nb::cast<std::string>(given["leaf_prediction"]));
    params.numeric_splits = parse_numeric_splits(nb::cast<std::string>(given["numeric_splits"]));
    params.n_bins = nb::cast<std::uint32_t>(given["n_bins"]);
    params.compat = parse_compat(nb::cast<std::string>(given["compat"]));
    if (!given["max_leaves"].is_none()) params.max_leaves = nb::cast<std::uint32_t>(given["max_leaves"]);
    if (!given["max_bytes"].is_none()) params.max_bytes = nb::cast<std::size_t>(given["max_bytes"]);
    params.has_max_depth = !given["max_depth"].is_none();
    if (params.has_max_depth) params.max_depth = nb::cast<std::uint32_t>(given["max_depth"]);
    params.validate();
    return params;
}

}  // namespace sapwood::python
