// SPDX-License-Identifier: Apache-2.0
/// \file
/// The state of a walk through a program.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hlo/indexing/fingerprint.h"
#include "hlo/module/leaves.h"
#include "hlo/ops/element_value.h"
#include "hlo/ops/forwarding.h"
#include "hlo/ops/op_facts.h"
#include "hlo/walk/shared_calls.h"
#include "hlo/walk/shared_maps.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace detail {

/// One instruction backward: the maps by which an output reads `value`, an array of an operand.
struct OperandStep {
  HloValue value;
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;  ///< within the operand; `value.leaf` is within the whole value of the instruction
  IndexingSet maps;
  bool identity = false;  ///< element i reads element i and no other, so that no composition is needed
};

/// One instruction forward: the maps by which output `leaf` reads an array of an operand.
struct Use {
  std::uint32_t leaf = 0;
  IndexingSet maps;  ///< those of an identity may be left out in a walk, which does not need them
  bool identity = false;
};

struct ValueHash {
  std::size_t operator()(const HloValue& v) const noexcept {
    return std::hash<const void*>{}(v.instruction) * 31 + v.leaf;
  }
};

/// Array `leaf` of a numbered part of `owner`: of a parameter of a computation, or of an operand of an
/// instruction.
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

/// Rows of bits, which are false at first.
class BitRows {
 public:
  BitRows() = default;
  BitRows(std::size_t rows, std::size_t columns)
      : words_((columns + 63) / 64), rows_(rows), bits_(rows_ * words_) {}

  std::size_t size() const { return rows_; }
  std::span<std::uint64_t> operator[](std::size_t row) {
    return std::span(bits_).subspan(row * words_, words_);
  }
  std::span<const std::uint64_t> operator[](std::size_t row) const {
    return std::span(bits_).subspan(row * words_, words_);
  }

 private:
  std::size_t words_ = 0;
  std::size_t rows_ = 0;
  std::vector<std::uint64_t> bits_;
};

/// For each array of the root, the arrays of the parameters on which it may depend at all. The arrays of all
/// parameters are numbered consecutively. Much cheaper than maps.
struct Dependences {
  std::vector<std::uint32_t> parameter_start;  ///< the first number of each parameter, and the end
  BitRows rows;                                ///< one bit per array of a parameter
  bool everything = false;                     ///< the computation is too large: any may depend on any

  bool operator()(std::uint32_t row, std::uint32_t column) const {
    return everything || (rows[row][column / 64] >> (column % 64) & 1) != 0;
  }
};

/// A dependence across a loop. Backward: an array of the result reads array `leaf` of the operand. Forward:
/// array `leaf` of the result reads an array of the operand.
struct LoopLink {
  std::uint32_t leaf = 0;
  IndexingSet maps;
  bool identity = false;
};
/// The links of each array, in one direction.
using LoopLinks = std::vector<std::vector<LoopLink>>;

/// The maps of computations and loops that several objects share.
struct SharedCalls {
  /// By computation; the key is the array of the root.
  MadeOnce<Computation, std::uint32_t, std::vector<ProgramIndexing::ParameterIndexing>> back;
  /// By computation; the key combines the parameter and its array.
  MadeOnce<Computation, std::uint64_t, std::vector<OutputIndexing>> forward;
  /// By loop; the key is true for maps that lead forward.
  MadeOnce<Instruction, bool, std::optional<LoopLinks>> loops;
};

/// How a walk reaches a value: by the maps, and then through reshapes, transposes and the like. These moves
/// become part of the maps (`settle`) only when another instruction follows or the maps are requested: moves
/// that lead back cost nothing, and the others are composed once for all maps.
struct Reached {
  /// Moves that follow a set of maps, the last one first. Values that only pass elements on share these
  /// moves.
  struct Moves {
    std::shared_ptr<const Indexing> last;
    std::shared_ptr<Moves> before = {};
    std::size_t count = 1;
    SharedMaps settled = {};  ///< the maps with the moves, if they were needed and may be needed again

    Moves(std::shared_ptr<const Indexing> last_move, std::shared_ptr<Moves> others)
        : last(std::move(last_move)), before(std::move(others)), count(before ? before->count + 1 : 1) {}
  };
  SharedMaps maps = {};
  std::shared_ptr<Moves> moved = {};

  /// Whether both are reached by the same maps and the same moves. False means "not known".
  bool same_as(const Reached& other) const {
    return maps.shares_with(other.maps) && same_moves(moved.get(), other.moved.get());
  }

