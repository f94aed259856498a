// SPDX-License-Identifier: Apache-2.0
// Converts XLA's shardings to distributions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/try.h"
#include "notation/sharding/sharding_reader.h"
#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/no_static_map.h"
#include "reshard/notations/xla/to_xla.h"
#include "reshard/place_mesh.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {
namespace {

std::string_view word_of(SubgroupKind kind) {
  switch (kind) {
    case SubgroupKind::manual:
      return "manual";
    case SubgroupKind::maximal:
      return "maximal";
    case SubgroupKind::unreduced:
      return "unreduced";
    case SubgroupKind::replicated:
      break;
  }
  return "replicated";
}

// Joins the replicated subgroups into one, which becomes the last entry of the assignment.
Result<Sharding> with_one_subgroup(const Sharding& in) {
  std::vector<Index> assignment(in.tile_assignment().begin(), in.tile_assignment().end());
  const Index copies = std::accumulate(assignment.begin() + static_cast<std::ptrdiff_t>(in.rank()),
                                       assignment.end(), Index{1}, std::multiplies<>());
  assignment.resize(in.rank());
  assignment.push_back(copies);
  const std::vector<SubgroupKind> kinds = {SubgroupKind::replicated};
  return in.iota() ? Sharding::tiled(std::move(assignment), *in.iota(), kinds)
                   : Sharding::tiled(std::move(assignment), in.devices(), kinds);
}

// A sharding that cuts nothing over a mesh: the devices of the mesh hold the whole array, not every device.
// Without axes and devices, the mesh is any mesh.
Result<Distribution> read_uncut(const NamedMesh& uncut, Span span) {
  Distribution out;
  out.notation = DistributionNotation::xla;
  Index count = 1;
  for (const Index size : uncut.sizes) {
    if (mul_overflows(count, size, count) || count > kMaxPlaces)
      return fail(Code::limit, fmt::format("a mesh has at most {} places", kMaxPlaces), span);
  }
  if (uncut.axes.empty() && uncut.device_ids.empty()) {
    out.everywhere = true;
    out.body = "{replicated}";
    return out;
  }
  std::vector<Index> devices = uncut.device_ids;
  std::ranges::sort(devices);
  const bool listed = !devices.empty() && (devices.front() != 0 || devices.back() != count - 1);
  if (count == 1) {
    const Index device = listed ? devices[0] : 0;
    out.mesh.places = {device};
    out.body = fmt::format("{{maximal device={}}}", device);
    return out;
  }
  TESSERA_TRY(mesh, make_mesh({{"r0", count}}, span));
  if (listed) TESSERA_NEED(place_mesh(mesh, devices, span));
  out.mesh = std::move(mesh);
  out.body =
      listed ? fmt::format("{{mesh['r0'={}], device_ids=({}), replicated}}", count, fmt::join(devices, ","))
             : fmt::format("{{mesh['r0'={}], replicated}}", count);
  return out;
}

Result<Distribution> read_xla(DistributionScanner& in) {
  const std::size_t begin = in.next();
  if (in.here() != '{') return in.expected("'{' and a sharding");
  const std::size_t end = std::min(braces_end(in.text(), begin), in.text().size());
  const std::string plain = without_comments(in.text().substr(begin, end - begin));
  ShardingReader reader(plain);
  auto sharding = reader.one();
  if (const auto rest = reader.end("the end of the sharding"); sharding && !rest)
    sharding = fail(rest.error());
  if (!sharding) {
    Diagnostic error = sharding.error();
    error.span.begin += static_cast<std::uint32_t>(begin);
    error.span.end += static_cast<std::uint32_t>(begin);
    return fail(std::move(error));
  }
  in.move_to(end);
  const Span span = in.since(begin);
  Distribution out;
  out.notation = DistributionNotation::xla;
  switch (sharding->kind()) {
    case Sharding::Kind::manual:
      return no_static_map("manual", span);
    case Sharding::Kind::unknown:
      return no_static_map("unknown", span);
    case Sharding::Kind::unreduced:
      return no_static_map("unreduced", span);
    case Sharding::Kind::replicated:
      if (reader.over()) return read_uncut(*reader.over(), span);
      out.everywhere = true;
      out.body = "{replicated}";
      return out;
    case Sharding::Kind::maximal:
      out.mesh.places = {sharding->device()};
      out.body = fmt::format("{{maximal device={}}}", sharding->device());
      return out;
    case Sharding::Kind::tiled:
      break;
  }
  for (const SubgroupKind kind : sharding->subgroups()) {
    if (kind != SubgroupKind::replicated) return no_static_map(word_of(kind), span);
  }
  if (sharding->device_count() > kMaxPlaces) {
    return fail(Code::limit, fmt::format("a mesh has at most {} places", kMaxPlaces), span);
  }
  if (sharding->subgroups().size() > 1) sharding = with_one_subgroup(*sharding);
  if (!sharding) return fail(sharding.error());
  sharding->extra.clear();
  out.rank = sharding->rank();
  std::vector<MeshAxis> axes;
  for (std::size_t i = 0; i < sharding->tile_assignment().size(); ++i) {
    const Index size = sharding->tile_assignment()[i];
    if (size == 1) continue;
    if (i < sharding->rank()) {
      DimCut cut;
      cut.dim = static_cast<Index>(i);
      cut.axes = {axes.size()};
      cut.span = span;
      out.cuts.push_back(std::move(cut));
    }
    axes.push_back({i < sharding->rank() ? fmt::format("d{}", i) : "r0", size});
  }
  TESSERA_TRY(mesh, make_mesh(std::move(axes), span));
  TESSERA_NEED(place_mesh(mesh, sharding->devices(), span));
  out.mesh = std::move(mesh);
  out.body = to_string(*sharding);
  return out;
}

bool claim_xla(std::string_view text) { return text.starts_with("{"); }

Result<Distribution> write_xla(const BoundDistribution& bound) { return to_xla(bound); }

}  // namespace

const DistributionTraits& xla_distribution() {
  static constexpr DistributionTraits traits = {
      .example = "{devices=[2,4]<=[8]}",
      .claim = claim_xla,
      .read = read_xla,
      .write = write_xla,
      .lists_places = true,
      .names_axes = false,
  };
  return traits;
}

}  // namespace tessera::detail
