// SPDX-License-Identifier: Apache-2.0
// `python -m tessera`: the only part of the package that needs the command line.
#include "cli/program.h"
#include "python/src/errors.h"
#include "python/src/python.h"

namespace tessera::python {

void add_command_line(nb::module_& m) {
  m.def(
      "_run_program",
      [](std::vector<std::string> arguments) {
        return released([&] { return cli::run_program(std::move(arguments)); });
      },
      "arguments"_a, nb::sig("def _run_program(arguments: list[str]) -> int"));
}

}  // namespace tessera::python
