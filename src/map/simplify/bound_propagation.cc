// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/bound_propagation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/digit_view.h"
#include "expr/range.h"
#include "map/simplify/bounds.h"

namespace tessera::detail {
namespace {

constexpr int kDeepestTightening = 8;

// The least and the greatest value of a sum of factor * r, from which follow the bounds that the other
// summands leave for each one.
class Activity {
 public:
  explicit Activity(Index constant) : lower_(constant), upper_(constant) {}
  void add(Index factor, Interval r) {
    const auto [lower, upper] = ends(factor, r);
    infinite_lower_ += lower == kInfinite;
    infinite_upper_ += upper == kInfinite;
    if (lower != kInfinite) lower_ += lower;
    if (upper != kInfinite) upper_ += upper;
  }

  // The values of r with which the sum can be in `range`; nothing when there are none.
  std::optional<Interval> left_for(Index factor, Interval r, Interval range) const {
    const auto [lower, upper] = ends(factor, r);
    // factor * x in [range.lower - others.upper, range.upper - others.lower]
    bool no_low = range.lower == kNegInf || infinite_upper_ - (upper == kInfinite) > 0;
    bool no_high = range.upper == kPosInf || infinite_lower_ - (lower == kInfinite) > 0;
    __int128 low = range.lower - (upper_ - (upper == kInfinite ? 0 : upper));
    __int128 high = range.upper - (lower_ - (lower == kInfinite ? 0 : lower));
    if (factor < 0) {  // -factor * x in [-high, -low]
      factor = -factor;
      low = -std::exchange(high, -low);
      std::swap(no_low, no_high);
    }
    return Interval::make(no_low ? kNegInf : std::min(saturate(ceil_div_wide(low, factor)), kPosInf - 1),
                          no_high ? kPosInf : std::max(saturate(floor_div_wide(high, factor)), kNegInf + 1));
  }

 private:
  // Ends beyond this count as infinite, so that sums of them fit.
  static constexpr __int128 kInfinite = __int128{1} << 110;

  static std::pair<__int128, __int128> ends(Index factor, Interval r) {
    const auto end = [&](Index bound) {
      if (bound == kNegInf || bound == kPosInf) return kInfinite;
      const __int128 product = static_cast<__int128>(factor) * bound;
      return product >= kInfinite || product <= -kInfinite ? kInfinite : product;
    };
    return factor > 0 ? std::pair(end(r.lower), end(r.upper)) : std::pair(end(r.upper), end(r.lower));
  }

