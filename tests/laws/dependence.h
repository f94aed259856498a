// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a program to find what each element depends on, without index maps. Loops run iteration by iteration.
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

/// Runs the entry for these values of its parameters, which are all arrays; each parameter element depends on
/// itself. Empty for opcodes that this model does not support, and if a loop runs more than 1000 times.
std::optional<TracedValue> run(const HloModule& module, const std::vector<std::vector<Index>>& parameters);

}  // namespace tessera::model
