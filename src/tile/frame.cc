// SPDX-License-Identifier: Apache-2.0
#include "tile/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/map/map_algebra.h"

namespace tessera::detail {

bool is_fixed(const StartTile::Dimension& dim) {
  return dim.offset.is_constant() && dim.size.is_constant() && dim.stride == 1 && !dim.upper;
}

namespace {

// The map with its fixed dimensions, and the range variables that the start tile does not have, shifted so
// that each begins at 0.
IndexMap begin_at_zero(const IndexMap& map, const StartTile& start) {
  const std::size_t first = start.dims.size();
  const Domain& domain = map.domain();
  std::vector<Expr> shifted;
  std::vector<Interval> bounds;
  bool moved = false;
  for (std::size_t v = 0; v < domain.variable_count(); ++v) {
    Interval own = domain.variables()[v].bounds;
    Expr e = Expr::variable(static_cast<Index>(v));
    const bool whole = v < first ? is_fixed(start.dims[v]) : domain.kind(v) == VariableKind::range;
    if (whole && own.is_finite() && own.lower != 0) {
      e = e + own.lower;
      own = {0, own.upper - own.lower};
      moved = true;
    }
    shifted.push_back(e);
    bounds.push_back(own);
  }
  if (!moved) return map;
  Domain out = domain.with(bounds, {});
  for (const Constraint& c : map.constraints()) out.constrain(substitute(c.expr, shifted), c.range);
  std::vector<Expr> results;
  for (const Expr e : map.results()) results.push_back(substitute(e, shifted));
  return simplify(IndexMap::make_unchecked(std::move(out), std::move(results)), Points::preserve);
}

std::optional<Index> size_of(Interval bounds) { return bounds.is_finite() ? bounds.count() : std::nullopt; }

}  // namespace

Expr Frame::at_offset(Expr e) const {
  std::vector<Expr> offsets;
  for (const VariableBlock& block : blocks) offsets.push_back(block.offset);
  return simple(substitute(e, offsets));
}

Expr Frame::simplify_over_parameters(Expr e) const {
  return e.is_constant() || e.is_variable() ? e : simplify(e, parameters);
}

bool Frame::all_whole(std::span<const Index> variables) const {
  return std::ranges::none_of(variables, [&](Index v) { return blocks[static_cast<std::size_t>(v)].tiled; });
}

Interval Frame::parameter_range(Expr e) const { return range(e, parameters); }

TileConstraint Frame::whole_tiles(std::span<const Index> variables) const {
  TileConstraint out;
  for (const Index v : variables) {
    const VariableBlock& block = blocks[static_cast<std::size_t>(v)];
    if (block.tiled)
      out = both(out, TileConstraint::in(mod(Expr::constant(block.extent), block.size), {0, 0}));
  }
  return out;
}

TileConstraint Frame::single(std::span<const Index> variables) const {
  TileConstraint out;
  for (const Index v : variables)
    out = both(out, TileConstraint::in(blocks[static_cast<std::size_t>(v)].size, {1, 1}));
  return out;
}

std::optional<Hull> hull(const Frame& frame, const DigitTerm& term) {
  if (term.is_variable()) {
    const VariableBlock& block = frame.blocks[static_cast<std::size_t>(term.base.value())];
    return Hull{block.offset, block.offset + (block.size - 1) * block.stride};
  }
  if (!term.opaque && !term.at_least_zero && term.modulus == 0) {
    const auto inside = view(term.base, frame.box);
    const auto base = inside ? hull(frame, *inside) : std::nullopt;
    if (base) return Hull{floor_div(base->low, term.divisor), floor_div(base->high, term.divisor)};
  }
  if (!term.range.is_finite()) return std::nullopt;
  return Hull{Expr::constant(term.range.lower), Expr::constant(term.range.upper)};
}

std::optional<Hull> hull(const Frame& frame, const ExprView& view) {
  Hull out{Expr::constant(view.constant), Expr::constant(view.constant)};
  for (const DigitTerm& term : view.terms) {
    const auto own = hull(frame, term);
    if (!own) return std::nullopt;
    const bool rising = term.coefficient > 0;
    out.low = out.low + (rising ? own->low : own->high) * term.coefficient;
    out.high = out.high + (rising ? own->high : own->low) * term.coefficient;
  }
  return out;
}

IndexMap in_tiles(const IndexMap& map, const StartTile& start) {
  Domain domain = map.domain();
  for (std::size_t v = 0; v < start.dims.size(); ++v) {
    const StartTile::Dimension& dim = start.dims[v];
    Interval inside = {0, kPosInf};
    if (is_fixed(dim)) inside = {dim.offset.value(), dim.offset.value() + dim.size.value() - 1};
    domain.constrain(Expr::variable(static_cast<Index>(v)), inside);
  }
  return IndexMap::make_unchecked(std::move(domain), {map.results().begin(), map.results().end()});
}

Result<Frame> make_frame(const IndexMap& given, const StartTile& start) {
  const IndexMap simple = simplify(in_tiles(given, start), Points::preserve);
  if (simple.known_empty())
    return fail(Code::not_representable, "the map has no points, so a tile reads nothing", {},
                "give it a domain with points");
  Frame out{.parameters = start.parameters, .map = begin_at_zero(simple, start), .uniform = start.uniform};
  const Domain& domain = out.map.domain();
  for (const Expr e : given.results()) {
    out.varies.push_back(std::ranges::any_of(variables(e), [&](Index v) {
      return given.domain().kind(static_cast<std::size_t>(v)) != VariableKind::runtime;
    }));
  }
  const Index first_runtime = static_cast<Index>(start.parameters.variable_count());
  for (std::size_t v = 0; v < domain.variable_count(); ++v) {
    const Interval bounds = domain.variables()[v].bounds;
    VariableBlock block;
    if (domain.kind(v) == VariableKind::runtime) {
      block.runtime = true;
      block.offset = Expr::variable(first_runtime + static_cast<Index>(out.parameters.runtime_count()));
      block.size = Expr::constant(1);
      out.parameters.append_runtime({bounds, domain.name(v)});
    } else if (v < start.dims.size() && !is_fixed(start.dims[v])) {
      const StartTile::Dimension& dim = start.dims[v];
      block = {.offset = dim.offset,
               .size = dim.size,
               .stride = dim.stride,
               .extent = dim.extent,
               .tiled = true,
               .aligned = dim.aligned && (dim.stride == 1 || dim.size.is_constant(1)),
               .cut = bounds != Interval::of_extent(dim.extent),
               .bounded = dim.upper.has_value()};
    } else {
      const auto size = size_of(bounds);
      if (!size || bounds.lower != 0)
        return fail(Code::not_representable,
                    fmt::format("{} has no bounds, so its tile has no size", domain.name(v)), {},
                    fmt::format("give it a finite interval: {} in [0, 127]", domain.name(v)));
      block = {.size = Expr::constant(*size), .extent = *size};
    }
    out.blocks.push_back(block);
    // Even if only one index of a tiled dimension reads something, its box has two values: texts must show
    // its size, and a tile that contains this index may contain others.
    out.box.push_back(block.tiled && bounds.is_point() ? Interval{bounds.lower, bounds.lower + 1} : bounds);
    out.uppers.push_back(v < start.dims.size() ? start.dims[v].upper : std::nullopt);
  }
  out.uses.assign(out.blocks.size(), 0);
  return out;
}

}  // namespace tessera::detail
