// SPDX-License-Identifier: Apache-2.0
/// \file
/// An expression as a list of instructions, for the offsets of many indices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/expr/expr.h"
#include "tessera/expr/interval.h"

namespace tessera::detail {

/// Evaluates an expression on a box on which it is total: each distinct node once, without checks.
class OffsetProgram {
 public:
  OffsetProgram() = default;
  /// Errors: not_representable with reason `not_a_layout` (no value at some index, which is the witness),
  /// undecided (whether it has a value everywhere).
  static Result<OffsetProgram> make(Expr expr, std::span<const Index> box);

  Index run(std::span<const Index> index) const;
  /// Contains every value. Exact if `is_exact`.
  Interval bounds() const { return bounds_; }
  bool is_exact() const { return exact_; }

 private:
  struct Instruction {
    ExprKind kind;
    Index value;  // the constant, or the number of a variable
    std::uint32_t lhs = 0;
    std::uint32_t rhs = 0;
  };
  std::vector<Instruction> code_;
  Interval bounds_;
  bool exact_ = false;
};

}  // namespace tessera::detail
