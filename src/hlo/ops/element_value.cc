// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/element_value.h"

#include <algorithm>
#include <utility>

#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/literal.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

// Limit on the instructions visited for one value: shared operands are visited once per use, which may be
// exponential.
constexpr int kMaxSteps = 256;

bool keeps_values(const Instruction& op) {
  const auto from = values_of(op.operand_type(0).array().dtype);
  const auto to = values_of(op.type.array().dtype);
  return from && to && to->contains(*from);
}

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

TracedElement ElementTrace::origin(TracedElement element, bool& moved) {
  while (steps_++ < kMaxSteps && step(element)) moved = true;
  return element;
}

std::optional<Expr> ElementTrace::value(TracedElement element) {
  bool moved = false;
  element = origin(std::move(element), moved);
  if (steps_ >= kMaxSteps) return std::nullopt;
  const Instruction& source = *element.value.instruction;
  if (!source.sound) return std::nullopt;
  if (source.opcode == Opcode::parameter && element.calls.empty() && options_.known) {
    if (const auto known = options_.known(element.value)) return known;
  }
  if (const auto inside = into_call(element)) return value(*inside);
  if (element.value.tuple_index >= 0 || !source.type.is_array()) return std::nullopt;
  switch (source.opcode) {
    case Opcode::constant:
      return constant(source, element.at);
    case Opcode::iota: {
      const auto dim = int_of(source, "iota_dimension");
      if (!dim || *dim < 0 || *dim >= static_cast<Index>(element.at.size())) return std::nullopt;
      return within(element.at[static_cast<std::size_t>(*dim)], source.type.array().dtype);
    }
    case Opcode::convert: {
      if (options_.modular || !is_integer(source.operand_type(0).array().dtype)) return std::nullopt;
      const auto inner = operand(element, 0);
      return inner ? within(*inner, source.type.array().dtype) : std::nullopt;
    }
    default:
      return is_integer(source.type.array().dtype) ? arithmetic(element) : std::nullopt;
  }
}

std::optional<Expr> ElementTrace::constant(const Instruction& source, std::span<const Expr> at) const {
  if (const auto splat = integer_splat(source)) return Expr::constant(*splat);
  std::vector<Index> index;
  for (const Expr e : at) {
    const Interval values = range(e, domain_);  // `e` may still be a dimension of extent 1
    if (!values.is_point()) return std::nullopt;
    index.push_back(values.lower);
  }
  const auto found = integer_element(source, index);
  return found ? std::optional(Expr::constant(*found)) : std::nullopt;
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
  switch (opcode) {
    case Opcode::negate: {
      const auto a = operand(element, 0);
      return a ? within(-*a, type) : std::nullopt;
    }
    case Opcode::clamp: {
      const auto low = operand(element, 0);
      const auto a = low ? operand(element, 1) : std::nullopt;
      const auto high = a ? operand(element, 2) : std::nullopt;
      return high ? within(min(max(*a, *low), *high), type) : std::nullopt;
    }
    case Opcode::select: {
      if (source.operands.size() != 3) return std::nullopt;
      const Operand& predicate = source.operands[0];
      const bool scalar = predicate.type().is_array() && predicate.type().rank() == 0;
      const auto chosen = holds({predicate, scalar ? std::vector<Expr>() : element.at, element.calls});
      return chosen ? operand(element, *chosen ? 1 : 2) : std::nullopt;
    }
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::maximum:
    case Opcode::minimum:
    case Opcode::divide:
    case Opcode::remainder:
      break;
    default:
      return std::nullopt;
  }
  if (source.operands.size() != 2) return std::nullopt;
  const auto a = operand(element, 0);
  if (!a) return std::nullopt;
  const auto b = operand(element, 1);
  if (!b) return std::nullopt;
  switch (opcode) {
    case Opcode::add:
      return within(*a + *b, type);
    case Opcode::subtract:
      return within(*a - *b, type);
    case Opcode::multiply:
      // A map cannot express the product of two variables.
      if (!a->is_constant() && !b->is_constant()) return std::nullopt;
      return within(*a * *b, type);
    case Opcode::maximum:
      return within(max(*a, *b), type);
    case Opcode::minimum:
      return within(min(*a, *b), type);
    default:
      // HLO division rounds toward zero, floordiv toward minus infinity: they agree for nonnegative values.
      if (!b->is_constant() || b->value() <= 0 || range(*a, domain_).lower < 0) return std::nullopt;
      return within(opcode == Opcode::divide ? floor_div(*a, b->value()) : mod(*a, b->value()), type);
  }
}

std::optional<ElementTrace::Comparison> ElementTrace::comparison(TracedElement element) {
  bool moved = false;
  element = origin(std::move(element), moved);
  if (steps_ >= kMaxSteps || !element.value.instruction->sound) return std::nullopt;
  if (auto inside = into_call(element)) return comparison(*std::move(inside));
  const Instruction& source = *element.value.instruction;
  if (source.opcode != Opcode::compare || element.value.tuple_index >= 0 || source.operands.size() != 2 ||
      !source.operand_type(0).is_array() || !is_integer(source.operand_type(0).array().dtype)) {
    return std::nullopt;
  }
  const Attribute* const direction = source.attribute("direction");
  const auto lhs = direction != nullptr ? operand(element, 0) : std::nullopt;
  const auto rhs = lhs ? operand(element, 1) : std::nullopt;
  if (!rhs) return std::nullopt;
  return Comparison{*lhs, *rhs, direction->value, source.operand_type(0).array().dtype};
}

