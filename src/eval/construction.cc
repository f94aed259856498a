// SPDX-License-Identifier: Apache-2.0
// Functions that make layouts from shapes, strides and other layouts.
#include "eval/construction.h"

#include "eval/chain.h"
#include "eval/interpreter.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

Result<Value> joined(Call& call, const std::vector<Value>& parts) {
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  build.tuple(static_cast<int>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Result<StridedLayout> l = Parameter<StridedLayout>::read(parts[i]);
    if (!l) return fail(detail::misfit(call, i, "a layout", l.error()));
    build.copy(*l);
  }
  if (parts.size() > kMaxLeaves)
    return call.refuse(refuse(Code::capacity, static_cast<Index>(parts.size()), kMaxLeaves));
  out.error = build.finish();
  return detail::answer(call, out);
}

/// make_layout has three forms: a shape (and an order), a shape and strides, and layouts.
Result<Value> made(Call& call, const Value& first, const std::vector<Value>& rest) {
  const auto* shape = first.as<TrackedCoord>();
  if (shape != nullptr && shape->coord.holes == 0 && rest.size() <= 1) {
    const Result<Shape> extents = Parameter<Shape>::read(first);
    if (!extents) return fail(detail::misfit(call, 0, "a shape", extents.error()));
    if (rest.empty()) return detail::answer(call, make_layout(extents->tuple));
    if (const Order* order = rest[0].as<Order>())
      return detail::answer(call, make_layout(extents->tuple, *order));
    const auto* stride = rest[0].as<TrackedCoord>();
    if (stride != nullptr && stride->coord.holes == 0)
      return detail::answer(call, make_strided(extents->tuple, stride->coord.tuple));
  }
  std::vector<Value> parts = {first};
  parts.insert(parts.end(), rest.begin(), rest.end());
  return joined(call, parts);
}

/// The tuple of the given elements; a hole stays a hole.
Result<Value> tupled(Call& call, const TrackedCoord& first, const std::vector<TrackedCoord>& rest) {
  TupleWriter out;
  out.build.tuple(static_cast<int>(std::min<std::size_t>(rest.size() + 1, kMaxLeaves)));
  out.append(first);
  for (const TrackedCoord& one : rest) out.append(one);
  if (out.build.profile.full || rest.size() >= kMaxLeaves) {
    return call.refuse(refuse(Code::capacity, static_cast<Index>(call.arguments.size()), kMaxLeaves));
  }
  return to_value(out.tuple);
}

}  // namespace

void add_construction(FunctionTable& table) {
  const Group add{table, "Construction"};
  add("make_layout(X, Y...)",
      "a layout of shape X (Y: left, right, or its strides), or one layout from several",
      [](Call& call, const Value& first, const std::vector<Value>& rest) { return made(call, first, rest); });
  add("make_ordered_layout(S, order)", "the compact layout of a shape, with modes in the given order",
      [](Call&, const Shape& s, const IntTuple& order) { return make_ordered_layout(s.tuple, order); });
  add("make_layout_like(L)", "the compact layout with the shape of L and the order of its strides",
      [](Call&, const StridedLayout& l) { return make_layout_like(l); });
  add("make_identity_layout(S)", "the layout that maps each coordinate to itself",
      [](Call&, const Shape& s) { return identity_layout(s.tuple); });
  add("concat(A, B...)", "one layout, with each argument as a mode",
      [](Call& call, const Value& first, const std::vector<Value>& rest) {
        std::vector<Value> parts = {first};
        parts.insert(parts.end(), rest.begin(), rest.end());
        return joined(call, parts);
      });
  for (const char* signature :
       {"make_shape(S, T...)", "make_stride(d, e...)", "make_coord(c, d...)", "make_tuple(a, b...)"}) {
    add(signature, "the tuple (a,b,…), as C++ writes it",
        [](Call& call, const TrackedCoord& first, const std::vector<TrackedCoord>& rest) {
          return tupled(call, first, rest);
        });
  }
  add("make_composed_layout(A, x, B)", "c -> A(x + B(c)); the same as A o x o B",
      [](Call&, const Chain& a, Index x, const Chain& b) { return make_composed(a.layout, x, b.layout); });
  add("make_tile(T, U...)", "the by-mode tiler <T,U,…>",
      [](Call& call, const Tiler& first, const std::vector<Tiler>& rest) -> Result<Value> {
        std::vector<Tiler> parts = {first};
        parts.insert(parts.end(), rest.begin(), rest.end());
        return detail::answer(call, by_mode(parts));
      });
}

Outcome<Tiler> by_mode(const std::vector<Tiler>& parts) {
  Outcome<Tiler> out;
  Tiler& t = out.value;
  ProfileBuilder nesting(t.nesting);
  LayoutBuilder build(t.parts);
  if (parts.size() > kMaxLeaves) return refuse(Code::capacity, static_cast<Index>(parts.size()), kMaxLeaves);
  nesting.tuple(static_cast<int>(parts.size()));
  const int top = build.tuple();
  for (const Tiler& part : parts) {
    for (int node = 0, leaf = 0; node < part.nesting.nodes; ++node) {
      if (!part.nesting.is_leaf(node)) {
        nesting.tuple(part.nesting.rank(node));
        continue;
      }
      const int i = nesting.leaf();
      build.copy(terminal(part, leaf));
      if (i >= 0) t.kind[i] = part.kind[leaf];
      ++leaf;
    }
  }
  out.error = nesting.error();
  if (out.ok()) out.error = build.profile.error();
  if (out.ok()) build.set_rank(top, t.nesting.leaves);
  return out;
}

}  // namespace tessera::eval
