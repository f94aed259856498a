// SPDX-License-Identifier: Apache-2.0
// Functions for divides and products.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "eval/chain.h"
#include "eval/construction.h"
#include "eval/limits.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using Divide = Outcome<StridedLayout> (*)(const StridedLayout&, const Tiler&, TraceTo<Steps>);

/// <T,_,…>: a layout or an integer T as a tiler of only mode 0.
Outcome<Tiler> first_mode_tiler(const StridedLayout& l, const Tiler& t) {
  std::vector<Tiler> parts = {t};
  Tiler rest;
  rest.kind[0] = Tiler::Kind::everything;
  for (int i = 1; i < l.rank(); ++i) parts.push_back(rest);
  return by_mode(parts);
}

/// The sizes of the modes of a layout as a by-mode tiler.
Outcome<Tiler> by_mode_of(const StridedLayout& t) {
  std::vector<Tiler> parts;
  for (int i = 0; i < t.rank(); ++i) parts.emplace_back(t.size_at(mode_at(t.profile, i)));
  return by_mode(parts);
}

/// Whether the copies of some layout of a tiler leave gaps that no copy fills.
bool leaves_holes(const Tiler& t) {
  for (int i = 0; i < t.nesting.leaves; ++i) {
    if (t.kind[i] != Tiler::Kind::layout) continue;
    const Outcome<bool> tiles = complement_tiles(terminal(t, i));
    if (tiles && !*tiles) return true;
  }
  return false;
}

/// The tiler with another extent in one of its integers whose copies cover each element of `l` once, if there
/// is one: the largest smaller extent of the first such integer, else the smallest larger one.
std::optional<Tiler> evenly_dividing(const StridedLayout& l, const Tiler& t, Divide divide) {
  Steps unwanted;
  const auto fits = [&](const Tiler& other) {
    const Outcome<StridedLayout> result = divide(l, other, {&unwanted});
    return result.ok() && result->size() == l.size() && !leaves_holes(other);
  };
  if (fits(t)) return t;
  for (int i = 0; i < t.nesting.leaves; ++i) {
    const int leaf = mode_at(t.parts.profile, i).leaf;
    const bool contiguous =
        t.kind[i] == Tiler::Kind::layout && terminal(t, i).leaves() == 1 && t.parts.stride[leaf] == 1;
    if (t.kind[i] != Tiler::Kind::integer && !contiguous) continue;
    Tiler other = t;
    Index& extent = other.parts.extent[leaf];
    const Index given = std::min(extent, l.size() + 1);
    for (extent = given - 1; extent > 1 && given - extent < kEvalLimits.tiler_tries; --extent) {
      if (fits(other)) return other;
    }
    for (extent = given + 1; extent <= l.size() && extent - given < kEvalLimits.tiler_tries; ++extent) {
      if (fits(other)) return other;
    }
  }
  return std::nullopt;
}

/// What divides `l` instead of `t`.
std::string divide_help(const StridedLayout& l, const Tiler& t, bool whole, Divide divide) {
  std::optional<Tiler> near;
  if (whole && l.rank() > 1) {
    if (const Outcome<Tiler> first = first_mode_tiler(l, t)) near = evenly_dividing(l, *first, divide);
  }
  if (!near) near = evenly_dividing(l, t, divide);
  return near ? fmt::format("{} divides {} evenly", to_string(*near), to_string(l)) : std::string{};
}

Result<Value> divided(Call& call, const Chain& c, const Tiler& t, Divide divide) {
  if (!c.layout.has_domain()) return no_shape(call);
  const StridedLayout& l = c.layout.domain();
  const Outcome<StridedLayout> result = divide(l, t, call.trace());
  const bool whole = !t.by_mode() && t.kind[0] != Tiler::Kind::everything;
  if (!result) {
    Diagnostic d = call.refusal(result.error);
    if (std::string help = divide_help(l, t, whole, divide); !help.empty()) d.help = std::move(help);
    return fail(std::move(d));
  }
  if (result->size() > l.size()) {
    call.note(fmt::format("the tiles overhang: they have {} coordinates, but {} has only {}", result->size(),
                          to_string(l), l.size()));
  } else if (leaves_holes(t)) {
    call.note(
        fmt::format("tiles of {} cannot fill the holes in each other: some elements of {} are in no tile",
                    to_string(t), to_string(l)));
  }
  if (whole && l.rank() > 1 && t.kind[0] == Tiler::Kind::layout) {
    const StridedLayout tile = terminal(t, 0);
    const Outcome<Tiler> modes = by_mode_of(tile);
    if (tile.rank() > 1 && tile.rank() <= l.rank() && modes && evenly_divides(l.shape(), *modes)) {
      call.note(fmt::format("a single layout tiles {} in its 1-D order; to tile by mode, write {}",
                            to_string(l), to_string(*modes)));
    }
  }
  return on_domain(call, c, [&](const StridedLayout&) { return result; });
}

