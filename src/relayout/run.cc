// SPDX-License-Identifier: Apache-2.0
#include "relayout/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "base/state_of.h"
#include "tessera/relayout/relayout.h"

namespace tessera {
namespace moving {
namespace {

SweepBounds whole(const Sweep& sweep) {
  return {
      .loop = sweep.loops > 0 ? sweep.loop[0].count : 1, .rows = sweep.rows.count, .cols = sweep.cols.count};
}

// The strides of the axis along which a part is cut.
struct CutStep {
  Index src = 0;
  Index dst = 0;
};
CutStep step_of(const PlanPart& part) {
  switch (part.cut) {
    case CutAxis::loop:
      return {part.sweep.loop[0].src, part.sweep.loop[0].dst};
    case CutAxis::rows:
      return {part.sweep.rows.src, part.sweep.rows.dst};
    case CutAxis::cols:
      return {part.sweep.cols.src, part.sweep.cols.dst};
    case CutAxis::none:
      break;
  }
  return {};
}

SweepBounds bounds_of(const PlanPart& part, UnitRange range) {
  SweepBounds bounds = whole(part.sweep);
  const Index count = range.last - range.first;
  if (part.cut == CutAxis::loop) bounds.loop = count;
  if (part.cut == CutAxis::rows) bounds.rows = count;
  if (part.cut == CutAxis::cols) bounds.cols = count;
  return bounds;
}

void run_part(const PlanPart& part, UnitRange range, const std::byte* src, std::byte* dst) {
  if (range.first == range.last) return;
  const CutStep step = step_of(part);
  part.sweep.kernel(part.sweep, src + part.src + range.first * step.src,
                    dst + part.dst + range.first * step.dst, bounds_of(part, range));
}

void run_elementwise(const State& state, UnitRange units, const std::byte* src, std::byte* dst) {
  state.elementwise->run(units.first, units.last, state.element_bytes, src, dst);
}

UnitRange proportion(Index units, Index k, Index n) {
  // Not units * k / n: there may be as many units as elements, and the product could overflow.
  const Index each = units / n;
  const Index rest = units % n;
  const auto at = [&](Index i) { return each * i + std::min(rest, i); };
  return {at(k), at(k + 1)};
}

ByteRange side_bytes(const PlanPart& part, UnitRange range, Index start, Index SweepAxis::* axis_stride,
                     Index Loop::* loop_stride, const Index* SweepAxis::* table) {
  const SweepBounds bounds = bounds_of(part, range);
  const Sweep& sweep = part.sweep;
  ByteRange bytes = {start, start + sweep.run};
  const auto widen = [&](Index count, Index stride) {
    (stride < 0 ? bytes.begin : bytes.end) += (count - 1) * stride;
  };
  for (const auto& [axis, count] :
       {std::pair(&sweep.rows, bounds.rows), std::pair(&sweep.cols, bounds.cols)}) {
    if (const Index* entries = axis->*table) {
      const auto [low, high] = std::minmax_element(entries, entries + axis->count);
      bytes.begin += *low;
      bytes.end += *high;
    } else {
      widen(count, axis->*axis_stride);
    }
  }
  for (std::uint32_t k = 0; k < sweep.loops; ++k)
    widen(k == 0 ? bounds.loop : sweep.loop[k].count, sweep.loop[k].*loop_stride);
  return bytes;
}

}  // namespace

UnitRange slice_of(const PlanPart& part, Index slice, Index slices) {
  if (slices == 1) return {0, part.units};
  const UnitRange grains = proportion(ceil_div(part.units, part.grain), slice, slices);
  return {std::min(grains.first * part.grain, part.units), std::min(grains.last * part.grain, part.units)};
}

ByteRange src_bytes(const PlanPart& part, UnitRange range) {
  if (part.sweep.is<moving::mover::Fill>() || range.first == range.last) return {};
  return side_bytes(part, range, part.src + range.first * step_of(part).src, &SweepAxis::src, &Loop::src,
                    &SweepAxis::src_table);
}

ByteRange dst_bytes(const PlanPart& part, UnitRange range) {
  if (range.first == range.last) return {};
  ByteRange bytes = side_bytes(part, range, part.dst + range.first * step_of(part).dst, &SweepAxis::dst,
                               &Loop::dst, &SweepAxis::dst_table);
  bytes.end += slack_of(part.sweep, bounds_of(part, range));
  return bytes;
}

}  // namespace moving

namespace {

ByteRange join(ByteRange a, ByteRange b) {
  if (a.begin == a.end) return b;
  if (b.begin == b.end) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

template <class PartBytes>
ByteRange chunk_range(const RelayoutPlan::State& state, Index chunk, ByteRange whole, const PartBytes& of) {
  if (state.elementwise) return whole;
  ByteRange bytes;
  for (Index s = 0; s < state.slices; ++s) {
    const Index slice = chunk * state.slices + s;
    for (const moving::PlanPart& part : state.parts)
      bytes = join(bytes, of(part, moving::slice_of(part, slice, state.chunks * state.slices)));
  }
  return bytes;
}

}  // namespace

ByteRange RelayoutPlan::chunk_src_range(Index chunk) const {
  return chunk_range(*state_, chunk, state_->src, moving::src_bytes);
}
ByteRange RelayoutPlan::chunk_dst_range(Index chunk) const {
  return chunk_range(*state_, chunk, state_->dst, moving::dst_bytes);
}

void run_chunk(const RelayoutPlan& plan, Index chunk, const void* src, void* dst) {
  const RelayoutPlan::State& state = detail::state_of(plan);
  const auto* from = static_cast<const std::byte*>(src);
  auto* to = static_cast<std::byte*>(dst);
  const Index slices = state.chunks * state.slices;
  for (Index slice = chunk * state.slices; slice < (chunk + 1) * state.slices; ++slice) {
    for (const moving::PlanPart& part : state.parts)
      moving::run_part(part, moving::slice_of(part, slice, slices), from, to);
  }
  if (state.elementwise)
    moving::run_elementwise(state, moving::proportion(state.elementwise->units(), chunk, state.chunks), from,
                            to);
}

void run(const RelayoutPlan& plan, const void* src, void* dst) {
  for (Index chunk = 0; chunk < detail::state_of(plan).chunks; ++chunk) run_chunk(plan, chunk, src, dst);
}

namespace {

// For plans whose elements overwrite a fill of the whole buffer: runs all of the fill, then all elements.
void run_fill_first(const RelayoutPlan::State& state, Index pieces, const std::byte* src, std::byte* dst,
                    Executor& executor) {
  const auto elements = std::ranges::find_if(
      state.parts, [](const moving::PlanPart& part) { return !part.sweep.is<moving::mover::Fill>(); });
  const auto run_parts = [&](auto first, auto last) {
    executor.parallel_for(pieces, [&](Index piece) {
      for (auto part = first; part != last; ++part)
        moving::run_part(*part, moving::slice_of(*part, piece, pieces), src, dst);
    });
  };
  run_parts(state.parts.begin(), elements);
  if (elements != state.parts.end()) run_parts(elements, state.parts.end());
  if (!state.elementwise) return;
  executor.parallel_for(pieces, [&](Index piece) {
    moving::run_elementwise(state, moving::proportion(state.elementwise->units(), piece, pieces), src, dst);
  });
}

}  // namespace

void run(const RelayoutPlan& plan, const void* src, void* dst, Executor& executor) {
  const RelayoutPlan::State& state = detail::state_of(plan);
  // A parsed plan has threads = 1: its parts may be in any order, so it runs as one chunk.
  const Index pieces =
      std::min<Index>(state.options.threads,
                      (state.dst.end - state.dst.begin) / std::max<Index>(state.options.min_chunk_bytes, 1));
  if (state.in_order && pieces > 1) {
    return run_fill_first(state, pieces, static_cast<const std::byte*>(src), static_cast<std::byte*>(dst),
                          executor);
  }
  if (plan.chunks() == 1) return run_chunk(plan, 0, src, dst);
  executor.parallel_for(plan.chunks(), [&](Index chunk) { run_chunk(plan, chunk, src, dst); });
}

Result<void> check_buffers(const RelayoutPlan& plan, std::span<const std::byte> src,
                           std::span<std::byte> dst) {
  const auto check_buffer = [](ByteRange needed, std::size_t given, std::string_view side) -> Result<void> {
    if (needed.begin >= 0 && needed.end <= static_cast<Index>(given)) return {};
    if (needed.begin < 0) {
      return fail(Code::buffer_too_small,
                  fmt::format("the {} needs {} before offset 0", side, detail::plural(-needed.begin, "byte")),
                  {}, "use a layout whose offsets are >= 0");
    }
    return fail(Code::buffer_too_small, fmt::format("the {} needs {}, but the buffer has {}", side,
                                                    detail::plural(needed.end, "byte"), given));
  };
  if (auto ok = check_buffer(plan.src_range(), src.size(), "source"); !ok) return ok;
  if (auto ok = check_buffer(plan.dst_range(), dst.size(), "destination"); !ok) return ok;
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const std::uintptr_t from = address(src.data());
  const std::uintptr_t to = address(dst.data());
  const ByteRange src_range = plan.src_range();
  const ByteRange dst_range = plan.dst_range();
  if (src_range.begin < src_range.end && dst_range.begin < dst_range.end &&
      from + static_cast<std::uintptr_t>(src_range.begin) < to + static_cast<std::uintptr_t>(dst_range.end) &&
      to + static_cast<std::uintptr_t>(dst_range.begin) < from + static_cast<std::uintptr_t>(src_range.end)) {
    return fail(Code::overlap, "the source and the destination overlap in memory", {},
                "copy to a separate buffer");
  }
  return {};
}

Result<void> run_checked(const RelayoutPlan& plan, std::span<const std::byte> src, std::span<std::byte> dst) {
  if (auto ok = check_buffers(plan, src, dst); !ok) return ok;
  run(plan, src.data(), dst.data());
  return {};
}

Result<void> run_checked(const RelayoutPlan& plan, std::span<const std::byte> src, std::span<std::byte> dst,
                         Executor& executor) {
  if (auto ok = check_buffers(plan, src, dst); !ok) return ok;
  run(plan, src.data(), dst.data(), executor);
  return {};
}

}  // namespace tessera
