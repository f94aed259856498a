// SPDX-License-Identifier: Apache-2.0
// Compiled with the macro `tessera` as another namespace and a stand-in for tessera/base/index.h: see
// src/traced/CMakeLists.cmake.
#include "traced/operations.h"

#include <algorithm>
#include <optional>

#include "tessera/algebra/detail/construct.h"
#include "tessera/algebra/detail/divide.h"
#include "tessera/algebra/detail/inverse.h"
#include "tessera/algebra/detail/product.h"
#include "tessera/algebra/detail/recast.h"
#include "tessera/algebra/detail/slice.h"
#include "tessera/algebra/detail/thread_value.h"
#include "tessera/algebra/detail/tiler.h"

namespace tessera {
namespace {

using detail::AlgebraError;
using detail::Outcome;
using tessera_tracing::Number;
using tessera_tracing::TracedOperand;
using tessera_tracing::TracedReply;
using Arguments = std::span<const TracedOperand>;

// --- Values from operands ---

bool write_nesting(const TracedOperand& o, Profile& out) {
  ProfileBuilder build(out);
  for (const int rank : o.nesting) {
    if (rank == TracedOperand::kLeaf) {
      build.leaf();
    } else {
      build.tuple(rank);
    }
  }
  return !build.full && out.leaves == static_cast<int>(o.leaf.size());
}

std::optional<IntTuple> tuple(const TracedOperand& o) {
  IntTuple out;
  if (o.kind != TracedOperand::Kind::tuple || !write_nesting(o, out.profile)) return std::nullopt;
  for (const bool hole : o.hole) {
    if (hole) return std::nullopt;
  }
  for (int i = 0; i < out.leaves(); ++i) out.leaf[i] = o.leaf[static_cast<std::size_t>(i)];
  return out;
}

std::optional<Coord> coordinate(const TracedOperand& o) {
  Coord out;
  if (o.kind != TracedOperand::Kind::tuple || !write_nesting(o, out.tuple.profile)) return std::nullopt;
  for (int i = 0; i < out.tuple.leaves(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (at < o.hole.size() && o.hole[at]) {
      out.set_hole(i);
      out.tuple.leaf[i] = 0;
    } else {
      out.tuple.leaf[i] = o.leaf[at];
    }
  }
  return out;
}

struct ReadLayout {
  std::optional<StridedLayout> value;
  AlgebraError error = {};
};
ReadLayout layout(const TracedOperand& o) {
  if (o.kind == TracedOperand::Kind::tuple) {  // a shape alone is the compact layout
    const auto shape = tuple(o);
    if (!shape) return {};
    const Outcome<StridedLayout> compact = detail::make_layout(*shape);
    if (!compact) return {{}, compact.error};
    return {*compact};
  }
  StridedLayout out;
  if (o.kind != TracedOperand::Kind::layout || !write_nesting(o, out.profile)) return {};
  for (int i = 0; i < out.leaves(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.extent[i] = o.leaf[at];
    out.stride[i] = o.stride[at];
    out.path[i] = at < o.path.size() ? o.path[at] : 0;
  }
  return {out};
}

struct ReadTiler {
  std::optional<Tiler> value;
  AlgebraError error = {};
};
ReadTiler tiler(const TracedOperand& o) {
  if (o.kind == TracedOperand::Kind::layout) return {Tiler(*layout(o).value)};
  Tiler out;
  LayoutBuilder build(out.parts);
  if (o.kind == TracedOperand::Kind::tuple) {  // a shape tiles by mode, and `_` leaves a mode alone
    Profile nesting;
    if (!write_nesting(o, nesting)) return {};
    out.nesting = nesting;
    build.tuple(nesting.leaves);
    for (std::size_t i = 0; i < o.leaf.size(); ++i) {
      const bool hole = i < o.hole.size() && o.hole[i];
      const Index extent = o.leaf[i];
      if (!hole && extent < 1) return {{}, detail::refuse(Code::bad_extent, extent)};
      build.leaf(hole ? Index(1) : extent, hole ? 0 : 1);
      out.kind[i] = hole ? Tiler::Kind::everything : Tiler::Kind::integer;
    }
    return {out};
  }
  if (o.kind != TracedOperand::Kind::tiler || o.parts.size() > kMaxLeaves) return {};
  ProfileBuilder nesting(out.nesting);
  for (const int rank : o.nesting) {
    if (rank == TracedOperand::kLeaf) {
      nesting.leaf();
    } else {
      nesting.tuple(rank);
    }
  }
  build.tuple(static_cast<int>(o.parts.size()));
  for (std::size_t i = 0; i < o.parts.size(); ++i) {
    const TracedOperand& part = o.parts[i];
    if (part.kind == TracedOperand::Kind::layout) {
      const auto l = layout(part).value;
      if (!l) return {};
      build.copy(*l);
      out.kind[i] = Tiler::Kind::layout;
      continue;
    }
    if (part.leaf.size() != 1) return {};
    const bool hole = !part.hole.empty() && part.hole[0];
    const Index extent = part.leaf[0];
    if (!hole && extent < 1) return {{}, detail::refuse(Code::bad_extent, extent)};
    build.leaf(hole ? Index(1) : extent, hole ? 0 : 1);
    out.kind[i] = hole ? Tiler::Kind::everything : Tiler::Kind::integer;
  }
  if (build.profile.full || nesting.full)
    return {{}, detail::refuse(Code::capacity, kMaxLeaves + 1, kMaxLeaves)};
  return {out};
}

// --- Operands from values ---

std::vector<int> nesting_of(const Profile& p) {
  std::vector<int> out;
  for (int n = 0; n < p.nodes; ++n) out.push_back(p.is_leaf(n) ? TracedOperand::kLeaf : p.rank(n));
  return out;
}
TracedReply reply(const AlgebraError& e) {
  return {.code = detail::word(e.code), .reason = detail::word(e.reason)};
}
TracedReply misfit() { return {.misfit = true}; }
TracedReply reply(const IntTuple& t) {
  TracedOperand out{.nesting = nesting_of(t.profile)};
  for (int i = 0; i < t.leaves(); ++i) out.leaf.push_back(t.leaf[i].number());
  return {std::move(out)};
}
TracedReply reply(Index n) { return {TracedOperand::integer(n.number())}; }
TracedReply reply(int n) { return reply(Index(n)); }
TracedReply reply(bool yes) { return {TracedOperand{.kind = TracedOperand::Kind::truth, .yes = yes}}; }
TracedReply reply(const StridedLayout& l) {
  TracedOperand out{.kind = TracedOperand::Kind::layout, .nesting = nesting_of(l.profile)};
  for (int i = 0; i < l.leaves(); ++i) {
    out.leaf.push_back(l.extent[i].number());
    out.stride.push_back(l.stride[i].number());
    out.path.push_back(l.path[i]);
  }
  return {std::move(out)};
}
TracedReply reply(const Slice& s) {
  return {TracedOperand{.kind = TracedOperand::Kind::slice,
                        .parts = {reply(s.layout).value, reply(s.offset).value}}};
}
TracedReply reply(const ThreadValue& t) {
  return {TracedOperand{.kind = TracedOperand::Kind::thread_value,
                        .parts = {reply(t.layout).value, reply(t.tile).value}}};
}
template <class T>
TracedReply reply(const Outcome<T>& o) {
  return o.ok() ? reply(*o) : reply(o.error);
}

// --- Functions ---

/// Whether two modes surely share an offset: the stride of one is a multiple of that of the other, within its
/// reach.
bool shares_offset(const StridedLayout& l) {
  detail::FlatModes modes;
  detail::coalesce_modes(l, {}, modes);
  for (int i = 0; i < modes.count; ++i) {
    for (int j = 0; j < modes.count; ++j) {
      if (i == j) continue;
      const Index d = modes.stride[i];
      const Index e = modes.stride[j];
      if (!(d > 0) || !(e >= d)) continue;
      if (e % d == 0 && e / d < modes.extent[i]) return true;
    }
  }
  return false;
}

/// left_inverse without its search: where modes overlap it has an answer only if two offsets are surely
/// shared.
Outcome<StridedLayout> inverted(const StridedLayout& l) {
  const Outcome<StridedLayout> out = detail::left_inverse(l);
  if (out.ok() || out.error.code != Code::undecided || l.has_basis()) return out;
  const Outcome<StridedLayout> chained = detail::generalized_inverse(l);
  if (!chained && chained.error.code == Code::non_injective && shares_offset(l)) return chained.error;
  return out;
}

/// Sorted modes that overlap may still not share an offset: then nothing is known.
Outcome<StridedLayout> complemented(const StridedLayout& l, Outcome<StridedLayout> out) {
  if (!out.ok() && out.error.code == Code::non_injective && !shares_offset(detail::filter(l)))
    out.error.code = Code::undecided;
  return out;
}

template <class F>
TracedReply on_layout(const TracedOperand& a, F&& f) {
  const ReadLayout l = layout(a);
  return l.value ? reply(f(*l.value)) : l.error.failed ? reply(l.error) : misfit();
}
template <class F>
TracedReply on_layouts(Arguments a, F&& f) {
  if (a.size() != 2) return misfit();
  const ReadLayout x = layout(a[0]);
  const ReadLayout y = layout(a[1]);
  if (x.error.failed || y.error.failed) return reply(x.error.failed ? x.error : y.error);
  return x.value && y.value ? reply(f(*x.value, *y.value)) : misfit();
}
template <class F>
TracedReply on_tiler(Arguments a, F&& f) {
  if (a.size() != 2) return misfit();
  const ReadLayout l = layout(a[0]);
  const ReadTiler t = tiler(a[1]);
  if (l.error.failed || t.error.failed) return reply(l.error.failed ? l.error : t.error);
  return l.value && t.value ? reply(f(*l.value, *t.value)) : misfit();
}
/// The numbers of the arguments from `first` on, which must not depend on a size.
std::optional<std::vector<Index>> plain_numbers(Arguments a, std::size_t first) {
  std::vector<Index> out;
  for (std::size_t i = first; i < a.size(); ++i) {
    if (!a[i].is_integer() || a[i].leaf[0].node != 0) return std::nullopt;
    out.push_back(a[i].leaf[0]);
  }
  return out;
}
/// f(shape of the element of a layout or a tuple at a path)
template <class F>
TracedReply on_element(Arguments a, F&& f) {
  const auto path = plain_numbers(a, 1);
  if (a.empty() || !path) return misfit();
  if (a[0].kind == TracedOperand::Kind::layout) {
    const Outcome<StridedLayout> part =
        detail::sublayout(*layout(a[0]).value, path->data(), static_cast<int>(path->size()));
    return part ? reply(f(part->shape())) : reply(part.error);
  }
  auto t = tuple(a[0]);
  if (!t) return misfit();
  for (const Index i : *path) {
    const Outcome<IntTuple> next = detail::get(*t, i);
    if (!next) return reply(next.error);
    t = *next;
  }
  return reply(f(*t));
}

struct Operation {
  std::string_view name;
  TracedReply (*call)(Arguments);
};

#define TESSERA_TRACED_TILED(f)                                                                  \
  {#f, [](Arguments a) {                                                                         \
     return on_tiler(a, [](const StridedLayout& l, const Tiler& t) { return detail::f(l, t); }); \
   }}
#define TESSERA_TRACED_PAIR(f)                                                                             \
  {#f, [](Arguments a) {                                                                                   \
     return on_layouts(a, [](const StridedLayout& x, const StridedLayout& y) { return detail::f(x, y); }); \
   }}
#define TESSERA_TRACED_LAYOUT(f)                                                                             \
  {#f, [](Arguments a) {                                                                                     \
     return a.size() != 1 ? misfit() : on_layout(a[0], [](const StridedLayout& l) { return detail::f(l); }); \
   }}
#define TESSERA_TRACED_RECAST(f)                                                                        \
  {#f, [](Arguments a) {                                                                                \
     if (a.size() != 2 || !a[1].is_integer()) return misfit();                                          \
     return on_layout(a[0], [&](const StridedLayout& l) { return detail::f(l, Index(a[1].leaf[0])); }); \
   }}

