// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts a box of indices into runs, the parts of an index that are loops.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "notation/summands.h"

namespace tessera::detail {

/// Index values [0, count) of one dimension divided by `unit`. Runs of the same group may interact; a run
/// without a group adds strides[side] * value, on every side.
struct IndexRun {
  static constexpr std::size_t kAlone = static_cast<std::size_t>(-1);

  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  std::size_t group = kAlone;
  std::array<Index, 2> strides = {};
};

/// Cuts every dimension of the box where all sides (one or two sums) can be cut. The runs of a dimension are
/// consecutive, lowest first; the unit of each is unit * count of the one below. Exact for any cuts: if the
/// cuts of the sides do not match, groups are larger.
std::vector<IndexRun> cut_runs(std::span<const Index> box, std::span<const std::vector<Summand>> sides);

/// The position of a run in a box of one dimension: the layout's is [0, extent), the box begins at `first`,
/// and the next run above has this unit (0: there is none).
struct RunPlace {
  Index extent = 1;
  Index first = 0;
  Index above = 1;
};
/// How a window depends on a run, for any values of the other runs: not at all, by a stride, or otherwise.
struct Effect {
  bool depends = false;
  Index stride = 0;
};
Effect effect(const Summand& summand, const Window& w, const IndexRun& run, RunPlace place);

/// The stride of index steps of run.unit inside the run, if the sum has one that is independent of the rest.
std::optional<Index> stride_of(std::span<const Summand> sum, const IndexRun& run, std::span<const Index> box);

/// Whether the summand depends on the run other than by a stride.
bool sees(const Summand& summand, const IndexRun& run, std::span<const Index> box);

/// The box as a union of disjoint boxes in which every run takes its values [0, count) independently of the
/// others: for extents that are not products of counts.
class Pieces {
 public:
  Pieces(std::span<const Index> box, std::span<const IndexRun> runs);

  /// The number of pieces; empty beyond `most`.
  std::optional<std::size_t> number(std::size_t most) const;
  /// The first piece, then the next; false after the last.
  bool next();
  std::span<const Index> corner() const { return corner_; }
  /// The number of values of each run in this piece.
  std::span<const Index> counts() const { return counts_; }

 private:
  // The piece of one dimension that begins at its corner.
  void cut(std::size_t dim);

  std::span<const Index> box_;
  std::span<const IndexRun> runs_;
  std::vector<std::size_t> first_;  // first run of each dimension, and the end
  std::vector<Index> corner_;
  std::vector<Index> end_;  // of each dimension's piece
  std::vector<Index> counts_;
  bool started_ = false;
};

}  // namespace tessera::detail
