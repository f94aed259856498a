// SPDX-License-Identifier: Apache-2.0
#include "map/variable_box.h"

#include <algorithm>
#include <new>

#include "expr/apply.h"

namespace tessera::detail {
namespace {

std::optional<Index> value_of(const Atom* a, std::span<const Index> values) {
  switch (a->kind) {
    case AtomKind::variable:
      return values[a->variable];
    case AtomKind::scaled:
      return tessera::floor_div(values[a->variable], a->number);  // residue is the remainder
    case AtomKind::quotient: {
      const auto inside = evaluate(a->form, values);
      return inside ? std::optional(tessera::floor_div(*inside, a->number)) : std::nullopt;
    }
    case AtomKind::max0: {
      const auto inside = evaluate(a->form, values);
      return inside ? std::optional(std::max<Index>(0, *inside)) : std::nullopt;
    }
    case AtomKind::product: {
      const auto left = value_of(a->left, values);
      const auto right = value_of(a->right, values);
      return left && right ? checked_mul(*left, *right) : std::nullopt;
    }
    case AtomKind::operation: {
      const auto left = evaluate(a->form, values);
      const auto right = evaluate(a->right_form, values);
      if (!left || !right) return std::nullopt;
      return apply(a->op, *left, *right);
    }
    case AtomKind::overflow:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Index> evaluate(const Form* form, std::span<const Index> values) {
  Index sum = form->constant;
  for (const Term& t : form->terms()) {
    const auto value = value_of(t.atom, values);
    Index product = 0;
    if (!value || mul_overflows(t.coefficient, *value, product) || add_overflows(sum, product, sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

std::uint64_t count_atoms(const Form* form) {
  std::uint64_t count = 0;
  for (const Term& t : form->terms()) {
    ++count;
    if (t.atom->form != nullptr) count += count_atoms(t.atom->form);
    if (t.atom->right_form != nullptr) count += count_atoms(t.atom->right_form);
    if (t.atom->left != nullptr) count += 4;
  }
  return count;
}

VariableBox::VariableBox(Workspace& ws, std::uint64_t mask) {
  const std::size_t variable_count = ws.variables.size();
  values_ = {ws.arena.array<Index>(variable_count), variable_count};
  auto* const axes = ws.arena.array<Axis>(variable_count);
  std::ranges::fill(values_, 0);
  std::size_t count_of_axes = 0;
  for (std::uint32_t variable = 0; variable < variable_count; ++variable) {
    if ((mask >> (variable % 64) & 1) == 0) continue;
    const VariableState& v = ws.variables[variable];
    const auto count = v.bounds.count();
    const std::uint64_t steps = count ? static_cast<std::uint64_t>((*count - 1) / v.modulus) + 1 : UINT64_MAX;
    if (steps > kMostPoints || (points_ *= steps) > kMostPoints) {
      points_ = UINT64_MAX;
      return;
    }
    new (axes + count_of_axes++) Axis{variable, v.bounds, v.modulus, steps};
  }
  axes_ = {axes, count_of_axes};
  const auto longest = std::ranges::max_element(axes_, {}, &Axis::steps);
  if (longest != axes_.end()) std::rotate(longest, longest + 1, axes_.end());
}

}  // namespace tessera::detail
