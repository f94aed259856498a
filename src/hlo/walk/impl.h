// SPDX-License-Identifier: Apache-2.0
/// \file
/// The state of a walk through a program.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hlo/module/leaves.h"
#include "hlo/ops/forwarding.h"
#include "hlo/ops/op_facts.h"
#include "hlo/walk/rearrangement.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace detail {

/// The limit on the nesting of calls, because walking recurses.
inline constexpr std::uint32_t kMaxCallHeight = 200;

/// One instruction backward: the elements of `value`, an operand's array, that the output reads.
struct Step {
  HloValue value;
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;  ///< of the operand; `value.leaf` counts from the instruction's first array
  IndexingSet maps;
  bool identity = false;  ///< element i reads element i, so the maps need no composition
};

/// One instruction forward: which elements of its output `leaf` read array `leaf` of the operand.
struct Use {
  std::uint32_t leaf = 0;
  IndexingSet maps;
  bool identity = false;
};

struct ValueHash {
  std::size_t operator()(const HloValue& v) const noexcept {
    return std::hash<const void*>{}(v.instruction) * 31 + v.leaf;
  }
};

/// An array of a parameter or of the root of a computation (`owner`), or of an operand of an instruction, by
/// number.
template <class Owner>
struct ArrayKey {
  const Owner* owner = nullptr;
  std::uint32_t number = 0;
  std::uint32_t leaf = 0;
  friend bool operator==(const ArrayKey&, const ArrayKey&) = default;
};
struct ArrayHash {
  template <class Owner>
  std::size_t operator()(const ArrayKey<Owner>& k) const noexcept {
    return (std::hash<const void*>{}(k.owner) * 31 + k.number) * 31 + k.leaf;
  }
};
using PortKey = ArrayKey<Computation>;
using UseKey = ArrayKey<Instruction>;

/// The arrays of the parameters (numbered consecutively) on which each array of the root may depend. Coarser
/// and much cheaper than maps; a loop needs it for all arrays of its state at once.
struct Reach {
  std::vector<std::uint32_t> parameter_start;    ///< one more than there are parameters
  std::vector<std::vector<std::uint64_t>> rows;  ///< one bit per array of a parameter
  bool everything = false;                       ///< too large to analyze: any array may depend on any other

  bool operator()(std::uint32_t row, std::uint32_t column) const {
    return everything || (rows[row][column / 64] >> (column % 64) & 1) != 0;
  }
};

/// How an array of a loop's result depends on an array of its operand or, forward, the reverse.
struct LoopLink {
  std::uint32_t leaf = 0;
  IndexingSet maps;
  bool identity = false;
};
/// The links of each array, in one direction.
using LoopLinks = std::vector<std::vector<LoopLink>>;

/// How a walk reaches a value: by these maps, followed by moves of elements. Moves are collected as digits
/// and become part of the maps (`settle`) only before other instructions or when the maps are requested,
/// because the shortest form of a map is not the best one to compose with.
struct Reached {
  IndexingSet maps = {};
  std::optional<Rearrangement> moved = {};
};

/// One reader of a value. `element`: the only element of a tuple that it reads; -1: all.
struct Reader {
  std::int64_t element = -1;
  const Instruction* user = nullptr;
  std::uint32_t operand = 0;
  std::pair<std::uint32_t, std::uint32_t> place() const { return {user->index, operand}; }
};
/// The readers of one value, by element, then in the order of the computation.
using Readers = std::vector<Reader>;

/// For values whose element i is element i of one array of the root and is used nowhere else: the number of
/// that array.
using DirectValues = std::unordered_map<HloValue, std::uint32_t, ValueHash>;

/// The values of one computation, in the order of a walk: by instruction, then by leaf.
using Groups = std::map<std::pair<std::uint32_t, std::uint32_t>, Reached>;

/// The extents of an array or of a buffer's contents; empty if a dimension is unbounded.
std::optional<std::vector<Index>> extents(const HloType& leaf);
/// The indices of an array that a walk starts from; none if a dimension is unbounded.
Domain start_domain(const HloType& leaf);
/// The identity over the whole array.
OperandIndexing identity_indexing(const HloType& leaf);
/// The identity for an array that gets another type; unknown if the extents differ.
OperandIndexing handed_on(const HloType& from, const HloType& to);
/// The maps, simplified and with known start indices substituted, ready for composition.
IndexingSet ready_to_compose(IndexingSet maps);
/// Whether the set is exactly the identity over the whole array.
bool is_full_identity(const IndexingSet& maps, const HloType& leaf);
}  // namespace detail

