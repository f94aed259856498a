// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which elements of the parameters of a program an instruction depends on, as maps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/walk.h"

namespace tessera {

/// A value that only the running program knows. In the maps of ParameterReads, variables of this name hold
/// it, after the clamp.
struct RuntimeInput {
  std::string name;               ///< `rt0`, `rt1`, ...: each value and clamp has its own
  std::uint32_t output = 0;       ///< the output whose dimensions `value.map` has
  RuntimeValue value = {};        ///< where it is read, and its clamp
  std::optional<Index> set = {};  ///< the value that set_runtime gave it, before the clamp
  /// The value of the variables: `set`, clamped. Empty if it is not set.
  std::optional<Index> clamped() const;
};

/// What one output reads of one array of a parameter.
struct ParameterRead {
  std::uint32_t output = 0;     ///< leaf of the instruction's result
  std::uint32_t parameter = 0;  ///< number of the parameter
  std::uint32_t leaf = 0;       ///< of the parameter
  IndexingSet maps = {};        ///< from an index of the output to elements of the array
};

/// What an instruction reads of the parameters of a computation, through everything between them. Arrays that
/// are not read have no entry.
struct ParameterReads {
  const Instruction* instruction = nullptr;
  const Computation* computation = nullptr;  ///< whose parameters
  std::vector<ParameterRead> reads = {};     ///< sorted by output, parameter and leaf
  std::vector<RuntimeInput> runtime = {};    ///< in the order in which the maps name them
  /// The weakest of all maps.
  Exactness exactness() const;
};

/// The calls that lead from `computation` to that of the instruction, outermost first, through fusions, calls
/// and nothing else. Errors: not_applicable if there is no such path, or several. O(instructions of the
/// module).
Result<std::vector<const Instruction*>> callers_between(const HloModule& module,
                                                        const Computation& computation,
                                                        const Instruction& instruction);

/// The maps from every output of the instruction to the parameters of the computation at the end of
/// `callers`, or of its own. As exact as ProgramIndexing::grouped. Errors: bad_option (callers that do not
/// lead to the instruction). Example: if the root is dynamic-slice(x, i) of 4 of 16 elements, `(d0){rt0} ->
/// (d0 + rt0)` for x, with rt0 the value of i, clamped to [0, 12], and `(d0) -> ()` for i.
Result<ParameterReads> parameter_reads(ProgramIndexing& program, const Instruction& instruction,
                                       std::span<const Instruction* const> callers = {});

/// Gives a runtime value this value, and also every other name of the same value with another clamp. The maps
/// then have the clamped value in place of the variables. Errors: unknown_name, number_range (the element
/// type, the group or the dimension has no such value), bad_option (it has another value already).
Result<void> set_runtime(ParameterReads& reads, std::string_view name, Index value);

/// Replaces supersets by what the values that are set decide, such as the elements that a
/// dynamic-update-slice at a known start keeps. Looks at values of one element each. `callers` are those of
/// parameter_reads. Walks the program again if there is a superset and a value that is set.
Result<void> narrow_by_values(ProgramIndexing& program, ParameterReads& reads,
                              std::span<const Instruction* const> callers = {});

}  // namespace tessera
