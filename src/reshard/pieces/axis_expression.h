// SPDX-License-Identifier: Apache-2.0
/// \file
/// Axis expressions describe the cells of a stored tensor by the names of its axes. `[(q: g h d | k: g d) n]`
/// stores Q before K. Row-major throughout: the last axis of a list is the fastest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// The size of an axis, or the parts of a composite axis: `(t fi)`, `(R r4 r32) crop 300`.
struct AxisSize {
  Index size = 1;                  ///< number of values, after the crop
  std::vector<std::string> parts;  ///< of a composite axis, the major one first
  bool cropped = false;
};

/// Axes by name. The parts of a composite axis are axes here, too.
class AxisSizes {
 public:
  /// Adds an axis. Errors: duplicate_name, number_range (a size below 1).
  Result<void> add(std::string name, Index size);
  /// Adds a composite axis: `(t fi)` or `(R r4 r32) crop 300`. Its parts may be added later. Errors: syntax,
  /// duplicate_name, number_range.
  Result<void> add(std::string name, std::string_view composite);
  /// Computes the sizes of composite axes. Errors: unknown_name, duplicate_name (an axis that contains
  /// itself, or another axis twice), number_range (a crop beyond the product), overflow.
  Result<void> resolve();

  const AxisSize* find(std::string_view name) const;
  const std::map<std::string, AxisSize, std::less<>>& axes() const { return axes_; }

 private:
  Result<Index> resolved_size(const std::string& name, int depth);
  std::map<std::string, AxisSize, std::less<>> axes_;
};

struct AxisBranch;

/// A factor of a dimension: an axis, `1`, cells without an element (`_=47`), or branches one after another.
struct AxisAtom {
  enum class Kind : std::uint8_t { axis, one, padding, branches };
  Kind kind = Kind::one;
  std::string name = {};  ///< of an axis
  Index size = 1;
  std::vector<AxisBranch> branches;  // no initializer: AxisBranch is incomplete here
};

struct AxisBranch {
  std::string label = {};
  std::vector<AxisAtom> atoms = {};
  Index size = 1;
};

/// The expression of one stored tensor. Each path through the branches names an axis at most once.
struct AxisExpression {
  std::string label = {};
  std::vector<std::string> places = {};  ///< axes whose row-major index is the place
  std::vector<AxisAtom> dims = {};       ///< one for each dimension of the stored tensor

  std::vector<Index> shape() const;
};

/// Reads `[label:] [axis {axis} @] [atoms]`; `axis=4` adds a size. Errors, each with its span: syntax,
/// unknown_name, duplicate_name (an axis twice on a path, or with two sizes), number_range, overflow, limit
/// (parentheses deeper than 64).
Result<AxisExpression> parse_axis_expression(std::string_view text, AxisSizes& sizes);

/// Canonical text, without sizes.
std::string to_string(const AxisExpression& expression);

/// The product of the sizes of the place axes.
Index place_count(const AxisExpression& expression, const AxisSizes& sizes);

}  // namespace tessera
