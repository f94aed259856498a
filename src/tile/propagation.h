// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tile that one map reads, result by result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tile/progression.h"

namespace tessera::detail {

/// Propagates a tile through one map in one frame. Call run only once per object.
class Propagation {
 public:
  explicit Propagation(Frame frame) : frame_(std::move(frame)) {}

  /// `extents` are those of the array that is read. If an entry is 0 or missing, the extent is unknown.
  Result<SymbolicTile> run(std::span<const Index> extents);

 private:
  void give_up(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
  }
  /// Adds a condition to one of the tile's constraints.
  void require(TileConstraint& where, const TileConstraint& added);

  /// \name Results as progressions (propagation.cc)
  /// @{
  void add_result(std::size_t i, Index extent);
  void bound_by_start(const ExprView& view, TileDimension& dim);
  void separate();
  Result<SymbolicTile> bound();
  /// @}

  /// \name Cuts at the ends of the array and by constraints of the map (propagation_limits.cc)
  /// @{
  void note_limits(const ExprView& view, const ResultTile& progression);
  void check_cuts();
  bool has_whole_tile(std::size_t variable) const;
  void mask();
  std::optional<Interval> result_range(const Constraint& c, const ExprView& result) const;
  bool dilated(const Constraint& c);
  bool read_quotients(std::size_t i, const DigitTerm& digit, const ExprView& base, Index rest, Index shift);
  Domain unconstrained() const;
  /// @}

  Frame frame_;
  SymbolicTile tile_;
  std::vector<ExprView> views_;
  std::vector<std::pair<std::size_t, Piece>> pieces_;
  std::vector<bool> limited_;  ///< the limits of a result cut the variable where its domain ends
  std::string reason_;
};

}  // namespace tessera::detail