 private:
  static bool same_moves(const Moves* a, const Moves* b) {
    for (; a != nullptr && b != nullptr && a != b; a = a->before.get(), b = b->before.get()) {
      if (a->last != b->last && !(*a->last == *b->last)) return false;
    }
    return a == b;
  }
};

/// An instruction that reads a value. `element`: the only element of the tuple that it reads; -1: it reads
/// all of the value.
struct Reader {
  std::int64_t element = -1;
  const Instruction* user = nullptr;
  std::uint32_t operand = 0;
  std::pair<std::uint32_t, std::uint32_t> place() const { return {user->index, operand}; }
};
/// Readers of one value, sorted by element and then by their order in the computation.
using Readers = std::vector<Reader>;
/// The readers of all values of a computation: those of value i begin at `first[i]` and end at `first[i +
/// 1]`.
struct AllReaders {
  Readers readers;
  std::vector<std::uint32_t> first;

  std::span<const Reader> operator[](std::uint32_t value) const {
    return std::span(readers).subspan(first[value], first[value + 1] - first[value]);
  }
};

/// Maps each value whose element i is used only as element i of one array of the root to that array.
using DirectValues = std::unordered_map<HloValue, std::uint32_t, ValueHash>;

/// The values of a computation that a walk has reached, by instruction and leaf.
using Groups = std::map<std::pair<std::uint32_t, std::uint32_t>, Reached>;

}  // namespace detail

struct ProgramIndexing::Impl {
  explicit Impl(WalkOptions walk_options,
                std::shared_ptr<detail::SharedCalls> shared_calls = std::make_shared<detail::SharedCalls>())
      : options(walk_options), shared(std::move(shared_calls)) {}

  // steps.cc: one instruction backward.
  std::vector<detail::OperandStep> steps(const Instruction& instruction, std::uint32_t leaf);
  std::vector<detail::OperandStep> plain_steps(const Instruction& instruction, std::uint32_t leaf);
  std::vector<detail::OperandStep> called_steps(const Instruction& caller, const Computation& callee,
                                                std::uint32_t leaf, std::size_t first_operand);
  /// Whether array `leaf` has the same extents in the parameter and in the operand. False if one of them
  /// lacks it, for example because of an error.
  bool takes(const Computation& callee, std::uint32_t parameter, std::uint32_t leaf, const HloType& operand);
  std::vector<detail::OperandStep> start_steps(const Instruction& start, std::uint32_t leaf);
  std::vector<detail::OperandStep> conditional_steps(const Instruction& instruction, std::uint32_t leaf);
  std::vector<detail::OperandStep> while_steps(const Instruction& instruction, std::uint32_t leaf);
  /// The steps, ready to compose and with reasons that name the instruction; cached.
  const std::vector<detail::OperandStep>& kept_steps(const Instruction& instruction, std::uint32_t leaf);
  detail::OperandStep step_to(const Instruction& instruction, std::size_t operand, std::uint32_t leaf);
  /// The step of an output that is array `leaf` of the operand.
  detail::OperandStep identity_step(const Instruction& instruction, std::size_t operand, std::uint32_t leaf,
                                    std::uint32_t output);
  std::vector<detail::OperandStep> unknown_steps(const Instruction& instruction, const std::string& reason);
  /// The array that an instruction for which only_forwards holds passes on as output `leaf`.
  std::optional<detail::ForwardedLeaf> forwarded(const Instruction& instruction, std::uint32_t leaf);
  /// The operation that a start such as `slice-start` starts: a slice with its own type. Null if the start
  /// calls a computation. The operation is not sound if it does not fit its operands.
  const Instruction* started(const Instruction& start);
  /// The start of the chain of an asynchronous update or end; null if there is none. Cached.
  const Instruction* start_of(const Instruction& op);
  /// The operand of the chain, up to `at`, that binds this parameter.
  static std::optional<Operand> bound_operand(const Instruction& at, std::size_t parameter);
  /// The steps of array `leaf` of a result that an update or an end computes, because the start or an update
  /// before it did not bind it or all operands. Empty for other instructions.
  std::vector<detail::OperandStep> late_steps(const Instruction& instruction, std::uint32_t leaf);
  /// The steps of `output`, which is array `result` of `run`, to the operands of the chain that are bound so
  /// far. If the chain had the result before, only to the operands that `op` binds.
  std::vector<detail::OperandStep> bound_steps(const Instruction& op, const Computation& run,
                                               std::uint32_t output, std::uint32_t result);

