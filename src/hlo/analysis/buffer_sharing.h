// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a copy of an array that keeps every byte in its place may be left out.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hlo/analysis/movement.h"
#include "hlo/module/leaves.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Which values of a computation are names of the same array, and who reads them.
class BufferUses {
 public:
  /// `aliases` is the attribute `input_output_alias` of the module, or null. `is_start`: the program starts
  /// with this computation, so its parameters and results are those of the program.
  BufferUses(const Computation& computation, bool is_start, const Attribute* aliases);

  /// Whether the result of `last` may live in the buffer of operand `operand` of `first`, if it has the same
  /// bytes. `impossible`: the program returns the result, and also the operand's array, or that is a
  /// parameter that is not donated, or a constant. `possible`: no other instruction reads the operand's
  /// array, or none that reads one of the two may update it in place. O(readers of both arrays).
  BufferSharing sharing(const Instruction& first, std::size_t operand, const Instruction& last);

 private:
  // A leaf of an instruction's value.
  struct Value {
    const Instruction* op = nullptr;
    std::uint32_t leaf = 0;
    friend bool operator==(const Value&, const Value&) = default;
  };
  struct Readers {
    bool returned = false;  // the computation returns the array
    bool updated = false;   // a reader may update it in place
    std::unordered_set<const Instruction*> readers;
  };

  Value origin(Value value);
  Readers readers(Value value);
  bool donated(const Instruction& parameter) const;

  bool is_start_;
  const Attribute* aliases_;
  const Computation& computation_;
  Leaves leaves_;
  std::unordered_map<const Instruction*, std::vector<std::pair<const Instruction*, std::size_t>>> users_;
};

}  // namespace tessera::detail
