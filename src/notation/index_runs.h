// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts a box of indices into runs: parts of an index that can become loops.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "notation/summands.h"

namespace tessera::detail {

/// A part of one dimension: the values [0, count) of the index divided by `unit`. Runs of the same group may
/// interact; a run without a group adds strides[side] * value, on every side.
struct DimRun {
  static constexpr std::size_t kAlone = static_cast<std::size_t>(-1);

  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  std::size_t group = kAlone;
  std::array<Index, 2> strides = {};
};

/// Cuts every dimension of the box where all sides (one or two sums) can be cut. The runs of a dimension are
/// consecutive, lowest first; the unit of each run is unit * count of the run below. The result is exact even
/// if the cuts of the sides do not match; groups are then larger.
std::vector<DimRun> cut_runs(std::span<const Index> box, std::span<const std::vector<Summand>> sides);

/// The position of a run in one dimension: the layout's range is [0, extent), the box begins at `first`, and
/// `above` is the unit of the next run above (0: there is none).
struct RunPlace {
  Index extent = 1;
  Index first = 0;
  Index above = 1;
};
/// How a window depends on a run, for any values of the other runs: not at all, by a stride, or in another
/// way.
struct Effect {
  bool depends = false;
  Index stride = 0;
};
Effect effect(const Summand& summand, const Window& w, const DimRun& run, RunPlace place);

/// The change of the sum per index step of run.unit inside the run, if it does not depend on the rest of the
/// index.
std::optional<Index> stride_of(std::span<const Summand> sum, const DimRun& run, std::span<const Index> box);

/// Whether the summand depends on the run, but not by a stride.
bool sees(const Summand& summand, const DimRun& run, std::span<const Index> box);

/// Calls visit(index) for each combination of the values of the runs, added to `index`; the first run
/// fastest.
template <class Visit>
void for_each_value(std::span<const DimRun> runs, std::vector<Index> index, const Visit& visit) {
  std::vector<Index> at(runs.size(), 0);
  do {
    visit(std::as_const(index));
  } while (advance_first(runs.size(), [&](std::size_t m) {
    const DimRun& run = runs[m];
    const bool more = next_value(at[m], 0, run.count);
    index[run.dim] += (more ? 1 : 1 - run.count) * run.unit;
    return more;
  }));
}

/// The box as a union of disjoint boxes in which every run takes its values [0, count) independently of the
/// others: for extents that are not products of counts.
class Pieces {
 public:
  Pieces(std::span<const Index> box, std::span<const DimRun> runs);

  /// The number of pieces; empty if it exceeds `most`.
  std::optional<std::size_t> number(std::size_t most) const;
  /// Moves to the first piece, then to the next; false after the last piece.
  bool next();
  std::span<const Index> corner() const { return corner_; }
  /// The number of values of each run in this piece.
  std::span<const Index> counts() const { return counts_; }

 private:
  // Finds the end of the piece in one dimension.
  void cut(std::size_t dim);

  std::span<const Index> box_;
  std::span<const DimRun> runs_;
  std::vector<std::size_t> first_;  // the first run of each dimension, and the number of runs
  std::vector<Index> corner_;
  std::vector<Index> end_;  // the end of the piece in each dimension
  std::vector<Index> counts_;
  bool started_ = false;
};

}  // namespace tessera::detail
