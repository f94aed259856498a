// SPDX-License-Identifier: Apache-2.0
#include "notation/sharding/shard_owner.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/index_walk.h"
#include "base/plural.h"
#include "notation/layout_form.h"

namespace tessera::detail {

Result<std::vector<Index>> shard_shape(const Sharding& sharding, std::span<const Index> shape) {
  switch (sharding.kind()) {
    case Sharding::Kind::manual:
    case Sharding::Kind::unknown:
    case Sharding::Kind::unreduced:
      return fail(Code::no_static_map,
                  "a manual, unknown or unreduced sharding does not determine which devices hold an element");
    case Sharding::Kind::replicated:
    case Sharding::Kind::maximal:
      return std::vector<Index>(shape.begin(), shape.end());
    case Sharding::Kind::tiled:
      break;
  }
  if (shape.size() != sharding.rank()) {
    return fail(Code::rank_mismatch, fmt::format("the sharding has {}, but the array has {}",
                                                 plural(sharding.rank(), "dimension"), shape.size()));
  }
  std::vector<Index> local;
  for (std::size_t i = 0; i < shape.size(); ++i)
    local.push_back(ceil_div(shape[i], sharding.tile_assignment()[i]));
  return local;
}

Result<ShardOwner> owner(const Sharding& sharding, std::span<const Index> shape,
                         std::span<const Index> index) {
  const auto local_shape = shard_shape(sharding, shape);
  if (!local_shape) return fail(local_shape.error());
  if (const auto inside = check_index(index, shape); !inside) return fail(inside.error());
  ShardOwner result;
  if (sharding.kind() != Sharding::Kind::tiled) {
    result.local.assign(index.begin(), index.end());
    result.every_device = sharding.kind() == Sharding::Kind::replicated;
    if (!result.every_device) result.devices = {sharding.device()};
    return result;
  }
  Index first = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    first = first * sharding.tile_assignment()[i] + index[i] / (*local_shape)[i];
    result.local.push_back(index[i] % (*local_shape)[i]);
  }
  Index group = 1;
  for (std::size_t i = sharding.rank(); i < sharding.tile_assignment().size(); ++i)
    group *= sharding.tile_assignment()[i];
  if (group > kMostOwners) {
    return fail(Code::capacity,
                fmt::format("{} devices hold the element, but at most {} are listed", group, kMostOwners));
  }
  for (Index member = 0; member < group; ++member)
    result.devices.push_back(sharding.device_at(first * group + member));
  return result;
}

Result<ShardBox> shard_box(const Sharding& sharding, std::span<const Index> shape, Index device) {
  const auto local_shape = shard_shape(sharding, shape);
  if (!local_shape) return fail(local_shape.error());
  ShardBox box{std::vector<Index>(shape.size(), 0), {shape.begin(), shape.end()}};
  if (sharding.kind() == Sharding::Kind::replicated) return box;
  const auto flat = sharding.place_of(device);
  if (!flat) return fail(Code::index_out_of_range, fmt::format("device {} is not in the sharding", device));
  if (sharding.kind() == Sharding::Kind::maximal) return box;
  const std::vector<Index> place = index_with_number(sharding.tile_assignment(), *flat);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    box.lower[i] = std::min(place[i] * (*local_shape)[i], shape[i]);
    box.upper[i] = std::min(box.lower[i] + (*local_shape)[i], shape[i]);
  }
  return box;
}

}  // namespace tessera::detail
