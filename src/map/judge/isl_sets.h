// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps as isl sets. This header is empty unless isl is built in.
#pragma once

#ifdef TESSERA_HAVE_ISL

#include <optional>
#include <vector>

#include "expr/fold.h"
#include "map/judge/isl_object.h"
#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The reason of `undecided` if IslSets::affine is false.
inline constexpr const char* kBeyondIsl = "isl does not handle products of variables or variable divisors";

/// Sets over the variables of maps and further coordinates after them.
class IslSets {
 public:
  IslSets(IslContext& context, std::size_t dims);

  /// Variable i of an expression is coordinate places[i].
  void set_places(std::vector<std::size_t> places);
  /// Whether isl could represent all maps and functions so far.
  bool affine() const { return affine_; }

  Isl<isl_set> universe() { return Isl<isl_set>(isl_set_universe(space_.copy())); }
  Isl<isl_set> domain(const IndexMap& map);
  /// The domain where coordinates from `first` on equal the results.
  Isl<isl_set> graph(const IndexMap& map, std::size_t first);
  Isl<isl_pw_aff> function(Expr e) { return function_of(fold_(e)); }

 private:
  friend class Fold<IslSets>;
  // A function; `number` is set if it is a constant, which may be a factor or a divisor.
  struct Value {
    Isl<isl_pw_aff> function = {};
    std::optional<Index> number = std::nullopt;
  };
  Isl<isl_pw_aff> function_of(const Value& v) { return v.number ? number(*v.number) : v.function; }
  Isl<isl_pw_aff> number(Index v);
  Value constant(Index v) { return {.number = v}; }
  Value variable(Index i) { return {coordinate(places_[static_cast<std::size_t>(i)])}; }
  Value add(const Value& a, const Value& b);
  Value mul(const Value& a, const Value& b);
  Value mod(const Value& a, const Value& b);
  Value floor_div(const Value& a, const Value& b);
  Value ceil_div(const Value& a, const Value& b);
  Value max(const Value& a, const Value& b);
  Value min(const Value& a, const Value& b);
  // a / b; empty if b is not a valid divisor.
  Isl<isl_pw_aff> ratio(const Value& a, const Value& b);

  Isl<isl_val> value(Index v) { return Isl<isl_val>(isl_val_int_from_si(ctx_, v)); }
  Isl<isl_pw_aff> coordinate(std::size_t i);
  Isl<isl_set> bounded(Isl<isl_set> set, Isl<isl_pw_aff> what, Interval range);
  Value not_affine();

  isl_ctx* ctx_;
  Isl<isl_space> space_;
  std::vector<std::size_t> places_;
  Fold<IslSets> fold_{*this};
  bool affine_ = true;
};

}  // namespace tessera::detail

#endif
