// SPDX-License-Identifier: Apache-2.0
#include "tile/product_bound.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "hlo/operations/product_work.h"
#include "tessera/base/dtype.h"

namespace tessera::detail {
namespace {

// Whether each element of the result is one element of the only operand.
bool keeps_elements(const Instruction& op) {
  switch (op.opcode) {
    case Opcode::bitcast:
    case Opcode::convert:
    case Opcode::copy:
    case Opcode::reshape:
    case Opcode::transpose:
      return op.operands.size() == 1 && op.operands[0].tuple_index < 0 && op.type.is_array() &&
             op.operand_type(0).is_array();
    default:
      return false;
  }
}

// On the chip, elements below a byte may lie side by side.
Index bits_of(const HloType& type) { return bit_width(type.array().dtype); }

// Where an operand of a product inside a fusion is from, and the fewest bits of its elements on the way.
struct Origin {
  const Instruction* value = nullptr;
  Index bits = 0;
};

Origin origin_of(const Instruction& product, std::size_t operand) {
  const Instruction* at = product.operands[operand].instruction;
  Origin out{at, bits_of(product.operand_type(operand))};
  while (keeps_elements(*at)) {
    at = at->operands[0].instruction;
    out = {at, std::min(out.bits, bits_of(at->type))};
  }
  return out;
}

bool is_needed(const Instruction& value, const Computation& computation);

// Whether each element of the operands is needed for the result, whatever the values are.
bool needs_operands(const Instruction& op) {
  const OpcodeTrait trait = trait_of(op.opcode);
  if (op.opcode == Opcode::reduce)
    return op.called.size() == 1 &&
           std::ranges::all_of(op.called[0]->parameters, [&](const Instruction* parameter) {
             return is_needed(*parameter, *op.called[0]);
           });
  return keeps_elements(op) || trait == OpcodeTrait::unary || trait == OpcodeTrait::binary ||
         op.opcode == Opcode::tuple;
}

// Whether each element of the value is needed for the root of its computation.
bool is_needed(const Instruction& value, const Computation& computation) {
  std::unordered_set<const Instruction*> needed = {computation.root};
  for (std::size_t i = computation.instructions.size(); i-- > 0;) {
    const Instruction& op = *computation.instructions[i];
    if (!needed.contains(&op)) continue;
    if (&op == &value) return true;
    if (!needs_operands(op)) continue;
    for (const Operand& operand : op.operands)
      if (operand.tuple_index < 0) needed.insert(operand.instruction);
  }
  return false;
}

bool is_plain(const Instruction& dot) {
  if (dot.opcode != Opcode::dot || !dot.sound || dot.operands.size() != 2 || !dot.type.is_array())
    return false;
  for (std::size_t i = 0; i < 2; ++i)
    if (dot.operands[i].tuple_index >= 0 || !dot.operand_type(i).is_array()) return false;
  return true;
}

// The product of a dot whose operands are these operands of the step.
std::optional<Product> product_from(const Instruction& dot, const Instruction& step,
                                    const std::size_t (&operands)[2], const Index (&bits)[2],
                                    ArrayOrigins& origins) {
  const Work work = dot_work(dot);
  if (work.counts().size() != 1 || !work.unknown().empty()) return std::nullopt;
  const auto& [key, operations] = *work.counts().begin();
  const Count results = count_elements(dot.type);
  if (!operations.exact() || !results.exact()) return std::nullopt;
  const Index each = dtype_class(key.second) == DTypeClass::complex ? 8 : 2;
  const ProgramArray left = origins.of(step.operands[operands[0]], 0).array;
  const ProgramArray right = origins.of(step.operands[operands[1]], 0).array;
  return Product{.multiplications = operations.lower / each,
                 .results = results.lower,
                 .left_bits = bits[0],
                 .right_bits = bits[1],
                 .sum_bits = bits_of(dot.type),
                 .one_array = left == right || origins.sometimes_equal(left, right)};
}

}  // namespace

std::optional<Product> product_of_step(const Instruction& step, ArrayOrigins& origins) {
  if (is_plain(step))
    return product_from(step, step, {0, 1}, {bits_of(step.operand_type(0)), bits_of(step.operand_type(1))},
                        origins);
  if (step.opcode != Opcode::fusion || !step.sound || step.called.size() != 1) return std::nullopt;
  const Computation& inside = *step.called[0];
  const Instruction* dot = nullptr;
  for (const auto& op : inside.instructions) {
    if (!op->called.empty() && op->opcode != Opcode::reduce) return std::nullopt;
    if (op->opcode != Opcode::dot) continue;
    if (dot != nullptr || !is_plain(*op)) return std::nullopt;
    dot = op.get();
  }
  if (dot == nullptr || inside.root == nullptr || !is_needed(*dot, inside)) return std::nullopt;
  std::size_t operands[2] = {};
  Index bits[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const Origin origin = origin_of(*dot, i);
    if (origin.value->opcode != Opcode::parameter || !origin.value->type.is_array()) return std::nullopt;
    const auto found = std::ranges::find(inside.parameters, origin.value);
    operands[i] = static_cast<std::size_t>(found - inside.parameters.begin());
    bits[i] = origin.bits;
    if (operands[i] >= step.operands.size()) return std::nullopt;
  }
  return product_from(*dot, step, operands, bits, origins);
}

Index least_product_bytes(const Product& product, Index written, Index on_chip) {
  const long double bits = 8.0L * static_cast<long double>(on_chip);
  // Nothing is computed where two elements and their sum do not fit.
  if (bits < static_cast<long double>(product.left_bits + product.right_bits + product.sum_bits)) return 0;
  const long double widths = static_cast<long double>(product.left_bits) *
                             static_cast<long double>(product.right_bits) *
                             static_cast<long double>(product.sum_bits);
  const long double meet = (product.one_array ? 1 : 2) * static_cast<long double>(product.multiplications) *
                           std::sqrt(widths / bits);
  const long double less = 2 * bits + static_cast<long double>(product.results) * product.sum_bits;
  // What rounding may add is taken off.
  const long double out = meet * (1 - 1e-12L) - less + 8 * static_cast<long double>(written);
  if (!(out > 0)) return 0;
  return out / 8 >= 9e18L ? kIndexMax : static_cast<Index>(std::floor(out / 8));
}

}  // namespace tessera::detail
