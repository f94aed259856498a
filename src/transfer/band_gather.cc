// SPDX-License-Identifier: Apache-2.0
#include "transfer/band_gather.h"

#include <algorithm>
#include <cstring>

#include "base/try.h"
#include "tessera/relayout/relayout.h"

namespace tessera::transfer {
namespace {

// Runs of at least this many bytes are written directly from the mapped source.
constexpr Index kLongRun = Index{64} << 10;

bool is_run(const StridedBox& box) {
  return box.loops.empty() || (box.loops.size() == 1 && box.loops[0].from == 1 && box.loops[0].to == 1);
}

Index touched_by(const StridedBox& box, Index unit) {
  const bool inner = !box.loops.empty() && box.loops.back().from == 1;
  const Index run = inner ? box.loops.back().extent : 1;
  const Index runs = box.elements() / run;
  return std::min(box.from_reach() * unit + 2 * kPageWindow, runs * (run * unit + kPageWindow));
}

Digits digits_of(const StridedBox& box, Index BoxLoop::* step) {
  std::vector<Index> extents;
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < box.loops.size(); ++k) {
    extents.push_back(box.loops[k].extent);
    digits.push_back({static_cast<Index>(k), 1, box.loops[k].extent, box.loops[k].*step});
  }
  return Digits::normalized(std::move(extents), 0, std::move(digits));
}

}  // namespace

void BandGather::touch(Index bytes) {
  if (pages_.spend(bytes)) plan_.source.drop_pages();
}

Result<void> BandGather::move(const TensorMove& part, Index unit, std::byte* target) {
  const StridedBox& box = part.box;
  const Index touched = touched_by(box, unit);
  const auto widest = std::ranges::max_element(box.loops, {}, [](const BoxLoop& loop) {
    return loop.extent > 1 ? loop.from * (loop.extent - 1) : -1;
  });
  if (touched > pages_.bytes() && widest != box.loops.end() && widest->extent > 1) {
    const auto k = static_cast<std::size_t>(widest - box.loops.begin());
    TensorMove half = part;
    half.box.loops[k].extent = widest->extent / 2;
    TensorMove rest = part;
    rest.box.loops[k].extent -= half.box.loops[k].extent;
    rest.box.from += half.box.loops[k].extent * widest->from;
    rest.box.to += half.box.loops[k].extent * widest->to;
    TESSERA_NEED(move(half, unit, target));
    return move(rest, unit, target);
  }
  touch(touched);
  const std::byte* const source =
      plan_.source.bytes(plan_.source.tensors()[part.source]).data() + box.from * unit;
  std::byte* const to = target + box.to * unit;
  if (is_run(box)) {
    std::memcpy(to, source, static_cast<std::size_t>(box.elements() * unit));
    return {};
  }
  const Digits from_digits = digits_of(box, &BoxLoop::from);
  const Digits to_digits = digits_of(box, &BoxLoop::to);
  TESSERA_TRY(plan, plans_.plan(from_digits, {.digits = to_digits}, unit,
                                {.padding = Padding::keep, .consumer = Consumer::near}));
  run(plan, source, to);
  return {};
}

Result<std::vector<std::span<const std::byte>>> BandGather::gather(const TargetTensor& tensor,
                                                                   const ByteBoxes& boxes, Index begin,
                                                                   Index end, std::span<std::byte> buffer) {
  const std::vector<TensorMove> parts = boxes.inside(begin, end);
  const Index unit = boxes.unit_bytes();
  std::vector<std::span<const std::byte>> runs;
  Index at = 0;
  for (const TensorMove& part : parts) {
    const Index bytes = part.box.elements() * unit;
    if (!is_run(part.box) || bytes < kLongRun || part.box.to * unit != at) break;
    runs.push_back(
        plan_.source.bytes(plan_.source.tensors()[part.source])
            .subspan(static_cast<std::size_t>(part.box.from * unit), static_cast<std::size_t>(bytes)));
    at += bytes;
  }
  if (at == end - begin && at > 0) {
    touch(at);
    return runs;
  }
  if (tensor.padded || unit == 0) std::memset(buffer.data(), 0, buffer.size());
  for (const TensorMove& part : parts) {
    if (unit == 0) {
      touch(touched_by(part.box, 1));
      copy_bits(part.box, tensor.element_bits, plan_.source.bytes(plan_.source.tensors()[part.source]).data(),
                buffer.data());
    } else {
      TESSERA_NEED(move(part, unit, buffer.data()));
    }
  }
  return std::vector<std::span<const std::byte>>{buffer};
}

}  // namespace tessera::transfer
