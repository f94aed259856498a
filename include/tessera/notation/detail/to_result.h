// SPDX-License-Identifier: Apache-2.0
/// \file
/// From an error of the layout algebra, which consists of numbers, to a Diagnostic, which has texts.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/algebra/detail/layout_algebra.h"
#include "tessera/base/result.h"

namespace tessera {

namespace detail {

std::string operand_text(const Profile& profile);
inline std::string operand_text(std::integral auto number) { return std::to_string(number); }
inline std::string operand_text(Order order) { return order == Order::left ? "left" : "right"; }
template <class T>
  requires(!std::integral<T>)
std::string operand_text(const T& operand) {
  return to_string(operand);
}

/// The diagnostic of a failed operation: its call with the texts of the operands, the numbers, and the
/// witness if there is one.
Diagnostic algebra_diagnostic(const AlgebraError& error, std::string_view operation,
                              const std::vector<std::string>& operands);

/// Why a layout, with its swizzle, cannot have these extents: see algebra::make_mapping.
Diagnostic mapping_diagnostic(const AlgebraError& error, const IntTuple& extents, const StridedLayout& layout,
                              Swizzle swizzle);

template <class T, class... Operands>
Result<T> to_result(const Outcome<T>& computed, std::string_view operation, const Operands&... operands) {
  if (computed) return *computed;
  return fail(algebra_diagnostic(computed.error, operation, {operand_text(operands)...}));
}
/// An operation that cannot fail.
template <class T, class... Operands>
T to_result(const T& value, std::string_view, const Operands&...) {
  return value;
}

}  // namespace detail

}  // namespace tessera
