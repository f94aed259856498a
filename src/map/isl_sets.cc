// SPDX-License-Identifier: Apache-2.0
#include "map/isl_sets.h"

#ifdef TESSERA_HAVE_ISL

namespace tessera::detail {

IslSets::IslSets(IslContext& context, std::size_t dims)
    : ctx_(context.get()), space_(isl_space_set_alloc(ctx_, 0, static_cast<unsigned>(dims))) {}

void IslSets::set_places(std::vector<std::size_t> places) {
  places_ = std::move(places);
  memo_.clear();
}

Isl<isl_set> IslSets::domain(const IndexMap& map) {
  if (map.known_empty()) return Isl<isl_set>(isl_set_empty(space_.copy()));
  Isl<isl_set> set = universe();
  for (std::size_t i = 0; i < map.variables().size(); ++i) {
    const Interval bounds = map.variables()[i].bounds;
    set = bounded(std::move(set), coordinate(places_[i]), bounds);
  }
  for (const Constraint& c : map.constraints()) set = bounded(std::move(set), function(c.expr), c.range);
  return set;
}

Isl<isl_set> IslSets::graph(const IndexMap& map, std::size_t first) {
  Isl<isl_set> set = domain(map);
  if (map.known_empty()) return set;
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    Isl<isl_pw_aff> value = function(map.results()[i]);
    Isl<isl_set> same(isl_pw_aff_eq_set(value.take(), coordinate(first + i).take()));
    set = Isl<isl_set>(isl_set_intersect(set.take(), same.take()));
  }
  return set;
}

Isl<isl_pw_aff> IslSets::function(Expr e) {
  if (const auto found = memo_.find(e.id()); found != memo_.end()) return found->second;
  Isl<isl_pw_aff> result = build(e);
  memo_.emplace(e.id(), result);
  return result;
}

Isl<isl_pw_aff> IslSets::constant(Index v) {
  return Isl<isl_pw_aff>(isl_pw_aff_val_on_domain(universe().take(), value(v).take()));
}

Isl<isl_pw_aff> IslSets::coordinate(std::size_t i) {
  return Isl<isl_pw_aff>(isl_pw_aff_var_on_domain(isl_local_space_from_space(space_.copy()), isl_dim_set,
                                                  static_cast<unsigned>(i)));
}

Isl<isl_set> IslSets::bounded(Isl<isl_set> set, Isl<isl_pw_aff> what, Interval range) {
  if (range.lower != kNegInf) {
    Isl<isl_set> above(isl_pw_aff_ge_set(what.copy(), constant(range.lower).take()));
    set = Isl<isl_set>(isl_set_intersect(set.take(), above.take()));
  }
  if (range.upper != kPosInf) {
    Isl<isl_set> below(isl_pw_aff_le_set(what.copy(), constant(range.upper).take()));
    set = Isl<isl_set>(isl_set_intersect(set.take(), below.take()));
  }
  return set;
}

Isl<isl_pw_aff> IslSets::not_affine() {
  affine_ = false;
  return {};
}

Isl<isl_pw_aff> IslSets::build(Expr e) {
  if (e.is_constant()) return constant(e.value());
  if (e.is_variable()) return coordinate(places_[static_cast<std::size_t>(e.value())]);
  Isl<isl_pw_aff> a = function(e.lhs());
  switch (e.kind()) {
    case ExprKind::add:
      return Isl<isl_pw_aff>(isl_pw_aff_add(a.take(), function(e.rhs()).take()));
    case ExprKind::min:
      return Isl<isl_pw_aff>(isl_pw_aff_min(a.take(), function(e.rhs()).take()));
    case ExprKind::max:
      return Isl<isl_pw_aff>(isl_pw_aff_max(a.take(), function(e.rhs()).take()));
    default:
      break;
  }
  if (!e.rhs().is_constant()) return not_affine();
  const Index c = e.rhs().value();
  if (e.kind() == ExprKind::mul) return Isl<isl_pw_aff>(isl_pw_aff_scale_val(a.take(), value(c).take()));
  if (c == 0 || c == kIndexMin) return not_affine();
  const Index size = c < 0 ? -c : c;
  if (e.kind() == ExprKind::mod) return Isl<isl_pw_aff>(isl_pw_aff_mod_val(a.take(), value(size).take()));
  if (c < 0) a = Isl<isl_pw_aff>(isl_pw_aff_neg(a.take()));
  a = Isl<isl_pw_aff>(isl_pw_aff_scale_down_val(a.take(), value(size).take()));
  return Isl<isl_pw_aff>(e.kind() == ExprKind::floor_div ? isl_pw_aff_floor(a.take())
                                                         : isl_pw_aff_ceil(a.take()));
}

}  // namespace tessera::detail

#endif
