// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/point_fit.h"

#include <algorithm>

#include "expr/form/rebuild.h"
#include "expr/form/refine.h"
#include "expr/form/sum.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

// The given variables, and all that facts connect with them.
std::uint64_t connected(std::span<const Fact> facts, std::uint64_t variables) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Fact& fact : facts) {
      if ((fact.form->mask & variables) == 0 || (fact.form->mask & ~variables) == 0) continue;
      variables |= fact.form->mask;
      changed = true;
    }
  }
  return variables;
}

}  // namespace

// Walks the box of the variables and marks the points that satisfy the facts.
void PointFit::collect(std::uint64_t variables) {
  if (variables == variables_) return;
  variables_ = variables;
  count_ = 0;
  samples_.clear();
  box_.emplace(ws_, variables);
  std::uint64_t atoms = 0;
  for (const Fact& fact : ws_.facts) {
    if ((fact.form->mask & variables) != 0) atoms += count_atoms(fact.form);
  }
  const bool is_small = box_->is_small() && box_->axes().size() <= AffineSpan::kVariables &&
                        box_->points() * atoms <= kLimits.fit_work;
  if (!is_small) return;
  ws_.spend(box_->points());
  inside_ = std::span(ws_.arena.array<std::uint8_t>(box_->points()), box_->points());
  std::ranges::fill(inside_, std::uint8_t{1});
  const std::span<Index> row(ws_.arena.array<Index>(box_->row_size()), box_->row_size());
  std::size_t at = 0;
  box_->for_each_row([&] {
    const auto own = inside_.subspan(at, row.size());
    for (const Fact& fact : ws_.facts) {
      if ((fact.form->mask & variables) == 0 || !box_->row_values(fact.form, row)) continue;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!fact.range.contains(row[i])) own[i] = 0;
      }
    }
    count_ += static_cast<std::size_t>(std::ranges::count(own, std::uint8_t{1}));
    at += row.size();
    return true;
  });
  if (count_ == 0) return;
  const std::size_t few = std::min(count_, 2 * (box_->axes().size() + 1));
  std::size_t next = 0;  // the number of the next sample among the marked points
  for (std::size_t number = 0, marked = 0; samples_.size() < few; ++number) {
    if (inside_[number] == 0) continue;
    if (marked++ != next) continue;
    samples_.push_back(point(number));
    next = samples_.size() * (count_ - 1) / std::max<std::size_t>(few - 1, 1);
  }
}

// The values of the axes at a point of the box.
AffineSpan::Row PointFit::point(std::size_t number) const {
  AffineSpan::Row out{};
  const std::span<const BoxAxis> axes = box_->axes();
  for (std::size_t i = axes.size(); i-- > 0;) {
    out[i] = axes[i].bounds.lower + static_cast<Index>(number % axes[i].steps) * axes[i].step;
    number /= axes[i].steps;
  }
  return out;
}

// Whether the form may be affine, judging by the samples: rejects nearly all other forms.
bool PointFit::samples_fit(const Form* form) {
  const std::span<const BoxAxis> axes = box_->axes();
  AffineSpan span(axes.size());
  AffineSpan::Row first{};
  bool is_first = true;
  point_.resize(ws_.variables.size());
  for (AffineSpan::Row row : samples_) {
    for (std::size_t i = 0; i < axes.size(); ++i) point_[axes[i].variable] = row[i];
    bool undefined = false;
    row[AffineSpan::kVariables] = form_value(form, point_, undefined);
    if (undefined) return false;
    if (is_first) first = row;
    is_first = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (sub_overflows(row[i], first[i], row[i])) return false;
    }
    if (!span.add(row)) return false;
  }
  return true;
}

// The values of the form at the collected points.
bool PointFit::values_of(const Form* form, std::span<Index> out) {
  if (box_->points() * count_atoms(form) > kLimits.fit_work) return false;
  const std::span<Index> row(ws_.arena.array<Index>(box_->row_size()), box_->row_size());
  std::size_t at = 0;
  std::size_t next = 0;
  bool defined = true;
  box_->for_each_row([&] {
    const auto own = inside_.subspan(at, row.size());
    at += row.size();
    if (std::ranges::find(own, std::uint8_t{1}) == own.end()) return true;
    defined = box_->row_values(form, row);
    for (std::size_t i = 0; i < row.size() && defined; ++i) {
      if (own[i] != 0) out[next++] = row[i];
    }
    return defined;
  });
  return defined;
}

// The affine form with the same values at the collected points; null if there is none.
const Form* PointFit::affine(const Form* form) {
  const std::span<const BoxAxis> axes = box_->axes();
  if (!samples_fit(form)) return nullptr;
  const std::span<Index> values(ws_.arena.array<Index>(count_), count_);
  if (!values_of(form, values)) return nullptr;
  AffineSpan span(axes.size());
  const AffineSpan::Row first = samples_[0];
  for (std::size_t number = 0, marked = 0; marked < count_; ++number) {
    if (inside_[number] == 0) continue;
    AffineSpan::Row row = point(number);
    for (std::size_t i = 0; i < axes.size(); ++i) row[i] -= first[i];
    if (sub_overflows(values[marked++], values[0], row[AffineSpan::kVariables]) || !span.add(row))
      return nullptr;
  }
  const auto factors = span.factors();
  if (!factors) return nullptr;
  Sum sum(ws_);
  sum.add_constant(values[0]);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Sum from_first(ws_, variable_form(ws_, axes[i].variable));
    from_first.add_constant(-first[i]);
    sum.add((*factors)[i], from_first);
  }
  return sum.overflowed() ? nullptr : sum.intern();
}

const Form* PointFit::replaced(const Form* form) {
  if (form->quotients == 0 || ws_.facts.empty() || ws_.kept_points != 0) return form;
  if (form != last_) {
    last_ = form;
    last_replaced_ = replace(form);
  }
  return last_replaced_;
}

const Form* PointFit::replace(const Form* form) {
  std::uint64_t constrained = 0;
  for (const Fact& fact : ws_.facts) constrained |= fact.form->mask;
  // No affine form equals a quotient that contains unconstrained variables: the normal form would have found
  // it.
  const auto may_be_affine = [&](const Term& t) {
    return !is_linear(t.atom) && (t.atom->mask & ~constrained) == 0;
  };
  std::uint64_t variables = 0;
  for (const Term& t : form->terms()) {
    if (may_be_affine(t)) variables |= t.atom->mask;
  }
  if (variables == 0) return form;
  collect(connected(ws_.facts, variables));
  if (count_ == 0) return form;
  Sum out(ws_, form);
  Sum others(ws_);  // the quotients that are not affine alone
  for (const Term& t : form->terms()) {
    if (!may_be_affine(t)) continue;
    const Form* const line =
        affine(ws_.intern(0, {&t, 1}));  // 2 * fl(x / 2) may be affine, but not fl(x / 2)
    if (line == nullptr) {
      others.append(t.coefficient, t.atom);
      continue;
    }
    out.take(t.atom);
    out.add(1, line);
  }
  if (others.size() > 1) {
    if (const Form* const line = affine(others.intern())) {
      out.add(-1, others);
      out.add(1, line);
    }
  }
  if (out.overflowed()) return form;
  const Form* const affine = out.intern();
  return affine == form ? form : refine(ws_, affine);
}

}  // namespace tessera::detail
