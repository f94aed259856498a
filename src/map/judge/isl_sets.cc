// SPDX-License-Identifier: Apache-2.0
#include "map/judge/isl_sets.h"

#ifdef TESSERA_HAVE_ISL

#include <cstdlib>

namespace tessera::detail {

IslSets::IslSets(IslContext& context, std::size_t dims)
    : ctx_(context.get()), space_(isl_space_set_alloc(ctx_, 0, static_cast<unsigned>(dims))) {}

void IslSets::set_places(std::vector<std::size_t> places) {
  places_ = std::move(places);
  fold_.forget();
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

Isl<isl_pw_aff> IslSets::coordinate(std::size_t i) {
  return Isl<isl_pw_aff>(isl_pw_aff_var_on_domain(isl_local_space_from_space(space_.copy()), isl_dim_set,
                                                  static_cast<unsigned>(i)));
}

Isl<isl_set> IslSets::bounded(Isl<isl_set> set, Isl<isl_pw_aff> what, Interval range) {
  if (range.lower != kNegInf) {
    Isl<isl_set> above(isl_pw_aff_ge_set(what.copy(), number(range.lower).take()));
    set = Isl<isl_set>(isl_set_intersect(set.take(), above.take()));
  }
  if (range.upper != kPosInf) {
    Isl<isl_set> below(isl_pw_aff_le_set(what.copy(), number(range.upper).take()));
    set = Isl<isl_set>(isl_set_intersect(set.take(), below.take()));
  }
  return set;
}

IslSets::Value IslSets::not_affine() {
  affine_ = false;
  return {};
}

Isl<isl_pw_aff> IslSets::number(Index v) {
  return Isl<isl_pw_aff>(isl_pw_aff_val_on_domain(universe().take(), value(v).take()));
}

IslSets::Value IslSets::add(const Value& a, const Value& b) {
  return {Isl<isl_pw_aff>(isl_pw_aff_add(function_of(a).take(), function_of(b).take()))};
}

IslSets::Value IslSets::mul(const Value& a, const Value& b) {
  if (!b.number) return not_affine();
  return {Isl<isl_pw_aff>(isl_pw_aff_scale_val(function_of(a).take(), value(*b.number).take()))};
}

IslSets::Value IslSets::mod(const Value& a, const Value& b) {
  if (!b.number || *b.number == 0 || *b.number == kIndexMin) return not_affine();
  return {Isl<isl_pw_aff>(isl_pw_aff_mod_val(function_of(a).take(), value(std::abs(*b.number)).take()))};
}

Isl<isl_pw_aff> IslSets::ratio(const Value& a, const Value& b) {
  if (!b.number || *b.number == 0 || *b.number == kIndexMin) return not_affine().function;
  Isl<isl_pw_aff> dividend = function_of(a);
  if (*b.number < 0) dividend = Isl<isl_pw_aff>(isl_pw_aff_neg(dividend.take()));
  return Isl<isl_pw_aff>(isl_pw_aff_scale_down_val(dividend.take(), value(std::abs(*b.number)).take()));
}

IslSets::Value IslSets::floor_div(const Value& a, const Value& b) {
  return {Isl<isl_pw_aff>(isl_pw_aff_floor(ratio(a, b).take()))};
}

IslSets::Value IslSets::ceil_div(const Value& a, const Value& b) {
  return {Isl<isl_pw_aff>(isl_pw_aff_ceil(ratio(a, b).take()))};
}

IslSets::Value IslSets::max(const Value& a, const Value& b) {
  return {Isl<isl_pw_aff>(isl_pw_aff_max(function_of(a).take(), function_of(b).take()))};
}

IslSets::Value IslSets::min(const Value& a, const Value& b) {
  return {Isl<isl_pw_aff>(isl_pw_aff_min(function_of(a).take(), function_of(b).take()))};
}

}  // namespace tessera::detail

#endif
