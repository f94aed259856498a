// SPDX-License-Identifier: Apache-2.0
#include "eval/bounds.h"

#include "tessera/algebra/detail/layout_algebra.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

void add_components(const StridedLayout& l, Cursor at, const Profile& nesting, Cursor node,
                    LayoutBuilder& out) {
  if (nesting.is_leaf(node.node)) return out.leaf(l.size_at(at), 0);
  const int named = nesting.rank(node.node);
  out.tuple(l.profile.rank(at.node));
  Cursor next = first_mode(nesting, node);
  int i = 0;
  for_each_mode(l.profile, at, [&](Cursor m) {
    if (i++ >= named) return out.leaf(l.size_at(m), 0);
    add_components(l, m, nesting, next, out);
    next = after(nesting, next);
  });
}

}  // namespace

void note_outside(Call& call, const Coord& c, const IntTuple& shape) {
  const Outcome<IntTuple> digits = idx2crd(c.tuple, shape);
  if (!digits || digits->leaves() != shape.leaves()) return;
  for (int i = 0; i < shape.leaves(); ++i) {
    if (digits->leaf[i] >= 0 && digits->leaf[i] < shape.leaf[i]) continue;
    return call.note(fmt::format("{} is outside the shape {}", to_string(c), to_string(shape)));
  }
}

Outcome<StridedLayout> component_of(const StridedLayout& l, const Profile& nesting, int component) {
  if (!nesting.is_leaf() && nesting.rank() > l.rank())
    return refuse(Code::rank_mismatch, nesting.rank(), l.rank());
  Outcome<StridedLayout> out;
  LayoutBuilder build(out.value);
  add_components(l, {}, nesting, {}, build);
  out.value.stride[component] = 1;
  return finish(out, build);
}

}  // namespace tessera::eval
