// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/written_leaves.h"

namespace tessera::detail {

std::pair<std::size_t, std::size_t> written_leaves(const Instruction& op) {
  const std::size_t all = op.type.leaf_count();
  if (op.opcode == Opcode::copy_start) return {0, 1};
  if (!returns_operands(op.opcode) || !op.type.is_tuple() || op.type.elements().size() < 2) return {0, all};
  const std::size_t operands = op.type.elements()[0].leaf_count();
  return {operands, operands + op.type.elements()[1].leaf_count()};
}

}  // namespace tessera::detail
