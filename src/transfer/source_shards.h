// SPDX-License-Identifier: Apache-2.0
/// \file
/// A tensor of a checkpoint that several files share.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tessera/reshard/bound_distribution.h"
#include "transfer/checkpoint.h"

namespace tessera::transfer {

/// A distribution with the stored tensor of each place that holds something.
struct SourceShards {
  BoundDistribution on;
  std::map<Index, std::size_t> tensor_of;  ///< place -> number in Checkpoint::tensors
};

/// The tensor `name` as `sharding` says; empty: one file has it whole, or each, if not `unique`. The shape of
/// the whole array is computed from the shards. Errors: duplicate_name (in two files), not_covered (a reason
/// of different_shape), value_count (places and files), shape_mismatch, different_type.
Result<SourceShards> source_shards(const Checkpoint& source, const std::string& name,
                                   const std::string& sharding, bool unique);

/// The stored tensor of a place, or the only one without a place. `axis`: the value of an axis in the
/// template of the file names. Errors: as above.
Result<std::size_t> find_source(const Checkpoint& source, const std::string& name, std::optional<Index> place,
                                const std::function<std::optional<Index>(const std::string&)>& axis);

}  // namespace tessera::transfer
