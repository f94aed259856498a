// SPDX-License-Identifier: Apache-2.0
/// \file
/// A program run by hand: what each element depends on, without any index map. Loops run as often as they
/// say.
#pragma once

#include <optional>
#include <vector>

#include "laws/program_model.h"
#include "tessera/hlo/module.h"

namespace tessera::model {

/// Extents, what each element (row-major) depends on, and its value where it is an integer (else 0).
struct Traced {
  std::vector<Index> dims;
  std::vector<Sources> elements;
  std::vector<Index> values;
};

/// The arrays of a value, tuples flattened.
using TracedValue = std::vector<Traced>;

/// Runs the entry for these values of its parameters, arrays all of them; every element of parameter p
/// depends on itself. Nothing for opcodes that are not known here, and where a loop runs more than 1000
/// times.
std::optional<TracedValue> run(const HloModule& module, const std::vector<std::vector<Index>>& parameters);

}  // namespace tessera::model
