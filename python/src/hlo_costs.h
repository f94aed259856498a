// SPDX-License-Identifier: Apache-2.0
// What HLO programs cost, as Python tables: bytes, operations, time, memory, collectives.
#pragma once

#include <string>

#include "python/src/hlo_objects.h"
#include "python/src/python.h"

namespace tessera::python {

/// tessera.hlo.CostTable: the lines of an answer, as text and as JSON.
struct CostTable {
  std::string text;
  std::string json;
};

/// Registers the class.
void add_hlo_costs(nb::module_& m);
/// Registers the methods of tessera.hlo.HloModule that return it.
void add_cost_methods(nb::class_<ProgramModule>& module);

/// A path, or a text, of str, bytes or os.PathLike. Raises TypeError for others.
std::string path_of(nb::handle path);

/// The answers of `tessera hlo`. `computation`: where the program starts; the entry if it is empty. Raise
/// unknown_name.
CostTable traffic_table(const ProgramModule& program, const std::string& computation);
/// `on_chip`: bytes or the name of a chip, or empty. Raises bad_option.
CostTable tiled_table(const ProgramModule& program, const std::string& on_chip,
                      const std::string& computation);
CostTable work_table(const ProgramModule& program, const std::string& computation);
CostTable copies_table(const ProgramModule& program, const std::string& computation);
CostTable padding_table(const ProgramModule& program, const std::string& computation);
CostTable memory_table(const ProgramModule& program, const std::string& computation);
CostTable collectives_table(const ProgramModule& program, const std::string& computation);
/// `chip` as for --chip. Raises bad_option.
CostTable time_table(const ProgramModule& program, const std::string& chip, const std::string& computation);
/// `by`: source, scope or opcode; `source`: the folder with the user's code, or empty. Raises bad_option.
CostTable shares_table(const ProgramModule& program, const std::string& by, const std::string& source,
                       const std::string& computation);
/// What the program could do without, in bytes, and in seconds with a chip. Raises bad_option.
CostTable wastes_table(const ProgramModule& program, const std::string& chip, const std::string& source,
                       const std::string& computation);
/// The sentences of the summary, and what changed since an older program. `chip` may be empty. Raise
/// bad_option.
CostTable summary_table(const ProgramModule& program, const std::string& chip, const std::string& source);
CostTable comparison_table(const ProgramModule& program, const ProgramModule& old, const std::string& chip);

}  // namespace tessera::python
