// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "relayout/kernels/kernel.h"
#include "relayout/plan/choose.h"

namespace tessera::moving {
namespace {

// Bytes of the contiguous stretch that the first columns of a block write. Even short columns fill cache
// lines if they are adjacent.
Index first_piece(const Leaf& leaf) {
  const Index column = leaf.rows.count * leaf.run;
  Index joined = 1;
  if (leaf.cols.dst_table != nullptr) {
    while (joined < leaf.cols.count && leaf.cols.dst_table[joined] == joined * column) ++joined;
  }
  return joined * column;
}

bool fills_lines(const Leaf& leaf) {
  const Index column = leaf.rows.count * leaf.run;
  const Index row = leaf.cols.count * leaf.run;
  if (leaf.is<mover::Copy>()) return leaf.run >= kLine || (leaf.cols.dst == leaf.run && row >= 2 * kLine);
  if (leaf.is<mover::Transpose>()) return column >= kLine;
  if (leaf.is<mover::Block>()) return column >= kLine || first_piece(leaf) >= 4 * kLine;
  if (leaf.is<mover::Gather>()) return row >= 2 * kLine;
  if (leaf.is<mover::Fill>()) return leaf.run >= kLine;
  return leaf.is<mover::Interleave, mover::Deinterleave>();
}

// Chooses the axis that threads split. The best cuts are at cache-line boundaries of the destination, so that
// no two threads write the same line. This requires the steps of wider axes to be whole lines. Of the axes
// with such cuts, it takes the one with the most pieces. If there are fewer than four pieces per thread, it
// allows cuts inside lines.
void choose_cut(PlanPart& part, int threads) {
  const Leaf& leaf = part.leaf;
  const auto is_free = [](const Axis& axis) {
    return axis.src_table == nullptr && axis.dst_table == nullptr;
  };
  // The widest destination step that is not a whole number of lines.
  Index uneven = 0;
  const auto widen = [&](Index dst) { uneven = dst % kLine != 0 ? std::max(uneven, dst) : uneven; };
  for (const Axis* axis : {&leaf.rows, &leaf.cols}) {
    if (axis->count > 1) widen(axis->dst);
    for (Index i = 0; axis->dst_table != nullptr && i < axis->count; ++i) widen(axis->dst_table[i]);
  }
  for (std::uint32_t k = 0; k < leaf.loops; ++k) widen(leaf.loop[k].dst);
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
      if (is_free(leaf.rows) && !leaf.is<mover::Interleave>())
        offer(CutAxis::rows, leaf.rows.count, leaf.rows.dst, true);
    };
    const auto offer_cols = [&] {
      if (is_free(leaf.cols) && !leaf.is<mover::Deinterleave>())
        offer(CutAxis::cols, leaf.cols.count, leaf.cols.dst, true);
    };
    if (leaf.loops > 0) offer(CutAxis::loop, leaf.loop[0].count, leaf.loop[0].dst, false);
    // A transpose is 4 to 11 % faster if each thread writes its own columns, unless its rows become short.
    const bool cols_first = leaf.is<mover::Transpose>() && leaf.cols.count >= leaf.rows.count;
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
  Leaf& leaf = part.leaf;
  leaf.policy.stream = state.stream && fills_lines(leaf);
  leaf.policy.source_order = leaf.policy.stream;
  leaf.policy.stage =
      leaf.is<mover::Transpose, mover::Block>() && leaf.rows.src != 0 && leaf.rows.src % 4096 == 0;
  choose_cut(part, state.options.threads);
  leaf.kernel = kernel_for(leaf, state.options.isa);
}

}  // namespace

void add_part(State& state, Nest& nest) {
  PlanPart& part = state.parts.emplace_back();
  part.src = nest.src;
  part.dst = nest.dst;
  choose_leaf(state, nest, part.leaf);
  finish(state, part);
}

void add_part(State& state, Nest& nest, const mover::Fill& fill) {
  PlanPart& part = state.parts.emplace_back();
  part.dst = nest.dst;
  choose_fill(state, nest, fill, part.leaf);
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