template <class F, class G>
TracedReply by_profile(Arguments a, F&& whole, G&& by) {
  if (a.size() == 1) return on_layout(a[0], whole);
  if (a.size() != 2) return misfit();
  const auto profile = tuple(a[1]);
  return profile ? on_layout(a[0], [&](const StridedLayout& l) { return by(l, profile->profile); })
                 : misfit();
}

constexpr Operation kOperations[] = {
    {"coalesce",
     [](Arguments a) {
       return by_profile(
           a, [](const StridedLayout& l) { return detail::coalesce(l); },
           [](const StridedLayout& l, const Profile& p) { return detail::coalesce(l, p); });
     }},
    {"filter",
     [](Arguments a) {
       return by_profile(
           a, [](const StridedLayout& l) { return detail::filter(l); },
           [](const StridedLayout& l, const Profile& p) { return detail::filter(l, p); });
     }},
    {"filter_zeros",
     [](Arguments a) {
       return a.size() != 1 ? misfit()
                            : on_layout(a[0], [](const StridedLayout& l) { return filter_zeros(l); });
     }},
    TESSERA_TRACED_TILED(composition),
    {"complement",
     [](Arguments a) {
       if (a.size() == 1)
         return on_layout(a[0],
                          [](const StridedLayout& l) { return complemented(l, detail::complement(l)); });
       if (a.size() != 2) return misfit();
       auto target = tuple(a[1]);
       if (a[1].kind == TracedOperand::Kind::layout) target = layout(a[1]).value->shape();
       if (!target) return misfit();
       for (int i = 0; i < target->leaves(); ++i) {
         if (target->leaf[i] < 1) return reply(detail::refuse(Code::bad_extent, target->leaf[i]));
       }
       return on_layout(
           a[0], [&](const StridedLayout& l) { return complemented(l, detail::complement(l, *target)); });
     }},
    TESSERA_TRACED_TILED(logical_divide),
    TESSERA_TRACED_TILED(zipped_divide),
    TESSERA_TRACED_TILED(tiled_divide),
    TESSERA_TRACED_TILED(flat_divide),
    TESSERA_TRACED_TILED(logical_product),
    TESSERA_TRACED_TILED(zipped_product),
    TESSERA_TRACED_TILED(tiled_product),
    TESSERA_TRACED_TILED(flat_product),
    TESSERA_TRACED_PAIR(blocked_product),
    TESSERA_TRACED_PAIR(raked_product),
    {"tile_to_shape",
     [](Arguments a) {
       const auto shape = a.size() == 2 ? tuple(a[1]) : std::nullopt;
       if (!shape) return misfit();
       for (int i = 0; i < shape->leaves(); ++i) {
         if (shape->leaf[i] < 1) return reply(detail::refuse(Code::bad_extent, shape->leaf[i]));
       }
       return on_layout(
           a[0], [&](const StridedLayout& l) { return detail::tile_to_shape(l, *shape, Order::left); });
     }},
    TESSERA_TRACED_LAYOUT(right_inverse),
    {"left_inverse",
     [](Arguments a) {
       return a.size() != 1 ? misfit() : on_layout(a[0], [](const StridedLayout& l) { return inverted(l); });
     }},
    TESSERA_TRACED_LAYOUT(nullspace),
    TESSERA_TRACED_LAYOUT(flatten),
    TESSERA_TRACED_LAYOUT(cosize),
    TESSERA_TRACED_LAYOUT(coshape),
    TESSERA_TRACED_RECAST(upcast),
    TESSERA_TRACED_RECAST(downcast),
    TESSERA_TRACED_PAIR(append),
    TESSERA_TRACED_PAIR(prepend),
    TESSERA_TRACED_PAIR(zip),
    TESSERA_TRACED_PAIR(make_layout_tv),
    {"size", [](Arguments a) { return on_element(a, [](const IntTuple& t) { return detail::size(t); }); }},
    {"shape", [](Arguments a) { return on_element(a, [](const IntTuple& t) { return t; }); }},
    {"rank", [](Arguments a) { return on_element(a, [](const IntTuple& t) { return t.rank(); }); }},
    {"depth", [](Arguments a) { return on_element(a, [](const IntTuple& t) { return depth(t); }); }},
    {"get",
     [](Arguments a) {
       const auto path = plain_numbers(a, 1);
       if (a.empty() || !path) return misfit();
       if (a[0].kind != TracedOperand::Kind::layout)
         return on_element(a, [](const IntTuple& t) { return t; });
       return on_layout(a[0], [&](const StridedLayout& l) {
         return detail::sublayout(l, path->data(), static_cast<int>(path->size()));
       });
     }},
    {"make_layout",
     [](Arguments a) {
       if (a.size() == 1) return on_layout(a[0], [](const StridedLayout& l) { return l; });
       const auto shape = a.size() == 2 ? tuple(a[0]) : std::nullopt;
       const auto stride = a.size() == 2 ? tuple(a[1]) : std::nullopt;
       return shape && stride ? reply(detail::make_strided(*shape, *stride)) : misfit();
     }},
    {"group",
     [](Arguments a) {
       const auto ends = plain_numbers(a, 1);
       if (!ends || ends->size() != 2) return misfit();
       return on_layout(a[0],
                        [&](const StridedLayout& l) { return detail::group(l, (*ends)[0], (*ends)[1]); });
     }},
    {"image_min",
     [](Arguments a) {
       return a.size() != 1 ? misfit() : on_layout(a[0], [](const StridedLayout& l) { return image_min(l); });
     }},
    {"image_max",
     [](Arguments a) {
       return a.size() != 1 ? misfit() : on_layout(a[0], [](const StridedLayout& l) { return image_max(l); });
     }},
    {"evaluate",
     [](Arguments a) {
       const auto c = a.size() == 2 ? tuple(a[1]) : std::nullopt;
       return c ? on_layout(a[0], [&](const StridedLayout& l) { return detail::evaluate(l, *c); }) : misfit();
     }},
    {"slice",
     [](Arguments a) {
       const auto c = a.size() == 2 ? coordinate(a[0]) : std::nullopt;
       return c ? on_layout(a[1], [&](const StridedLayout& l) { return detail::slice_and_offset(*c, l); })
                : misfit();
     }},
    {"equal",
     [](Arguments a) {
       // One function of the 1-D coordinate: one size, and identical when coalesced.
       return on_layouts(a, [](const StridedLayout& x, const StridedLayout& y) {
         return x.size() == y.size() && detail::coalesce(x) == detail::coalesce(y);
       });
     }},
};

