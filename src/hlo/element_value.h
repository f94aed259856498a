// SPDX-License-Identifier: Apache-2.0
/// \file
/// The value of an element of an integer array, as far as the program determines it.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/hlo/operand_maps.h"

namespace tessera::detail {

/// An element of an array: which value, and where. `calls`: the path to the computation of `value`, outermost
/// first, as in a RuntimeValue.
struct Element {
  Operand value;
  std::vector<Expr> at = {};
  std::vector<CallSite> calls = {};
};

/// What the caller knows about values that a trace cannot see.
struct ElementOptions {
  /// The value outside the computation that a parameter receives: the whole operand. The argument names the
  /// parameter and, for a tuple, the requested element. Without a result the parameter is the source of the
  /// value.
  std::function<std::optional<Operand>(const Operand& parameter)> resolve = {};
  /// The value of a parameter, over the variables of the domain. Takes the same argument.
  std::function<std::optional<Expr>(const Operand& parameter)> known = {};
  /// Integers are taken modulo their type: sums, differences and products may leave it, and operations for
  /// which that matters have no value. The caller checks that the result is in the type.
  bool modular = false;
};

/// Follows elements back through a program. One object follows a bounded number of instructions.
class ElementTrace {
 public:
  /// Both must outlive it.
  ElementTrace(const Domain& domain, const ElementOptions& options) : domain_(domain), options_(options) {}

  /// The same element, as close to its origin as instructions that only move elements allow. Sets `moved` if
  /// that is another one.
  Element origin(Element element, bool& moved);

  /// The element's value over the domain's variables: constants, iotas, and integer arithmetic that cannot
  /// leave its type. Nothing if the program does not determine it.
  std::optional<Expr> value(Element element);

  /// The comparison of two integers that yields the element, if there is one.
  struct Comparison {
    Expr lhs;
    Expr rhs;
    std::string_view direction;  ///< EQ, NE, LT, LE, GT or GE
    DType type;                  ///< of both sides
  };
  std::optional<Comparison> comparison(Element element);

 private:
  std::optional<Expr> constant(const Instruction& source, std::span<const Expr> at) const;
  std::optional<Expr> arithmetic(const Element& element);
  std::optional<bool> holds(Element predicate);
  std::optional<Expr> within(Expr e, DType type) const;
  std::optional<Expr> operand(const Element& element, std::size_t number);
  std::optional<Element> into_call(const Element& element) const;
  bool step(Element& element) const;
  bool out_of_parameter(Element& element) const;
  bool through_map(Element& element, const Instruction& op) const;

  const Domain& domain_;
  const ElementOptions& options_;
  int steps_ = 0;
};

/// Every value of an integer type; nothing for others.
std::optional<Interval> values_of(DType type);

}  // namespace tessera::detail
