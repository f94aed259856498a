// SPDX-License-Identifier: Apache-2.0
#include "hlo/verify/started.h"

namespace tessera::detail {

std::optional<Instruction> started_operation(const Instruction& start) {
  constexpr std::string_view kSuffix = "-start";
  if (start.opcode != Opcode::async_start || start.opcode_text == "async-start" ||
      !start.opcode_text.ends_with(kSuffix) || !start.type.is_tuple() || start.type.elements().size() < 2) {
    return std::nullopt;
  }
  Instruction op = start;
  op.opcode_text.remove_suffix(kSuffix.size());
  op.opcode = parse_opcode(op.opcode_text).value_or(Opcode::unknown);
  op.type = HloType(start.type.elements()[1]);
  return op;
}

}  // namespace tessera::detail
