// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/element_value.h"

#include <algorithm>
#include <utility>

#include "hlo/limits.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/sizes.h"
#include "hlo/syntax/literal.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

// The sign of the difference, -1, 0 or 1, if it is the same for all values of the interval.
std::optional<int> sign_of(Interval difference) {
  if (difference.lower > 0) return 1;
  if (difference.upper < 0) return -1;
  if (difference == Interval::point(0)) return 0;
  return std::nullopt;
}

}  // namespace

std::optional<Interval> values_of(DType type) {
  if (!is_integer(type)) return std::nullopt;
  const int bits = bit_width(type);
  if (dtype_class(type) == DTypeClass::unsigned_integer) {
    return Interval{0, bits >= 64 ? kPosInf : (Index{1} << bits) - 1};
  }
  return bits >= 64 ? Interval{} : Interval{-(Index{1} << (bits - 1)), (Index{1} << (bits - 1)) - 1};
}

std::optional<Interval> integers_of(DType type) {
  return type == DType::pred ? std::optional(Interval{0, 1}) : values_of(type);
}

Expr clamped(Expr value, Interval clamp, const Domain& domain) {
  if (value.is_constant()) return Expr::constant(std::clamp(value.value(), clamp.lower, clamp.upper));
  const Interval reach = range(value, domain);
  if (reach.lower < clamp.lower) value = max(value, Expr::constant(clamp.lower));
  if (reach.upper > clamp.upper) value = min(value, Expr::constant(clamp.upper));
  return simplify(value, domain);
}

std::optional<Expr> ElementTrace::value(TracedElement element) {
  bool moved = false;
  element = origin(std::move(element), moved);
  if (steps_ >= kHloLimits.ops.value_steps) return std::nullopt;
  const Instruction& source = *element.value.instruction;
  if (!source.sound) return std::nullopt;
  if (options_.given) {
    if (const auto given = options_.given(element)) return Expr::constant(*given);
  }
  if (source.opcode == Opcode::parameter && element.calls.empty() && options_.known) {
    if (const auto known = options_.known(element.value)) return known;
  }
  if (const auto inside = into_call(element)) return value(*inside);
  if (element.value.tuple_index >= 0 || !source.type.is_array()) return std::nullopt;
  const DType type = source.type.array().dtype;
  if (source.opcode == Opcode::constant) return constant(source, element.at);
  if (source.opcode == Opcode::iota) {
    const auto dim = counted_dimension(source);
    return dim ? within(element.at[*dim], type) : std::nullopt;
  }
  if (source.opcode == Opcode::convert) {
    if (options_.modular || !is_integer(source.operand_type(0).array().dtype)) return std::nullopt;
    const auto inner = operand(element, 0);
    return inner ? within(*inner, type) : std::nullopt;
  }
  return is_integer(type) ? arithmetic(element) : std::nullopt;
}

std::optional<Expr> ElementTrace::constant(const Instruction& source, std::span<const Expr> at) const {
  if (const auto splat = integer_splat(source)) return Expr::constant(*splat);
  std::vector<Index> index;
  for (const Expr e : at) {
    const Interval values = range(e, domain_);  // `e` may still be a dimension of extent 1
    if (!values.is_point()) break;
    index.push_back(values.lower);
  }
  if (index.size() == at.size()) {
    const auto found = integer_element(source, index);
    return found ? std::optional(Expr::constant(*found)) : std::nullopt;
  }
  const auto count = source.type.array().element_count();
  if (!count || *count > kHloLimits.ops.table_elements) return std::nullopt;
  const auto all = integer_values(source);
  auto entries = all ? table_at(*all, source.type.dims(), at) : std::nullopt;
  if (!entries) return std::nullopt;
  const auto pieces = table_pieces(*std::move(entries), {at.begin(), at.end()}, 1);
  return pieces.empty() ? std::nullopt : std::optional(simplify(pieces[0].value, domain_));
}

std::optional<Expr> ElementTrace::operand(const TracedElement& element, std::size_t number) {
  const Instruction& source = *element.value.instruction;
  if (number >= source.operands.size()) return std::nullopt;
  const Operand& from = source.operands[number];
  // The bounds of a clamp and the predicate of a select may be scalars.
  const bool scalar = from.type().is_array() && from.type().rank() == 0;
  return value({from, scalar ? std::vector<Expr>() : element.at, element.calls});
}

