// SPDX-License-Identifier: Apache-2.0
/// \file
/// The groups in which a collective lets replicas talk to each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// What positions in replica maps are positions in. An immutable shared value; or none, where no groups are.
///
/// Equal ones put the same replicas into the same places of the same groups, however that was written:
/// `[2,2]<=[4]` is `{{0,1},{2,3}}`, and so is `{{2,3},{0,1}}`.
class CollectiveGroups {
 public:
  /// What the numbers in `replica_groups` are. replicas: of one partition. partitions: of one replica (a
  /// `channel_id`, of opcodes without `use_global_device_ids`). whole_replicas: a replica with all of its
  /// partitions (a `channel_id` only). devices: replica * partitions + partition (`use_global_device_ids`).
  enum class Members : std::uint8_t { replicas, partitions, whole_replicas, devices };

  /// None.
  CollectiveGroups() = default;
  /// Those of a collective with `replica_groups`. Errors: those of `replica_groups_of`.
  static Result<CollectiveGroups> of(const Instruction& collective);

  /// Whether these are groups at all: a default-made one is none.
  bool exist() const { return state_ != nullptr; }
  // The rest needs groups that exist.

  /// What the numbers in the groups stand for.
  Members members() const;
  /// The groups as lists, in the order of their first members.
  /// `{}` is one group of all where the program says how many there are.
  const ReplicaGroups& groups() const;
  /// Positions in the largest group; nothing where the program does not say how many there are.
  std::optional<Index> size() const;
  /// As written, `{{0,1},{2,3}}`.
  std::string_view text() const;

  friend bool operator==(const CollectiveGroups& a, const CollectiveGroups& b);

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace tessera
