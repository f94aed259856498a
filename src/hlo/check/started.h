// SPDX-License-Identifier: Apache-2.0
/// \file
/// The operation in an asynchronous start.
#pragma once

#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The operation that `slice-start` starts: a slice with its operands and attributes, and with the result
/// type in the start's type (operands, result, contexts...). Empty for async-start, which starts a
/// computation, and for a type without a result. Does not check the operation.
std::optional<Instruction> started_operation(const Instruction& start);

/// The computation that an asynchronous start runs, of async-start, call-start and fusion-start. Null if the
/// start has an operation of its own, or names no computation.
const Computation* started_computation(const Instruction& start);

/// The computation whose instructions a start runs one by one, of async-start and call-start. Null for
/// fusion-start, which is one step like a fusion, and where `started_computation` is null.
const Computation* started_steps(const Instruction& start);

/// The start of the chain that an update or an end belongs to. Null if there is none within 1000 updates,
/// which bounds the time for texts with many ends of one chain.
const Instruction* chain_start(const Instruction& op);

/// The arrays that a chain holds so far, `((operands), result, contexts...)`. With late binding, a start has
/// fewer operands than its computation has parameters, or `()` for a result, and updates add the rest. Null
/// for other types.
const HloType* bound_operands(const HloType& chain);
const HloType* bound_result(const HloType& chain);

/// What a start, an update or an end binds of the parameters of its chain's computation: [first, last), with
/// its operands from `first_operand` on.
struct BoundParameters {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t first_operand = 0;
};
BoundParameters bound_by(const Instruction& op);

}  // namespace tessera::detail