std::optional<Expr> ElementTrace::arithmetic(const TracedElement& element) {
  const Instruction& source = *element.value.instruction;
  const DType type = source.type.array().dtype;
  const Opcode opcode = source.opcode;
  const bool wraps = opcode == Opcode::add || opcode == Opcode::subtract || opcode == Opcode::multiply ||
                     opcode == Opcode::negate;
  if (options_.modular && !wraps) return std::nullopt;
  if (opcode == Opcode::negate) {
    const auto a = operand(element, 0);
    return a ? within(-*a, type) : std::nullopt;
  }
  if (opcode == Opcode::clamp) {
    const auto low = operand(element, 0);
    const auto a = low ? operand(element, 1) : std::nullopt;
    const auto high = a ? operand(element, 2) : std::nullopt;
    return high ? within(min(max(*a, *low), *high), type) : std::nullopt;
  }
  if (opcode == Opcode::select) {
    if (source.operands.size() != 3) return std::nullopt;
    const Operand& predicate = source.operands[0];
    const bool scalar = predicate.type().is_array() && predicate.type().rank() == 0;
    const auto chosen = holds({predicate, scalar ? std::vector<Expr>() : element.at, element.calls});
    return chosen ? operand(element, *chosen ? 1 : 2) : std::nullopt;
  }
  const bool divides = opcode == Opcode::divide || opcode == Opcode::remainder;
  const bool bounds = opcode == Opcode::maximum || opcode == Opcode::minimum;
  if (source.operands.size() != 2 || !(wraps || divides || bounds)) return std::nullopt;
  const auto a = operand(element, 0);
  if (!a) return std::nullopt;
  const auto b = operand(element, 1);
  if (!b) return std::nullopt;
  if (opcode == Opcode::add) return within(*a + *b, type);
  if (opcode == Opcode::subtract) return within(*a - *b, type);
  if (opcode == Opcode::maximum) return within(max(*a, *b), type);
  if (opcode == Opcode::minimum) return within(min(*a, *b), type);
  if (opcode == Opcode::multiply) {
    // A map cannot express the product of two variables.
    return a->is_constant() || b->is_constant() ? within(*a * *b, type) : std::nullopt;
  }
  // HLO division rounds toward zero, floordiv toward minus infinity: they agree for nonnegative values.
  if (!b->is_constant() || b->value() <= 0 || range(*a, domain_).lower < 0) return std::nullopt;
  return within(opcode == Opcode::divide ? floor_div(*a, b->value()) : mod(*a, b->value()), type);
}

std::optional<ElementTrace::Comparison> ElementTrace::comparison(TracedElement element) {
  bool moved = false;
  element = origin(std::move(element), moved);
  if (steps_ >= kHloLimits.ops.value_steps || !element.value.instruction->sound) return std::nullopt;
  if (auto inside = into_call(element)) return comparison(*std::move(inside));
  const Instruction& source = *element.value.instruction;
  if (source.opcode != Opcode::compare || element.value.tuple_index >= 0 || source.operands.size() != 2 ||
      !source.operand_type(0).is_array() || !is_integer(source.operand_type(0).array().dtype)) {
    return std::nullopt;
  }
  const auto compare = value_of<CompareOp>(source);
  const auto lhs = compare != nullptr ? operand(element, 0) : std::nullopt;
  const auto rhs = lhs ? operand(element, 1) : std::nullopt;
  if (!rhs) return std::nullopt;
  return Comparison{*lhs, *rhs, compare->direction, source.operand_type(0).array().dtype};
}

std::optional<bool> ElementTrace::holds(TracedElement predicate) {
  const auto compared = comparison(std::move(predicate));
  if (!compared) return std::nullopt;
  const Interval difference = range(simplify(compared->lhs - compared->rhs, domain_), domain_);
  using enum CompareOp::Direction;
  const CompareOp::Direction direction = compared->direction;
  if (direction == lt && difference.lower >= 0) return false;
  if (direction == le && difference.upper <= 0) return true;
  if (direction == gt && difference.upper <= 0) return false;
  if (direction == ge && difference.lower >= 0) return true;
  const auto sign = sign_of(difference);
  return sign ? std::optional(CompareOp::holds(direction, *sign)) : std::nullopt;
}

// `e`, if its value is always in the range of the type.
std::optional<Expr> ElementTrace::within(Expr e, DType type) const {
  const auto values = values_of(type);
  if (!values) return std::nullopt;
  const Expr simple = simplify(e, domain_);
  if (options_.modular) return simple;
  const Interval reach = range(simple, domain_);
  return reach.is_finite() && values->contains(reach) ? std::optional(simple) : std::nullopt;
}

}  // namespace tessera::detail
