// SPDX-License-Identifier: Apache-2.0
#include "map/judge/judge_isl.h"

#include <algorithm>

#include "expr/limits.h"

namespace tessera::detail {

std::uint64_t isl_columns(const IndexMap& map) {
  const auto divisions = [](Expr e) { return std::min(size(e).divisions, kLimits.image_divisions); };
  std::uint64_t columns = map.variables().size();
  for (const Expr e : map.results()) columns += divisions(e);
  for (const Constraint& c : map.constraints()) columns += divisions(c.expr);
  return columns;
}

}  // namespace tessera::detail

#ifdef TESSERA_HAVE_ISL

#include "map/judge/isl_sets.h"

namespace tessera {

bool judge_has_isl() { return true; }

namespace detail {
namespace {

// The operations on tables with so many columns that take as long as `most` operations on small tables.
unsigned long affordable(unsigned long most, std::uint64_t columns) {
  constexpr std::uint64_t kSmall = 200;  // columns, with which an operation takes a few us
  return most / (1 + columns * columns / (kSmall * kSmall));
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(i);
  return places;
}

// A point of a nonempty set: the smallest point if isl finds it, otherwise any point.
struct Found {
  std::vector<Index> point;
  bool smallest = true;
};

std::optional<std::vector<Index>> coordinates(Isl<isl_point> point, std::size_t dims) {
  if (!point || isl_point_is_void(point.get()) != isl_bool_false) return std::nullopt;
  std::vector<Index> out;
  for (std::size_t i = 0; i < dims; ++i) {
    Isl<isl_val> v(isl_point_get_coordinate_val(point.get(), isl_dim_set, static_cast<int>(i)));
    if (!v || isl_val_is_int(v.get()) != isl_bool_true) return std::nullopt;
    // A point beyond 64 bits cannot be returned.
    Isl<isl_val> low(isl_val_int_from_si(isl_val_get_ctx(v.get()), kIndexMin));
    Isl<isl_val> high(isl_val_int_from_si(isl_val_get_ctx(v.get()), kIndexMax));
    if (isl_val_lt(v.get(), low.get()) != isl_bool_false ||
        isl_val_gt(v.get(), high.get()) != isl_bool_false) {
      return std::nullopt;
    }
    out.push_back(isl_val_get_num_si(v.get()));
  }
  return out;
}

std::optional<Found> find_point(IslContext& context, const Isl<isl_set>& set, std::size_t dims) {
  context.refill(kLimits.smallest_operations);  // its cuts have ever longer numbers
  if (auto point = coordinates(Isl<isl_point>(isl_set_sample_point(isl_set_lexmin(set.copy()))), dims)) {
    return Found{std::move(*point), true};
  }
  context.refill();
  if (auto point = coordinates(Isl<isl_point>(isl_set_sample_point(set.copy())), dims)) {
    return Found{std::move(*point), false};
  }
  return std::nullopt;
}

}  // namespace

Equality isl_equal(const IndexMap& a, const IndexMap& b, unsigned long max_operations) {
  if (max_operations == 0) return {.reason = "isl is disabled"};
  IslContext context(affordable(max_operations, isl_columns(a) + isl_columns(b)));
  const std::size_t dims = a.variables().size();
  IslSets builder(context, dims);
  builder.set_places(in_order(dims));
  const auto undecided = [&] { return Equality{.reason = builder.affine() ? context.why() : kBeyondIsl}; };
  const auto no_at = [&](const Isl<isl_set>& set) {
    const auto found = find_point(context, set, dims);
    if (!found) return undecided();
    return Equality{
        .verdict = Verdict::no, .difference = Difference{.point = found->point}, .smallest = found->smallest};
  };
  const Isl<isl_set> first = builder.domain(a);
  const Isl<isl_set> second = builder.domain(b);
  // The points where only one map is defined, or where both are defined and a result differs.
  Isl<isl_set> differs(isl_set_union(isl_set_subtract(first.copy(), second.copy()),
                                     isl_set_subtract(second.copy(), first.copy())));
  const Isl<isl_set> both(isl_set_intersect(first.copy(), second.copy()));
  for (std::size_t r = 0; r < a.results().size() && differs && builder.affine(); ++r) {
    if (a.results()[r] == b.results()[r]) continue;
    Isl<isl_set> here(
        isl_pw_aff_ne_set(builder.function(a.results()[r]).take(), builder.function(b.results()[r]).take()));
    differs = Isl<isl_set>(isl_set_union(differs.take(), isl_set_intersect(here.take(), both.copy())));
  }
  const isl_bool empty = differs ? isl_set_is_empty(differs.get()) : isl_bool_error;
  if (!builder.affine() || empty == isl_bool_error) return undecided();
  return empty == isl_bool_true ? Equality{.verdict = Verdict::yes} : no_at(differs);
}

Emptiness isl_is_empty(const IndexMap& map, unsigned long max_operations) {
  if (max_operations == 0) return {.reason = "isl is disabled"};
  IslContext context(affordable(max_operations, isl_columns(map)));
  const std::size_t dims = map.variables().size();
  IslSets builder(context, dims);
  builder.set_places(in_order(dims));
  const Isl<isl_set> set = builder.domain(map);
  const isl_bool empty = set ? isl_set_is_empty(set.get()) : isl_bool_error;
  if (!builder.affine()) return {.reason = kBeyondIsl};
  if (empty == isl_bool_error) return {.reason = context.why()};
  if (empty == isl_bool_true) return {.verdict = Verdict::yes};
  Emptiness answer{.verdict = Verdict::no};
  if (const auto found = find_point(context, set, dims)) answer.point = found->point;
  return answer;
}

Inclusion isl_footprint_within(const IndexMap& a, const IndexMap& b, unsigned long max_operations) {
  if (max_operations == 0) return {.reason = "isl is disabled"};
  IslContext context(affordable(max_operations, isl_columns(a) + isl_columns(b)));
  // The coordinates are dimensions, runtime variables and results, then range variables, which are projected
  // out at the end.
  const std::size_t starts = a.dim_count() + a.runtime_count();
  const std::size_t kept = starts + a.results().size();
  bool affine = true;
  const auto relation = [&](const IndexMap& map) {
    IslSets builder(context, kept + map.range_count());
    std::vector<std::size_t> places(map.variables().size());
    std::size_t start = 0;
    std::size_t range = kept;
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = map.domain().kind(i) == VariableKind::range ? range++ : start++;
    }
    builder.set_places(std::move(places));
    Isl<isl_set> set = builder.graph(map, starts);
    affine = affine && builder.affine();
    return Isl<isl_set>(isl_set_project_out(set.take(), isl_dim_set, static_cast<unsigned>(kept),
                                            static_cast<unsigned>(map.range_count())));
  };
  const Isl<isl_set> first = relation(a);
  const Isl<isl_set> second = relation(b);
  if (!affine) return {.reason = kBeyondIsl};
  const Isl<isl_set> rest(first && second ? isl_set_subtract(first.copy(), second.copy()) : nullptr);
  const isl_bool empty = rest ? isl_set_is_empty(rest.get()) : isl_bool_error;
  if (empty == isl_bool_error) return {.reason = context.why()};
  if (empty == isl_bool_true) return {.verdict = Verdict::yes};
  Inclusion answer{.verdict = Verdict::no};
  if (const auto found = find_point(context, rest, kept)) {
    const auto middle = found->point.begin() + static_cast<std::ptrdiff_t>(starts);
    answer.point.assign(found->point.begin(), middle);
    answer.value.assign(middle, found->point.end());
  }
  return answer;
}

}  // namespace detail
}  // namespace tessera

#else

namespace tessera {

bool judge_has_isl() { return false; }

namespace detail {

constexpr const char* kNotBuiltIn = "isl is not built in";

Equality isl_equal(const IndexMap&, const IndexMap&, unsigned long) { return {.reason = kNotBuiltIn}; }
Emptiness isl_is_empty(const IndexMap&, unsigned long) { return {.reason = kNotBuiltIn}; }
Inclusion isl_footprint_within(const IndexMap&, const IndexMap&, unsigned long) {
  return {.reason = kNotBuiltIn};
}

}  // namespace detail
}  // namespace tessera

#endif
