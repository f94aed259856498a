// SPDX-License-Identifier: Apache-2.0
/// \file
/// Data flow of the function of a reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/ops/rule.h"

namespace tessera::detail {

/// The parameters that the value of each instruction uses, by the instruction's index: bit i is parameter i,
/// for i < 64. A tuple uses what its elements use. O(instructions and their operands).
std::vector<std::uint64_t> parameter_uses(const Computation& function);

/// Whether the data flow of the function is known: it was read, and all its instructions are sound.
bool flow_is_known(const Computation* function);

/// One output and one of the values of a reduction over `count` values.
struct ReducedValue {
  std::size_t count = 1;
  std::size_t output = 0;
  std::size_t input = 0;
};

/// What an output of a reduction depends on when its function is applied repeatedly. The parameters of the
/// function are `count` running values, then `count` new ones; its result is the running values.
struct ReducerUse {
  bool may_running = false;  ///< false: never depends on the initial running value `input`
  bool may_fresh = false;    ///< false: never depends on the new values `input`
  bool running = false;      ///< depends on the initial running value, after any number of applications
  bool fresh = false;        ///< depends on the new values of every application
  bool once = false;         ///< depends on the new values of the last application
  bool may = true;           ///< false: never depends on values `input`, in whatever order they are combined
};

/// From the data flow of the function: a value that flows in counts as used, even if it cannot matter (x *
/// 0). If nothing is known (no function, wrong shapes, more than 32 values), every `may_` is true and
/// `running`, `fresh` and `once` are false. O(instructions of the function).
ReducerUse reducer_use(const Computation* function, const ReducedValue& value);

/// Checks n inputs with the same dimensions, then n scalars.
Problem check_inputs_and_inits(const OpReader& reader);
/// The type is an array with these dimensions for each input, in a tuple if there are several.
Problem gives_for_each_input(const OpReader& reader, std::size_t inputs, const std::vector<Index>& dims);

/// The indexing of a reduction's operand (`count` values, then `count` initial ones), marked as a superset
/// unless the data flow of `function` leads from this operand to the output in each application.
Indexing mixed_by_reducer(const OpQuery& query, const Computation* function, Indexing indexing);

}  // namespace tessera::detail
