// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "relayout/state.h"
#include "tessera/relayout/plan.h"

namespace tessera {
namespace {

Index reach_of(std::span<const StridedLoop> loops, Index StridedLoop::* step) {
  Index reach = 0;
  for (const StridedLoop& loop : loops) reach += (loop.extent - 1) * (loop.*step);
  return reach;
}

Interval bounds_of(std::span<const StridedLoop> loops, Index first, Index StridedLoop::* step) {
  Interval bounds = Interval::point(first);
  for (const StridedLoop& loop : loops) {
    const Index reach = (loop.extent - 1) * (loop.*step);
    (reach < 0 ? bounds.lower : bounds.upper) += reach;
  }
  return bounds;
}

// The part of a move with iterations [at, at + count) of a loop.
StridedMove part_of(const StridedMove& move, std::size_t loop, Index at, Index count) {
  StridedMove part = move;
  part.from += at * move.loops[loop].from;
  part.to += at * move.loops[loop].to;
  part.loops[loop].extent = count;
  return part;
}

// Appends the part of `move` in [begin, end), both relative to move.to. Restricts loops[depth] and the loops
// inside it.
void restrict_loop(const StridedMove& move, std::size_t depth, Index begin, Index end,
                   std::vector<StridedMove>& out) {
  const Index reach = reach_of(std::span(move.loops).subspan(depth), &StridedLoop::to);
  if (begin > reach || end <= 0 || begin >= end) return;
  if (begin <= 0 && end > reach) {
    out.push_back(move);
    return;
  }
  const StridedLoop& loop = move.loops[depth];
  const Index inner = reach_of(std::span(move.loops).subspan(depth + 1), &StridedLoop::to);
  // Iterations that intersect the range, and iterations that lie entirely in it.
  const Index first = std::max<Index>(0, ceil_div(begin - inner, loop.to));
  const Index last = std::min(loop.extent, floor_div(end - 1, loop.to) + 1);
  const Index whole_first = std::clamp(ceil_div(begin, loop.to), first, last);
  const Index whole_last = std::clamp(floor_div(end - 1 - inner, loop.to) + 1, whole_first, last);
  const auto add_one = [&](Index at) {
    restrict_loop(part_of(move, depth, at, 1), depth + 1, begin - at * loop.to, end - at * loop.to, out);
  };
  for (Index at = first; at < whole_first; ++at) add_one(at);
  if (whole_last > whole_first) out.push_back(part_of(move, depth, whole_first, whole_last - whole_first));
  for (Index at = whole_last; at < last; ++at) add_one(at);
}

// A part of a plan in bytes; the run is the innermost loop. Empty for tables and fills.
std::optional<StridedMove> move_of(const moving::PlanPart& part) {
  const moving::Sweep& sweep = part.sweep;
  if (sweep.is<moving::mover::Fill>()) return std::nullopt;
  StridedMove move{part.src, part.dst, {}};
  for (std::uint32_t i = 0; i < sweep.loops; ++i)
    move.loops.push_back({sweep.loop[i].count, sweep.loop[i].src, sweep.loop[i].dst});
  for (const moving::SweepAxis* axis : {&sweep.rows, &sweep.cols}) {
    if (axis->src_table != nullptr || axis->dst_table != nullptr) return std::nullopt;
    move.loops.push_back({axis->count, axis->src, axis->dst});
  }
  move.loops.push_back({sweep.run, 1, 1});
  return move;
}

}  // namespace

Index StridedMove::elements() const {
  Index count = 1;
  for (const StridedLoop& loop : loops) count *= loop.extent;
  return count;
}
Interval StridedMove::from_bounds() const { return bounds_of(loops, from, &StridedLoop::from); }
Interval StridedMove::to_bounds() const { return bounds_of(loops, to, &StridedLoop::to); }

bool StridedMove::is_run() const {
  Index step = 1;
  for (std::size_t k = loops.size(); k-- > 0;) {
    if (loops[k].extent == 1) continue;
    if (loops[k].from != step || loops[k].to != step) return false;
    step *= loops[k].extent;
  }
  return true;
}

void order_by_target(StridedMove& move) {
  std::erase_if(move.loops, [](const StridedLoop& loop) { return loop.extent == 1; });
  for (StridedLoop& loop : move.loops) {
    if (loop.to >= 0) continue;
    move.from += (loop.extent - 1) * loop.from;
    move.to += (loop.extent - 1) * loop.to;
    loop.from = -loop.from;
    loop.to = -loop.to;
  }
  std::ranges::stable_sort(move.loops, std::ranges::greater(), &StridedLoop::to);
  std::size_t kept = 0;
  for (const StridedLoop& loop : move.loops) {
    StridedLoop* const outer = kept > 0 ? &move.loops[kept - 1] : nullptr;
    if (outer != nullptr && outer->to == loop.to * loop.extent && outer->from == loop.from * loop.extent) {
      *outer = {outer->extent * loop.extent, loop.from, loop.to};
    } else {
      move.loops[kept++] = loop;
    }
  }
  move.loops.resize(kept);
}

void restrict_target(const StridedMove& move, Index begin, Index end, std::vector<StridedMove>& out) {
  const std::size_t old = out.size();
  restrict_loop(move, 0, begin - move.to, end - move.to, out);
  for (std::size_t k = old; k < out.size(); ++k) order_by_target(out[k]);
}

void cut_elements(const StridedMove& move, Index most, std::vector<StridedMove>& out) {
  const Index elements = move.elements();
  if (elements <= most || elements == 1) {
    out.push_back(move);
    return;
  }
  std::size_t k = 0;
  while (move.loops[k].extent == 1) ++k;
  const Index extent = move.loops[k].extent;
  const Index step = std::max<Index>(1, most / (elements / extent));
  for (Index begin = 0; begin < extent; begin += step)
    cut_elements(part_of(move, k, begin, std::min(step, extent - begin)), most, out);
}

void for_each_fitting(const StridedMove& move, const std::function<Index(const StridedMove&)>& cost,
                      Index most, const std::function<void(const StridedMove&)>& visit) {
  const auto reach = [](const StridedLoop& loop) { return std::abs(loop.from) * (loop.extent - 1); };
  const auto widest = std::ranges::max_element(move.loops, [&](const StridedLoop& a, const StridedLoop& b) {
    // Loops of one iteration come last: they cannot be halved.
    if ((a.extent > 1) != (b.extent > 1)) return b.extent > 1;
    return reach(a) < reach(b);
  });
  if (widest == move.loops.end() || widest->extent == 1 || cost(move) <= most) return visit(move);
  const auto k = static_cast<std::size_t>(widest - move.loops.begin());
  const Index half = widest->extent / 2;
  for_each_fitting(part_of(move, k, 0, half), cost, most, visit);
  for_each_fitting(part_of(move, k, half, widest->extent - half), cost, most, visit);
}

std::string to_string(const StridedMove& move) {
  std::string text = fmt::format("{} -> {}", move.from, move.to);
  for (const StridedLoop& loop : move.loops)
    text += fmt::format(", {} by {} -> {}", loop.extent, loop.from, loop.to);
  return text;
}

std::optional<std::vector<StridedMove>> RelayoutPlan::moves() const {
  if (state_->elementwise) return std::nullopt;
  std::vector<StridedMove> out;
  for (const moving::PlanPart& part : state_->parts) {
    auto move = move_of(part);
    if (!move) return std::nullopt;
    out.push_back(*std::move(move));
  }
  return out;
}

}  // namespace tessera
