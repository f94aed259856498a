// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/affine_fit.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "expr/limits.h"
#include "expr/rebuild.h"
#include "expr/sum.h"
#include "map/simplify/variable_box.h"

namespace tessera::detail {
namespace {

constexpr std::size_t kMostVariables = Limits::kFitVariables;

// Linear equations for the factors of the variables, in echelon form. Each comes from the difference of two
// points and of their values.
class Equations {
 public:
  using Row = std::array<Index, kMostVariables + 1>;  // the last column is the difference

  explicit Equations(std::size_t columns) : columns_(columns) {}

  // False if the equation contradicts the others or a number overflows 64 bits.
  bool add(Row row) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!eliminate(row, rows_[i], pivots_[i])) return false;
    }
    std::size_t pivot = 0;
    while (pivot < columns_ && row[pivot] == 0) ++pivot;
    if (pivot == columns_) return row[kMostVariables] == 0;
    rows_[count_] = row;
    pivots_[count_++] = pivot;
    return true;
  }

  // Factors that solve the equations; undetermined factors are 0.
  std::optional<Row> solve() const {
    Row factors{};
    for (std::size_t i = count_; i-- > 0;) {
      const Row& row = rows_[i];
      Index rest = row[kMostVariables];
      for (std::size_t c = pivots_[i] + 1; c < columns_; ++c) {
        Index product = 0;
        if (mul_overflows(row[c], factors[c], product) || sub_overflows(rest, product, rest))
          return std::nullopt;
      }
      if (rest % row[pivots_[i]] != 0) return std::nullopt;
      factors[pivots_[i]] = rest / row[pivots_[i]];
    }
    return factors;
  }

 private:
  static bool eliminate(Row& row, const Row& by, std::size_t pivot) {
    if (row[pivot] == 0) return true;
    const Index g = std::gcd(row[pivot], by[pivot]);
    const Index own = by[pivot] / g;
    const Index other = row[pivot] / g;
    for (std::size_t c = 0; c < row.size(); ++c) {
      Index first = 0;
      Index second = 0;
      if (mul_overflows(row[c], own, first) || mul_overflows(by[c], other, second) ||
          sub_overflows(first, second, row[c]) || row[c] == kIndexMin) {
        return false;
      }
    }
    return true;
  }

  std::size_t columns_;
  std::size_t count_ = 0;
  std::array<Row, kMostVariables> rows_;
  std::array<std::size_t, kMostVariables> pivots_;
};

}  // namespace

const Form* affine_fit(Workspace& ws, const Form* form) {
  std::uint64_t constrained = 0;
  for (const Fact& fact : ws.facts) constrained |= fact.form->mask;
  // No affine form equals a quotient that contains unconstrained variables: the normal form would have found
  // it.
  for (const Term& t : form->terms()) {
    if (!is_linear(t.atom) && (t.atom->mask & ~constrained) != 0) return nullptr;
  }
  VariableBox box(ws, form->mask | constrained);
  if (!box.is_small() || box.points() > kLimits.fit_work || box.axes().size() > kMostVariables)
    return nullptr;
  std::uint64_t terms = count_atoms(form);
  for (const Fact& fact : ws.facts) terms += count_atoms(fact.form);
  if (box.points() * terms > kLimits.fit_work) return nullptr;
  ws.spend(box.points());
  const std::span<const Axis> axes = box.axes();
  Equations equations(axes.size());
  Equations::Row first{};
  bool any = false;
  bool fits = true;
  box.for_each_point([&](std::span<const Index> point) {
    const bool inside = std::ranges::all_of(ws.facts, [&](const Fact& fact) {
      const auto value = evaluate(fact.form, point);
      return !value || fact.range.contains(*value);
    });
    if (!inside) return true;
    const auto value = evaluate(form, point);
    Equations::Row row{};
    fits = value.has_value();
    if (!fits) return false;
    for (std::size_t i = 0; i < axes.size(); ++i) row[i] = point[axes[i].variable];
    row[kMostVariables] = *value;
    if (any) {
      for (std::size_t c = 0; c < row.size() && fits; ++c) fits = !sub_overflows(row[c], first[c], row[c]);
      fits = fits && equations.add(row);
    } else {
      first = row;
      any = true;
    }
    return fits;
  });
  if (!any || !fits) return nullptr;
  const auto factors = equations.solve();
  if (!factors) return nullptr;
  Sum sum(ws);
  sum.add_constant(first[kMostVariables]);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Sum from_first(ws, variable_form(ws, axes[i].variable));
    from_first.add_constant(-first[i]);
    sum.add((*factors)[i], from_first);
  }
  return sum.overflowed() ? nullptr : sum.intern();
}

}  // namespace tessera::detail
