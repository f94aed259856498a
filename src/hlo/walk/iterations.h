// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps over the iterations of a loop whose number of iterations is known.
///
/// The walk numbers the states of the loop. A state's number is its distance, in iterations, from the state
/// where the walk ends. This number is dimension 0 of all maps here, and the maps of one iteration lead from
/// n to n - 1. Composition gives the maps over n iterations, array by array: each after the arrays that it
/// depends on, and arrays that depend on each other or on themselves (a recurrence) together.
///
/// A loop that starts at a value of the program runs the last iterations of a loop that starts at a constant.
/// The walk toward the operand then ends not at 0, but at the state that this value determines; the number of
/// that state is a runtime variable of the maps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/ops/fold_runtime.h"
#include "hlo/walk/counted_loop.h"
#include "hlo/walk/loop_write.h"
#include "hlo/walk/program_indexing.h"

namespace tessera {

/// The maps of one counted loop in one direction.
class ProgramIndexing::Impl::Iterations {
 public:
  Iterations(ProgramIndexing::Impl& program, const Instruction& loop, const Computation& condition,
             const Computation& body, detail::CountedLoop counted, bool forward)
      : program_(program),
        leaves_(program.leaves),
        loop_(loop),
        condition_(condition),
        body_(body),
        counted_(std::move(counted)),
        forward_(forward),
        count_(leaves_.count(loop.type)),
        work_(program.options.max_work) {}

  detail::LoopLinks links();

 private:
  /// The maps from one array to others; the key is the number of the other array.
  using Targets = std::map<std::uint32_t, IndexingSet>;
  using Matrix = std::vector<std::vector<IndexingSet>>;

  const HloType& type(std::uint32_t leaf) const {
    return leaf == count_ ? condition_.root->type : leaves_.type(loop_.type, leaf);
  }
  Domain timeline(std::uint32_t leaf) const;

  /// The iteration between the states n and n - 1.
  Expr iteration(Expr n) const { return forward_ ? Expr::constant(counted_.trips) - n : n - 1; }
  /// The greater of the numbers of the states before and after the iteration.
  Expr number(Expr iteration) const {
    return forward_ ? Expr::constant(counted_.trips) - iteration : iteration + 1;
  }

  /// Whether the state where the walk ends is known only at run time.
  bool ends_at_runtime() const { return counted_.start.has_value() && !forward_; }
  Indexing with_start(Indexing x, Interval values) const;
  Expr first_iteration(const Indexing& x) const;
  Expr end(const Indexing& x) const;
  Indexing at_distance(Indexing x, Interval distance) const;

  detail::ElementOptions what_iterations_know();
  Indexing timed(Indexing x, Interval iterations);
  IndexingSet timed(const IndexingSet& maps, Interval iterations);
  Indexing without_time(Indexing x) const;
  IndexingSet one_iteration(const IndexingSet& timed) const;
  void find_links();
  /// Adds the compositions to `target`. The members of `first` must be normalized.
  void join(IndexingSet& target, const IndexingSet& first, const IndexingSet& second, const HloType& leaf,
            const Domain& start);
  void join(Targets& target, const IndexingSet& first, const Targets& second, const Domain& start);

  /// The maps of `leaf` that lead through arrays of other components.
  Targets through_others(std::uint32_t leaf, const std::vector<std::uint32_t>& component);
  void follow(const std::vector<std::uint32_t>& component);
  void follow_identity(std::uint32_t leaf, Exactness exactness, const std::string& reason);
  void follow_recurrence(const std::vector<std::uint32_t>& component);
  bool powers(const std::vector<std::uint32_t>& component, const Matrix& once, std::vector<Matrix>& out);
  Matrix whole(const std::vector<std::uint32_t>& component, const Matrix& once);
  IndexingSet later(const IndexingSet& power, Index least) const;
  IndexingSet exactly(const IndexingSet& power, Index steps) const;
  IndexingSet to_end(const IndexingSet& power, Interval steps) const;

  std::optional<detail::LoopWrite> write_of(std::uint32_t leaf);
  struct Update {
    const Instruction* instruction = nullptr;
    std::vector<CallSite> calls;
    HloValue origin;  ///< the updated parameter
  };
  std::optional<Update> update_of(const Computation& computation, HloValue value);
  /// The arrays of parameters on which the values of one computation may depend. `by_maps`: according to the
  /// maps of every instruction on the way; else with more of them, but much cheaper.
  std::vector<HloValue> parameters_read(std::vector<HloValue> values, bool by_maps);
  /// Whether the new elements may depend on the array that they are written to. Then its elements reach the
  /// result in two ways, which `once_` may have merged.
  bool writes_what_it_reads(const Update& update, bool by_maps);
  Indexing last_write(std::uint32_t leaf, const detail::LoopWrite& write) const;
  IndexingSet untouched_by(std::uint32_t leaf, const detail::LoopWrite& write);
  bool in_written_box(const Indexing& timed, const detail::LoopWrite& write) const;

  detail::LoopLinks finish();
  void add_other_starts(detail::LoopLinks& out);
  void add_condition(detail::LoopLinks& out);

  ProgramIndexing::Impl& program_;
  detail::Leaves& leaves_;
  const Instruction& loop_;
  const Computation& condition_;
  const Computation& body_;
  detail::CountedLoop counted_;
  bool forward_;
  std::uint32_t count_;  ///< the number of arrays in the state, and the key of the condition in Targets
  std::uint64_t work_;
  ScalarValues scalars_;         ///< the values of the body's start indices
  std::vector<Targets> once_;    ///< the maps of one iteration, from (iteration, index)
  std::vector<Targets> tested_;  ///< forward: the maps by which the condition reads, from (iteration, index)
  std::vector<Targets> all_;  ///< the maps over all iterations to the end of the walk, from (number, index)
};

}  // namespace tessera
