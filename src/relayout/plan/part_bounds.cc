// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/part_bounds.h"

#include <algorithm>

namespace tessera::moving {
namespace {

// The byte range of one side of a part. It starts with one run and is widened by one axis or loop at a time.
class SideBytes {
 public:
  SideBytes(Index start, Index run) : low_(start), high_(start), fits_(!add_overflows(start, run, high_)) {}

  void step(Index count, Index stride) {
    Index last = 0;
    fits_ = fits_ && !mul_overflows(count - 1, stride, last);
    widen(0, last);
  }
  void table(const Index* entries, Index count) {
    const auto [least, most] = std::minmax_element(entries, entries + count);
    widen(*least, *most);
  }
  bool inside(ByteRange allowed) const { return fits_ && low_ >= allowed.begin && high_ <= allowed.end; }

 private:
  void widen(Index a, Index b) {
    fits_ =
        fits_ && !add_overflows(low_, std::min(a, b), low_) && !add_overflows(high_, std::max(a, b), high_);
  }

  Index low_;
  Index high_;
  bool fits_;
};

bool is_inside(const Leaf& leaf, ByteRange allowed, Index start, Index run, Index Axis::* stride,
               const Index* Axis::* table, Index Loop::* loop_stride) {
  SideBytes reach(start, run);
  for (const Axis* axis : {&leaf.rows, &leaf.cols}) {
    if (axis->*table != nullptr) {
      reach.table(axis->*table, axis->count);
    } else {
      reach.step(axis->count, axis->*stride);
    }
  }
  for (std::uint32_t k = 0; k < leaf.loops; ++k) reach.step(leaf.loop[k].count, leaf.loop[k].*loop_stride);
  return reach.inside(allowed);
}

}  // namespace

bool may_be_cut(const PlanPart& part) {
  const Leaf& leaf = part.leaf;
  const auto free = [](const Axis& axis) { return axis.src_table == nullptr && axis.dst_table == nullptr; };
  switch (part.cut) {
    case CutAxis::none:
      return true;
    case CutAxis::loop:
      return leaf.loops > 0;
    case CutAxis::rows:
      return free(leaf.rows) && !leaf.is<mover::Interleave>();
    case CutAxis::cols:
      return free(leaf.cols) && !leaf.is<mover::Deinterleave>();
  }
  return false;
}

Index units_of(const PlanPart& part) {
  if (part.cut == CutAxis::loop) return part.leaf.loop[0].count;
  if (part.cut == CutAxis::rows) return part.leaf.rows.count;
  return part.cut == CutAxis::cols ? part.leaf.cols.count : 1;
}

bool reads_inside(const PlanPart& part, ByteRange allowed) {
  return is_inside(part.leaf, allowed, part.src, part.leaf.run, &Axis::src, &Axis::src_table, &Loop::src);
}

bool writes_inside(const PlanPart& part, ByteRange allowed) {
  return is_inside(part.leaf, allowed, part.dst, part.leaf.run + part.leaf.slack(), &Axis::dst,
                   &Axis::dst_table, &Loop::dst);
}

}  // namespace tessera::moving
