// SPDX-License-Identifier: Apache-2.0
// Operators on integers, comparisons, and logic.
#include <fmt/format.h>

#include "eval/interpreter.h"
#include "tessera/algebra/detail/equality.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {
namespace {

/// An operand of arithmetic: an integer, possibly alone in brackets.
struct Number {
  Index value = 0;
  bool marked = false;
};

std::optional<Number> number_of(const Value& value) {
  const auto* coord = value.as<TrackedCoord>();
  if (coord == nullptr || coord->coord.holes != 0) return std::nullopt;
  const IntTuple& tuple = coord->coord.tuple;
  if (tuple.leaves() != 1 || tuple.profile.nodes > 2) return std::nullopt;
  return Number{tuple.leaf[0], coord->marks != 0};
}

Value integer_of(const Number& number) {
  return Value(Value::Data(TrackedCoord{Coord(IntTuple(number.value)), number.marked ? 1U : 0U}));
}

/// a op b; divisions round down. Errors: overflow, undefined_value.
Result<Number> computed(char op, const Number& a, const Number& b, Span span) {
  Number out{0, a.marked && b.marked};
  const auto whole = [&](bool overflows) -> Result<Number> {
    if (!overflows) return out;
    return fail(Code::overflow, fmt::format("{} {} {} does not fit in 64 bits", a.value, op, b.value), span);
  };
  switch (op) {
    case '+':
      return whole(add_overflows(a.value, b.value, out.value));
    case '-':
      return whole(sub_overflows(a.value, b.value, out.value));
    case '*':
      return whole(mul_overflows(a.value, b.value, out.value));
    default:
      break;
  }
  const std::string_view word = op == '/' ? "/" : "mod";
  if (b.value == 0) {
    return fail(Code::undefined_value, fmt::format("{} {} 0 has no value", a.value, word), span,
                "the divisor must not be 0");
  }
  if (b.value == -1) {  // kIndexMin / -1 overflows, but its remainder is 0
    if (op == '/') return whole(sub_overflows(Index{0}, a.value, out.value));
    return out;
  }
  const Index quotient = floor_div(a.value, b.value);
  out.value = op == '/' ? quotient : a.value - quotient * b.value;
  return out;
}

std::string_view operator_text(char op) {
  switch (op) {
    case 'l':
      return "<=";
    case 'g':
      return ">=";
    case '=':
      return "==";
    case '!':
      return "!=";
    case '<':
      return "<";
    case '>':
      return ">";
    case '%':
      return "mod";
    case '&':
      return "and";
    case '|':
      return "or";
    case '+':
      return "+";
    case '-':
      return "-";
    case '*':
      return "*";
    default:
      return "/";
  }
}

bool ordered(char op, Index a, Index b) {
  switch (op) {
    case '<':
      return a < b;
    case '>':
      return a > b;
    case 'l':
      return a <= b;
    default:
      return a >= b;
  }
}

/// Whether two values are identical except for `_` marks. Empty if they are of different kinds.
std::optional<bool> same(const Value& a, const Value& b) {
  if (a.data().index() != b.data().index()) return std::nullopt;
  if (const auto* x = a.as<TrackedCoord>()) return x->coord == b.as<TrackedCoord>()->coord;
  if (const auto* x = a.as<TrackedLayout>()) return x->layout == b.as<TrackedLayout>()->layout;
  if (const auto* x = a.as<TrackedComposed>()) return x->layout == b.as<TrackedComposed>()->layout;
  if (const auto* x = a.as<TrackedTiler>()) return x->tiler == b.as<TrackedTiler>()->tiler;
  if (const auto* x = a.as<Truth>()) return x->yes == b.as<Truth>()->yes;
  return to_string(a) == to_string(b);
}

}  // namespace

Failure Interpreter::not_a_number(const Node& node, const Value& value, std::string_view op) {
  const bool layout = value.as<TrackedLayout>() != nullptr && node.kind == Node::Kind::layout;
  return fail(
      Code::argument_type,
      fmt::format("'{}' takes integers; '{}' is of kind {}", op, shortened(to_string(value)), kind_of(value)),
      node.span,
      layout ? "':' binds before operators: put the computed shape or stride in brackets, (M*N):(K*2)" : "");
}

Result<Value> Interpreter::arithmetic(const Node& node) {
  Number sum;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const char op = node.operators[i == 0 ? 0 : i - 1];
    const Result<Value> value = operand(node.children[i]);
    if (!value) return value;
    const std::optional<Number> next = number_of(*value);
    if (!next) return not_a_number(node.children[i], *value, operator_text(op));
    if (i == 0) {
      sum = *next;
      continue;
    }
    const Result<Number> result = computed(op, sum, *next, {node.span.begin, node.children[i].span.end});
    if (!result) return fail(result.error());
    sum = *result;
  }
  return integer_of(sum);
}

Result<Value> Interpreter::negative(const Node& node) {
  const Result<Value> value = operand(node.children[0]);
  if (!value) return value;
  const std::optional<Number> number = number_of(*value);
  if (!number) return not_a_number(node.children[0], *value, "-");
  const Result<Number> result = computed('-', {0, true}, *number, node.span);
  if (!result) return fail(result.error());
  return integer_of(*result);
}

Result<Value> Interpreter::comparison(const Node& node) {
  const char op = node.operators[0];
  const Result<Value> a = operand(node.children[0]);
  if (!a) return a;
  const Result<Value> b = operand(node.children[1]);
  if (!b) return b;
  if (op == '=' || op == '!') {
    const std::optional<bool> equal = same(*a, *b);
    if (!equal) {
      return fail(Code::argument_type,
                  fmt::format("'{}' compares values of one kind; these are of kind {} and {}",
                              operator_text(op), kind_of(*a), kind_of(*b)),
                  node.span, "equal(A, B) compares two layouts as functions");
    }
    Truth out{*equal == (op == '='), {}};
    const auto* x = a->as<TrackedLayout>();
    if (x != nullptr && !*equal && equal_function(x->layout, b->as<TrackedLayout>()->layout))
      out.reason = "written differently, but the same function of the 1-D coordinate";
    return to_value(out);
  }
  for (const auto& [value, child] : {std::pair(&a, &node.children[0]), std::pair(&b, &node.children[1])}) {
    if (!number_of(**value)) return not_a_number(*child, **value, operator_text(op));
  }
  return to_value(ordered(op, number_of(*a)->value, number_of(*b)->value));
}

/// `and` and `or` evaluate the right side only if the left one does not decide.
Result<Value> Interpreter::logic(const Node& node) {
  const char op = node.operators[0];
  Truth out;
  for (const Node& child : node.children) {
    const Result<Value> value = operand(child);
    if (!value) return value;
    const auto* truth = value->as<Truth>();
    if (truth == nullptr) {
      return fail(
          Code::argument_type,
          fmt::format("'{}' takes true or false; '{}' is of kind {}", op == '!' ? "not" : operator_text(op),
                      shortened(to_string(*value)), kind_of(*value)),
          child.span);
    }
    if (op == '!') return to_value(!truth->yes);
    out = *truth;
    if (out.yes == (op == '|')) break;
  }
  return to_value(out);
}

}  // namespace tessera::eval
