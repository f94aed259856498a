// SPDX-License-Identifier: Apache-2.0
/// \file
/// A box of indices cut where sums of functions can be cut: which parts of an index are loops.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "notation/summands.h"

namespace tessera::detail {

/// Index values [0, count) of one dimension divided by `unit`. Runs with the same group may depend on each
/// other; a run without a group adds strides[side] * value, on every side.
struct IndexRun {
  static constexpr std::size_t kAlone = static_cast<std::size_t>(-1);

  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  std::size_t group = kAlone;
  std::array<Index, 2> strides = {};
};

/// Cuts every dimension of the box where all sides (one or two sums) can be cut best. The runs of a dimension
/// are in a row, lowest first; the unit of each is unit * count of the one below. Exact for any cuts: where
/// sides do not fit each other, groups are larger.
std::vector<IndexRun> cut_runs(std::span<const Index> box, std::span<const std::vector<Summand>> sides);

/// Where a run stands in a box of one dimension: that of the layout is [0, extent), the box begins at
/// `first`, and the next run above has this unit (0: there is none).
struct RunPlace {
  Index extent = 1;
  Index first = 0;
  Index above = 1;
};
/// What a window makes of a run, whatever the other runs of the box do: nothing, a stride, or it depends.
struct Effect {
  bool depends = false;
  Index stride = 0;
};
Effect effect(const Summand& summand, const Window& w, const IndexRun& run, RunPlace place);

/// The stride of index steps of run.unit inside the run, where the sum has one that depends on nothing else.
std::optional<Index> stride_of(std::span<const Summand> sum, const IndexRun& run, std::span<const Index> box);

/// Does the summand see the run in a way that is no stride?
bool sees(const Summand& summand, const IndexRun& run, std::span<const Index> box);

/// The box as a union of disjoint boxes in which every run takes the values [0, count) of its own, whatever
/// the others take: where extents are no products of counts.
class Pieces {
 public:
  Pieces(std::span<const Index> box, std::span<const IndexRun> runs);

  /// How many; nothing beyond `most`.
  std::optional<std::size_t> number(std::size_t most) const;
  /// The first piece, then the next; false behind the last one.
  bool next();
  std::span<const Index> corner() const { return corner_; }
  /// Values of each run in this piece.
  std::span<const Index> counts() const { return counts_; }

 private:
  // The piece of one dimension that begins at its corner.
  void cut(std::size_t dim);

  std::span<const Index> box_;
  std::span<const IndexRun> runs_;
  std::vector<std::size_t> first_;  // run of each dimension, and one behind
  std::vector<Index> corner_;
  std::vector<Index> end_;  // of each dimension's piece
  std::vector<Index> counts_;
  bool started_ = false;
};

}  // namespace tessera::detail
