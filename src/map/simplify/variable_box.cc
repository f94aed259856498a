// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/variable_box.h"

#include <algorithm>
#include <new>

#include "expr/apply.h"

namespace tessera::detail {
namespace {

// The value of an atom. If there is none, sets `undefined`, and the return value is meaningless: an optional
// per atom would take twice the time.
Index value_of(const Atom* a, std::span<const Index> values, bool& undefined) {
  switch (a->kind) {
    case AtomKind::variable:
      return values[a->variable];
    case AtomKind::scaled:
      return tessera::floor_div(values[a->variable], a->number);  // the remainder is `residue`
    case AtomKind::quotient:
      return tessera::floor_div(evaluate(a->form, values, undefined), a->number);
    case AtomKind::max0:
      return std::max<Index>(0, evaluate(a->form, values, undefined));
    case AtomKind::product: {
      Index product = 0;
      undefined |=
          mul_overflows(value_of(a->left, values, undefined), value_of(a->right, values, undefined), product);
      return product;
    }
    case AtomKind::operation: {
      const auto result =
          apply(a->op, evaluate(a->form, values, undefined), evaluate(a->right_form, values, undefined));
      undefined |= !result;
      return result.value_or(0);
    }
    case AtomKind::overflow:
      break;
  }
  undefined = true;
  return 0;
}

}  // namespace

Index evaluate(const Form* form, std::span<const Index> values, bool& undefined) {
  Index sum = form->constant;
  for (const Term& t : form->terms()) {
    Index product = 0;
    if (mul_overflows(t.coefficient, value_of(t.atom, values, undefined), product) ||
        add_overflows(sum, product, sum)) [[unlikely]] {
      undefined = true;
      return 0;
    }
  }
  return sum;
}

std::optional<Index> evaluate(const Form* form, std::span<const Index> values) {
  bool undefined = false;
  const Index value = evaluate(form, values, undefined);
  return undefined ? std::nullopt : std::optional(value);
}

namespace {

void count_atoms(const Form* form, std::uint64_t& count) {
  for (const Term& t : form->terms()) {
    if (++count > kLimits.form_atoms) return;
    if (t.atom->form != nullptr) count_atoms(t.atom->form, count);
    if (t.atom->right_form != nullptr) count_atoms(t.atom->right_form, count);
    if (t.atom->left != nullptr) count += 4;
  }
}

}  // namespace

std::uint64_t count_atoms(const Form* form) {
  std::uint64_t count = 0;
  count_atoms(form, count);
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
    if (steps > kLimits.points || (points_ *= steps) > kLimits.points) {
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
