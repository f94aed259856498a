// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that forward whole arrays unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "hlo/module/leaves.h"
#include "hlo/ops/rule.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// For an opcode for which only_forwards holds: the leaf of an operand that it returns as output `leaf`,
/// if any. The leaf may not exist if the instruction does not match its operands.
std::optional<ForwardedLeaf> forwarded(const Instruction& instruction, std::uint32_t leaf, Leaves& leaves);

/// The number of the element that a get-tuple-element takes; empty if the instruction has an error.
std::optional<std::size_t> taken_element(const Instruction& get_tuple_element);

/// A forwarded array: the identity in both directions.
IndexingSet forwarded_identity(const OpQuery& query);
/// Forwards leaf k of operand 0 as output k.
std::optional<ForwardedLeaf> same_leaf(const Instruction& instruction, std::uint32_t leaf, Leaves& leaves);
/// The rule of an opcode that only forwards.
constexpr OpRule forwarding_rule(OpRead read,
                                 std::optional<ForwardedLeaf> (*forwards)(const Instruction&, std::uint32_t,
                                                                          Leaves&)) {
  return {.read = read,
          .output_to_input = forwarded_identity,
          .input_to_output = forwarded_identity,
          .tuple_operands = true,
          .forwards = forwards};
}

}  // namespace tessera::detail
