// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/forwarding.h"

#include "hlo/module/as_size.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// An update passes on what the chain holds. If it binds operands or the result, it adds the operands to those
// held and computes the result.
std::optional<ForwardedLeaf> forwarded_by_update(const Instruction& update, std::uint32_t leaf,
                                                 Leaves& leaves) {
  const HloType& before = update.operand_type(0);
  const HloType& after = update.type;
  const auto is_chain = [](const HloType& type) { return type.is_tuple() && type.elements().size() > 1; };
  if (!is_chain(before) || !is_chain(after)) return ForwardedLeaf{0, leaf};
  const auto old = leaves.offsets(before);
  const auto now = leaves.offsets(after);
  if (update.operands.size() == 1 && old[1] == now[1] && old[2] == now[2]) return ForwardedLeaf{0, leaf};
  if (leaf < old[1]) return ForwardedLeaf{0, leaf};
  if (leaf >= now[2]) return ForwardedLeaf{0, old[2] + (leaf - now[2])};
  if (leaf >= now[1]) return std::nullopt;
  std::uint32_t rest = leaf - old[1];
  for (std::uint32_t j = 1; j < update.operands.size(); ++j) {
    const std::uint32_t count = leaves.count(update.operands[j]);
    if (rest < count) return ForwardedLeaf{j, rest};
    rest -= count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ForwardedLeaf> forwarded(const Instruction& instruction, std::uint32_t leaf, Leaves& leaves) {
  if (instruction.operands.empty()) return std::nullopt;
  switch (instruction.opcode) {
    case Opcode::tuple: {
      if (!instruction.type.is_tuple()) return std::nullopt;
      const std::uint32_t element = leaves.element(instruction.type, leaf);
      if (element >= instruction.operands.size()) return std::nullopt;
      return ForwardedLeaf{element, leaf - leaves.offsets(instruction.type)[element]};
    }
    case Opcode::get_tuple_element: {
      const HloType& tuple = instruction.operand_type(0);
      const auto index = int_of(instruction, "index");
      if (!index || !tuple.is_tuple() || *index < 0 || as_size(*index) >= tuple.elements().size())
        return std::nullopt;
      return ForwardedLeaf{0, leaves.offsets(tuple)[as_size(*index)] + leaf};
    }
    case Opcode::copy_start: {
      // (copy, original, context): the copy and the original are the operand, which may be a tuple.
      const std::uint32_t arrays = leaves.count(instruction.operand_type(0));
      return leaf / 2 < arrays ? std::optional(ForwardedLeaf{0, leaf % arrays}) : std::nullopt;
    }
    case Opcode::async_done:
    case Opcode::all_gather_done:
    case Opcode::collective_permute_done: {
      // The type of the start is (operands, results, contexts...); the end returns the results. If the start
      // has no result, the end computes it.
      const HloType& started = instruction.operand_type(0);
      if (!started.is_tuple() || started.elements().size() < 2) return ForwardedLeaf{0, leaf};
      const auto first = leaves.offsets(started);
      if (first[1] + leaf >= first[2]) return std::nullopt;
      return ForwardedLeaf{0, first[1] + leaf};
    }
    case Opcode::async_update:
      return forwarded_by_update(instruction, leaf, leaves);
    case Opcode::copy_done:
    case Opcode::opt_barrier:
    case Opcode::domain:
    case Opcode::add_dependency:
    case Opcode::all_reduce_done:
      return ForwardedLeaf{0, leaf};
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::detail