struct ProgramIndexing::Impl {
  explicit Impl(WalkOptions walk_options) : options(walk_options) {}

  // walk_steps.cc: one instruction backward.
  std::vector<detail::Step> steps(const Instruction& instruction, std::uint32_t leaf);
  std::vector<detail::Step> plain_steps(const Instruction& instruction, std::uint32_t leaf);
  std::vector<detail::Step> called_steps(const Instruction& caller, const Computation& callee,
                                         std::uint32_t leaf, std::size_t first_operand);
  /// Whether array `leaf` of the parameter has the extents of that array of the operand; false for an operand
  /// with an error.
  bool takes(const Computation& callee, std::uint32_t parameter, std::uint32_t leaf, const HloType& operand);
  std::vector<detail::Step> conditional_steps(const Instruction& instruction, std::uint32_t leaf);
  std::vector<detail::Step> while_steps(const Instruction& instruction, std::uint32_t leaf);
  /// The steps, simplified for composition and with reasons that name the instruction; cached.
  const std::vector<detail::Step>& kept_steps(const Instruction& instruction, std::uint32_t leaf);
  detail::Step step_to(const Instruction& instruction, std::size_t operand, std::uint32_t leaf);
  /// The step of an output that is an array of the operand unchanged.
  detail::Step identity_step(const Instruction& instruction, std::size_t operand, std::uint32_t leaf,
                             std::uint32_t output);
  std::vector<detail::Step> unknown_steps(const Instruction& instruction, const std::string& reason);
  /// The array that a forwarding instruction passes on as this output.
  std::optional<detail::OperandArray> forwarded(const Instruction& instruction, std::uint32_t leaf);
  /// The operation that a start such as `slice-start` starts, with its own type; null if it starts a
  /// computation. It is marked as not sound if it does not match its operands.
  const Instruction* started(const Instruction& start);

  /// Facts about an instruction, cached for all instructions with many operands and for the last other one.
  detail::OpFacts& facts_of(const Instruction& instruction) {
    constexpr std::size_t kMany = 8;
    if (instruction.operands.size() >= kMany)
      return facts_memo.try_emplace(&instruction, instruction, leaves).first->second;
    if (!last_facts || &last_facts->op() != &instruction) last_facts.emplace(instruction, leaves);
    return *last_facts;
  }

  // walk_uses.cc: one instruction forward.
  std::vector<detail::Use> uses(const Instruction& user, std::size_t operand, std::uint32_t leaf);
  /// The uses, simplified for composition; cached, because the walk of each parameter of a computation needs
  /// them.
  const std::vector<detail::Use>& kept_uses(const Instruction& user, std::uint32_t operand,
                                            std::uint32_t leaf);
  std::vector<detail::Use> called_uses(const Instruction& caller, const Computation& callee,
                                       std::uint32_t parameter, std::uint32_t leaf,
                                       std::size_t first_operand);
  std::vector<detail::Use> unknown_uses(const HloType& type, const std::string& reason);

  // walk_loops.cc: what a loop passes on.
  /// The parameter's array that a value is an unchanged copy of, if any.
  std::optional<HloValue> unchanged_from(const Computation& computation, std::uint32_t root_leaf);
  std::optional<HloValue> trace(const Computation& computation, HloValue value);
  bool handed_through(const Instruction& loop, std::uint32_t leaf);
  static const Computation* called_as(const Instruction& caller, std::string_view attribute);
  const detail::Reach& reach(const Computation& computation);
  /// The arrays of the loop's state on which each array of the result may depend.
  const detail::Reach& loop_reach(const Instruction& loop);

  // walk_iterations.cc: a loop that runs a known number of times.
  /// The links of each array of the result to arrays of the operand or, `forward`, of each array of the
  /// operand to arrays of the result. Null if the number of iterations is not known.
  const detail::LoopLinks* loop_links(const Instruction& loop, bool forward);
  class Iterations;

