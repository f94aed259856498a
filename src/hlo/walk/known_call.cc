// SPDX-License-Identifier: Apache-2.0
// Calls that pass known integers: the maps of updates and scatters inside depend on them.
#include <algorithm>

#include "hlo/limits.h"
#include "hlo/ops/element_value.h"
#include "hlo/walk/program_indexing.h"

namespace tessera {

bool ProgramIndexing::Impl::depends_on_starts(const Computation& computation) {
  if (const auto found = starts_memo.find(&computation); found != starts_memo.end()) return found->second;
  const bool depends = std::ranges::any_of(computation.instructions, [&](const auto& instruction) {
    return instruction->opcode == Opcode::dynamic_update_slice || instruction->opcode == Opcode::scatter ||
           std::ranges::any_of(instruction->called, [&](const Computation* called) {
             return instruction->opcode != Opcode::while_ && depends_on_starts(*called);
           });
  });
  return starts_memo.emplace(&computation, depends).first->second;
}

std::shared_ptr<ProgramIndexing::Impl> ProgramIndexing::Impl::with_operands(const Instruction& caller,
                                                                            const Computation& callee,
                                                                            std::size_t first_operand) {
  const detail::UseKey key{&caller, static_cast<std::uint32_t>(first_operand), 0};
  if (const auto found = known_memo.find(key); found != known_memo.end()) return found->second;
  if (known_memo.size() >= detail::kHloLimits.walk.kept_calls) known_memo.clear();
  return known_memo.emplace(key, make_with_operands(caller, callee, first_operand)).first->second;
}

std::shared_ptr<ProgramIndexing::Impl> ProgramIndexing::Impl::make_with_operands(const Instruction& caller,
                                                                                 const Computation& callee,
                                                                                 std::size_t first_operand) {
  if (known_calls >= detail::kHloLimits.walk.known_calls ||
      call_height(callee) > detail::kHloLimits.walk.call_height || !depends_on_starts(callee)) {
    return nullptr;
  }
  const detail::ElementOptions outside = known_operands;
  const Domain nothing;
  const bool some = outside.given || std::ranges::any_of(caller.operands, [&](const Operand& operand) {
                      return operand.type().is_array() &&
                             detail::ElementTrace(nothing, outside).elements({operand}) != nullptr;
                    });
  if (!some) return nullptr;
  auto out = std::make_shared<Impl>(options);
  out->known_calls = known_calls + 1;
  if (outside.given) {
    // Values of the callee are known by the way that leads to them from outside.
    out->known_operands.given = [&callee, given = outside.given, call = CallSite{&caller, first_operand}](
                                    const detail::TracedElement& asked) {
      const Instruction& first = asked.calls.empty() ? *asked.value.instruction : *asked.calls[0].caller;
      if (first.parent != &callee) return given(asked);
      detail::TracedElement whole = asked;
      whole.calls.insert(whole.calls.begin(), call);
      return given(whole);
    };
  }
  out->known_operands.resolve = [&caller, &callee, first_operand,
                                 outside](const Operand& parameter) -> std::optional<Operand> {
    const Instruction& at = *parameter.instruction;
    if (at.parent != &callee) return outside.resolve ? outside.resolve(parameter) : std::nullopt;
    const std::size_t operand = first_operand + static_cast<std::size_t>(at.parameter_number);
    return operand < caller.operands.size() ? std::optional(caller.operands[operand]) : std::nullopt;
  };
  return out;
}

}  // namespace tessera
