// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/add_part.h"

#include <algorithm>
#include <numeric>

#include "relayout/caches.h"
#include "relayout/kernels/kernel.h"
#include "relayout/plan/choose.h"

namespace tessera::moving {
namespace {

// Bytes of the contiguous stretch that the first columns of a block write. Even short columns fill cache
// lines if they are adjacent.
Index first_piece(const Sweep& sweep) {
  const Index column = sweep.rows.count * sweep.run;
  Index joined = 1;
  if (sweep.cols.dst_table != nullptr) {
    while (joined < sweep.cols.count && sweep.cols.dst_table[joined] == joined * column) ++joined;
  }
  return joined * column;
}

bool fills_lines(const Sweep& sweep) {
  const Index column = sweep.rows.count * sweep.run;
  const Index row = sweep.cols.count * sweep.run;
  if (sweep.is<mover::Copy>()) return sweep.run >= kLine || (sweep.cols.dst == sweep.run && row >= 2 * kLine);
  if (sweep.is<mover::Transpose>()) return column >= kLine;
  if (sweep.is<mover::Block>()) return column >= kLine || first_piece(sweep) >= 4 * kLine;
  if (sweep.is<mover::Gather>()) return row >= 2 * kLine;
  if (sweep.is<mover::Fill>()) return sweep.run >= kLine;
  return sweep.is<mover::Interleave, mover::Deinterleave>();
}

// Chooses the axis that threads split. The best cuts are at cache-line boundaries of the destination, so that
// no two threads write the same line. This requires the steps of wider axes to be whole lines. Of the axes
// with such cuts, it takes the one with the most pieces. If there are fewer than four pieces per thread, it
// allows cuts inside lines.
void choose_cut(PlanPart& part, int threads) {
  const Sweep& sweep = part.sweep;
  const auto is_free = [](const SweepAxis& axis) {
    return axis.src_table == nullptr && axis.dst_table == nullptr;
  };
  // The widest destination step that is not a whole number of lines.
  Index uneven = 0;
  const auto widen = [&](Index dst) { uneven = dst % kLine != 0 ? std::max(uneven, dst) : uneven; };
  for (const SweepAxis* axis : {&sweep.rows, &sweep.cols}) {
    if (axis->count > 1) widen(axis->dst);
    for (Index i = 0; axis->dst_table != nullptr && i < axis->count; ++i) widen(axis->dst_table[i]);
  }
  for (std::uint32_t k = 0; k < sweep.loops; ++k) widen(sweep.loop[k].dst);
  const auto offer_all = [&](bool at_lines) {
    const auto offer = [&](CutAxis cut, Index count, Index dst, bool enough) {
      const Index line = dst > 0 ? kLine / std::gcd(dst, kLine) : 1;
      const Index grain = at_lines || dst < kLine ? line : 1;
      const Index pieces = ceil_div(count, grain);
      const Index best = ceil_div(part.units, part.grain);
      if (pieces <= best || (enough && best >= 64) || (at_lines && uneven > dst)) return;
      part.cut = cut;
      part.units = count;
      part.grain = grain;
    };
    const auto offer_rows = [&] {
      if (is_free(sweep.rows) && !sweep.is<mover::Interleave>())
        offer(CutAxis::rows, sweep.rows.count, sweep.rows.dst, true);
    };
    const auto offer_cols = [&] {
      if (is_free(sweep.cols) && !sweep.is<mover::Deinterleave>())
        offer(CutAxis::cols, sweep.cols.count, sweep.cols.dst, true);
    };
    if (sweep.loops > 0) offer(CutAxis::loop, sweep.loop[0].count, sweep.loop[0].dst, false);
    // A transpose is 4 to 11 % faster if each thread writes its own columns, unless its rows become short.
    const bool cols_first = sweep.is<mover::Transpose>() && sweep.cols.count >= sweep.rows.count;
    if (cols_first) offer_cols();
    offer_rows();
    if (!cols_first) offer_cols();
  };
  offer_all(true);
  if (ceil_div(part.units, part.grain) >= 4 * Index{threads}) return;
  offer_all(false);
}

// Sets what a part with these axes and loops leaves open.
void finish(State& state, PlanPart& part) {
  Sweep& sweep = part.sweep;
  sweep.policy.stream = state.stream && fills_lines(sweep);
  sweep.policy.source_order = sweep.policy.stream;
  sweep.policy.stage =
      sweep.is<mover::Transpose, mover::Block>() && sweep.rows.src != 0 && sweep.rows.src % 4096 == 0;
  choose_cut(part, state.options.threads);
  sweep.kernel = kernel_for(sweep, state.options.isa);
}

}  // namespace

void add_part(State& state, Nest& nest) {
  PlanPart& part = state.parts.emplace_back();
  part.src = nest.src;
  part.dst = nest.dst;
  choose_sweep(state, nest, part.sweep);
  finish(state, part);
}

void add_part(State& state, Nest& nest, const mover::Fill& fill) {
  PlanPart& part = state.parts.emplace_back();
  part.dst = nest.dst;
  choose_fill(state, nest, fill, part.sweep);
  finish(state, part);
}

void divide_work(State& state) {
  if (state.in_order) return;
  const Index least = std::max<Index>(state.options.min_chunk_bytes, 1);
  if (state.payload / 2 >= least && state.options.threads > 1)
    state.chunks = std::min<Index>(state.options.threads, state.payload / least);
  if (state.parts.size() > 1)
    state.slices = std::clamp<Index>(state.payload / state.chunks / 4 / least, 1, 1024);
}

}  // namespace tessera::moving