  // walk_moves.cc: instructions that only move elements.
  /// `reached`, moved through `op` to its operand or its result; empty if `op` does more than move the
  /// elements of one array.
  std::optional<detail::Rearrangement> moved_through(const detail::Reached& reached, const Instruction& op,
                                                     bool to_operand);
  /// Composes the moves into the maps. `leaf` is the type of the value, `start` the box that all maps start
  /// from.
  void settle(detail::Reached& reached, const HloType& leaf, const Domain& start);
  /// Merges `from`, another path to the same value, into `target`.
  void hand_on(detail::Reached& target, detail::Reached from, const HloType& leaf, const Domain& start);

  // walk_engine.cc: many instructions.
  /// Walks backward. `start` is the box of the indices that all maps start from. Returns the values that
  /// satisfy `wanted`, the last instruction first. `work` is the number of operators it may compose.
  std::vector<ValueIndexing> walk_back(const Computation& computation, detail::Groups groups,
                                       const Domain& start, std::uint64_t work,
                                       const std::function<bool(const Instruction&)>& inside,
                                       const std::function<bool(const Instruction&)>& wanted);
  /// Walks forward and ends at values in `direct`.
  detail::Groups walk_forward(const Computation& computation, detail::Groups groups, const Domain& start,
                              std::uint64_t work, const detail::DirectValues* direct = nullptr);
  /// The direct values of a computation with more parameters than results, so that walks from the parameters
  /// need not repeat their common path to the root. Null for other computations.
  const detail::DirectValues* direct_values(const Computation& computation);
  /// The number of operators that one walk through a computation may compose if there are `walks` walks.
  std::uint64_t work_of_a_walk(std::uint64_t walks) const;
  /// Composes `before` with the maps `step` of an instruction and adds the result to `target`. Charges the
  /// composition to `work`; after that is used up, the whole value replaces it.
  void extend(detail::Reached& target, const IndexingSet& before, const IndexingSet& step,
              const HloType& target_leaf, const Domain& start, std::uint64_t& work);
  const std::vector<ParameterIndexing>& root_to_parameters(const Computation& computation,
                                                           std::uint32_t leaf);
  const std::vector<OutputLeafIndexing>& parameter_to_root(const Computation& computation,
                                                           std::uint32_t parameter, std::uint32_t leaf);
  std::uint32_t call_height(const Computation& computation);
  /// Replaces sources that are parameters of the callee by operands of the caller, and folds them if these
  /// are constant. Other sources get this call added to their path.
  void resolve_sources(IndexingSet& maps, const Instruction& caller, const Computation& callee,
                       std::size_t first_operand);
  /// The readers of each value of the computation.
  const std::vector<detail::Readers>& readers(const Computation& computation);
  /// The instructions that may read this array of the value, in the order of the computation.
  detail::Readers readers_of(const Instruction& value, std::uint32_t leaf);

  WalkOptions options;
  detail::Leaves leaves;
  std::optional<detail::OpFacts> last_facts;
  std::unordered_map<const Instruction*, detail::OpFacts> facts_memo;
  std::unordered_map<HloValue, std::vector<detail::Step>, detail::ValueHash> step_memo;
  std::unordered_map<detail::UseKey, std::vector<detail::Use>, detail::ArrayHash> use_memo;
  std::unordered_map<detail::PortKey, std::vector<ParameterIndexing>, detail::ArrayHash> back_memo;
  std::unordered_map<detail::PortKey, std::vector<OutputLeafIndexing>, detail::ArrayHash> forward_memo;
  std::unordered_map<detail::PortKey, std::optional<HloValue>, detail::ArrayHash> unchanged_memo;
  std::unordered_map<const Instruction*, std::unique_ptr<const Instruction>> started_memo;
  std::unordered_map<const Computation*, std::optional<detail::DirectValues>> direct_memo;
  std::unordered_map<const Computation*, std::uint32_t> height_memo;
  std::unordered_map<const Computation*, detail::Reach> reach_memo;
  std::unordered_map<const Instruction*, detail::Reach> loop_memo;
  std::unordered_map<const Instruction*, std::optional<detail::LoopLinks>> iterations_memo[2];
  std::unordered_map<const Computation*, std::vector<detail::Readers>> readers_memo;
};

}  // namespace tessera
