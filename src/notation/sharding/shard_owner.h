// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which devices hold an element by a sharding, and which box a device holds, in XLA's order of the devices.
#pragma once

#include <span>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {

/// The devices that hold an element, in row-major order of the subgroups (empty for replicated: every
/// device), and its index in their local arrays.
struct ShardOwner {
  std::vector<Index> devices;
  bool every_device = false;
  std::vector<Index> local;
};

/// The half-open box [lower, upper) of the array that a device holds; empty if earlier shards cover the
/// array.
struct ShardBox {
  std::vector<Index> lower;
  std::vector<Index> upper;
};

/// Shard extents: ceil(extent / entry). Errors: no_static_map (manual, unknown, unreduced), rank_mismatch.
Result<std::vector<Index>> shard_shape(const Sharding& sharding, std::span<const Index> shape);

/// The most devices that `owner` lists.
inline constexpr Index kMostOwners = Index{1} << 24;

/// The devices that hold the element at `index`. Errors: those of shard_shape, index_out_of_range, capacity
/// (more than kMostOwners hold the element).
Result<ShardOwner> owner(const Sharding& sharding, std::span<const Index> shape,
                         std::span<const Index> index);

/// The box of the array that a device holds. Errors: those of shard_shape, index_out_of_range (no such
/// device).
Result<ShardBox> shard_box(const Sharding& sharding, std::span<const Index> shape, Index device);

}  // namespace tessera::detail
