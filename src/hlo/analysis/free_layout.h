// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layouts under which a copy, transpose or reshape would move nothing.
#pragma once

#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// The instruction would be a bitcast if its result, or if its operand, had this type; the other side stays
/// as written. Empty: none was found, or the other side has no layout.
struct FreeLayouts {
  std::optional<TensorType> result = {};
  std::optional<TensorType> operand = {};
};

/// For copy, transpose and reshape of an array. Tries the order of dimensions that the steps in memory give
/// (without tiles), with the tiles of either side and without tiles; each answer is proved with
/// bitcast_answer. Without tiles on the other side, that is the only order that can work. Cost: at most six
/// times that of bitcast_answer.
FreeLayouts free_layouts(const Instruction& op);

namespace detail {

/// The same, if the operand and the result had these types.
FreeLayouts free_layouts_between(const Instruction& op, const TensorType& operand, const TensorType& result);

}  // namespace detail

}  // namespace tessera
