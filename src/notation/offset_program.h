// SPDX-License-Identifier: Apache-2.0
/// \file
/// OffsetProgram: an expression compiled to compute the offsets of many indices.
#pragma once

#include <span>

#include "expr/questions/program.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// Evaluates an expression on a box where it has a value everywhere: each distinct node once, without checks.
class OffsetProgram {
 public:
  OffsetProgram() = default;
  /// Errors: not_representable with reason `not_a_layout` (no value at some index, which is the witness),
  /// undecided (whether the expression has a value everywhere).
  static Result<OffsetProgram> make(Expr expr, std::span<const Index> box);

  Index run(std::span<const Index> index) const { return program_.run(index); }
  /// Contains every value. Exact if `is_exact`, and if a value may not be an offset and the box has at most
  /// kTableLimit points.
  Interval bounds() const { return bounds_; }
  bool is_exact() const { return exact_; }

 private:
  Program program_;
  Interval bounds_;
  bool exact_ = false;
};

}  // namespace tessera::detail
