// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/shard_pieces.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/try.h"
#include "reshard/limits.h"

namespace tessera {
namespace {

// Consecutive indices of a shard: `local` is the local index of `begin`.
struct LocalInterval {
  Index local = 0;
  Index begin = 0;
  Index length = 0;
};

Failure too_many(std::size_t dim) {
  return fail(Code::limit, fmt::format("dimension {} of a shard has more than {} runs", dim,
                                       detail::kReshardLimits.shard_intervals));
}

}  // namespace

Result<std::vector<PieceRun>> piece_runs(const PieceTensor& tensor, Index place, std::size_t dim) {
  TESSERA_TRY(whole, piece_runs(tensor.axes, dim));
  if (!tensor.on) return whole;
  const BoundDistribution& on = *tensor.on;
  const auto shard = on.shard_of(place);
  if (!shard) return std::vector<PieceRun>();
  // The runs of a part may interleave.
  std::vector<LocalInterval> intervals;
  for (const IndexRun& run : on.parts(dim)[on.part({.shard = *shard, .dim = dim})].runs) {
    if (run.count > detail::kReshardLimits.shard_intervals - std::ssize(intervals)) return too_many(dim);
    for (Index k = 0; k < run.count; ++k)
      intervals.push_back({run.local + k * run.local_step, run.lower + k * run.step, run.length});
  }
  std::ranges::sort(intervals, {}, &LocalInterval::local);
  std::vector<PieceRun> out;
  Index left = detail::kReshardLimits.shard_intervals;
  for (const LocalInterval& interval : intervals) {
    const Index end = interval.begin + interval.length;
    auto piece = std::ranges::upper_bound(whole, interval.begin, {}, &PieceRun::first);
    if (piece != whole.begin()) --piece;
    for (; piece != whole.end() && piece->first < end; ++piece) {
      if (--left < 0) return too_many(dim);
      const Index count = std::min(end, piece->first + piece->count) - std::max(interval.begin, piece->first);
      if (count <= 0) continue;
      if (!out.empty() && out.back().piece == piece->piece) {
        out.back().count += count;
      } else {
        const Index first = out.empty() ? 0 : out.back().first + out.back().count;
        out.push_back({first, count, piece->piece});
      }
    }
  }
  return out;
}

}  // namespace tessera
