// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runtime variables whose values the program tells.
#pragma once

#include <functional>
#include <optional>

#include "tessera/hlo/operand_maps.h"

namespace tessera {

/// What a parameter stands for outside its computation: the operand of the caller.
using ParameterResolver = std::function<std::optional<Operand>(const Instruction& parameter)>;

struct FoldOptions {
  /// Asked for every parameter on the way; empty, or without an answer, the parameter is the source.
  ParameterResolver resolve = {};
  /// A variable whose clamp leaves one value becomes that value. Off for the maps of a single instruction,
  /// which show all start indices.
  bool single_values = false;
};

/// Follows every runtime value of `indexing` to where it comes from, and replaces the variable by what is
/// known: constants (splats at any index), iotas, and sums, differences and products of such integers that
/// cannot leave their type, each clamped as the instruction clamps it. The way leads through broadcast,
/// reshape, bitcast, transpose, slice, reverse, copy, the inside of a pad, conversions that keep the value,
/// tuples and, with a resolver, parameters. Values that stay unknown keep their variable, with the source
/// found last.
///
/// The value of a variable that is replaced has to lie in its interval: a constraint says so, where it is not
/// plain. Runtime maps must have the dimensions of the map, alone or with all its range (and then all its
/// runtime) variables. The map is not simplified afterwards. Returns whether anything changed. Exact.
bool fold_runtime(OperandIndexing& indexing, const FoldOptions& options = {});

/// Puts `value`, over the other variables of the map, in the place of runtime variable `which`. A constraint
/// keeps it in the variable's interval. The rest as above.
void replace_runtime(OperandIndexing& indexing, std::size_t which, Expr value);

}  // namespace tessera
