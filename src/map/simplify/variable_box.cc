// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/variable_box.h"

#include <algorithm>
#include <new>

#include "expr/apply.h"

namespace tessera::detail {
namespace {

// The value of an atom. If there is none, sets `undefined`, and the return value is meaningless: an optional
// per atom would take twice the time.
Index value_of(const FormAtom* a, std::span<const Index> values, bool& undefined) {
  switch (a->kind) {
    case FormAtomKind::variable:
      return values[a->variable];
    case FormAtomKind::scaled:
      return tessera::floor_div(values[a->variable], a->number);  // the remainder is `residue`
    case FormAtomKind::quotient:
      return tessera::floor_div(form_value(a->form, values, undefined), a->number);
    case FormAtomKind::max0:
      return std::max<Index>(0, form_value(a->form, values, undefined));
    case FormAtomKind::product: {
      Index product = 0;
      undefined |=
          mul_overflows(value_of(a->left, values, undefined), value_of(a->right, values, undefined), product);
      return product;
    }
    case FormAtomKind::operation: {
      const auto result =
          apply(a->op, form_value(a->form, values, undefined), form_value(a->right_form, values, undefined));
      undefined |= !result;
      return result.value_or(0);
    }
    case FormAtomKind::overflow:
      break;
  }
  undefined = true;
  return 0;
}

}  // namespace

Index form_value(const Form* form, std::span<const Index> values, bool& undefined) {
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

std::optional<Index> form_value(const Form* form, std::span<const Index> values) {
  bool undefined = false;
  const Index value = form_value(form, values, undefined);
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

VariableBox::VariableBox(Workspace& ws, std::uint64_t mask) : ws_(ws) {
  const std::size_t variable_count = ws.variables.size();
  values_ = {ws.arena.array<Index>(variable_count), variable_count};
  auto* const axes = ws.arena.array<BoxAxis>(variable_count);
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
    new (axes + count_of_axes++) BoxAxis{variable, v.bounds, v.modulus, steps};
  }
  axes_ = {axes, count_of_axes};
  const auto longest = std::ranges::max_element(axes_, {}, &BoxAxis::steps);
  if (longest != axes_.end()) std::rotate(longest, longest + 1, axes_.end());
}

std::span<Index> VariableBox::scratch(std::size_t depth) {
  if (depth == scratch_.size()) scratch_.emplace_back(ws_.arena.array<Index>(row_size()), row_size());
  return scratch_[depth];
}

// The part of the form that is a sum of variables, as a function of the column.
std::optional<VariableBox::Line> VariableBox::line(const Form* form) const {
  Line out{.first = form->constant};
  for (const Term& t : form->terms()) {
    if (!is_linear(t.atom)) continue;
    const bool is_scaled = t.atom->kind == FormAtomKind::scaled;
    const Index n = is_scaled ? t.atom->number : 1;
    const bool varies = !axes_.empty() && t.atom->variable == axes_.back().variable;
    const Index start = varies ? axes_.back().bounds.lower : values_[t.atom->variable];
    const Index value = tessera::floor_div(start, n);  // the remainder is the residue
    Index product = 0;
    if (mul_overflows(t.coefficient, value, product) || add_overflows(out.first, product, out.first))
      return std::nullopt;
    if (!varies) continue;
    const Index step = axes_.back().step;
    if (step % n != 0 || mul_overflows(t.coefficient, step / n, product) ||
        add_overflows(out.slope, product, out.slope)) {
      return std::nullopt;
    }
  }
  Index rise = 0;
  Index last = 0;
  if (mul_overflows(out.slope, static_cast<Index>(row_size()) - 1, rise) ||
      add_overflows(out.first, rise, last)) {
    return std::nullopt;  // otherwise all values between the ends fit in 64 bits
  }
  return out;
}

bool VariableBox::row_values(const Form* form, std::span<Index> out) {
  const auto line = this->line(form);
  if (!line) return false;
  Index value = line->first;
  for (std::size_t i = 0;;) {
    out[i] = value;
    if (++i == out.size()) break;
    value += line->slope;
  }
  bool fits = true;
  for (const Term& t : form->terms()) {
    if (is_linear(t.atom)) continue;
    const std::span<Index> own = scratch(depth_);
    ++depth_;
    fits = atom_values(t.atom, own);
    --depth_;
    if (!fits) return false;
    bool overflows = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
      Index product = 0;
      overflows |= mul_overflows(t.coefficient, own[i], product);
      overflows |= add_overflows(out[i], product, out[i]);
    }
    if (overflows) return false;
  }
  return true;
}

bool VariableBox::atom_values(const FormAtom* a, std::span<Index> out) {
  switch (a->kind) {
    case FormAtomKind::quotient: {
      const Index n = a->number;
      if (is_linear(a->form)) {  // the quotient and the remainder of each value follow from the last ones
        const auto line = this->line(a->form);
        if (!line) return false;
        const Index quotient_step = tessera::floor_div(line->slope, n);
        const Index remainder_step = tessera::mod(line->slope, n);
        Index quotient = tessera::floor_div(line->first, n);
        Index remainder = tessera::mod(line->first, n);
        for (Index& value : out) {
          value = quotient;
          quotient += quotient_step;
          remainder += remainder_step - n;
          const bool carries = remainder >= 0;
          quotient += carries ? 1 : 0;
          remainder += carries ? 0 : n;
        }
        return true;
      }
      if (!row_values(a->form, out)) return false;
      for (Index& value : out) value = tessera::floor_div(value, n);
      return true;
    }
    case FormAtomKind::max0:
      if (!row_values(a->form, out)) return false;
      for (Index& value : out) value = std::max<Index>(value, 0);
      return true;
    case FormAtomKind::product:
    case FormAtomKind::operation: {
      const bool is_product = a->kind == FormAtomKind::product;
      if (!(is_product ? row_values(ws_.form_of(a->left), out) : row_values(a->form, out))) return false;
      const std::span<Index> right = scratch(depth_);
      ++depth_;
      const bool fits = row_values(is_product ? ws_.form_of(a->right) : a->right_form, right);
      --depth_;
      if (!fits) return false;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto value = apply(is_product ? ExprKind::mul : a->op, out[i], right[i]);
        if (!value) return false;
        out[i] = *value;
      }
      return true;
    }
    default:
      return false;
  }
}

}  // namespace tessera::detail
