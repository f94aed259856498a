// SPDX-License-Identifier: Apache-2.0
/// \file
/// Matches stored tensors by their named pieces: where the elements of each piece are before and after.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reshard/pieces/axis_expression.h"
#include "reshard/pieces/piece_map.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera {

/// A stored tensor. `{axis}` in its name is replaced by a coordinate, which gives one tensor for each value
/// of the axis. `on` is its distribution over places, for the shape of the expression; an expression with
/// place axes must not have one.
struct PieceTensor {
  std::string name;
  AxisExpression axes;
  std::optional<BoundDistribution> on = {};
};

/// An element on one side. `index` is the index in the stored tensor, or the local index if the tensor is
/// distributed; the offset is the one in the place's memory, row-major without a distribution.
struct PieceLocation {
  std::string tensor;
  std::optional<Index> place = {};
  std::vector<Index> index = {};
  Index offset = 0;
  friend bool operator==(const PieceLocation&, const PieceLocation&) = default;
};

/// For each piece, the axes that only one side has: any copy in the source is read, and all copies in the
/// target are written.
using PieceCopies = std::map<std::string, std::vector<std::string>, std::less<>>;

/// A piece, with its map in one source tensor and one target tensor.
struct MatchedPiece {
  std::string name;
  std::vector<PieceMap::Axis> axes;  ///< the axes that both sides have
  std::size_t from_tensor = 0;
  std::size_t to_tensor = 0;
  PieceMap from;
  PieceMap to;
  Index elements = 0;  ///< without the copies
};

/// What moves between places that hold both sides.
struct PieceTraffic {
  std::vector<Index> receive;  ///< elements that each place lacks
  Index total = 0;
  /// Pairs of places that exchange something; set only if every element has one holder in the source.
  std::optional<Index> messages = {};
};

class PieceMatch {
 public:
  /// Matches the elements of both sides by piece and coordinates. Errors: duplicate_name (a piece twice on a
  /// side), different_shape (an axis of one side only that is not in `copies`; with reason not_covered, a
  /// piece of the target without a source; with reason unused_source, unless `allow_unused`, a piece of the
  /// source that the target does not have), unknown_name, bad_option (place axes together with a
  /// distribution), limit.
  static Result<PieceMatch> make(std::vector<PieceTensor> from, std::vector<PieceTensor> to, AxisSizes sizes,
                                 PieceCopies copies = {}, bool allow_unused = false);

  std::span<const MatchedPiece> pieces() const { return pieces_; }
  std::span<const PieceTensor> from() const { return from_; }
  std::span<const PieceTensor> to() const { return to_; }
  Index elements() const;
  /// The locations of an element in the source, or in the target. `at` has a value for each axis of the
  /// piece. Errors: unknown_name (no such piece), index_out_of_range.
  Result<std::vector<PieceLocation>> before(std::string_view piece, std::span<const Index> at) const;
  Result<std::vector<PieceLocation>> after(std::string_view piece, std::span<const Index> at) const;
  /// Counts what moves if both sides live on the same places. Exact: enumerates each group of axes that
  /// together determine places, never single elements. Errors: limit (a group of more than 2^26 values,
  /// copies in a distributed tensor), bad_option (a tensor without places).
  Result<PieceTraffic> traffic(Index places) const;

 private:
  Result<std::vector<PieceLocation>> locations(std::string_view piece, std::span<const Index> at,
                                               bool after) const;

  std::vector<PieceTensor> from_;
  std::vector<PieceTensor> to_;
  std::vector<MatchedPiece> pieces_;
};

}  // namespace tessera
