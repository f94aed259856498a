// SPDX-License-Identifier: Apache-2.0
// Reads PyTorch distributions: a DeviceMesh and DTensor placements.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/no_static_map.h"
#include "reshard/notations/torch/to_torch.h"
#include "reshard/notations/torch/torch_mesh.h"

namespace tessera::detail {
namespace {

struct Placement {
  bool shard = false;
  DimCut cut;
};

Result<Index> read_argument(DistributionScanner& in, std::string_view name, std::string_view short_name) {
  if (!in.accept(name)) in.accept(short_name);
  return in.signed_integer();
}

Result<Placement> read_placement(DistributionScanner& in) {
  const std::size_t begin = in.next();
  Placement out;
  for (const std::string_view partial : {"Partial", "_MaskPartial", "_NormPartial"}) {
    if (!in.accept(partial)) continue;
    if (in.accept("(")) {
      int depth = 1;
      while (depth > 0 && in.position() < in.text().size()) {
        depth += in.here() == '(' ? 1 : in.here() == ')' ? -1 : 0;
        in.move_to(in.position() + 1);
      }
    }
    return no_static_map("partial", in.since(begin));
  }
  if (in.accept("Replicate()") || in.accept("R")) return out;
  const bool strided = in.accept("_StridedShard(") || in.accept("_S(");
  if (!strided && !in.accept("Shard(") && !in.accept("S(")) {
    if (in.accept("P")) return no_static_map("partial", in.since(begin));
    return in.expected("Replicate(), Shard(DIM) or _StridedShard(DIM, split_factor=N)");
  }
  out.shard = true;
  TESSERA_TRY(dim, read_argument(in, "dim=", "dim="));
  out.cut.dim = dim;
  if (strided) {
    TESSERA_NEED(in.need(","));
    const std::size_t at = in.next();
    TESSERA_TRY(pieces, read_argument(in, "split_factor=", "sf="));
    if (pieces < 1) {
      return fail(Code::number_range, fmt::format("a split factor must be at least 1, not {}", pieces),
                  in.since(at));
    }
    if (pieces > 1) out.cut.rule = CutRule::strided;
    out.cut.size = pieces;
  }
  in.accept(",");
  TESSERA_NEED(in.need(")"));
  if (in.here() == '[') {
    in.accept("[");
    TESSERA_TRY(order, in.at_least(0, "a place in the order"));
    out.cut.order = order;
    TESSERA_NEED(in.need("]"));
  }
  out.cut.span = in.since(begin);
  return out;
}

Result<std::vector<Placement>> read_placements(DistributionScanner& in) {
  std::vector<Placement> out;
  in.next();
  const std::string_view close = in.here() == '[' ? "]" : in.here() == '(' ? ")" : "";
  if (!close.empty()) in.move_to(in.position() + 1);
  const auto ends = [&] {
    if (!close.empty()) return in.accept(close);
    in.next();
    return in.here() != 'R' && in.here() != 'S' && in.here() != '_' && in.here() != 'P';
  };
  if (close.empty() && ends()) return in.expected("placements, one for each mesh dimension");
  while (!ends()) {
    if (!close.empty() && !out.empty()) {
      TESSERA_NEED(in.need(","));
      if (in.accept(close)) break;
    }
    TESSERA_TRY(placement, read_placement(in));
    out.push_back(std::move(placement));
  }
  return out;
}

std::string text_of(const TorchMesh& torch, const std::vector<Placement>& placements) {
  std::vector<std::string> items;
  for (const auto& [shard, cut] : placements) {
    std::string item = "Replicate()";
    if (shard) {
      item = cut.rule == CutRule::strided ? fmt::format("_StridedShard(dim={}, sf={})", cut.dim, cut.size)
                                          : fmt::format("Shard(dim={})", cut.dim);
      if (cut.order) item += fmt::format("[{}]", *cut.order);
    }
    items.push_back(std::move(item));
  }
  return fmt::format("{} [{}]", torch_mesh_text(torch), fmt::join(items, ", "));
}

Result<Distribution> read_torch(DistributionScanner& in) {
  const std::size_t begin = in.next();
  if (!in.rest().starts_with("DeviceMesh(")) return in.expected("'DeviceMesh('");
  TESSERA_TRY(torch, read_torch_mesh(in));
  const std::size_t at = in.next();
  TESSERA_TRY(placements, read_placements(in));
  if (placements.size() != torch.mesh.axes.size()) {
    return fail(Code::rank_mismatch,
                fmt::format("the list has {}, but the mesh has {}", plural(placements.size(), "placement"),
                            plural(torch.mesh.axes.size(), "dimension")),
                in.since(at), "write one placement for each mesh dimension, e.g. [Shard(0), Replicate()]");
  }
  if (torch.mesh.axes.empty())
    return fail(Code::device_count, "a mesh needs at least one dimension", in.since(begin));
  Distribution out;
  out.notation = DistributionNotation::torch;
  for (std::size_t a = 0; a < placements.size(); ++a) {
    if (!placements[a].shard) continue;
    placements[a].cut.axes = {a};
    out.cuts.push_back(placements[a].cut);
  }
  out.assumes_order = torch.assumes_order;
  out.body = text_of(torch, placements);
  out.mesh = std::move(torch.mesh);
  return out;
}

bool claim_torch(std::string_view text) { return text.starts_with("DeviceMesh("); }

}  // namespace

const DistributionTraits& torch_distribution() {
  static constexpr DistributionTraits traits = {
      .example = "DeviceMesh((4)) [Shard(0)]",
      .claim = claim_torch,
      .read = read_torch,
      .write = to_torch,
      .omits = "DeviceMesh does not list its ranks",
      .listing = "DeviceMesh([[0, ...], ...])",
  };
  return traits;
}

}  // namespace tessera::detail
