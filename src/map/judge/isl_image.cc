// SPDX-License-Identifier: Apache-2.0
#include "map/judge/isl_image.h"

#ifdef TESSERA_HAVE_ISL

#include <fmt/core.h>
#include <isl/constraint.h>

#include "map/judge/isl_sets.h"

namespace tessera::detail {
namespace {

// Rewrites isl's affine functions over r0, r1, ... and their quotients as expressions. `ok` becomes false if
// a number overflows 64 bits.
class AffineReader {
 public:
  explicit AffineReader(std::size_t dims) : dims_(dims) {}
  bool ok = true;

  // denominator * aff = constant + sum of factor * expr.
  struct Numerator {
    std::vector<std::pair<Index, Expr>> summands = {};
    Index constant = 0;
    Index denominator = 1;

    Expr sum(Index sign = 1) const {
      Expr out;
      for (const auto& [factor, expr] : summands) out = out + expr * (sign * factor);
      return out;
    }
  };

  Numerator numerator(isl_aff* aff) {
    Isl<isl_val> common(isl_aff_get_denominator_val(aff));
    Numerator out{.denominator = integer(common)};
    for (std::size_t i = 0; i < dims_; ++i) {
      const Index k = scaled(isl_aff_get_coefficient_val(aff, isl_dim_in, static_cast<int>(i)), common);
      if (k != 0) out.summands.emplace_back(k, Expr::variable(static_cast<Index>(i)));
    }
    const auto divs = static_cast<int>(isl_aff_dim(aff, isl_dim_div));
    for (int i = 0; i < divs; ++i) {
      const Index k = scaled(isl_aff_get_coefficient_val(aff, isl_dim_div, i), common);
      if (k == 0) continue;
      Isl<isl_aff> div(isl_aff_get_div(aff, i));
      if (!div) {
        ok = false;
        return out;
      }
      const Numerator inside = numerator(div.get());
      out.summands.emplace_back(k, floor_div(inside.sum() + inside.constant, inside.denominator));
    }
    out.constant = scaled(isl_aff_get_constant_val(aff), common);
    return out;
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

// Adds the constraint that the function is >= 0 (or == 0). Moves the constant into the bounds and makes the
// first factor positive.
void constrain_sign(Domain& domain, const AffineReader::Numerator& numerator, bool equality) {
  const Index constant = numerator.constant;
  if (!numerator.summands.empty() && numerator.summands[0].first < 0) {
    domain.constrain(numerator.sum(-1), {equality ? constant : kNegInf, constant});
  } else {
    domain.constrain(numerator.sum(), {-constant, equality ? -constant : kPosInf});
  }
}

// The set as a union of fewer pieces. isl 0.25 makes 0 <= r <= 5 of {0, 1, 2, 4}, so the result is compared
// with the set.
Isl<isl_set> coalesced(Isl<isl_set> set) {
  Isl<isl_set> fewer(isl_set_coalesce(set.copy()));
  const bool same = fewer && isl_set_is_equal(fewer.get(), set.get()) == isl_bool_true;
  return Isl<isl_set>(isl_set_remove_redundancies(same ? fewer.take() : set.take()));
}

}  // namespace

std::optional<std::vector<Domain>> isl_image(const IndexMap& map, unsigned long max_operations) {
  if (max_operations == 0) return std::nullopt;
  IslContext context(max_operations);
  const std::size_t results = map.results().size();
  const std::size_t inputs = map.variables().size();
  IslSets builder(context, results + inputs);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < inputs; ++i) places.push_back(results + i);
  builder.set_places(std::move(places));
  Isl<isl_set> set = builder.graph(map, 0);
  if (!builder.affine()) return std::nullopt;
  set = Isl<isl_set>(isl_set_project_out(set.take(), isl_dim_set, static_cast<unsigned>(results),
                                         static_cast<unsigned>(inputs)));
  set = coalesced(Isl<isl_set>(isl_set_compute_divs(set.take())));
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
              constrain_sign(s.domain, s.reader.numerator(aff.get()),
                             isl_constraint_is_equality(c) == isl_bool_true);
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

}  // namespace tessera::detail

#else

namespace tessera::detail {

std::optional<std::vector<Domain>> isl_image(const IndexMap&, unsigned long) { return std::nullopt; }

}  // namespace tessera::detail

#endif
