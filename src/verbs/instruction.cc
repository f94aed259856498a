// SPDX-License-Identifier: Apache-2.0
#include "verbs/instruction.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "base/plural.h"
#include "hlo/analysis/selection.h"

namespace tessera::verbs {

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

Result<HloValue> find_array(const ParsedModules& parsed, const std::string& name) {
  const std::size_t hash = name.find('#');
  const std::string typed = name.substr(0, hash);
  auto op = find_instruction(parsed, typed);
  // The entry's own instruction, if other computations have the name, too.
  for (auto module = parsed.modules.rbegin(); module != parsed.modules.rend(); ++module) {
    const Instruction* own = module->entry == nullptr ? nullptr : module->entry->find(typed);
    if (own != nullptr) op = own;
  }
  if (!op) return fail(op.error());
  const HloType& type = (*op)->type;
  const std::uint64_t count = type.leaf_count();
  std::uint32_t leaf = 0;
  if (hash != std::string::npos) {
    const std::string_view digits = std::string_view(name).substr(hash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), leaf);
    if (error != std::errc() || end != digits.data() + digits.size() || leaf >= count)
      return fail(Code::index_out_of_range,
                  fmt::format("'{}' has {}, numbered from 0", typed, detail::plural(count, "array")));
  } else if (type.is_tuple()) {
    return fail(Code::bad_option, fmt::format("'{}' is a tuple of {}", name, detail::plural(count, "array")),
                {}, fmt::format("name one: '{}#0'", name));
  }
  if (count == 0 || !leaf_type(type, leaf).is_array())
    return fail(Code::bad_option, fmt::format("'{}' is not an array", name));
  return HloValue{*op, leaf};
}

}  // namespace tessera::verbs
