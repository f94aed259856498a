// SPDX-License-Identifier: Apache-2.0
#include "cli/instruction.h"

#include <fmt/format.h>

#include "hlo/analysis/selection.h"

namespace tessera::cli {

Result<const Instruction*> find_instruction(const ParsedModules& parsed, const std::string& name) {
  if (name.empty()) {
    const HloModule& module = parsed.modules.front();
    if (module.entry == nullptr || module.entry->root == nullptr)
      return fail(Code::unknown_name, "the module has no entry computation");
    return module.entry->root;
  }
  AnalyzeOptions chosen;
  Result<void> taken = choose_op(chosen, name, parsed.modules);
  if (!taken) {
    if (taken.error().help.empty())
      taken.error().help = "'tessera hlo' with the file prints all instructions";
    return fail(taken.error());
  }
  const Instruction* found = nullptr;
  for (const HloModule& module : parsed.modules) {
    for (const auto& computation : module.computations) {
      if (!chosen.computation.empty() && computation->name != chosen.computation) continue;
      for (const auto& instruction : computation->instructions) {
        if (instruction->name == chosen.op) return instruction.get();
        if (found == nullptr && instruction->opcode_text == chosen.op) found = instruction.get();
      }
    }
  }
  if (found == nullptr) return fail(Code::unknown_name, fmt::format("'{}' is not an instruction", name));
  return found;
}

}  // namespace tessera::cli
