// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/forwarding.h"

#include "hlo/module/as_size.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {

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
      // The type of the start is (operands, results, contexts...); the end returns the results.
      const HloType& started = instruction.operand_type(0);
      const bool bare = !started.is_tuple() || started.elements().size() < 2;
      return ForwardedLeaf{0, bare ? leaf : leaves.offsets(started)[1] + leaf};
    }
    case Opcode::copy_done:
    case Opcode::opt_barrier:
    case Opcode::domain:
    case Opcode::add_dependency:
    case Opcode::async_update:
    case Opcode::all_reduce_done:
      return ForwardedLeaf{0, leaf};
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::detail
