// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/flat_cuts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "base/try.h"
#include "reshard/notations/mesh/to_mesh.h"
#include "reshard/notations/xla/to_xla.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

// The same cuts, joined to one for each dimension. Empty if that changes the distribution.
std::optional<FlatCuts> joined_cuts(const BoundDistribution& bound) {
  Distribution joined = to_mesh(bound);
  FlatCuts out{joined.mesh, std::vector<std::vector<std::size_t>>(bound.shape().size()), joined.on};
  for (const DimCut& cut : joined.cuts) {
    auto& axes = out.dims[static_cast<std::size_t>(cut.dim)];
    axes.insert(axes.end(), cut.axes.begin(), cut.axes.end());
  }
  joined.cuts.clear();
  for (std::size_t d = 0; d < out.dims.size(); ++d) {
    if (out.dims[d].empty()) continue;
    DimCut cut;
    cut.dim = static_cast<Index>(d);
    cut.axes = out.dims[d];
    joined.cuts.push_back(std::move(cut));
  }
  const auto again = bind_distribution(joined, {bound.shape().begin(), bound.shape().end()}, bound.places());
  if (!again) return {};
  const auto same = equal(bound, *again, DistributionNotion::map);
  if (!same || same->verdict != Verdict::yes) return {};
  return out;
}

}  // namespace

Result<FlatCuts> flat_cuts(const BoundDistribution& bound, std::string_view noun) {
  if (auto joined = joined_cuts(bound)) return std::move(*joined);
  TESSERA_TRY(tiled, to_xla(bound, noun));
  const auto again = bind_distribution(tiled, {bound.shape().begin(), bound.shape().end()}, bound.places());
  if (!again) return fail(again.error());
  const Distribution mesh = to_mesh(*again);
  FlatCuts out{mesh.mesh, std::vector<std::vector<std::size_t>>(bound.shape().size()), mesh.on};
  for (const DimCut& cut : mesh.cuts) out.dims[static_cast<std::size_t>(cut.dim)] = cut.axes;
  return out;
}

Result<Distribution> with_rest(const std::string& text, const BoundDistribution& bound,
                               const std::vector<Index>& on) {
  const Distribution from = to_mesh(bound);
  TESSERA_TRY(out, parse_distribution(text));
  out.local = from.local;
  out.on = on;
  return std::move(out);
}

std::string places_text(const PlaceMesh& mesh, std::string_view open, std::string_view close) {
  if (is_row_major(mesh)) return {};
  return fmt::format("{}{}{}", open, fmt::join(mesh.places, ", "), close);
}

}  // namespace tessera::detail
