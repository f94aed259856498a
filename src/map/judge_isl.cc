// SPDX-License-Identifier: Apache-2.0
// The only file that sees isl.
#include "map/judge_isl.h"

#include <fmt/core.h>

#ifdef TESSERA_HAVE_ISL

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <memory>
#include <unordered_map>
#include <utility>

namespace tessera {

bool judge_has_isl() { return true; }

namespace detail {
namespace {

// Owns one reference to an isl object. isl takes and gives references; `take` hands ours over, `copy` a new
// one.
template <class T, T* (*copy_of)(T*), T* (*free_of)(T*)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T* object) : object_(object) {}
  Owned(const Owned& other) : object_(other.copy()) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { free_of(object_); }

  explicit operator bool() const { return object_ != nullptr; }
  T* get() const { return object_; }
  T* copy() const { return copy_of(object_); }
  T* take() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

// isl's own functions carry attributes of its memory checker; plain ones make template arguments.
template <class T>
struct Calls;
#define TESSERA_ISL_TYPE(type)                            \
  template <>                                             \
  struct Calls<type> {                                    \
    static type* copy(type* o) { return type##_copy(o); } \
    static type* free(type* o) {                          \
      type##_free(o);                                     \
      return nullptr;                                     \
    }                                                     \
  }
TESSERA_ISL_TYPE(isl_set);
TESSERA_ISL_TYPE(isl_pw_aff);
TESSERA_ISL_TYPE(isl_aff);
TESSERA_ISL_TYPE(isl_space);
TESSERA_ISL_TYPE(isl_point);
TESSERA_ISL_TYPE(isl_val);
#undef TESSERA_ISL_TYPE

template <class T>
using Isl = Owned<T, Calls<T>::copy, Calls<T>::free>;

// A context that never prints and stops working after a number of operations.
class Context {
 public:
  explicit Context(unsigned long max_operations) : ctx_(isl_ctx_alloc()), max_operations_(max_operations) {
    isl_options_set_on_error(ctx_, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx_, max_operations);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { isl_ctx_free(ctx_); }

  isl_ctx* get() const { return ctx_; }
  /// Allows the operations once more.
  void refill() { isl_ctx_reset_operations(ctx_); }
  std::string why() const {
    if (isl_ctx_last_error(ctx_) == isl_error_quota) {
      return fmt::format("isl gave up after {} operations", max_operations_);
    }
    return "isl could not decide it";
  }

 private:
  isl_ctx* ctx_;
  unsigned long max_operations_;
};

constexpr const char* kNotAffine = "products of variables and variable divisors are beyond isl";

// Sets over the variables of maps and further coordinates behind them.
class Builder {
 public:
  Builder(Context& context, std::size_t dims)
      : ctx_(context.get()), space_(isl_space_set_alloc(ctx_, 0, static_cast<unsigned>(dims))) {}

  // Variable i of an expression is coordinate places[i].
  void set_places(std::vector<std::size_t> places) {
    places_ = std::move(places);
    memo_.clear();
  }
  bool affine() const { return affine_; }

  Isl<isl_set> universe() { return Isl<isl_set>(isl_set_universe(space_.copy())); }

  Isl<isl_set> domain(const IndexMap& map) {
    if (map.known_empty()) return Isl<isl_set>(isl_set_empty(space_.copy()));
    Isl<isl_set> set = universe();
    for (std::size_t i = 0; i < map.variables().size(); ++i) {
      const Interval bounds = map.variables()[i].bounds;
      set = bounded(std::move(set), coordinate(places_[i]), bounds);
    }
    for (const Constraint& c : map.constraints()) set = bounded(std::move(set), function(c.expr), c.range);
    return set;
  }

  // Coordinates from `first` on equal the results.
  Isl<isl_set> graph(const IndexMap& map, std::size_t first) {
    Isl<isl_set> set = domain(map);
    if (map.known_empty()) return set;
    for (std::size_t i = 0; i < map.results().size(); ++i) {
      Isl<isl_pw_aff> value = function(map.results()[i]);
      Isl<isl_set> same(isl_pw_aff_eq_set(value.take(), coordinate(first + i).take()));
      set = Isl<isl_set>(isl_set_intersect(set.take(), same.take()));
    }
    return set;
  }

  Isl<isl_pw_aff> function(Expr e) {
    if (const auto found = memo_.find(e.id()); found != memo_.end()) return found->second;
    Isl<isl_pw_aff> result = build(e);
    memo_.emplace(e.id(), result);
    return result;
  }

