// SPDX-License-Identifier: Apache-2.0
#include "reshard/shard_pieces.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/try.h"

namespace tessera {
namespace {

constexpr Index kMostIntervals = Index{1} << 20;

}  // namespace

Result<std::vector<PieceRun>> piece_runs(const PieceTensor& tensor, Index place, std::size_t dim) {
  TESSERA_TRY(whole, piece_runs(tensor.axes, dim));
  if (!tensor.on) return whole;
  const BoundDistribution& on = *tensor.on;
  const auto shard = on.shard_of(place);
  if (!shard) return std::vector<PieceRun>();
  std::vector<PieceRun> out;
  Index left = kMostIntervals;
  for (const IndexRun& run : on.parts(dim)[on.part({.shard = *shard, .dim = dim})].runs) {
    for (Index k = 0; k < run.count; ++k) {
      const Index begin = run.lower + k * run.step;
      const Index end = begin + run.length;
      auto piece = std::ranges::upper_bound(whole, begin, {}, &PieceRun::first);
      if (piece != whole.begin()) --piece;
      for (; piece != whole.end() && piece->first < end; ++piece) {
        if (--left < 0)
          return fail(Code::limit, fmt::format("dimension {} of a shard has more than {} runs", dim, kMostIntervals));
        const Index count = std::min(end, piece->first + piece->count) - std::max(begin, piece->first);
        if (count <= 0) continue;
        if (!out.empty() && out.back().piece == piece->piece) {
          out.back().count += count;
        } else {
          const Index first = out.empty() ? 0 : out.back().first + out.back().count;
          out.push_back({first, count, piece->piece});
        }
      }
    }
  }
  return out;
}

}  // namespace tessera
