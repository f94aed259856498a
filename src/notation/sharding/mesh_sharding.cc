// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/mesh_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/try.h"
#include "notation/sharding/iota.h"

namespace tessera::detail {
namespace {

// The factors of the axes between the points where references cut them, most major first.
class Factors {
 public:
  Result<void> cut(const NamedMesh& mesh, const std::vector<SubAxis>& references) {
    for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
      std::vector<Index> cuts = {1, mesh.sizes[a]};
      for (const SubAxis& part : references) {
        if (part.axis == a) cuts.insert(cuts.end(), {part.pre, part.pre * part.size});
      }
      std::ranges::sort(cuts);
      cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        if (cuts[i + 1] % cuts[i] != 0) {
          return fail(Code::number_range,
                      fmt::format("the sub-axes of axis '{}' do not fit into one factorization of the axis",
                                  mesh.axes[a]));
        }
        number_[{a, cuts[i]}] = sizes_.size();
        sizes_.push_back(cuts[i + 1] / cuts[i]);
      }
    }
    return {};
  }

  const std::vector<Index>& sizes() const { return sizes_; }

  // The factors of a reference, most major first.
  std::vector<std::size_t> of(const SubAxis& part) const {
    std::vector<std::size_t> out;
    for (Index outside = part.pre; outside < part.pre * part.size;) {
      out.push_back(number_.at({part.axis, outside}));
      outside *= sizes_[out.back()];
    }
    return out;
  }

 private:
  std::vector<Index> sizes_;
  std::map<std::pair<std::size_t, Index>, std::size_t> number_;  // by axis and positions outside
};

// The same assignment for a mesh whose position i is device ids[i].
Result<Sharding> on_devices(const Sharding& sharding, std::span<const Index> ids) {
  std::vector<Index> devices;
  for (const Index position : sharding.devices()) devices.push_back(ids[static_cast<std::size_t>(position)]);
  std::vector<Index> assignment(sharding.tile_assignment().begin(), sharding.tile_assignment().end());
  std::vector<SubgroupKind> subgroups(sharding.subgroups().begin(), sharding.subgroups().end());
  if (auto iota = iota_of(devices))
    return Sharding::tiled(std::move(assignment), std::move(*iota), std::move(subgroups));
  return Sharding::tiled(std::move(assignment), std::move(devices), std::move(subgroups));
}

// The kind of a sharding that cuts nothing, if all its devices belong to one subgroup.
std::optional<Sharding::Kind> only_kind(std::span<const SubgroupKind> subgroups) {
  if (subgroups.empty()) return Sharding::Kind::replicated;
  if (subgroups.size() > 1) return std::nullopt;
  switch (subgroups[0]) {
    case SubgroupKind::replicated:
      return Sharding::Kind::replicated;
    case SubgroupKind::manual:
      return Sharding::Kind::manual;
    case SubgroupKind::unreduced:
      return Sharding::Kind::unreduced;
    case SubgroupKind::maximal:
      break;
  }
  return std::nullopt;
}

}  // namespace

Result<Sharding> mesh_sharding(const NamedMesh& mesh, const std::vector<std::vector<SubAxis>>& dims,
                               const std::vector<MeshSubgroup>& listed) {
  std::vector<SubAxis> references;
  for (const auto& dim : dims) references.insert(references.end(), dim.begin(), dim.end());
  for (const MeshSubgroup& subgroup : listed)
    references.insert(references.end(), subgroup.axes.begin(), subgroup.axes.end());
  Factors factors;
  TESSERA_NEED(factors.cut(mesh, references));
  IotaDevices devices{.reshape = factors.sizes(), .transpose = {}};
  std::vector<Index> assignment;
  std::vector<bool> used(devices.reshape.size(), false);
  for (const auto& dim : dims) {
    Index shards = 1;
    for (const SubAxis& part : dim) {
      for (const std::size_t factor : factors.of(part)) {
        devices.transpose.push_back(static_cast<Index>(factor));
        used[factor] = true;
      }
      shards *= part.size;
    }
    assignment.push_back(shards);
  }
  std::vector<SubgroupKind> kinds(used.size(), SubgroupKind::replicated);
  for (const MeshSubgroup& subgroup : listed) {
    for (const SubAxis& part : subgroup.axes) {
      for (const std::size_t factor : factors.of(part)) kinds[factor] = subgroup.kind;
    }
  }
  std::vector<SubgroupKind> subgroups;
  for (const SubgroupKind kind : {SubgroupKind::replicated, SubgroupKind::manual, SubgroupKind::unreduced}) {
    Index rest = 1;
    for (std::size_t factor = 0; factor < used.size(); ++factor) {
      if (used[factor] || kinds[factor] != kind) continue;
      devices.transpose.push_back(static_cast<Index>(factor));
      rest *= devices.reshape[factor];
    }
    if (rest == 1) continue;
    assignment.push_back(rest);
    subgroups.push_back(kind);
  }
  if (dims.empty()) {
    if (const auto kind = only_kind(subgroups)) return Sharding(*kind);
  }
  if (devices.reshape.empty()) devices = {.reshape = {1}, .transpose = {0}};
  auto sharding = Sharding::tiled(std::move(assignment), std::move(devices), std::move(subgroups));
  if (!sharding || mesh.device_ids.empty()) return sharding;
  if (sharding->device_count() == 1 && mesh.device_ids[0] != 0) return Sharding::maximal(mesh.device_ids[0]);
  return on_devices(*sharding, mesh.device_ids);
}

}  // namespace tessera::detail
