// SPDX-License-Identifier: Apache-2.0
#include "reshard/strided_box.h"

#include <algorithm>

namespace tessera {
namespace {

Index reach_of(std::span<const BoxLoop> loops, Index BoxLoop::* step) {
  Index reach = 0;
  for (const BoxLoop& loop : loops) reach += (loop.extent - 1) * (loop.*step);
  return reach;
}

// Appends the part of `box` in [begin, end), both relative to box.to. Restricts loops[depth] and the loops
// inside it.
void restrict_loop(const StridedBox& box, std::size_t depth, Index begin, Index end,
                   std::vector<StridedBox>& out) {
  const Index reach = reach_of(std::span(box.loops).subspan(depth), &BoxLoop::to);
  if (begin > reach || end <= 0 || begin >= end) return;
  if (begin <= 0 && end > reach) {
    out.push_back(box);
    return;
  }
  const BoxLoop& loop = box.loops[depth];
  const Index inner = reach_of(std::span(box.loops).subspan(depth + 1), &BoxLoop::to);
  // Iterations that intersect the range, and iterations that lie entirely in it.
  const Index first = std::max<Index>(0, ceil_div(begin - inner, loop.to));
  const Index last = std::min(loop.extent, floor_div(end - 1, loop.to) + 1);
  const Index whole_first = std::clamp(ceil_div(begin, loop.to), first, last);
  const Index whole_last = std::clamp(floor_div(end - 1 - inner, loop.to) + 1, whole_first, last);
  const auto add = [&](Index at, Index count) {
    StridedBox part = box;
    part.from += at * loop.from;
    part.to += at * loop.to;
    part.loops[depth].extent = count;
    if (count > 1) {
      out.push_back(std::move(part));
    } else {
      restrict_loop(part, depth + 1, begin - at * loop.to, end - at * loop.to, out);
    }
  };
  for (Index at = first; at < whole_first; ++at) add(at, 1);
  if (whole_last > whole_first) add(whole_first, whole_last - whole_first);
  for (Index at = whole_last; at < last; ++at) add(at, 1);
}

}  // namespace

Index StridedBox::elements() const {
  Index count = 1;
  for (const BoxLoop& loop : loops) count *= loop.extent;
  return count;
}
Index StridedBox::from_reach() const { return reach_of(loops, &BoxLoop::from); }
Index StridedBox::to_reach() const { return reach_of(loops, &BoxLoop::to); }

void normalize(StridedBox& box) {
  std::erase_if(box.loops, [](const BoxLoop& loop) { return loop.extent == 1; });
  std::ranges::stable_sort(box.loops, std::ranges::greater(), &BoxLoop::to);
  std::vector<BoxLoop> joined;
  for (const BoxLoop& loop : box.loops) {
    if (!joined.empty() && joined.back().to == loop.to * loop.extent &&
        joined.back().from == loop.from * loop.extent) {
      joined.back() = {joined.back().extent * loop.extent, loop.from, loop.to};
    } else {
      joined.push_back(loop);
    }
  }
  box.loops = std::move(joined);
}

void restrict_target(const StridedBox& box, Index begin, Index end, std::vector<StridedBox>& out) {
  const std::size_t old = out.size();
  restrict_loop(box, 0, begin - box.to, end - box.to, out);
  for (std::size_t k = old; k < out.size(); ++k) normalize(out[k]);
}

StridedBox strided(const MessageBox& box, std::span<const Index> from_strides,
                   std::span<const Index> to_strides) {
  StridedBox out;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const BoxRun& run = box[d];
    out.from += run.from_local * from_strides[d];
    out.to += run.to_local * to_strides[d];
    out.loops.push_back({run.count, run.from_step * from_strides[d], run.to_step * to_strides[d]});
    out.loops.push_back({run.length, from_strides[d], to_strides[d]});
  }
  normalize(out);
  return out;
}

}  // namespace tessera