  __int128 lower_;
  __int128 upper_;
  int infinite_lower_ = 0;
  int infinite_upper_ = 0;
};

}  // namespace

void BoundPropagation::start_round(bool watch) {
  changed_ = false;
  watching_ = watch;
  moved_.clear();
}

void BoundPropagation::freeze_watched() {
  frozen_.resize(ws_.variables.size());
  for (const std::uint32_t variable : moved_) frozen_[variable] = true;
}

bool BoundPropagation::set_congruence(std::uint32_t variable, Index modulus, Index residue) {
  VariableState& v = ws_.variables[variable];
  v.modulus = modulus;
  v.residue = residue;
  changed_ = true;
  return align(variable);
}

// Moves the ends to values with the residue.
bool BoundPropagation::align(std::uint32_t variable) {
  VariableState& v = ws_.variables[variable];
  if (v.modulus <= 1) return true;
  Index lower = v.bounds.lower;
  Index upper = v.bounds.upper;
  if (lower != kNegInf) {
    Index difference = 0;
    ws_.overflowed |= sub_overflows(v.residue, lower, difference);
    if (add_overflows(lower, tessera::mod(difference, v.modulus), lower)) return false;
  }
  if (upper != kPosInf) {
    Index difference = 0;
    ws_.overflowed |= sub_overflows(upper, v.residue, difference);
    if (sub_overflows(upper, tessera::mod(difference, v.modulus), upper)) return false;
  }
  const auto aligned = Interval::make(lower, upper);
  if (!aligned) return false;
  changed_ |= *aligned != v.bounds;
  v.bounds = *aligned;
  return true;
}

bool BoundPropagation::tighten_variable(std::uint32_t variable, Interval range) {
  VariableState& v = ws_.variables[variable];
  const auto common = intersect(v.bounds, range);
  if (!common) return false;
  if (*common == v.bounds) return true;
  if (!frozen_.empty() && frozen_[variable]) return true;
  v.bounds = *common;
  changed_ = true;
  if (watching_) moved_.push_back(variable);
  return align(variable);
}

bool BoundPropagation::tighten(const Atom* atom, Interval allowed, int depth) {
  switch (atom->kind) {
    case AtomKind::variable:
      return tighten_variable(atom->variable, allowed);
    case AtomKind::scaled:
      return tighten_variable(atom->variable,
                              multiplied(allowed, atom->number, atom->residue, atom->residue));
    case AtomKind::quotient:
      return tighten(atom->form, multiplied(allowed, atom->number, 0, atom->number - 1), depth);
    case AtomKind::max0:
      if (allowed.upper < 0) return false;
      return tighten(atom->form, {allowed.lower > 0 ? allowed.lower : kNegInf, allowed.upper}, depth);
    default:
      return true;
  }
}

// R + k * max0(D) is the larger (k < 0: the smaller) one of R and S = R + k * D: both keep to the upper
// (lower) bound, and where one cannot reach the other bound, the other one does.
bool BoundPropagation::tighten_extrema(const Form* form, Interval allowed, int depth) {
  for (const Term& t : form->terms()) {
    if (t.atom->kind != AtomKind::max0) continue;
    Sum without(ws_, form);
    without.take(t.atom);
    Sum with = without;
    with.add(t.coefficient, t.atom->form);
    if (with.overflowed()) continue;
    const Form* const sides[2] = {without.intern(), with.intern()};
    const bool is_max = t.coefficient > 0;
    const Interval common = is_max ? Interval{kNegInf, allowed.upper} : Interval{allowed.lower, kPosInf};
    const Interval reached = is_max ? Interval{allowed.lower, kPosInf} : Interval{kNegInf, allowed.upper};
    for (const int i : {0, 1}) {
      if (!tighten(sides[i], common, depth + 1)) return false;
      if (!reached.intersects(range(ws_, sides[i])) && !tighten(sides[1 - i], reached, depth + 1))
        return false;
    }
  }
  return true;
}

bool BoundPropagation::tighten(const Form* form, Interval allowed, int depth) {
  const Interval r = range(ws_, form);
  if (allowed.contains(r)) return true;
  if (!allowed.intersects(r)) return false;
  if (depth > kDeepestTightening || ws_.stopped()) return true;
  ws_.spend(form->size);
  Activity others(form->constant);
  for (const Term& t : form->terms()) others.add(t.coefficient, range(ws_, t.atom));
  for (const Term& t : form->terms()) {
    const Interval own = range(ws_, t.atom);
    const auto left = others.left_for(t.coefficient, own, allowed);
    if (!left || !left->intersects(own)) return false;
    if (!left->contains(own) && !tighten(t.atom, *left, depth + 1)) return false;
  }
  if (form->has_max0 && !tighten_extrema(form, allowed, depth)) return false;
  if (form->quotients == 0) return true;
  const View& view = digit_view(ws_, form);
  if (!view.split) return true;
  Activity digits(view.constant);
  for (const ViewItem& item : view.span()) digits.add(item.factor, item.range);
  for (const ViewItem& item : view.span()) {
    const auto left = digits.left_for(item.factor, item.range, allowed);
    if (!left || !left->intersects(item.range)) return false;
    if (!left->contains(item.range) && !tighten(item.form, *left, depth + 1)) return false;
  }
  return true;
}

}  // namespace tessera::detail