  /// Facts are kept for every instruction with many operands; of the others, only for the last one.
  detail::OpFacts& facts_of(const Instruction& instruction) {
    constexpr std::size_t kMany = 8;
    const detail::ElementOptions* const known =
        known_calls > 0 || known_operands.given ? &known_operands : nullptr;
    if (instruction.operands.size() >= kMany)
      return facts_memo.try_emplace(&instruction, instruction, leaves, known).first->second;
    if (!last_facts || &last_facts->op() != &instruction) last_facts.emplace(instruction, leaves, known);
    return *last_facts;
  }

  // uses.cc: one instruction forward.
  /// The uses, `in_a_walk` without the maps of identities.
  std::vector<detail::Use> uses(const Instruction& user, std::size_t operand, std::uint32_t leaf,
                                bool in_a_walk = false);
  /// The uses, ready to compose; cached, because the walks from all parameters of a computation need them.
  const std::vector<detail::Use>& kept_uses(const Instruction& user, std::uint32_t operand,
                                            std::uint32_t leaf);
  std::vector<detail::Use> called_uses(const Instruction& caller, const Computation& callee,
                                       std::uint32_t parameter, std::uint32_t leaf,
                                       std::size_t first_operand);
  std::vector<detail::Use> unknown_uses(const HloType& type, const std::string& reason);
  /// The uses of an operand by the result that an update or an end computes: see late_steps.
  std::vector<detail::Use> late_uses(const Instruction& user, std::size_t operand, std::uint32_t leaf);

  // loops.cc: what a loop passes on.
  /// The array of a parameter that reaches this array of the root unchanged; empty if none does.
  std::optional<HloValue> unchanged_from(const Computation& computation, std::uint32_t root_leaf);
  std::optional<HloValue> trace(const Computation& computation, HloValue value);
  bool handed_through(const Instruction& loop, std::uint32_t leaf);
  static const Computation* called_as(const Instruction& caller, std::string_view attribute);
  /// Visits the arrays of operands on which array `leaf` of the result may depend at all.
  void for_each_dependence(const Instruction& at, std::uint32_t leaf,
                           const std::function<void(std::size_t operand, std::uint32_t array)>& visit);
  const detail::Dependences& dependences(const Computation& computation);
  /// For each array of the loop's result, the arrays of the operand on which it may depend.
  const detail::Dependences& loop_dependences(const Instruction& loop);

  // iterations.cc: a loop whose number of iterations is known.
  /// The links from each array of the result to arrays of the operand or, if `forward`, from each array of
  /// the operand to arrays of the result. Null if the number of iterations is not known.
  const detail::LoopLinks* loop_links(const Instruction& loop, bool forward);
  std::optional<detail::LoopLinks> counted_links(const Instruction& loop, bool forward);
  class Iterations;

  // moves.cc: instructions that only move elements.
  /// `reached` followed by the move of `op`, to its operand or its result. Empty if `op` does more than move
  /// the elements of one array.
  std::optional<detail::Reached> moved_through(const detail::Reached& reached, const Instruction& op,
                                               bool to_operand);
  /// The move of `op` alone; null if it does more than move the elements of one array.
  std::shared_ptr<const Indexing> move_of(const Instruction& op, bool to_operand);
  /// Composes the maps with the moves. `leaf`: the type of the value. `start`: the box of the indices that
  /// the walk starts from. `work`: how many operators it may still compose. The compositions of moves with
  /// each other count, and those of maps with all parts of a chain but the first.
  void settle(detail::Reached& reached, const HloType& leaf, const Domain& start, std::uint64_t& work);
  /// Adds `from`, another path to the same value, to `target`.
  void hand_on(detail::Reached& target, detail::Reached from, const HloType& leaf, const Domain& start,
               std::uint64_t& work);

