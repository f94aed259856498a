// SPDX-License-Identifier: Apache-2.0
#include "transfer/band_gather.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/try.h"
#include "files/bit_field.h"
#include "files/dense.h"
#include "relayout/each_run.h"
#include "transfer/limits.h"

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

void BandGather::cut(Index piece) {
  piece_ = piece;
  boxes_.emplace(tensor_);
  bands_.clear();
  const Index bytes = tensor_.bytes();
  const Index step = tensor_.by_number() ? bytes : piece;
  for (Index at = 0; at < bytes; at += step) bands_.push_back({at, std::min(bytes, at + step), std::nullopt});
}

void BandGather::finish() {
  boxes_.reset();
  bands_ = {};
  elements_.clear();
  laid_out_ = 0;
}

std::span<const std::byte> BandGather::bytes_of(const TensorMove& part) const {
  return files_.plan.source.bytes(files_.plan.source.tensors()[part.source]);
}

StoredElements& BandGather::elements_of(const TensorMove& part) {
  const auto [at, is_new] = elements_.try_emplace(part.source, files_.plan.source, part.source,
                                                  tensor_.element_bits, &files_.pages);
  if (!is_new || !part.by_number) return at->second;
  const CheckpointTensor& source = files_.plan.source.tensors()[part.source];
  if (source.end - source.begin > files_.most_laid_out - laid_out_) return at->second;
  Index read = 0;
  for (const TensorMove& move : tensor_.moves) {
    if (move.source == part.source) read += move.box.elements();
  }
  if (read >= detail::element_count(source.shape).value_or(0) / kTransferLimits.laid_out_share)
    laid_out_ += at->second.lay_out(files_.plans);
  return at->second;
}

// Long runs that lie in the sources in order.
std::vector<std::span<const std::byte>> BandGather::stored(const Band& band) {
  const Index unit = boxes_->unit_bytes();
  if (unit == 0 || tensor_.by_number()) return {};
  std::vector<std::span<const std::byte>> runs;
  Index at = band.begin;
  for (const TensorMove& part : boxes_->inside(band.begin, band.end)) {
    const Index bytes = part.box.elements() * unit;
    if (part.by_number || !part.box.is_run() || bytes < kLongRun || band.begin + part.box.to * unit != at)
      return {};
    runs.push_back(bytes_of(part).subspan(static_cast<std::size_t>(part.box.from * unit),
                                          static_cast<std::size_t>(bytes)));
    at += bytes;
  }
  if (at < band.end) return {};
  files_.pages.spend(band.end - band.begin);
  return runs;
}

Result<void> BandGather::move_part(const TensorMove& part, std::byte* target) {
  const Index unit = boxes_->unit_bytes();
  const auto copy_each_run = [&](const StridedMove& one) {
    StoredElements& elements = elements_of(part);
    for_each_run(one, [&](Index from, Index to, Index length) {
      elements.copy(from, length, target, to);
      return true;
    });
    return Result<void>();
  };
  if (part.by_number) return copy_each_run(part.box);
  // An element of less than a byte takes at most a byte of the page window that it touches.
  const auto touched = [unit](const StridedMove& one) { return touched_by(one, std::max<Index>(1, unit)); };
  return move_within(files_.pages, part.box, touched, [&](const StridedMove& one) {
    if (unit == 0) return copy_each_run(one);
    return run(one, unit, bytes_of(part).data() + one.from * unit, target + one.to * unit, files_.plans,
               {.padding = Padding::keep, .consumer = Consumer::near});
  });
}

// Bytes [begin, end) of the tensor, or of its row-major elements.
Result<void> BandGather::gather(Index begin, Index end, std::byte* target) {
  for (const TensorMove& part : boxes_->inside(begin, end)) TESSERA_NEED(move_part(part, target));
  return {};
}

Result<void> BandGather::move(const Band& band, std::span<std::byte> memory) {
  if (!tensor_.by_number()) return gather(band.begin, band.end, memory.data());
  std::vector<std::byte> rows(
      static_cast<std::size_t>(ceil_div(tensor_.units() * tensor_.element_bits, Index{8})));
  for (Index at = 0; at < std::ssize(rows); at += piece_) {
    if (detail::cancelled()) return detail::cancelled_failure();
    TESSERA_NEED(gather(at, std::min<Index>(std::ssize(rows), at + piece_), rows.data() + at));
  }
  elements_.clear();
  return lay_out(rows, memory);
}

Result<void> BandGather::lay_out(std::span<const std::byte> rows, std::span<std::byte> out) const {
  const Index bits = tensor_.element_bits;
  const Layout& to = *tensor_.layout;
  TESSERA_TRY(from, dense_layout(tensor_.dtype, tensor_.shape, DenseOrder::c, bits));
  if (bits % 8 == 0) {
    TESSERA_TRY(plan, files_.plans.plan(from, to, bits / 8, {.padding = Padding::keep}));
    return run_checked(plan, rows, out);
  }
  std::vector<bool> taken(static_cast<std::size_t>(tensor_.cells()));
  std::vector<Index> index(tensor_.shape.size());
  for (Index number = 0; number < tensor_.units(); ++number) {
    detail::set_index(index, tensor_.shape, number);
    const Index cell = to.offset(index);
    if (taken[static_cast<std::size_t>(cell)])
      return fail(Code::broadcast, fmt::format("two elements of tensor '{}' share an offset", tensor_.name));
    taken[static_cast<std::size_t>(cell)] = true;
    copy_bits(rows.data(), number * bits, out.data(), cell * bits, bits);
  }
  return {};
}

}  // namespace tessera::transfer
