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

bool is_inside(const Sweep& sweep, ByteRange allowed, Index start, Index run, Index SweepAxis::* stride,
               const Index* SweepAxis::* table, Index Loop::* loop_stride) {
  SideBytes reach(start, run);
  for (const SweepAxis* axis : {&sweep.rows, &sweep.cols}) {
    if (axis->*table != nullptr) {
      reach.table(axis->*table, axis->count);
    } else {
      reach.step(axis->count, axis->*stride);
    }
  }
  for (std::uint32_t k = 0; k < sweep.loops; ++k) reach.step(sweep.loop[k].count, sweep.loop[k].*loop_stride);
  return reach.inside(allowed);
}

}  // namespace

bool may_be_cut(const PlanPart& part) {
  const Sweep& sweep = part.sweep;
  const auto free = [](const SweepAxis& axis) {
    return axis.src_table == nullptr && axis.dst_table == nullptr;
  };
  switch (part.cut) {
    case CutAxis::none:
      return true;
    case CutAxis::loop:
      return sweep.loops > 0;
    case CutAxis::rows:
      return free(sweep.rows) && !sweep.is<mover::Interleave>();
    case CutAxis::cols:
      return free(sweep.cols) && !sweep.is<mover::Deinterleave>();
  }
  return false;
}

Index units_of(const PlanPart& part) {
  if (part.cut == CutAxis::loop) return part.sweep.loop[0].count;
  if (part.cut == CutAxis::rows) return part.sweep.rows.count;
  return part.cut == CutAxis::cols ? part.sweep.cols.count : 1;
}

bool reads_inside(const PlanPart& part, ByteRange allowed) {
  return is_inside(part.sweep, allowed, part.src, part.sweep.run, &SweepAxis::src, &SweepAxis::src_table,
                   &Loop::src);
}

bool writes_inside(const PlanPart& part, ByteRange allowed) {
  return is_inside(part.sweep, allowed, part.dst, part.sweep.run + part.sweep.slack(), &SweepAxis::dst,
                   &SweepAxis::dst_table, &Loop::dst);
}

}  // namespace tessera::moving
