// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which names of a program mean the same array.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hlo/module/leaves.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Leaf `leaf` of the value of an instruction.
struct ProgramArray {
  const Instruction* instruction = nullptr;
  std::uint32_t leaf = 0;
  friend auto operator<=>(const ProgramArray&, const ProgramArray&) = default;

  const HloType& type() const { return leaf_type(instruction->type, leaf); }
};

struct LoopSlots;
struct SlotContent;

/// The array that a name means: the one that is not itself another name for an earlier array.
struct ArrayAlias {
  ProgramArray array;
  /// From an index of the named array to the same element of `array`; empty: the same index.
  std::optional<Indexing> map = {};
  /// False: which elements correspond is not known, or they have other widths.
  bool elementwise = true;
};

/// An instruction that runs a computation, and the operand that becomes its parameter 0.
struct ComputationCaller {
  const Instruction* caller = nullptr;
  std::size_t first_operand = 0;
};

/// Finds the origins of arrays through tuples, bitcasts, calls, and the parts of a loop's state that the loop
/// does not change. The computations must outlive the object. Answers are cached.
class ArrayOrigins {
 public:
  /// Knows the callers in these computations.
  explicit ArrayOrigins(const std::vector<const Computation*>& computations);
  ~ArrayOrigins();

  ArrayAlias of(ProgramArray array);
  /// The origin of leaf `leaf` of an operand.
  ArrayAlias of(const Operand& operand, std::uint32_t leaf);

  /// The instructions that run a computation.
  const std::vector<ComputationCaller>& callers(const Computation& computation) const;
  /// Whether two arrays that are not always one may be one array in some runs: parameters of
  /// a computation in some of its calls or under other indices, slots of a loop's state in some iterations,
  /// results of a loop, a conditional or a call with each other and with what went in; or in all runs, if
  /// the compiler makes a bitcast of a reshape or transpose without a layout. True if it is not known.
  bool sometimes_equal(const ProgramArray& a, const ProgramArray& b);
  /// The origin if every parameter of a computation is an array of its own.
  ArrayAlias inside(ProgramArray array);
  Leaves& leaves() { return leaves_; }

 private:
  /// What a parameter is in each of the calls.
  using CalledWith = std::vector<ProgramArray>;
  /// For each such list, the first parameter that has it.
  using Parameters = std::map<CalledWith, ProgramArray>;

  ArrayAlias find(ProgramArray array);
  std::optional<ProgramArray> forwarded_from(ProgramArray array);
  ArrayAlias of_parameter(ProgramArray array);
  std::optional<ArrayAlias> of_called_root(ProgramArray array);
  std::optional<ProgramArray> of_loop_state(ProgramArray array);
  /// Each array under the last name that has its indices. Empty if it is not known.
  std::optional<CalledWith> called_with(ProgramArray parameter);
  std::optional<ProgramArray> operand_leaf(const Operand& operand, std::uint32_t leaf);
  /// Arrays of one computation that an array may be.
  struct Candidates {
    std::vector<ProgramArray> arrays = {};
    bool complete = true;  ///< false: it may be any other array, too
  };
  bool may_be_equal(const ProgramArray& a, const ProgramArray& b);
  bool candidates_meet(const ProgramArray& a, const ProgramArray& b);
  bool parameters_meet(const ProgramArray& a, const ProgramArray& b);
  bool results_meet(const ProgramArray& a, const ProgramArray& b);
  /// Whether two slots of a loop's state hold one array.
  bool contents_meet(const SlotContent& x, const SlotContent& y);
  /// Whether an array of a computation may be an argument of it.
  bool returns_argument(const ProgramArray& array);
  std::optional<ProgramArray> passed(const ComputationCaller& site, const ProgramArray& parameter);
  /// The array itself, and what it may be through loops, conditionals and calls.
  const Candidates& candidates(const ProgramArray& array);
  /// Operands, or parts of them, that a result of a loop, a conditional or a call may be.
  Candidates from_outside(const ProgramArray& result);
  Candidates from_before(const ProgramArray& result);
  const LoopSlots& slots_of(const Instruction& loop);

  Leaves leaves_;
  std::unordered_map<const Computation*, std::vector<ComputationCaller>> callers_;
  /// The updates that follow an asynchronous start.
  std::unordered_map<const Instruction*, std::vector<const Instruction*>> updates_;
  std::map<ProgramArray, ArrayAlias> inside_;
  std::map<ProgramArray, ArrayAlias> known_;  ///< of parameters
  std::unordered_map<const Computation*, Parameters> parameters_;
  std::unordered_map<const Instruction*, std::unique_ptr<LoopSlots>> slots_;
  std::size_t depth_ = 0;  ///< of names of names that are being looked at
  std::map<ProgramArray, Candidates> candidates_;
  std::size_t equal_depth_ = 0;
  std::size_t candidates_depth_ = 0;
  std::size_t comparisons_ = 0;  ///< for the answer that is being found
};

/// Whether the result is the operand under another name: a bitcast, or a reshape or bitcast-convert that is
/// proved to be one.
bool is_renamed(const Instruction& instruction);

}  // namespace tessera::detail
