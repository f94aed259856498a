// SPDX-License-Identifier: Apache-2.0
/// \file
/// The groups of replicas of a collective.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// Groups of communicating replicas: `{{0,1},{2,3}}`, `[2,4]<=[4,2]T(1,0)`, `mesh['a'=2,'b'=4] {'b'}` or `{}`
/// (all replicas form one group).
struct ReplicaGroups {
  bool all = false;                        ///< `{}`: one group of all replicas; `groups` is empty
  std::vector<std::vector<Index>> groups;  ///< as written; replica maps give positions in a group

  /// The size of the groups, if it is known and they are all equally large.
  std::optional<Index> group_size() const;
  friend bool operator==(const ReplicaGroups&, const ReplicaGroups&) = default;
};

/// The groups that positions in replica maps refer to, if any. An immutable shared value.
///
/// Groups are equal if they have the same replicas at the same positions, however they are written:
/// `[2,2]<=[4]` is `{{0,1},{2,3}}`, and so is `{{2,3},{0,1}}`.
class CollectiveGroups {
 public:
  /// What the numbers in `replica_groups` identify. replicas: replicas of the same partition. partitions:
  /// partitions of the same replica (with `channel_id`, for opcodes that lack `use_global_device_ids`).
  /// whole_replicas: replicas with all their partitions (with `channel_id` only). devices: replica *
  /// partitions + partition (with `use_global_device_ids`).
  enum class Members : std::uint8_t { replicas, partitions, whole_replicas, devices };

  /// No groups.
  CollectiveGroups() = default;
  /// The groups of a collective with `replica_groups`. Errors: those of `replica_groups_of`.
  static Result<CollectiveGroups> of(const Instruction& collective);

  /// False for a default-constructed value.
  bool exist() const { return state_ != nullptr; }
  // The functions below require exist().

  /// What the numbers in the groups identify.
  Members members() const;
  /// The groups as lists, in the order of their first members. `{}` becomes one group of all, if their number
  /// is known.
  const ReplicaGroups& groups() const;
  /// The size of the largest group; empty if unknown.
  std::optional<Index> size() const;
  /// The text as written: `{{0,1},{2,3}}`.
  std::string_view text() const;

  friend bool operator==(const CollectiveGroups& a, const CollectiveGroups& b);

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace tessera
