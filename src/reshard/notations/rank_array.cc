// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/rank_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"
#include "reshard/distribution_scanner.h"

namespace tessera::detail {
namespace {

Result<RankArray> read_level(DistributionScanner& in, int depth) {
  const std::size_t begin = in.next();
  TESSERA_NEED(in.need("["));
  if (depth > 64) return fail(Code::limit, "a mesh has at most 64 dimensions", in.since(begin));
  RankArray out;
  Index count = 0;
  bool numbers = false;
  while (!in.accept("]")) {
    if (count > 0) {
      TESSERA_NEED(in.need(","));
      if (in.accept("]")) break;
    }
    in.next();
    const bool nested = in.here() == '[';
    if (count > 0 && nested == numbers) return in.expected(numbers ? "a number" : "'['");
    numbers = !nested;
    if (nested) {
      TESSERA_TRY(inner, read_level(in, depth + 1));
      if (count > 0 && inner.shape != out.shape) {
        return fail(Code::device_count, "the rows of the mesh have different lengths", in.since(begin));
      }
      out.shape = std::move(inner.shape);
      out.ranks.insert(out.ranks.end(), inner.ranks.begin(), inner.ranks.end());
    } else {
      TESSERA_TRY(rank, in.at_least(0, "a rank"));
      out.ranks.push_back(rank);
    }
    ++count;
  }
  out.shape.insert(out.shape.begin(), count);
  return out;
}

// The ranks as nested lists, in Python's format.
std::string nested(const PlaceMesh& mesh, std::size_t axis, std::size_t first, std::size_t count) {
  const auto size = static_cast<std::size_t>(mesh.axes[axis].size);
  std::vector<std::string> items;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = first + i * (count / size);
    items.push_back(axis + 1 == mesh.axes.size() ? std::to_string(mesh.places[at])
                                                 : nested(mesh, axis + 1, at, count / size));
  }
  return fmt::format("[{}]", fmt::join(items, ", "));
}

}  // namespace

Result<RankArray> read_ranks(DistributionScanner& in) { return read_level(in, 0); }

std::string nested_ranks_text(const PlaceMesh& mesh) { return nested(mesh, 0, 0, mesh.places.size()); }

}  // namespace tessera::detail
