// SPDX-License-Identifier: Apache-2.0
/// \file
/// Facts shared by all queries about one instruction.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hlo/check/op_value.h"
#include "hlo/module/leaves.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

struct ElementOptions;

/// Which operands an output may read. all: every operand. results: with several operands, output k reads only
/// operand k. started: the type is (operands, results, contexts...); with n operands, outputs k and n + k
/// read operand k.
enum class Pairing : std::uint8_t { all, results, started };

/// Numbers [first, last).
struct NumberRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Facts that all queries about one instruction share, computed once so that n queries do not take n * n
/// steps.
class OpFacts {
 public:
  /// The instruction, the counts and the operands must outlive the facts. `known_operands`: what is known
  /// about parameters, if the computation of the instruction is called with known operands.
  OpFacts(const Instruction& instruction, Leaves& counted, const ElementOptions* known_operands = nullptr);

  const Instruction& op() const { return op_; }
  /// Leaves of the result.
  std::size_t outputs() const { return leaves_.count(op_.type); }
  /// Leaves of an operand.
  std::size_t leaves_of(std::size_t operand) const { return leaves_.count(op_.operand_type(operand)); }
  /// The type of a leaf of the result or of an operand; for a buffer, the type of its contents. O(depth * log
  /// n).
  const HloType& output_type(std::size_t leaf) const;
  const HloType& operand_type(std::size_t operand, std::size_t leaf) const;

  /// The value of the instruction, or null: see value_of.
  const OpValue* value();
  /// Why there is no value.
  const std::string& reason() const { return reason_; }

  const ElementOptions* known_operands() const { return known_operands_; }

  /// How outputs and operands correspond.
  Pairing pairing() const { return pairing_; }
  /// Whether the only operand is a tuple, and output k reads only its leaf k. The rule of the opcode then
  /// answers for one leaf.
  bool is_leafwise() const { return leafwise_; }
  /// The operands that the output may read. O(1).
  NumberRange operands_read(std::size_t output) const;
  /// The outputs that may read array `leaf` of the operand: every `stride`-th of the range. O(1).
  struct Readers {
    NumberRange outputs;
    std::size_t stride = 1;
  };
  Readers readers_of(std::size_t operand, std::size_t leaf) const;

  /// A fact about the whole instruction, computed by `make` at the first query. Only one value is cached, so
  /// a rule must always use the same type T.
  template <class T, class Make>
  const T& once(Make make) {
    if (const T* const kept = std::any_cast<T>(&kept_)) return *kept;
    return kept_.emplace<T>(make());
  }

 private:
  const Instruction& op_;
  Leaves& leaves_;
  const ElementOptions* known_operands_;
  Pairing pairing_ = Pairing::all;
  bool leafwise_ = false;
  bool read_ = false;
  OpValuePtr value_;
  std::string reason_;
  std::any kept_;
};

}  // namespace tessera::detail
