// SPDX-License-Identifier: Apache-2.0
// Reads the mesh notation, which can express every distribution.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/notations/mesh/device_ids.h"
#include "reshard/notations/mesh/mesh_text.h"
#include "reshard/notations/mesh/to_mesh.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

Result<void> read_rule(DistributionScanner& in, const PlaceMesh& mesh, DimCut& cut) {
  if (in.accept_word("cyclic")) {
    TESSERA_TRY(block, in.at_least(1, "a block"));
    cut.rule = CutRule::cyclic;
    cut.size = block;
    if (!in.accept_word("from")) return {};
    const std::size_t begin = in.next();
    TESSERA_TRY(start, in.at_least(0, "a part"));
    Index parts = 1;
    for (const std::size_t axis : cut.axes) parts *= mesh.axes[axis].size;
    if (start >= parts) {
      return fail(Code::index_out_of_range,
                  fmt::format("part {} does not exist: the axes make {}", start, plural(parts, "part")),
                  in.since(begin));
    }
    cut.start = start;
    return {};
  }
  if (in.accept_word("strided")) {
    TESSERA_TRY(pieces, in.at_least(1, "the number of pieces"));
    cut.size = pieces;
    cut.rule = in.accept_word("padded") ? CutRule::strided_padded : CutRule::strided;
    return {};
  }
  if (in.accept_word("sizes")) {
    const std::size_t begin = in.next();
    cut.rule = CutRule::sizes;
    do {
      TESSERA_TRY(size, in.at_least(0, "a size"));
      cut.sizes.push_back(size);
    } while (in.accept(","));
    Index parts = 1;
    for (const std::size_t axis : cut.axes) parts *= mesh.axes[axis].size;
    if (parts != static_cast<Index>(cut.sizes.size())) {
      return fail(Code::value_count,
                  fmt::format("the list has {}, but the axes make {}", plural(cut.sizes.size(), "size"),
                              plural(parts, "part")),
                  in.since(begin));
    }
    return {};
  }
  return in.expected("cyclic, strided or sizes");
}

Result<DimCut> read_cut(DistributionScanner& in, const PlaceMesh& mesh, std::vector<bool>& used) {
  const std::size_t begin = in.next();
  DimCut cut;
  do {
    const std::size_t at = in.next();
    TESSERA_TRY(name, in.name());
    TESSERA_TRY(axis, find_axis(mesh, name, in.since(at)));
    if (used[axis])
      return fail(Code::duplicate_name, fmt::format("axis '{}' is used twice", name), in.since(at));
    used[axis] = true;
    cut.axes.push_back(axis);
  } while (in.accept("*"));
  if (in.accept("(")) {
    TESSERA_NEED(read_rule(in, mesh, cut));
    TESSERA_NEED(in.need(")"));
  }
  cut.span = in.since(begin);
  return cut;
}

Result<Distribution> read_mesh(DistributionScanner& in) {
  const std::size_t begin = in.next();
  if (!in.accept("mesh[")) return in.expected("'mesh['");
  std::vector<MeshAxis> axes;
  while (!in.accept("]")) {
    if (!axes.empty()) TESSERA_NEED(in.need(","));
    TESSERA_TRY(name, in.name());
    TESSERA_NEED(in.need("="));
    TESSERA_TRY(size, in.at_least(1, "the size of an axis"));
    axes.push_back({std::move(name), size});
  }
  TESSERA_TRY(mesh, make_mesh(std::move(axes), in.since(begin)));
  if (in.accept("device_ids=")) {
    const std::size_t at = in.next();
    TESSERA_NEED(in.need("("));
    TESSERA_TRY(places, read_device_ids(in));
    TESSERA_NEED(in.need(")"));
    TESSERA_NEED(place_mesh(mesh, std::move(places), in.since(at)));
  }
  Distribution out;
  TESSERA_NEED(in.need("["));
  std::vector<bool> used(mesh.axes.size(), false);
  std::size_t rank = 0;
  while (!in.accept("]")) {
    if (rank > 0) TESSERA_NEED(in.need(","));
    if (!in.accept("-")) {
      do {
        TESSERA_TRY(cut, read_cut(in, mesh, used));
        cut.dim = static_cast<Index>(rank);
        out.cuts.push_back(std::move(cut));
      } while (in.accept("/"));
    }
    ++rank;
  }
  out.rank = rank;
  out.body = mesh_text(mesh, out.cuts, rank);
  out.mesh = std::move(mesh);
  return out;
}

bool claim_mesh(std::string_view text) { return text.starts_with("mesh["); }

Result<Distribution> write_mesh(const BoundDistribution& bound) { return to_mesh(bound); }

}  // namespace

const DistributionTraits& mesh_distribution() {
  static constexpr DistributionTraits traits = {
      .example = "mesh[x=4] [x, -]",
      .claim = claim_mesh,
      .read = read_mesh,
      .write = write_mesh,
  };
  return traits;
}

}  // namespace tessera::detail
