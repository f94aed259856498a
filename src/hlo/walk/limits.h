// SPDX-License-Identifier: Apache-2.0
/// \file
/// The set of maps of a value, within the limits of a walk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/hlo/walk.h"
#include "tessera/notation/hlo_type.h"

namespace tessera::detail {

/// Operators of a map, in results and constraints.
std::uint64_t operators(const IndexMap& map);
/// An estimate, in operators, of the work to compose two indexings and simplify the result. For large maps
/// and constraints it exceeds their size.
std::uint64_t composition_cost(const OperandIndexing& first, const OperandIndexing& second);

/// Adds indexings to the set of one value. If there are too many, or one grows too large, one map of the
/// whole value replaces them, with the reason, and absorbs what comes later.
class LimitedSet {
 public:
  /// `leaf`: the type of the value. `start`: the box of the indices that the walk starts from.
  LimitedSet(IndexingSet& set, const HloType& leaf, const Domain& start, const WalkOptions& options);

  void add(OperandIndexing x);
  /// Whether the set is the whole value, so that composing these two would add nothing.
  bool covers(const OperandIndexing& first, const OperandIndexing& second) const;
  /// The walk has reached its work limit: the whole value replaces the composition of these two. False if
  /// that would not cover it.
  bool cover(const OperandIndexing& first, const OperandIndexing& second);
  /// A map of a value with the extents `from`, whose elements are this value's in another order: `moved` are
  /// the indices here in terms of those there.
  void add_moved(const OperandIndexing& x, std::span<const Index> from, std::span<const Expr> moved);

 private:
  bool is_whole(const OperandIndexing& x) const;
  /// `x` is too large, and the whole value replaces it. Before it is simplified it may be `slack` times as
  /// large.
  bool refuses(const OperandIndexing& x, std::uint64_t operators, std::uint64_t slack);
  /// Replaces the set and `last` by one map.
  void give_up(const std::string& reason, const OperandIndexing& last);

  IndexingSet& set_;
  std::optional<std::vector<Index>> extents_;
  const Domain& start_;
  const WalkOptions& options_;
  bool limited_ = false;  ///< the set is the whole value already
};

}  // namespace tessera::detail
