// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <ostream>
#include <string_view>

#include "tessera/expr/canonical.h"
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

bool is_division(ExprKind kind) {
  return kind == ExprKind::floor_div || kind == ExprKind::ceil_div || kind == ExprKind::mod;
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

bool starts_negative(Expr e) {
  while (e.kind() == ExprKind::add) e = e.lhs();
  if (e.is_constant()) return e.value() < 0;
  return e.kind() == ExprKind::mul &&
         ((e.rhs().is_constant() && e.rhs().value() < 0) || (e.lhs().is_constant() && e.lhs().value() < 0));
}

class Printer {
 public:
  explicit Printer(const VariableNamer& namer) : namer_(namer) {}

  void print(Expr e, ExprKind parent, bool has_parent, bool is_right, bool right_of_minus) {
    if (e.is_constant()) {
      out_ += fmt::format("{}", e.value());
    } else if (e.is_variable()) {
      out_ += namer_(e.value());
    } else if (e.kind() == ExprKind::min || e.kind() == ExprKind::max) {
      out_ += e.kind() == ExprKind::min ? "min(" : "max(";
      print(e.lhs(), ExprKind::constant, false, false, false);
      out_ += ", ";
      print(e.rhs(), ExprKind::constant, false, false, false);
      out_ += ")";
    } else if (e.kind() == ExprKind::mul && (e.rhs().is_constant(-1) || e.lhs().is_constant(-1))) {
      out_ += "-";
      print(e.rhs().is_constant(-1) ? e.lhs() : e.rhs(), ExprKind::mul, true, false, false);
    } else {
      print_operation(e, parent, has_parent, is_right, right_of_minus);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void print_operation(Expr e, ExprKind parent, bool has_parent, bool is_right, bool right_of_minus) {
    const ExprKind kind = e.kind();
    const int own = precedence(kind);
    const bool parentheses =
        has_parent && (own < precedence(parent) ||
                       (own == precedence(parent) && (kind != parent || (is_division(kind) && is_right) ||
                                                      (kind == ExprKind::add && right_of_minus))));
    if (parentheses) out_ += "(";
    print(e.lhs(), kind, true, false, false);
    if (kind == ExprKind::add && starts_negative(e.rhs())) {
      out_ += " - ";
      print(canonicalizer_.negated(e.rhs()), kind, true, true, true);
    } else {
      out_ += symbol(kind);
      print(e.rhs(), kind, true, true, false);
    }
    if (parentheses) out_ += ")";
  }

  const VariableNamer& namer_;
  Canonicalizer canonicalizer_;
  std::string out_;
};

}  // namespace

std::string to_string(Expr expr, const VariableNamer& namer) {
  Printer printer(namer);
  printer.print(expr, ExprKind::constant, false, false, false);
  return printer.take();
}

std::string to_string(Expr expr) {
  return to_string(expr, [](Index number) { return fmt::format("v{}", number); });
}

std::ostream& operator<<(std::ostream& out, Expr expr) { return out << to_string(expr); }

}  // namespace tessera
