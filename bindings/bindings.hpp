// One bind_* function per part of the core; module.cpp calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace sapwood::python {

namespace nb = nanobind;
using namespace nb::literals;

void bind_bounds(nb::module_& module);
void bind_model(nb::module_& module);
void bind_asking(nb::module_& module);
void bind_scores(nb::module_& module);
void bind_sweep(nb::module_& module);
void bind_csv(nb::module_& module);
void bind_generators(nb::module_& module);

}  // namespace sapwood::python
