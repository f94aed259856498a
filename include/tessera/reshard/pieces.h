// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tensors made of named pieces on both sides: where the elements of each piece lie before and after.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/reshard/axis_expression.h"
#include "tessera/reshard/bound_distribution.h"

namespace tessera {

/// A stored tensor. `{axis}` in its name is a coordinate: one tensor for each value. `on`: how it is
/// distributed over places, of the shape of the expression; not together with place axes.
struct PieceTensor {
  std::string name;
  AxisExpression axes;
  std::optional<BoundDistribution> on = {};
};

/// An element on one side. `index` is the stored index, of a distributed tensor the local one; the offset is
/// that of the place's memory, row-major without a distribution.
struct PieceLocation {
  std::string tensor;
  std::optional<Index> place = {};
  std::vector<Index> index = {};
  Index offset = 0;
  friend bool operator==(const PieceLocation&, const PieceLocation&) = default;
};

/// Axes that only one side of a piece has, by piece: any copy of the source is read, all of the target are
/// written.
using PieceCopies = std::map<std::string, std::vector<std::string>, std::less<>>;

/// A piece and its map in one tensor of each side.
struct MatchedPiece {
  std::string name;
  std::vector<PieceMap::Axis> axes;  ///< those that both sides have
  std::size_t from_tensor = 0;
  std::size_t to_tensor = 0;
  PieceMap from;
  PieceMap to;
  Index elements = 0;  ///< copies not counted
};

/// What moves between places that hold both sides.
struct PieceTraffic {
  std::vector<Index> receive;  ///< elements that each place lacks
  Index total = 0;
  /// Pairs of places that exchange something; only where every element has one holder in the source.
  std::optional<Index> messages = {};
};

class PieceMatch {
 public:
  /// Matches the elements of both sides by piece and coordinates. Errors: duplicate_name (a piece twice on a
  /// side), different_shape (axes of one side only that are not copies; reason not_covered: a piece of the
  /// target without a source; reason unused_source, unless `allow_unused`: a piece that nothing takes),
  /// unknown_name, unsupported place axes with a distribution (bad_option), limit.
  static Result<PieceMatch> make(std::vector<PieceTensor> from, std::vector<PieceTensor> to, AxisSizes sizes,
                                 PieceCopies copies = {}, bool allow_unused = false);

  std::span<const MatchedPiece> pieces() const { return pieces_; }
  std::span<const PieceTensor> from() const { return from_; }
  std::span<const PieceTensor> to() const { return to_; }
  Index elements() const;
  /// Where an element lies, by name, place and offset. `at`: a value for each of the piece's axes. Errors:
  /// unknown_name (no such piece), index_out_of_range.
  Result<std::vector<PieceLocation>> before(std::string_view piece, std::span<const Index> at) const;
  Result<std::vector<PieceLocation>> after(std::string_view piece, std::span<const Index> at) const;
  /// Counts what moves if both sides live on the same places. Exact: looks at each group of axes that decide
  /// about places together, never at single elements of the product. Errors: limit (a group of more than 2^26
  /// values, copies in a distributed tensor), bad_option (a tensor without places).
  Result<PieceTraffic> traffic(Index places) const;

 private:
  Result<std::vector<PieceLocation>> locations(std::string_view piece, std::span<const Index> at,
                                               bool after) const;

  std::vector<PieceTensor> from_;
  std::vector<PieceTensor> to_;
  std::vector<MatchedPiece> pieces_;
};

}  // namespace tessera