template <class Op>
auto tiled(Op op) {
  return [op](Call& call, const Chain& c, const Tiler& t) {
    return on_domain(call, c, [&](const StridedLayout& l) { return op(l, t, call.trace()); });
  };
}
template <class Op>
auto ranked(Op op) {
  return [op](Call& call, const Chain& c, const StridedLayout& t) {
    return on_domain(call, c, [&](const StridedLayout& l) { return op(l, t, call.trace()); });
  };
}

Result<Value> to_shape(Call& call, const Chain& c, const Shape& target, const std::optional<Value>& order) {
  const Order* end = order ? order->as<Order>() : nullptr;
  if (!order || end != nullptr) {
    return on_domain(call, c, [&](const StridedLayout& l) {
      return tile_to_shape(l, target.tuple, end != nullptr ? *end : Order::left, call.trace());
    });
  }
  const Result<IntTuple> by = Parameter<IntTuple>::read(*order);
  if (!by) return fail(detail::misfit(call, 2, "left, right or a tuple", by.error()));
  return on_domain(call, c,
                   [&](const StridedLayout& l) { return tile_to_shape(l, target.tuple, *by, call.trace()); });
}

}  // namespace

void add_tiling(FunctionTable& table) {
  const Group divide{table, "Divides"};
  const auto add_divide = [&](std::string_view signature, std::string_view summary, Divide op) {
    divide(signature, summary,
           [op](Call& call, const Chain& c, const Tiler& t) { return divided(call, c, t, op); });
  };
  add_divide("logical_divide(L, T)", "each mode split into (tile, rest)",
             [](const StridedLayout& l, const Tiler& t, TraceTo<Steps> trace) {
               return logical_divide(l, t, trace);
             });
  add_divide("zipped_divide(L, T)", "((tiles), (rests))",
             [](const StridedLayout& l, const Tiler& t, TraceTo<Steps> trace) {
               return zipped_divide(l, t, trace);
             });
  add_divide(
      "tiled_divide(L, T)", "((tiles), rest0, rest1, …)",
      [](const StridedLayout& l, const Tiler& t, TraceTo<Steps> trace) { return tiled_divide(l, t, trace); });
  add_divide(
      "flat_divide(L, T)", "(tile0, tile1, …, rest0, rest1, …)",
      [](const StridedLayout& l, const Tiler& t, TraceTo<Steps> trace) { return flat_divide(l, t, trace); });

  const Group product{table, "Products"};
  product("logical_product(L, T)", "L, and where its copies start: T says how many and in which order",
          tiled([](const auto&... x) { return logical_product(x...); }));
  product("zipped_product(L, T)", "((L0,L1,…), (T0',T1',…)) for a by-mode tiler",
          tiled([](const auto&... x) { return zipped_product(x...); }));
  product("tiled_product(L, T)", "((L0,L1,…), T0', T1', …)",
          tiled([](const auto&... x) { return tiled_product(x...); }));
  product("flat_product(L, T)", "(L0, L1, …, T0', T1', …)",
          tiled([](const auto&... x) { return flat_product(x...); }));
  product("blocked_product(L, T)", "blocks of L side by side, mode by mode: ((L0,T0'),(L1,T1'),…)",
          ranked([](const auto&... x) { return blocked_product(x...); }));
  product("raked_product(L, T)", "the copies of L interleaved: ((T0',L0),(T1',L1),…)",
          ranked([](const auto&... x) { return raked_product(x...); }));
  product("tile_to_shape(L, S[, order])",
          "copies of L that cover shape S, in an order: left, right or a tuple",
          [](Call& call, const Chain& c, const Shape& target, const std::optional<Value>& order) {
            return to_shape(call, c, target, order);
          });
}

}  // namespace tessera::eval
