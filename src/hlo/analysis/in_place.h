// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which updates can be written over the array that they update.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/donations.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// An array of the result of a step that differs from an operand only where it is updated.
struct ArrayUpdate {
  std::uint32_t result = 0;  ///< the leaf of the step's result
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;  ///< of the operand
  Count updated = {};      ///< bytes that are written in place
  Index elements = 0;      ///< of the update
  bool alone = true;       ///< the step uses the operand only where it is not updated
  bool scattered = false;  ///< by a scatter, which may read what it updates
  /// Whether the step can write the result over the operand. Undecided with a reason.
  Verdict in_place = Verdict::undecided;
  std::string reason = {};
};

/// Decides which operands are dead after a step. An array may be overwritten if nothing needs it later and
/// the program owns it: an intermediate array; a parameter that the caller donates to this result; the state
/// of a loop, if the result takes its place; a parameter of a call, if the caller's array may be overwritten.
class InPlace {
 public:
  InPlace(const HloModule& module, const Computation& start, ArrayOrigins& origins);

  /// The updates of a step: a dynamic-update-slice, a scatter, or a fusion with dynamic-update-slices at its
  /// root.
  std::vector<ArrayUpdate> updates(const Instruction& step);

 private:
  struct Decision {
    Verdict verdict = Verdict::yes;
    std::string reason = {};
  };
  struct Use {
    const Instruction* user = nullptr;
    std::uint32_t operand = 0;
  };
  /// Who uses the arrays of a computation, and as which leaves it returns them.
  struct Uses {
    std::map<ProgramArray, std::vector<Use>> users = {};
    std::map<ProgramArray, std::vector<std::uint32_t>> results = {};
  };
  /// A leaf of an operand of a step, to be overwritten by an array of its result.
  struct Overwriting {
    const Instruction* step = nullptr;
    ProgramArray over;
    ProgramArray result;
  };

  const Uses& uses_of(const Computation& computation);
  std::vector<ArrayUpdate> candidates(const Instruction& step);
  std::vector<ArrayUpdate> fused_candidates(const Instruction& fusion);
  bool is_said_to_alias(const Instruction& step, const ArrayUpdate& update);
  Decision decide(const Overwriting& x, int depth);
  Decision of_parameter(const Overwriting& x, int depth);
  Decision of_call(const Overwriting& x, const ComputationCaller& site, int depth);
  Decision of_donation(const Overwriting& x, int depth);
  bool becomes_result(ProgramArray array, std::uint32_t result, int depth);
  bool may_write(const Use& use);
  static std::vector<bool> needing(const Instruction& step, std::uint32_t last);
  static std::vector<bool> needed_by(const Instruction& step, std::uint32_t first);

  const HloModule& module_;
  const Computation& start_;
  ArrayOrigins& origins_;
  std::vector<Donation> donations_;
  bool scheduled_ = false;
  int budget_ = 0;  ///< the decisions that are left
  std::unordered_map<const Computation*, Uses> uses_;
};

}  // namespace tessera::detail
