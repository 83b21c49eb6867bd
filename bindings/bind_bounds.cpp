// The bounds, from the functions that the tree itself uses.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "sapwood/bounds.hpp"

namespace sapwood::python {

void bind_bounds(nb::module_& module) {
    module.def(
        "epsilon",
        [](std::string_view bound, std::string_view criterion, double m, double t, double d, double depth, double delta,
           double c, double n_classes) {
            return epsilon(parse_bound(bound), parse_criterion(criterion), {m, t, d, depth, delta, c, n_classes});
        },
        nb::kw_only(), "bound"_a, "criterion"_a, "m"_a, "t"_a, "d"_a, "depth"_a, "delta"_a, "c"_a, "n_classes"_a,
        "Half-width of the bound; delta=0 stands for 1/t.");
    module.def(
        "gap_factor", [](std::string_view bound) { return gap_factor(parse_bound(bound)); }, "bound"_a,
        "A split is confident when the gap exceeds this many epsilon.");
    module.def("uses_stream", [](std::string_view bound) { return uses_stream(parse_bound(bound)); }, "bound"_a);
    module.def("uses_c", [](std::string_view bound) { return uses_c(parse_bound(bound)); }, "bound"_a);
    module.def("uses_delta", [](std::string_view bound) { return uses_delta(parse_bound(bound)); }, "bound"_a);
}

}  // namespace sapwood::python