std::optional<bool> ElementTrace::holds(TracedElement predicate) {
  const auto compared = comparison(std::move(predicate));
  if (!compared) return std::nullopt;
  const Interval difference = range(simplify(compared->lhs - compared->rhs, domain_), domain_);
  const std::string_view direction = compared->direction;
  if (direction == "LT" && difference.lower >= 0) return false;
  if (direction == "LE" && difference.upper <= 0) return true;
  if (direction == "GT" && difference.upper <= 0) return false;
  if (direction == "GE" && difference.lower >= 0) return true;
  const auto sign = sign_of(difference);
  if (!sign) return std::nullopt;
  if (direction == "LT") return *sign < 0;
  if (direction == "LE") return *sign <= 0;
  if (direction == "GT") return *sign > 0;
  if (direction == "GE") return *sign >= 0;
  if (direction == "EQ") return *sign == 0;
  if (direction == "NE") return *sign != 0;
  return std::nullopt;
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

// The element of the root that a call or a fusion returns.
std::optional<TracedElement> ElementTrace::into_call(const TracedElement& element) const {
  const Instruction& call = *element.value.instruction;
  if ((call.opcode != Opcode::call && call.opcode != Opcode::fusion) || call.called.size() != 1)
    return std::nullopt;
  Instruction* const root = call.called[0]->root;
  if (root == nullptr || !root->sound || root->type.is_tuple() != call.type.is_tuple()) return std::nullopt;
  if (call.type.is_array() && call.type.array().dims != root->type.array().dims) return std::nullopt;
  TracedElement inside{
      {root, element.value.tuple_index, element.value.span, element.value.inner}, element.at, element.calls};
  inside.calls.push_back({&call, 0});
  return inside;
}

// Follows the element to an operand. False if the instruction computes it.
bool ElementTrace::step(TracedElement& element) const {
  Operand& value = element.value;
  const Instruction& op = *value.instruction;
  if (!op.sound) return false;
  const auto replace = [&](const Operand& operand) {
    value = operand;
    return true;
  };
  switch (op.opcode) {
    case Opcode::parameter:
      return out_of_parameter(element);
    case Opcode::tuple: {
      if (value.tuple_index < 0) return false;
      if (static_cast<std::size_t>(value.tuple_index) >= op.operands.size()) return false;
      const Operand& part = op.operands[static_cast<std::size_t>(value.tuple_index)];
      if (value.inner == nullptr) return replace(part);
      if (part.tuple_index >= 0) return false;
      value = {part.instruction, value.inner->index, part.span, value.inner->next};
      return true;
    }
    case Opcode::get_tuple_element: {
      const auto index = int_of(op, "index");
      if (value.tuple_index >= 0 || op.operands[0].tuple_index >= 0 || !index) return false;
      if (*index < 0 || *index >= static_cast<Index>(op.operand_type(0).elements().size())) return false;
      value = {op.operands[0].instruction, static_cast<std::int32_t>(*index), op.operands[0].span};
      return true;
    }
    case Opcode::convert:
      return value.tuple_index < 0 && !options_.modular && keeps_values(op) && replace(op.operands[0]);
    case Opcode::copy:
      return value.tuple_index < 0 && op.type.is_array() && replace(op.operands[0]);
    case Opcode::broadcast:
    case Opcode::reshape:
    case Opcode::bitcast:
    case Opcode::transpose:
    case Opcode::slice:
    case Opcode::reverse:
    case Opcode::pad:
      return value.tuple_index < 0 && through_map(element, op);
    default:
      return false;
  }
}

bool ElementTrace::out_of_parameter(TracedElement& element) const {
  Operand& value = element.value;
  const Instruction& parameter = *value.instruction;
  std::optional<Operand> outside;
  if (element.calls.empty()) {
    outside = options_.resolve ? options_.resolve(value) : std::nullopt;
  } else {
    const auto [caller, first_operand] = element.calls.back();
    const auto number = first_operand + static_cast<std::size_t>(parameter.parameter_number);
    const bool called = std::ranges::find(caller->called, parameter.parent) != caller->called.end();
    if (called && parameter.parameter_number >= 0 && number < caller->operands.size())
      outside = caller->operands[number];
  }
  if (!outside || outside->instruction == nullptr) return false;
  if (value.tuple_index >= 0 && outside->tuple_index >= 0) return false;
  value = {outside->instruction, std::max(outside->tuple_index, value.tuple_index), outside->span,
           value.tuple_index >= 0 ? value.inner : outside->inner};
  if (!element.calls.empty()) element.calls.pop_back();
  return true;
}

// Follows the element through an instruction that moves elements, if each point of the domain has an element
// in the operand.
bool ElementTrace::through_map(TracedElement& element, const Instruction& op) const {
  if (!op.type.is_array() || !op.operand_type(0).is_array()) return false;
  // A bitcast to another element type changes the value.
  if (op.type.array().dtype != op.operand_type(0).array().dtype) return false;
  Leaves leaves;
  OpFacts facts(op, leaves);
  const IndexingSet maps = rule_of(op.opcode).output_to_input({.facts = facts});
  if (maps.size() != 1 || maps[0].exactness != Exactness::exact) return false;
  const IndexMap& map = maps[0].map;
  if (map.known_empty() || map.variables().size() != element.at.size()) return false;
  for (std::size_t i = 0; i < element.at.size(); ++i) {
    if (!map.variables()[i].bounds.contains(range(element.at[i], domain_))) return false;
  }
  for (const Constraint& c : map.constraints()) {
    if (!c.range.contains(range(simplify(substitute(c.expr, element.at), domain_), domain_))) return false;
  }
  std::vector<Expr> at;
  at.reserve(map.results().size());
  for (const Expr& result : map.results()) at.push_back(simplify(substitute(result, element.at), domain_));
  element.value = op.operands[0];
  element.at = std::move(at);
  return true;
}

}  // namespace tessera::detail
