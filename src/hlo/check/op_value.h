// SPDX-License-Identifier: Apache-2.0
/// \file
/// What an instruction means.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

  /// The name of the runtime size of a dimension of the result or of an operand; empty for a fixed one, and
  /// where sizes have no names.
  std::string_view result_size(std::size_t dim) const { return size(0, dim); }
  std::string_view operand_size(std::size_t operand, std::size_t dim) const { return size(operand + 1, dim); }

  Opcode opcode = Opcode::unknown;                   ///< of the instruction that was read
  std::vector<std::vector<std::string>> sizes = {};  ///< OpReader::size_names

 private:
  std::string_view size(std::size_t array, std::size_t dim) const {
    const bool known = array < sizes.size() && dim < sizes[array].size();
    return known ? std::string_view(sizes[array][dim]) : std::string_view();
  }
};

using OpValuePtr = std::shared_ptr<const OpValue>;

/// Reads an instruction, checks it and infers its type. `value` receives what rules need of it, if anything.
using OpRead = Problem (*)(const OpReader& reader, OpValuePtr& value);

/// The reader of a family whose values are of type `Op`.
template <class Op, Problem (*kRead)(const OpReader&, Op&)>
Problem read_into(const OpReader& reader, OpValuePtr& value) {
  auto op = std::make_shared<Op>();
  op->opcode = reader.instruction().opcode;
  op->sizes = reader.size_names();
  auto problem = kRead(reader, *op);
  if (!problem) value = std::move(op);
  return problem;
}

/// The reader of a family whose attributes need no value: the types of the operands and of the result say
/// everything but the names of sizes.
template <Problem (*kCheck)(const OpReader&)>
Problem check_only(const OpReader& reader, OpValuePtr& value) {
  auto problem = kCheck(reader);
  if (problem) return problem;
  if (auto names = reader.size_names(); !names.empty()) {
    auto op = std::make_shared<OpValue>();
    op->opcode = reader.instruction().opcode;
    op->sizes = std::move(names);
    value = std::move(op);
  }
  return std::nullopt;
}

}  // namespace tessera::detail
