// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/integer_operation.h"

#include <algorithm>
#include <bit>

#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"

namespace tessera::detail {
namespace {

std::uint64_t mask_of(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

/// The low bits of `value` as a value of the type; for pred whether it is not 0. Empty if that is above the
/// range of Index.
std::optional<Index> wrapped(Index value, DType type) {
  if (type == DType::pred) return value != 0 ? 1 : 0;
  const bool is_unsigned = dtype_class(type) == DTypeClass::unsigned_integer;
  const int bits = bit_width(type);
  if (bits >= 64) return is_unsigned && value < 0 ? std::nullopt : std::optional(value);
  const std::uint64_t low = static_cast<std::uint64_t>(value) & mask_of(bits);
  const bool negative = !is_unsigned && (low >> (bits - 1) & 1) != 0;
  return static_cast<Index>(negative ? low | ~mask_of(bits) : low);
}

std::optional<Index> shifted(Opcode opcode, Index a, Index by, DType type) {
  const int bits = bit_width(type);
  const bool out = by < 0 || by >= bits;
  if (opcode == Opcode::shift_right_arithmetic) {
    // Of an unsigned type, too, the highest bit is repeated.
    const Index top = static_cast<Index>(static_cast<std::uint64_t>(a) << (64 - bits));
    return wrapped(top >> (64 - bits) >> (out ? bits - 1 : static_cast<int>(by)), type);
  }
  if (out) return 0;
  const auto whole = static_cast<std::uint64_t>(a);
  if (opcode == Opcode::shift_left) return wrapped(static_cast<Index>(whole << by), type);
  return wrapped(static_cast<Index>((whole & mask_of(bits)) >> by), type);
}

/// The value, if the type has it.
std::optional<Index> fitting(Index value, DType type) {
  return wrapped(value, type) == value ? std::optional(value) : std::nullopt;
}

std::optional<Index> unary(const Instruction& op, Index a, DType type) {
  const Opcode opcode = op.opcode;
  if (opcode == Opcode::convert) return type == DType::pred ? wrapped(a, type) : fitting(a, type);
  if (opcode == Opcode::bitcast_convert || opcode == Opcode::bitcast)
    return bit_width(op.operand_type(0).array().dtype) == bit_width(type) ? wrapped(a, type) : std::nullopt;
  if (opcode == Opcode::sign) return (a > 0 ? 1 : 0) - (a < 0 ? 1 : 0);
  if (opcode == Opcode::not_) return type == DType::pred ? 1 - a : wrapped(~a, type);
  if (opcode == Opcode::popcnt)
    return std::popcount(static_cast<std::uint64_t>(a) & mask_of(bit_width(type)));
  if ((opcode != Opcode::negate && opcode != Opcode::abs) || a == kIndexMin) return std::nullopt;
  return fitting(opcode == Opcode::negate || a < 0 ? -a : a, type);
}

std::optional<Index> binary(Opcode opcode, Index a, Index b, DType type) {
  Index out = 0;
  if (opcode == Opcode::add) return add_overflows(a, b, out) ? std::nullopt : fitting(out, type);
  if (opcode == Opcode::subtract) return sub_overflows(a, b, out) ? std::nullopt : fitting(out, type);
  if (opcode == Opcode::multiply) return mul_overflows(a, b, out) ? std::nullopt : fitting(out, type);
  if (opcode == Opcode::maximum) return std::max(a, b);
  if (opcode == Opcode::minimum) return std::min(a, b);
  if (opcode == Opcode::and_) return a & b;
  if (opcode == Opcode::or_) return a | b;
  if (opcode == Opcode::xor_) return a ^ b;
  if (opcode == Opcode::divide || opcode == Opcode::remainder) {
    if (b == 0 || (b == -1 && a == kIndexMin)) return std::nullopt;
    return fitting(opcode == Opcode::divide ? a / b : a % b, type);
  }
  const bool shifts = opcode == Opcode::shift_left || opcode == Opcode::shift_right_arithmetic ||
                      opcode == Opcode::shift_right_logical;
  return shifts ? shifted(opcode, a, b, type) : std::nullopt;
}

}  // namespace

std::optional<Index> integer_operation(const Instruction& op, std::span<const Index> operands) {
  const DType type = op.type.array().dtype;
  if (operands.size() == 1) return unary(op, operands[0], type);
  if (operands.size() == 2) {
    if (op.opcode != Opcode::compare) return binary(op.opcode, operands[0], operands[1], type);
    const auto compare = value_of<CompareOp>(op);
    if (compare == nullptr) return std::nullopt;
    const Index sign = operands[0] < operands[1] ? -1 : operands[0] > operands[1] ? 1 : 0;
    return CompareOp::holds(compare->direction, sign) ? 1 : 0;
  }
  if (operands.size() != 3) return std::nullopt;
  if (op.opcode == Opcode::select) return operands[0] != 0 ? operands[1] : operands[2];
  if (op.opcode == Opcode::clamp) return std::min(std::max(operands[1], operands[0]), operands[2]);
  return std::nullopt;
}

}  // namespace tessera::detail
