// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an instruction means.
#pragma once

#include <memory>
#include <utility>

#include "hlo/check/op_reader.h"
#include "tessera/hlo/opcode.h"

namespace tessera::detail {

/// What an instruction means: its attributes, read and checked against the types of its operands. Each family
/// of opcodes derives its own type, without pointers to the instruction or its operands: a value outlives
/// their changes.
struct OpValue {
  OpValue() = default;
  virtual ~OpValue() = default;
  OpValue(const OpValue&) = default;
  OpValue& operator=(const OpValue&) = default;
  OpValue(OpValue&&) = default;
  OpValue& operator=(OpValue&&) = default;

  Opcode opcode = Opcode::unknown;  ///< of the instruction that was read
};

using OpValuePtr = std::shared_ptr<const OpValue>;

/// Reads an instruction, checks it and infers its type. `value` receives what rules need of it, if anything.
using OpRead = Problem (*)(const OpReader& reader, OpValuePtr& value);

/// The reader of a family whose values are of type `Op`.
template <class Op, Problem (*kRead)(const OpReader&, Op&)>
Problem read_into(const OpReader& reader, OpValuePtr& value) {
  auto op = std::make_shared<Op>();
  op->opcode = reader.instruction().opcode;
  auto problem = kRead(reader, *op);
  if (!problem) value = std::move(op);
  return problem;
}

/// The reader of a family that needs no value: the types of the operands and of the result say everything.
template <Problem (*kCheck)(const OpReader&)>
Problem check_only(const OpReader& reader, OpValuePtr&) {
  return kCheck(reader);
}

}  // namespace tessera::detail
