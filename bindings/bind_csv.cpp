// Plain delimited text read into arrays: a loop over every byte of a file.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <tuple>

#include "bindings.hpp"
#include "sapwood/csv.hpp"

namespace sapwood::python {
namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Whole = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Returns the rows read, the place of the next, and whether that one is not plain.
std::tuple<std::size_t, std::size_t, bool> read(const nb::bytes& data, std::size_t start, bool final, char delimiter,
                                                std::optional<std::size_t> label, bool whole, Matrix rows, Whole labels,
                                                std::size_t from) {
    if (start > data.size() || from > rows.shape(0) || labels.size() != rows.shape(0))
        throw std::invalid_argument("There is no such place.");
    CsvLayout layout;
    layout.delimiter = delimiter;
    layout.n_columns = rows.shape(1) + (label ? 1 : 0);
    layout.label = label.value_or(CsvLayout::kNoLabel);
    layout.whole_label = whole;
    if (label && *label >= layout.n_columns) throw std::invalid_argument("There is no such column.");
    const char* const text = data.c_str();
    double* const to = rows.data() + from * rows.shape(1);
    const std::size_t room = rows.shape(0) - from;
    const char* const end = text + data.size();
    nb::gil_scoped_release unlocked;
    const CsvStop stop = read_csv(text + start, end, final, layout, to, labels.data() + from, room);
    return {stop.n_rows, static_cast<std::size_t>(stop.at - text), stop.why == CsvStop::Why::odd};
}

}  // namespace

void bind_csv(nb::module_& module) {
    module.def("read_csv", &read, "data"_a, "start"_a, "final"_a, "delimiter"_a, "label"_a.none(), "whole"_a, "rows"_a,
               "labels"_a, "from_row"_a,
               "Read plain lines into rows and labels; return how many, the place of the next line, and whether it is "
               "not plain.");
}

}  // namespace sapwood::python
