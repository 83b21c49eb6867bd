#include "bindings.hpp"
#include "sapwood/batch.hpp"

NB_MODULE(_core, module) {
    using namespace sapwood;
    module.doc() = "The native core of sapwood. Use the package's public names; these may change.";
    nanobind::set_leak_warnings(false);  // an interpreter that exits early is not ours to complain about
    nanobind::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const TypeMismatch& mismatch) {
            PyErr_SetString(PyExc_TypeError, mismatch.what());
        }
    });
    python::bind_bounds(module);
    python::bind_asking(module);
    python::bind_scores(module);
    python::bind_sweep(module);
    python::bind_csv(module);
    python::bind_generators(module);
    python::bind_model(module);
}
