// SPDX-License-Identifier: Apache-2.0
#include "transfer/band_gather.h"

#include <algorithm>
#include <cstring>

#include "base/index_walk.h"
#include "base/try.h"
#include "relayout/each_run.h"
#include "tessera/relayout/relayout.h"
#include "transfer/limits.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {
namespace {

// Runs of at least this many bytes are written directly from the mapped source.
constexpr Index kLongRun = Index{64} << 10;

// The bytes of the source that become resident if the move runs.
Index touched_by(const StridedMove& move, Index unit) {
  const bool inner = !move.loops.empty() && move.loops.back().from == 1;
  const Index run = inner ? move.loops.back().extent : 1;
  const Index runs = move.elements() / run;
  const Interval bounds = move.from_bounds();
  return std::min((bounds.upper - bounds.lower) * unit + 2 * kPageWindow, runs * (run * unit + kPageWindow));
}

}  // namespace

StoredElements& BandGather::elements_of(const TargetTensor& tensor, const TensorMove& part,
                                        GatheredSources& sources) {
  const auto [at, is_new] =
      sources.elements.try_emplace(part.source, plan_.source, part.source, tensor.element_bits, &pages_);
  if (!is_new || !part.by_number) return at->second;
  const CheckpointTensor& source = plan_.source.tensors()[part.source];
  if (source.end - source.begin > most_laid_out_ - sources.laid_out) return at->second;
  Index read = 0;
  for (const TensorMove& move : tensor.moves) {
    if (move.source == part.source) read += move.box.elements();
  }
  if (read >= detail::element_count(source.shape).value_or(0) / kTransferLimits.laid_out_share)
    sources.laid_out += at->second.lay_out();
  return at->second;
}

Result<void> BandGather::move(const TensorMove& part, Index unit, std::byte* target) {
  const std::byte* const source = plan_.source.bytes(plan_.source.tensors()[part.source]).data();
  const PlanOptions options{.padding = Padding::keep, .consumer = Consumer::near};
  Result<void> moved;
  for_each_fitting(
      part.box, [unit](const StridedMove& one) { return touched_by(one, unit); }, pages_.bytes(),
      [&](const StridedMove& one) {
        if (!moved) return;
        pages_.spend(touched_by(one, unit));
        moved = run(one, unit, source + one.from * unit, target + one.to * unit, plans_, options);
      });
  return moved;
}

Result<std::vector<std::span<const std::byte>>> BandGather::gather(const TargetTensor& tensor,
                                                                   const ByteBoxes& boxes,
                                                                   GatheredSources& sources, Index begin,
                                                                   Index end, std::span<std::byte> buffer) {
  const std::vector<TensorMove> parts = boxes.inside(begin, end);
  const Index unit = boxes.unit_bytes();
  std::vector<std::span<const std::byte>> runs;
  Index at = 0;
  for (const TensorMove& part : parts) {
    const Index bytes = part.box.elements() * unit;
    if (part.by_number || !part.box.is_run() || bytes < kLongRun || part.box.to * unit != at) break;
    runs.push_back(
        plan_.source.bytes(plan_.source.tensors()[part.source])
            .subspan(static_cast<std::size_t>(part.box.from * unit), static_cast<std::size_t>(bytes)));
    at += bytes;
  }
  if (at == end - begin && at > 0) {
    pages_.spend(at);
    return runs;
  }
  if (tensor.padded || unit == 0) std::memset(buffer.data(), 0, buffer.size());
  for (const TensorMove& part : parts) {
    if (!part.by_number && unit > 0) {
      TESSERA_NEED(move(part, unit, buffer.data()));
      continue;
    }
    StoredElements& elements = elements_of(tensor, part, sources);
    const auto copy_each_run = [&](const StridedMove& one) {
      for_each_run(one, [&](Index from, Index to, Index length) {
        elements.copy(from, length, buffer.data(), to);
        return true;
      });
    };
    if (part.by_number) {
      copy_each_run(part.box);
    } else {
      // An element takes at most a byte of the page window that it touches.
      const auto touched = [](const StridedMove& one) { return touched_by(one, 1); };
      for_each_fitting(part.box, touched, pages_.bytes(), [&](const StridedMove& one) {
        pages_.spend(touched(one));
        copy_each_run(one);
      });
    }
  }
  return std::vector<std::span<const std::byte>>{buffer};
}

}  // namespace tessera::transfer
