// SPDX-License-Identifier: Apache-2.0
/// \file
/// The line of code that a reader would look at for a step.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "hlo/metadata/metadata.h"

namespace tessera::detail {

/// A line and a scope for a step.
struct CodePlace {
  CodeLine line = {};
  std::string scope = {};
  /// The step itself has neither: they are those of one that reads its result or whose result it reads.
  const Instruction* neighbor = nullptr;
};

/// Finds places. Compilers leave many instructions without a line, or with that of the whole program.
class CodePlaces {
 public:
  /// The objects must outlive this one.
  CodePlaces(const HloModule& module, ModuleCode& code);

  /// The line of a step: its own; else that of an instruction inside, from the root on; else that of a user
  /// or of an operand. A line with another one around it is preferred, because the outermost is that of the
  /// whole program. O(instructions inside the step and its neighbors).
  CodePlace of(const Instruction& step);

 private:
  struct Candidate {
    const Instruction* instruction = nullptr;
    bool deep = false;
  };
  Candidate inside(const Instruction& step);

  ModuleCode& code_;
  std::unordered_map<const Instruction*, std::vector<const Instruction*>> users_;
};

}  // namespace tessera::detail
