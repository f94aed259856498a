// SPDX-License-Identifier: Apache-2.0
#include "expr/print.h"

#include <fmt/core.h>

#include <optional>
#include <ostream>
#include <string_view>
#include <unordered_set>

#include "tessera/expr/expr.h"

namespace tessera {
namespace {

int precedence(ExprKind kind) {
  switch (kind) {
    case ExprKind::add:
      return 1;
    case ExprKind::mul:
    case ExprKind::floor_div:
    case ExprKind::ceil_div:
    case ExprKind::mod:
      return 2;
    default:
      return 3;
  }
}

std::string_view symbol(ExprKind kind) {
  switch (kind) {
    case ExprKind::add:
      return " + ";
    case ExprKind::mul:
      return " * ";
    case ExprKind::mod:
      return " mod ";
    case ExprKind::floor_div:
      return " / ";
    case ExprKind::ceil_div:
      return " ceildiv ";
    default:
      return "";
  }
}

// Excludes the smallest integer, whose negation does not fit in 64 bits, so it cannot be printed after a
// minus.
bool is_negative(Expr e) { return e.is_constant() && e.value() < 0 && e.value() != kIndexMin; }

bool starts_negative(Expr e) {
  while (e.kind() == ExprKind::add) e = e.lhs();
  return is_negative(e) || (e.kind() == ExprKind::mul && (is_negative(e.rhs()) || is_negative(e.lhs())));
}

// Whether the text of e may begin with a sign.
bool shows_sign(Expr e) {
  while (e.kind() == ExprKind::add) e = e.lhs();
  for (; e.kind() == ExprKind::mul; e = e.lhs()) {
    if (is_negative(e.rhs())) return true;
  }
  return is_negative(e);
}

bool is_negation(Expr e) { return e.kind() == ExprKind::mul && e.rhs().is_constant(-1); }

Expr first_factor(Expr e) {
  while (e.kind() == ExprKind::mul) e = e.lhs();
  return e;
}

// Such a product needs parentheses, or parsing would fold the constant with its neighbors.
bool has_constant_factor(Expr e) {
  for (; e.kind() == ExprKind::mul; e = e.lhs()) {
    if (e.rhs().is_constant()) return true;
  }
  return e.is_constant();
}

// The context in which an expression is printed. The parser applies the sign of -x and a - x to the terms of
// x, so a minus is printed only if parsing gives back the expression.
struct Place {
  std::optional<ExprKind> parent = std::nullopt;
  bool right = false;
  bool group_sum = false;  // a sum needs parentheses: after a minus, or to stay apart from an enclosing sum
};

class Printer {
 public:
  explicit Printer(const VariableNamer& namer) : namer_(namer) {}

  void print(Expr e, Place place = {}) {
    if (e.is_constant()) {
      out_ += fmt::format("{}", e.value());
    } else if (e.is_variable()) {
      out_ += namer_(e.value());
    } else if (e.kind() == ExprKind::min || e.kind() == ExprKind::max) {
      out_ += e.kind() == ExprKind::min ? "min(" : "max(";
      print(e.lhs());
      out_ += ", ";
      print(e.rhs());
      out_ += ")";
    } else if (!is_negation(e) || !print_negation(e, place)) {
      print_operation(e, place);
    }
  }

  std::string take() { return std::move(out_); }

  bool reads_as_itself(Expr e) {
    if (!e.is_binary() || faithful_.contains(e.id())) return true;
    const bool faithful = operation_reads_as_itself(e);
    if (faithful) faithful_.insert(e.id());
    return faithful;
  }

 private:
  bool operation_reads_as_itself(Expr e) {
    if (!reads_as_itself(e.lhs())) return false;
    if (is_negation(e)) return negated(e.lhs()) == e;
    const Expr rhs = e.rhs();
    if (e.kind() == ExprKind::add) {
      if (const auto opposite = shown_subtrahend(rhs)) return negated(*opposite) == rhs;
    }
    return !detail::joins(e.kind(), rhs) && reads_as_itself(rhs);
  }

  // Prints -x; false if that parses to another expression, as -(a + b) does to -a - b.
  bool print_negation(Expr e, Place place) {
    const Expr x = e.lhs();
    if (negated(x) != e) return false;
    // Parsing moves the sign of a product to its first factor. In an operand of a division that changes the
    // expression, because x mod -a * b is (x mod -a) * b; and if the factor is a sum, the sign is
    // distributed.
    const bool parentheses = x.kind() == ExprKind::mul &&
                             ((place.parent && is_division(*place.parent)) || has_constant_factor(x) ||
                              negated(first_factor(x)) != first_factor(x) * -1);
    out_ += parentheses ? "-(" : "-";
    print(x, {.parent = parentheses ? std::nullopt : std::optional(ExprKind::mul)});
    if (parentheses) out_ += ")";
    return true;
  }

  void print_operation(Expr e, Place place) {
    const bool parentheses = needs_parentheses(e, place);
    if (parentheses) out_ += "(";
    print(e.lhs(), {.parent = e.kind()});
    print_right(e);
    if (parentheses) out_ += ")";
  }

  void print_right(Expr e) {
    const Expr rhs = e.rhs();
    if (const auto opposite = e.kind() == ExprKind::add ? shown_subtrahend(rhs) : std::nullopt) {
      out_ += " - ";
      print(*opposite, {.parent = ExprKind::add, .right = true, .group_sum = true});
    } else {
      out_ += symbol(e.kind());
      print(rhs, {.parent = e.kind(), .right = true, .group_sum = shows_sign(rhs)});
    }
  }

  static bool needs_parentheses(Expr e, Place place) {
    if (!place.parent) return false;
    const int own = precedence(e.kind());
    const int around = precedence(*place.parent);
    if (own != around) return own < around;
    if (e.kind() != *place.parent) return true;
    if (e.kind() == ExprKind::add) return place.group_sum;
    return place.right && (is_division(e.kind()) || has_constant_factor(e));
  }

  // The expression to print after a minus if `addend` is printed as a subtraction; empty if parsing that text
  // would give another expression.
  std::optional<Expr> shown_subtrahend(Expr addend) {
    if (!starts_negative(addend)) return std::nullopt;
    const Expr opposite = negated(addend);
    if (addend.is_constant() || addend.lhs().is_variable()) return opposite;
    if (shows_sign(opposite)) return std::nullopt;
    const Expr read = negated(opposite);
    if (!starts_negative(read) || negated(read) != opposite) return std::nullopt;
    return opposite;
  }

  const VariableNamer& namer_;
  std::unordered_set<const void*> faithful_;  // expressions that parse to themselves
  std::string out_;
};

}  // namespace

std::string to_string(Expr expr, const VariableNamer& namer) {
  Printer printer(namer);
  printer.print(expr);
  return printer.take();
}

std::string to_string(Expr expr) {
  return to_string(expr, [](Index number) { return fmt::format("v{}", number); });
}

namespace detail {

bool reads_as_itself(Expr expr) { return Printer({}).reads_as_itself(expr); }

bool joins(ExprKind kind, Expr rhs) {
  if (rhs.kind() != kind) return false;
  return (kind == ExprKind::add && !shows_sign(rhs)) || (kind == ExprKind::mul && !has_constant_factor(rhs));
}

}  // namespace detail

std::ostream& operator<<(std::ostream& out, Expr expr) { return out << to_string(expr); }

}  // namespace tessera
