// SPDX-License-Identifier: Apache-2.0
// The interval of the values of an array.
#include <algorithm>
#include <utility>

#include "hlo/limits.h"
#include "hlo/ops/element_value.h"
#include "hlo/ops/sizes.h"
#include "hlo/syntax/literal.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

Interval hull_of(std::span<const Index> values) {
  const auto [least, most] = std::ranges::minmax(values);
  return {least, most};
}

/// The quotients of a / b, rounded toward zero, for b above 0.
Interval quotients(Interval a, Interval b) {
  const auto divided = [](Index x, Index y) { return x == kNegInf || x == kPosInf ? x : x / y; };
  return {divided(a.lower, a.lower < 0 ? b.lower : b.upper),
          divided(a.upper, a.upper < 0 ? b.upper : b.lower)};
}

/// The remainders of a / b, with the sign of a, for b above 0.
Interval remainders(Interval a, Interval b) {
  return {a.lower < 0 ? std::max(a.lower, -(b.upper - 1)) : 0,
          a.upper > 0 ? std::min(a.upper, b.upper - 1) : 0};
}

}  // namespace

Interval ElementTrace::reach(const TracedElement& array) {
  const HloType& type = array.value.type();
  const auto all = type.is_array() ? integers_of(type.array().dtype) : std::nullopt;
  if (!all) return {};
  return intersect(reach_within(array, *all), *all).value_or(*all);
}

// The interval may be wider than `all`, the values of the type.
Interval ElementTrace::reach_within(const TracedElement& from, Interval all) {
  TracedElement array{from.value, {}, from.calls};
  while (steps_++ < kHloLimits.ops.value_steps && array.value.instruction->sound && forward(array)) {
  }
  const Instruction& op = *array.value.instruction;
  if (steps_ >= kHloLimits.ops.value_steps || !op.sound) return all;
  if (const auto inside = into_call(array)) return reach_within(*inside, all);
  if (array.value.tuple_index >= 0 || !op.type.is_array()) return all;
  const auto operand = [&](std::size_t j) { return reach({op.operands[j], {}, array.calls}); };
  // Arithmetic that may leave the type wraps.
  const auto unless_wrapped = [&](Interval values) {
    return values.is_finite() && all.contains(values) ? values : all;
  };
  if (const std::size_t moved = moved_operands(op.opcode, op.operands.size()); moved > 0) {
    // Other bits are other values.
    if (op.type.array().dtype != op.operand_type(0).array().dtype) return all;
    Interval out = operand(0);
    for (std::size_t j = 1; j < moved; ++j) out = hull(out, operand(j));
    return out;
  }
  const Opcode opcode = op.opcode;
  if (opcode == Opcode::constant) {
    const auto count = op.type.array().element_count();
    if (!count || *count > kHloLimits.ops.table_elements) return all;
    const auto values = integer_values(op);
    return values && !values->empty() ? hull_of(*values) : all;
  }
  if (opcode == Opcode::iota) {
    const auto dim = counted_dimension(op);
    if (!dim) return all;
    const Index extent = op.type.dims()[*dim];
    return extent < 1 ? all : unless_wrapped(Interval::of_extent(extent));
  }
  if (opcode == Opcode::convert)
    return integers_of(op.operand_type(0).array().dtype) ? unless_wrapped(operand(0)) : all;
  if (opcode == Opcode::select) return hull(operand(1), operand(2));
  if (opcode == Opcode::clamp) return min(max(operand(1), operand(0)), operand(2));
  if (opcode == Opcode::maximum) return max(operand(0), operand(1));
  if (opcode == Opcode::minimum) return min(operand(0), operand(1));
  if (opcode == Opcode::add) return unless_wrapped(operand(0) + operand(1));
  if (opcode == Opcode::subtract) return unless_wrapped(operand(0) - operand(1));
  if (opcode == Opcode::multiply) return unless_wrapped(operand(0) * operand(1));
  if (opcode == Opcode::negate) return unless_wrapped(-operand(0));
  if (opcode == Opcode::abs) {
    const Interval a = operand(0);
    return unless_wrapped(a.lower >= 0 ? a : max(a, -a));
  }
  if (opcode == Opcode::sign) return {-1, 1};
  if (opcode == Opcode::and_) {
    const Interval a = operand(0);
    const Interval b = operand(1);
    if (a.lower < 0 && b.lower < 0) return all;
    if (a.lower < 0) return {0, b.upper};
    return {0, b.lower < 0 ? a.upper : std::min(a.upper, b.upper)};
  }
  if (opcode == Opcode::divide || opcode == Opcode::remainder) {
    const Interval b = operand(1);
    if (b.lower < 1 || b.upper == kPosInf) return all;
    return opcode == Opcode::divide ? quotients(operand(0), b) : remainders(operand(0), b);
  }
  return all;
}

}  // namespace tessera::detail
