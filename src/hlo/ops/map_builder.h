// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the maps of one instruction.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// The text of a runtime value that is a replica's own position in its group.
inline constexpr std::string_view kOwnPosition = "position of this replica in its group";

/// The reason of a superset: a dynamic dimension may have any size up to its bound, so a position counted
/// from its end varies.
inline constexpr const char* kSizeIsData = "positions depend on the sizes of dynamic dimensions";

/// The size assumed for groups of unknown size.
inline constexpr Index kAssumedGroupSize = Index{1} << 20;

/// Builds one map. Variables are declared in the order dimensions, range variables, runtime variables, so
/// each has its final number from the start (declaring a range variable after a runtime variable is a bug).
///
/// Does not simplify, except that a range or runtime variable with a single value is that constant.
class MapBuilder {
 public:
  /// Dimensions over the box of these extents.
  explicit MapBuilder(std::span<const Index> extents);

  std::size_t dim_count() const { return dim_count_; }
  Expr dim(std::size_t i) const { return Expr::variable(static_cast<Index>(i)); }
  /// All dimensions: the results of the identity.
  std::vector<Expr> dims() const;

  /// A new range variable over [0, extent - 1]; extent 0 makes the map known empty.
  Expr range(Index extent);
  /// A new range variable for each extent.
  std::vector<Expr> ranges(std::span<const Index> extents);
  /// A new runtime variable: element `at` of `source`, clamped to `clamp` and known to be in `bounds`.
  Expr runtime(Interval bounds, Interval clamp, const Operand& source, std::vector<Expr> at);
  /// The runtime variable that is the size of a dynamic dimension, which `text` names: one for each name.
  /// `bounds`: the sizes at which the map has elements, up to the bound of the dimension.
  Expr size(std::string text, Interval bounds);
  /// The index `at` of a dynamic dimension ends at the size with this name, which is at most `extent`.
  void end_at_size(Expr at, std::string_view name, Index extent) {
    if (extent > 0) constrain(at - size(std::string(name), {1, extent}), {-extent, -1});
  }
  /// A new runtime variable: the replica's own position in these groups.
  Expr own_position(const CollectiveGroups& groups, Interval possible) {
    return own_position(groups, possible, possible);
  }
  /// As above; positions outside `bounds` read nothing.
  Expr own_position(const CollectiveGroups& groups, Interval bounds, Interval possible);

  void constrain(Expr expr, Interval range) { constraints_.push_back({expr, range}); }
  /// Makes the map known empty.
  void nothing() { empty_ = true; }
  /// Adds a replica hop to a position in the replica's own group.
  void replica(const CollectiveGroups& groups, Expr position) { replica_.emplace_back(groups, position); }
  /// Adds a replica hop to every position of the group.
  void whole_group(const CollectiveGroups& groups) { replica_.emplace_back(groups, std::nullopt); }

  /// How `build` simplifies. none: the map is already simplified. preserve_points, replace_points: dimensions
  /// of extent 1 stay in results, or become constants.
  enum class Simplification : std::uint8_t { none, preserve_points, replace_points };
  /// The finished map, exact.
  Indexing build(std::vector<Expr> results, Simplification simplification = Simplification::none) &&;
  /// The finished map, marked as a superset for this reason.
  Indexing superset(std::vector<Expr> results, std::string reason,
                    Simplification simplification = Simplification::none) &&;

 private:
  struct Source {
    const Instruction* instruction;
    std::int32_t tuple_index;
    const TupleStep* inner;
    Interval clamp;
    std::vector<Expr> at;
    CollectiveGroups groups = {};
    std::string text = {};  // without an instruction; empty: the replica's own position
  };
  Domain domain(bool with_runtimes) const;
  Expr runtime_value(std::size_t i) const;

  std::vector<Variable> dims_;
  std::vector<Variable> ranges_;
  std::vector<Variable> runtimes_;
  std::vector<Constraint> constraints_;
  std::vector<Source> sources_;
  std::vector<std::pair<CollectiveGroups, std::optional<Expr>>> replica_;
  std::size_t dim_count_ = 0;
  bool empty_ = false;
};

/// `one` as a set.
IndexingSet just(Indexing&& one);

/// The identity over a box.
Indexing identity_indexing(std::span<const Index> extents);
/// The identity over parts of a box, which have only dimensions; known empty if there are none.
IndexingSet identities(std::span<const Index> extents, std::vector<Domain> parts);
/// (d...) -> (): every start index reads the one element of a scalar.
Indexing scalar_indexing(std::span<const Index> extents);
/// (d...)[s...] -> (s...): every start index relates to every element of a value with `target` extents.
Indexing whole_indexing(std::span<const Index> extents, std::span<const Index> target);

/// The indexing, marked as a superset for this reason.
Indexing as_superset(Indexing indexing, std::string reason);

}  // namespace tessera::detail
