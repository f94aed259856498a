// SPDX-License-Identifier: Apache-2.0
/// \file
/// The value of an element of an integer array, as far as the program determines it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/ops/table.h"
#include "hlo/ops/values.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// An element of an array: the value and the index. `calls` leads to the computation of `value`, outermost
/// first, as in a RuntimeValue.
struct TracedElement {
  Operand value;
  std::vector<Expr> at = {};
  std::vector<CallSite> calls = {};
};

/// What the caller knows about parameters.
struct ElementOptions {
  /// The operand that a caller passes for a parameter. The argument names the parameter and, for a tuple, the
  /// requested element. If nothing is returned, the trace ends at the parameter.
  std::function<std::optional<Operand>(const Operand& parameter)> resolve = {};
  /// The value of the parameter as an expression over the domain's variables.
  std::function<std::optional<Expr>(const Operand& parameter)> known = {};
  /// The value of an element that is known from outside the program.
  std::function<std::optional<Index>(const TracedElement& element)> given = {};
  /// Compute modulo 2^width: sums, differences and products may overflow, but operations whose results depend
  /// on overflow have no value. The caller checks that the final value is in the range of its type.
  bool modular = false;
};

/// Traces elements back through a program, for a bounded number of instructions per object.
class ElementTrace {
 public:
  /// The domain and the options must outlive the trace.
  ElementTrace(const Domain& domain, const ElementOptions& options) : domain_(domain), options_(options) {}

  /// Traces `element` back through instructions that only move elements, and returns the original. Sets
  /// `moved` if there were such instructions.
  TracedElement origin(TracedElement element, bool& moved);

  /// The element's value over the domain's variables: constants, iotas, and integer arithmetic that cannot
  /// overflow its type. Empty if the program does not determine it, or not as one expression.
  std::optional<Expr> value(TracedElement element);

  /// The table that holds the element, over the range of its index in the domain, if the program determines
  /// all elements of the array and it has at most kHloLimits.ops.table_elements.
  std::optional<IntegerTable> table(const TracedElement& element);

  /// The values of all elements of an array, row-major, if the program determines them and there are at most
  /// kHloLimits.ops.table_elements; else null. The index of `array` does not matter.
  using Elements = std::vector<Index>;
  std::shared_ptr<const Elements> elements(TracedElement array);

  /// An interval that contains the value of every element of the array. For pred, false is 0 and true 1.
  Interval reach(const TracedElement& array);

  /// The comparison of two integers that yields the element, if there is one.
  struct Comparison {
    Expr lhs;
    Expr rhs;
    CompareOp::Direction direction;
    DType type;  ///< the type of both sides
  };
  std::optional<Comparison> comparison(TracedElement element);

 private:
  std::optional<Expr> constant(const Instruction& source, std::span<const Expr> at) const;
  std::optional<Expr> arithmetic(const TracedElement& element);
  std::optional<bool> holds(TracedElement predicate);
  std::optional<Expr> within(Expr e, DType type) const;
  std::optional<Expr> operand(const TracedElement& element, std::size_t number);
  std::optional<IntegerTable> table_at(const Elements& all, std::span<const Index> extents,
                                       std::span<const Expr> at) const;

  // element_steps.cc
  std::optional<TracedElement> into_call(const TracedElement& element) const;
  bool step(TracedElement& element);
  bool forward(TracedElement& element) const;
  bool out_of_parameter(TracedElement& element) const;
  bool through_maps(TracedElement& element, const Instruction& op);
  std::optional<std::vector<Expr>> index_through(const Indexing& x, const TracedElement& element);

  // element_arrays.cc
  std::optional<Elements> given_elements(const TracedElement& array) const;
  std::optional<Elements> evaluated(const TracedElement& array);

  // element_reach.cc
  Interval reach_within(const TracedElement& array, Interval all);

  const Domain& domain_;
  const ElementOptions& options_;
  int steps_ = 0;
  std::vector<std::pair<TracedElement, std::shared_ptr<const Elements>>> arrays_;  ///< those evaluated before
};

/// The value, clamped as the instruction that uses it clamps it.
Expr clamped(Expr value, Interval clamp, const Domain& domain);

/// The range of an integer type; empty for other types.
std::optional<Interval> values_of(DType type);
/// As above, with [0, 1] for pred.
std::optional<Interval> integers_of(DType type);

}  // namespace tessera::detail
