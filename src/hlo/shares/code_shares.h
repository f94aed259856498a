// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a program does, by line of code, by scope or by opcode.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hlo/metadata/metadata.h"
#include "hlo/operations/program_work.h"
#include "hlo/time/roofline.h"
#include "tessera/hlo/traffic.h"

namespace tessera::detail {

/// source: lines of code. scope: the parts of `op_name`. opcode: instructions of one opcode.
enum class ShareKey : std::uint8_t { source, scope, opcode };

/// The share of one line, scope or opcode. Each byte and each operation of the program is in one share.
struct CodeShare {
  std::string name = {};    ///< `model.py:12`, a part of a scope, or an opcode; empty: unknown
  CodeLine line = {};       ///< of a line
  std::uint32_t depth = 0;  ///< of a scope: the parts before it
  std::size_t steps = 0;    ///< steps with an instruction here: a fusion counts in each of its shares
  Count moved = {0, 0};     ///< bytes read and written in all runs
  Count minimum = {0, 0};   ///< bytes that must be
  Work work = {};           ///< in all runs
  /// The time of steps on a chip, in parts: of a step that waits for operations by operations, of others by
  /// bytes. Of upper bounds, where there are any.
  double seconds = 0;
  std::string example = {};  ///< the step with the most bytes here, `main/fusion.3`
  const Instruction* example_step = nullptr;
  Index example_bytes = -1;  ///< its upper bound
};

/// The shares, by bytes that must move, most first; those of scopes are a tree in the order of a walk, and
/// each has what its inner scopes have. The share without a name is what has no line or scope.
struct CodeShares {
  ShareKey key = ShareKey::source;
  std::vector<CodeShare> shares;
  std::size_t steps = 0;  ///< all steps with bytes or work
  Count moved = {0, 0};
  Count minimum = {0, 0};
  Work work = {};
};

/// What else is known about the program: `work` is counted if it is null, and without `time` no share has
/// any.
struct ShareCosts {
  const ProgramWork* work = nullptr;
  const ProgramTime* time = nullptr;
};

/// Divides the bytes and the operations of a program. The bytes of a fusion are divided as StepDivider says,
/// its operations by the instructions inside that compute them; an instruction inside without a line or a
/// scope counts under that of the fusion. `traffic` and `start` are those of the program.
CodeShares code_shares(const HloModule& module, const ProgramTraffic& traffic, const Computation* start,
                       ShareKey key, ModuleCode& code, const ShareCosts& costs = {});

/// The same for several keys, which divides once.
std::vector<CodeShares> code_shares(const HloModule& module, const ProgramTraffic& traffic,
                                    const Computation* start, std::span<const ShareKey> keys,
                                    ModuleCode& code, const ShareCosts& costs = {});

}  // namespace tessera::detail
