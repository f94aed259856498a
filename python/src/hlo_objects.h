// SPDX-License-Identifier: Apache-2.0
// HLO programs as Python objects. Each keeps its text and its modules alive.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "report/parameters_answer.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/module.h"

namespace tessera::python {

using Modules = std::shared_ptr<const ParsedModules>;

/// tessera.hlo.HloModule.
struct ProgramModule {
  Modules modules;
  const HloModule* module = nullptr;
  std::string file;
};

/// tessera.hlo.Instruction.
struct ProgramInstruction {
  ProgramModule program;
  const Instruction* instruction = nullptr;
};

/// tessera.hlo.OperandMap: one map of an instruction.
struct ProgramMap {
  ProgramModule program;
  Indexing indexing;
  std::uint32_t output = 0;
  std::uint32_t operand = 0;
};

/// tessera.hlo.InstructionMaps: all maps of an instruction.
struct ProgramMaps {
  ProgramModule program;
  InstructionIndexing maps;
  IndexingDirection direction = IndexingDirection::output_to_input;
};

/// tessera.hlo.ParameterReads: what an instruction reads of the parameters.
struct ProgramParameters {
  ProgramModule program;
  ParametersAnswer answer;
};

/// Finds an instruction by its name: in the entry, otherwise in the only computation that has this name, or
/// by COMPUTATION/NAME. Raises unknown_name.
ProgramInstruction find_instruction(const ProgramModule& program, std::string_view name);

}  // namespace tessera::python
