// SPDX-License-Identifier: Apache-2.0
/// \file
/// A set of maps that is filled within the limits of a walk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hlo/indexing/fingerprint.h"
#include "tessera/hlo/walk.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// The number of operators of a map, in its results and constraints.
std::uint64_t operator_count(const IndexMap& map);
/// An estimate of the work to compose two indexings and to simplify the result. The unit is one operator;
/// large maps and constraints count for more than their size.
std::uint64_t composition_cost(const Indexing& first, const Indexing& second);

/// Adds indexings to the set of one value. If there are too many, or if one is too large, one map of the
/// whole value replaces them and everything that is added later. Its reason names the limit.
class LimitedSet {
 public:
  /// `fingerprints`: those of the first members. `leaf`: the type of the value. `start`: the box of the
  /// indices that the walk starts from.
  LimitedSet(IndexingSet& set, std::vector<Fingerprint>& fingerprints, const HloType& leaf,
             const Domain& start, const WalkOptions& options);

  void add(Indexing&& x);
  /// Copies the indexing only if it becomes a member.
  void add(const Indexing& x);
  /// Whether the set already is the whole value, so that the composition of these two would add nothing.
  bool covers(const Indexing& first, const Indexing& second) const;
  /// For a walk that has reached its work limit: the whole value replaces the set and the composition of
  /// these two. Returns false, and changes nothing, if the whole value would not cover the composition.
  bool cover(const Indexing& first, const Indexing& second);
  /// Adds a map of another value that has the same elements in another order. `moves`: from the indices of
  /// that value to those of this one, one after another; at least one. Subtracts the cost of all but the
  /// first from `work`; when it is used up, the whole value replaces the set.
  void add_moved(const Indexing& x, std::span<const Indexing> moves, std::uint64_t& work);

 private:
  bool is_whole(const Indexing& x) const;
  /// If `x` is too large, the whole value replaces it. Returns whether it did.
  bool refuses(const Indexing& x);
  bool join_domains();
  /// Replaces the set and `last` by the whole value.
  void give_up(const std::string& limit, const Indexing& last);

  template <class X>
  void add_one(X&& x);

  IndexingSet& set_;
  std::vector<Fingerprint>& fingerprints_;
  std::optional<std::span<const Index>> extents_;
  const Domain& start_;
  const WalkOptions& options_;
  bool limited_ = false;  ///< the set is the whole value already
};

}  // namespace tessera::detail
