// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs a program to find the dependences of each element, without index maps. Loops run iteration by
/// iteration.
#pragma once

#include <optional>
#include <vector>

#include "laws/program_model.h"
#include "tessera/hlo/module.h"

namespace tessera::model {

/// An array: its extents, the dependences of each element (row-major), and the element's value if it is an
/// integer, otherwise 0.
struct Traced {
  std::vector<Index> dims;
  std::vector<Sources> elements;
  std::vector<Index> values;
};

/// The arrays of a value. Tuples are flattened.
using TracedValue = std::vector<Traced>;

/// Runs the entry with these values of its parameters, which are all arrays. Each parameter element depends
/// on itself. Empty if this model does not support an opcode, or if a loop runs more than 1000 times.
std::optional<TracedValue> run(const HloModule& module, const std::vector<std::vector<Index>>& parameters);

}  // namespace tessera::model