#undef TESSERA_TRACED_TILED
#undef TESSERA_TRACED_PAIR
#undef TESSERA_TRACED_LAYOUT
#undef TESSERA_TRACED_RECAST

const Operation* find(std::string_view name) {
  const auto* const found = std::ranges::find(kOperations, name, &Operation::name);
  return found == std::end(kOperations) ? nullptr : found;
}

TracedReply made(const TracedOperand& shape, const TracedOperand* stride) {
  const auto s = tuple(shape);
  if (!s) return misfit();
  if (stride == nullptr) return reply(detail::make_layout(*s));
  TracedOperand plain = *stride;
  plain.kind = TracedOperand::Kind::tuple;
  const auto d = tuple(plain);
  if (!d) return misfit();
  Outcome<StridedLayout> out = detail::make_strided(*s, *d);
  if (!out) return reply(out.error);
  for (std::size_t i = 0; i < stride->path.size(); ++i) out.value.path[i] = stride->path[i];
  return reply(out);
}

}  // namespace
}  // namespace tessera

namespace tessera_tracing {

bool has_operation(std::string_view name) { return tessera::find(name) != nullptr; }
TracedReply call(std::string_view name, std::span<const TracedOperand> arguments) {
  const auto* const operation = tessera::find(name);
  return operation == nullptr ? TracedReply{.misfit = true} : operation->call(arguments);
}
TracedReply layout_of(const TracedOperand& shape, const TracedOperand* stride) {
  return tessera::made(shape, stride);
}

}  // namespace tessera_tracing
