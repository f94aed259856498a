// SPDX-License-Identifier: Apache-2.0
// The extension module tessera._core.
#include "python/src/python.h"
#include "tessera/map/judge.h"
#include "tessera/relayout/plan.h"
#include "tessera/relayout/relayout.h"

namespace tessera::python {
namespace {

nb::dict build_info() {
  nb::dict info;
  info["version"] = TESSERA_VERSION;
  info["compiler"] = __VERSION__;
  info["isl"] = judge_has_isl();
  info["threads"] = has_parallel_executor();
  info["png"] = TESSERA_PNG != 0;
  nb::list sets;
  for (const Isa isa : available_isas()) sets.append(to_string(isa));
  info["instruction_sets"] = sets;
  return info;
}

}  // namespace
}  // namespace tessera::python

NB_MODULE(_core, m) {
  using namespace tessera::python;
  m.attr("version") = TESSERA_VERSION;
  m.def("build_info", &build_info, nb::sig("def build_info() -> dict[str, typing.Any]"),
        "How the extension was built: its version and compiler, and whether it has isl, threads, PNG "
        "pictures and\n"
        "which instruction sets its kernels can use here.");
  add_picture(m);
  add_layout(m);
  add_named_layout(m);
  add_placement(m);
  add_triton(m);
  add_index_map(m);
  add_equality(m);
  add_relayout(m);
  add_code(m);
  add_verbs(m);
  add_command_line(m);
  nb::module_ hlo = m.def_submodule("hlo", "HLO programs. Import it as tessera.hlo.");
  add_hlo(hlo);
  nb::module_ cute = m.def_submodule("cute", "The layout algebra of CuTe. Import it as tessera.cute.");
  add_cute(cute);
  add_cute_functions(cute);
  add_cute_analysis(cute);
}