 private:
  Isl<isl_val> value(Index v) { return Isl<isl_val>(isl_val_int_from_si(ctx_, v)); }
  Isl<isl_pw_aff> constant(Index v) {
    return Isl<isl_pw_aff>(isl_pw_aff_val_on_domain(universe().take(), value(v).take()));
  }
  Isl<isl_pw_aff> coordinate(std::size_t i) {
    return Isl<isl_pw_aff>(isl_pw_aff_var_on_domain(isl_local_space_from_space(space_.copy()), isl_dim_set,
                                                    static_cast<unsigned>(i)));
  }

  Isl<isl_set> bounded(Isl<isl_set> set, Isl<isl_pw_aff> what, Interval range) {
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

  Isl<isl_pw_aff> not_affine() {
    affine_ = false;
    return {};
  }

  Isl<isl_pw_aff> build(Expr e) {
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

  isl_ctx* ctx_;
  Isl<isl_space> space_;
  std::vector<std::size_t> places_;
  std::unordered_map<const void*, Isl<isl_pw_aff>> memo_;
  bool affine_ = true;
};

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(i);
  return places;
}

// A point of a set that is not empty: the smallest one where isl can tell, any other one otherwise.
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
    // Beyond 64 bits the point cannot be told.
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

std::optional<Found> find_point(Context& context, const Isl<isl_set>& set, std::size_t dims) {
  context.refill();
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
  if (max_operations == 0) return {.reason = "isl was not asked"};
  Context context(max_operations);
  const std::size_t dims = a.variables().size();
  Builder builder(context, dims);
  builder.set_places(in_order(dims));
  const auto undecided = [&] { return Equality{.reason = builder.affine() ? context.why() : kNotAffine}; };
  const auto no_at = [&](const Isl<isl_set>& set) {
    const auto found = find_point(context, set, dims);
    if (!found) return undecided();
    return Equality{
        .verdict = Verdict::no, .difference = Difference{.point = found->point}, .smallest = found->smallest};
  };
  const Isl<isl_set> first = builder.domain(a);
  const Isl<isl_set> second = builder.domain(b);
  // Where one map is defined and the other is not, or both are and a result differs.
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
  if (max_operations == 0) return {.reason = "isl was not asked"};
  Context context(max_operations);
  const std::size_t dims = map.variables().size();
  Builder builder(context, dims);
  builder.set_places(in_order(dims));
  const Isl<isl_set> set = builder.domain(map);
  const isl_bool empty = set ? isl_set_is_empty(set.get()) : isl_bool_error;
  if (!builder.affine()) return {.reason = kNotAffine};
  if (empty == isl_bool_error) return {.reason = context.why()};
  if (empty == isl_bool_true) return {.verdict = Verdict::yes};
  Emptiness answer{.verdict = Verdict::no};
  if (const auto found = find_point(context, set, dims)) answer.point = found->point;
  return answer;
}

Inclusion isl_footprint_within(const IndexMap& a, const IndexMap& b, unsigned long max_operations) {
  if (max_operations == 0) return {.reason = "isl was not asked"};
  Context context(max_operations);
  // Coordinates: dimensions, runtime variables, results; range variables behind them, projected out at the
  // end.
  const std::size_t starts = a.dim_count() + a.runtime_count();
  const std::size_t kept = starts + a.results().size();
  bool affine = true;
  const auto relation = [&](const IndexMap& map) {
    Builder builder(context, kept + map.range_count());
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
  if (!affine) return {.reason = kNotAffine};
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

namespace {

// Rewrites isl's affine functions over r0, r1, ... and quotients of them as expressions. `ok` turns false
// when a number leaves 64 bits.
class AffineReader {
 public:
  explicit AffineReader(std::size_t dims) : dims_(dims) {}
  bool ok = true;

  // numerator(aff); its denominator is stored apart.
  Expr numerator(isl_aff* aff, Index& denominator) {
    Isl<isl_val> common(isl_aff_get_denominator_val(aff));
    denominator = integer(common);
    Expr sum;
    for (std::size_t i = 0; i < dims_; ++i) {
      const Index k = scaled(isl_aff_get_coefficient_val(aff, isl_dim_in, static_cast<int>(i)), common);
      sum = sum + Expr::variable(static_cast<Index>(i)) * k;
    }
    const auto divs = static_cast<int>(isl_aff_dim(aff, isl_dim_div));
    for (int i = 0; i < divs; ++i) {
      const Index k = scaled(isl_aff_get_coefficient_val(aff, isl_dim_div, i), common);
      if (k == 0) continue;
      Isl<isl_aff> div(isl_aff_get_div(aff, i));
      if (!div) {
        ok = false;
        return sum;
      }
      Index d = 1;
      const Expr inner = numerator(div.get(), d);
      sum = sum + floor_div(inner, d) * k;
    }
    return sum + scaled(isl_aff_get_constant_val(aff), common);
  }

 private:
  Index integer(const Isl<isl_val>& v) {
    Isl<isl_val> limit(v ? isl_val_int_from_si(isl_val_get_ctx(v.get()), kIndexMax) : nullptr);
    if (!v || isl_val_is_int(v.get()) != isl_bool_true ||
        isl_val_abs_eq(v.get(), limit.get()) != isl_bool_false) {
      ok = false;
      return 1;
    }
    Isl<isl_val> size(isl_val_abs(v.copy()));
    if (isl_val_gt(size.get(), limit.get()) != isl_bool_false) {
      ok = false;
      return 1;
    }
    return isl_val_get_num_si(v.get());
  }
  Index scaled(isl_val* v, const Isl<isl_val>& factor) {
    return integer(Isl<isl_val>(isl_val_mul(v, factor.copy())));
  }
  std::size_t dims_;
};

// expr >= 0 (or == 0) as a constraint, the constant moved to the bounds and the first factor positive.
void constrain_sign(Domain& domain, Expr expr, bool equality) {
  Index constant = 0;
  if (expr.is_constant()) {
    constant = expr.value();
    expr = Expr();
  } else if (expr.kind() == ExprKind::add && expr.rhs().is_constant()) {
    constant = expr.rhs().value();
    expr = expr.lhs();
  }
  Expr first = expr;
  while (first.kind() == ExprKind::add) first = first.lhs();
  const bool negative = first.kind() == ExprKind::mul && first.rhs().is_constant() && first.rhs().value() < 0;
  if (constant == kIndexMin)
    return;  // cannot be moved; not reached with the numbers AffineReader lets through
  if (negative) {
    const auto negated = [](const auto& self, Expr e) -> Expr {
      return e.kind() == ExprKind::add ? self(self, e.lhs()) + self(self, e.rhs()) : e * -1;
    };
    domain.constrain(negated(negated, expr), equality ? constant : kNegInf, constant);
  } else {
    domain.constrain(expr, -constant, equality ? -constant : kPosInf);
  }
}

}  // namespace

std::optional<std::vector<Domain>> isl_image(const IndexMap& map, unsigned long max_operations) {
  if (max_operations == 0) return std::nullopt;
  Context context(max_operations);
  const std::size_t results = map.results().size();
  const std::size_t inputs = map.variables().size();
  Builder builder(context, results + inputs);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < inputs; ++i) places.push_back(results + i);
  builder.set_places(std::move(places));
  Isl<isl_set> set = builder.graph(map, 0);
  if (!builder.affine()) return std::nullopt;
  set = Isl<isl_set>(isl_set_project_out(set.take(), isl_dim_set, static_cast<unsigned>(results),
                                         static_cast<unsigned>(inputs)));
  set = Isl<isl_set>(isl_set_remove_redundancies(isl_set_coalesce(isl_set_compute_divs(set.take()))));
  if (!set) return std::nullopt;

  struct Collect {
    std::size_t results;
    std::vector<Domain> pieces = {};
    bool ok = true;
  } collect{results};
  const isl_stat visited = isl_set_foreach_basic_set(
      set.get(),
      [](isl_basic_set* piece, void* user) {
        auto& all = *static_cast<Collect*>(user);
        std::vector<Variable> dims;
        for (std::size_t i = 0; i < all.results; ++i) dims.push_back({Interval{}, fmt::format("r{}", i)});
        struct State {
          Domain domain;
          AffineReader reader;
        } state{Domain(std::move(dims), {}, {}), AffineReader(all.results)};
        const isl_stat done = isl_basic_set_foreach_constraint(
            piece,
            [](isl_constraint* c, void* inner) {
              auto& s = *static_cast<State*>(inner);
              Isl<isl_aff> aff(isl_constraint_get_aff(c));
              Index denominator = 1;
              const Expr expr = s.reader.numerator(aff.get(), denominator);
              constrain_sign(s.domain, expr, isl_constraint_is_equality(c) == isl_bool_true);
              isl_constraint_free(c);
              return isl_stat_ok;
            },
            &state);
        isl_basic_set_free(piece);
        all.ok = all.ok && done == isl_stat_ok && state.reader.ok;
        all.pieces.push_back(std::move(state.domain));
        return isl_stat_ok;
      },
      &collect);
  if (visited != isl_stat_ok || !collect.ok) return std::nullopt;
  return std::move(collect.pieces);
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
std::optional<std::vector<Domain>> isl_image(const IndexMap&, unsigned long) { return std::nullopt; }

}  // namespace detail
}  // namespace tessera

#endif