  // engine.cc: many instructions.
  /// Walks from the values of `groups` through the instructions for which `inside` holds. Returns those for
  /// which `wanted` holds, the last instruction first. `start`: the box of the indices that the walk starts
  /// from. `work`: how many operators it may compose.
  std::vector<ValueIndexing> walk_back(const Computation& computation, detail::Groups groups,
                                       const Domain& start, std::uint64_t work,
                                       const std::function<bool(const Instruction&)>& inside,
                                       const std::function<bool(const Instruction&)>& wanted);
  /// Walks from the values of `groups` to the root, and ends at values that are `direct`.
  detail::Groups walk_forward(const Computation& computation, detail::Groups groups, const Domain& start,
                              std::uint64_t work, const detail::DirectValues* direct = nullptr);
  /// The direct values of a computation with more parameters than results; null for others. Walks from many
  /// parameters mostly meet on their way to the root; they end at direct values instead of repeating the rest
  /// of the way.
  const detail::DirectValues* direct_values(const Computation& computation);
  /// How many arrays the parameters of a computation have. Counted once: each of them asks.
  std::uint64_t parameter_arrays(const Computation& computation);
  /// How many operators each walk through a computation may compose, if there are this many walks.
  std::uint64_t work_of_a_walk(std::uint64_t walks) const;
  /// Adds the compositions of `before` and `step` to `target` and subtracts their cost from `work`. When
  /// `work` is used up, the whole value replaces the compositions.
  void extend(detail::Reached& target, const IndexingSet& before, const IndexingSet& step,
              const HloType& target_leaf, const Domain& start, std::uint64_t& work);
  const std::vector<ParameterIndexing>& root_to_parameters(const Computation& computation,
                                                           std::uint32_t leaf);
  const std::vector<OutputIndexing>& parameter_to_root(const Computation& computation,
                                                       std::uint32_t parameter, std::uint32_t leaf);
  std::vector<ParameterIndexing> walk_to_parameters(const Computation& computation, std::uint32_t leaf);
  std::vector<OutputIndexing> walk_to_root(const Computation& computation, std::uint32_t parameter,
                                           std::uint32_t leaf);
  std::uint32_t call_height(const Computation& computation);
  /// Replaces runtime sources that are parameters of the callee by operands of the caller, or by their value
  /// if that is known. Adds the call to the path of the other sources.
  void resolve_sources(IndexingSet& maps, const Instruction& caller, const Computation& callee,
                       std::size_t first_operand);
  /// As above; `operand_of` gives the operand of a parameter of the callee.
  static void resolve_sources(IndexingSet& maps, const CallSite& call,
                              const std::function<std::optional<Operand>(const Instruction&)>& operand_of);
  /// The readers of each value of the computation.
  const detail::AllReaders& readers(const Computation& computation);
  /// The readers that may read this array of the value, in the order of the computation.
  /// `memory` may hold the answer.
  std::span<const detail::Reader> readers_of(const Instruction& value, std::uint32_t leaf,
                                             detail::Readers& memory);

  // known_call.cc: calls that pass known integers.
  /// Whether there is an instruction whose maps say more if its indices are known: an update or a scatter.
  bool depends_on_starts(const Computation& computation);
  /// A walk of the computation that this call calls, with the operands of the call. Null if none of them is
  /// an array that the program determines, or if the maps of the computation do not depend on them. Some of
  /// the last ones are kept.
  std::shared_ptr<Impl> with_operands(const Instruction& caller, const Computation& callee,
                                      std::size_t first_operand);
  std::shared_ptr<Impl> make_with_operands(const Instruction& caller, const Computation& callee,
                                           std::size_t first_operand);

  WalkOptions options;
  std::shared_ptr<detail::SharedCalls> shared;
  detail::ElementOptions known_operands;  ///< what a walk for one call knows about parameters
  std::uint32_t known_calls = 0;          ///< the calls inside each other that this walk is for
  detail::Leaves leaves;
  std::optional<detail::OpFacts> last_facts;
  std::unordered_map<const Instruction*, detail::OpFacts> facts_memo;
  std::unordered_map<HloValue, std::vector<detail::OperandStep>, detail::ValueHash> step_memo;
  std::unordered_map<detail::UseKey, std::vector<detail::Use>, detail::ArrayHash> use_memo;
  /// The move of an instruction alone; the number of the key is 1 for moves to the operand.
  std::unordered_map<detail::UseKey, std::shared_ptr<const Indexing>, detail::ArrayHash> move_memo;
  std::unordered_map<detail::PortKey, std::optional<HloValue>, detail::ArrayHash> unchanged_memo;
  std::unordered_map<const Instruction*, std::unique_ptr<const Instruction>> started_memo;
  std::unordered_map<const Instruction*, const Instruction*> start_memo;
  std::unordered_map<const Computation*, std::optional<detail::DirectValues>> direct_memo;
  std::unordered_map<const Computation*, std::uint32_t> height_memo;
  std::unordered_map<const Computation*, bool> starts_memo;
  /// By call and first operand.
  std::unordered_map<detail::UseKey, std::shared_ptr<Impl>, detail::ArrayHash> known_memo;
  std::unordered_map<const Computation*, std::uint64_t> parameter_arrays_memo;
  std::unordered_map<const Computation*, detail::Dependences> dependence_memo;
  std::unordered_map<const Instruction*, detail::Dependences> loop_memo;
  std::unordered_map<const Computation*, detail::AllReaders> readers_memo;
};

}  // namespace tessera
