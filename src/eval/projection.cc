// SPDX-License-Identifier: Apache-2.0
#include "eval/projection.h"

#include <vector>

#include "eval/construction.h"
#include "tessera/algebra/detail/thread_value.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

/// The tiler at a node of the nesting of `t`.
Outcome<Tiler> sub_tiler(const Tiler& t, Cursor at) {
  if (t.nesting.is_leaf(at.node)) {
    Tiler out(terminal(t, at.leaf));
    out.kind[0] = t.kind[at.leaf];
    return out;
  }
  std::vector<Tiler> modes;
  Cursor mode = first_mode(t.nesting, at);
  for (int i = 0; i < t.nesting.rank(at.node); ++i, mode = after(t.nesting, mode)) {
    const Outcome<Tiler> part = sub_tiler(t, mode);
    if (!part) return part;
    modes.push_back(*part);
  }
  return by_mode(modes);
}

}  // namespace

Result<Projection> Projection::make(const Call& call, std::size_t index,
                                    const std::optional<Coord>& projection) {
  Projection out;
  if (!projection) return out;
  const IntTuple& tuple = projection->tuple;
  bool keeps = false;
  for (int i = 0; i < tuple.leaves(); ++i) keeps = keeps || !projection->is_hole(i);
  if (tuple.is_integer() || tuple.rank() != tuple.leaves() || !keeps) {
    return fail(detail::misfit(call, index, "a tuple such as (_1,X,_1) that keeps a mode",
                               Diagnostic{.code = Code::argument_type, .message = {}}));
  }
  out.projection_ = *projection;
  return out;
}

AlgebraError Projection::mismatch(int other) const { return refuse(Code::rank_mismatch, rank(), other); }

Outcome<Tiler> Projection::of(const Tiler& t) const {
  if (is_all()) return t;
  if (!t.by_mode() || t.nesting.rank() != rank()) return mismatch(t.nesting.rank());
  std::vector<Tiler> kept;
  Cursor at = first_mode(t.nesting);
  for (int i = 0; i < rank(); ++i, at = after(t.nesting, at)) {
    if (!keeps(i)) continue;
    const Outcome<Tiler> part = sub_tiler(t, at);
    if (!part) return part;
    kept.push_back(*part);
  }
  return by_mode(kept);
}

Outcome<Coord> Projection::of(const Coord& c) const {
  if (is_all()) return c;
  if (c.tuple.is_integer() || c.tuple.rank() > rank()) return mismatch(c.tuple.rank());
  Outcome<Coord> out;
  IntTupleBuilder build(out.value.tuple);
  const int top = build.tuple();
  int kept = 0;
  Cursor at = first_mode(c.tuple.profile);
  for (int i = 0; i < c.tuple.rank(); ++i, at = after(c.tuple.profile, at)) {
    if (!keeps(i)) continue;
    ++kept;
    const int end = after(c.tuple.profile, at).leaf;
    for (int leaf = at.leaf; leaf < end; ++leaf) {
      if (c.is_hole(leaf)) out.value.set_hole(build.out.leaves() + leaf - at.leaf);
    }
    build.copy(c.tuple, at);
  }
  build.profile.set_rank(top, kept);
  out.error = build.profile.error();
  return out;
}

Outcome<StridedLayout> Projection::of(const StridedLayout& l) const {
  if (is_all()) return l;
  if (l.profile.is_leaf() || l.rank() != rank()) return mismatch(l.rank());
  std::uint64_t kept = 0;
  for (int i = 0; i < rank(); ++i) kept |= static_cast<std::uint64_t>(keeps(i)) << i;
  return project(l, kept);
}

}  // namespace tessera::eval
