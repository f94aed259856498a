// SPDX-License-Identifier: Apache-2.0
// nanobind, and the parts of the module.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace tessera::python {

void add_layout(nb::module_& m);
void add_named_layout(nb::module_& m);
void add_triton(nb::module_& m);
void add_equality(nb::module_& m);
void add_index_map(nb::module_& m);
void add_relayout(nb::module_& m);
void add_picture(nb::module_& m);
void add_placement(nb::module_& m);
void add_code(nb::module_& m);
void add_verbs(nb::module_& m);
void add_command_line(nb::module_& m);
void add_hlo(nb::module_& m);
void add_cute(nb::module_& m);
void add_cute_functions(nb::module_& m);
void add_cute_analysis(nb::module_& m);

}  // namespace tessera::python
