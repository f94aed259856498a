// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts with names for sizes: `f32[M,N]{1,0:T(8,128)}`, `(M,(4,N)):(1,(M,4*M))`, `NxCxHxW:aBcd16b`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/code.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"
#include "tessera/size/size.h"

namespace tessera {

namespace symbolic {
class SymbolicLayout;
}  // namespace symbolic

/// A value, an error, or neither: then it is undecided, and `reason` says why.
struct SizeCase {
  std::string condition = {};  ///< empty for all sizes
  std::optional<std::string> value = {};
  std::optional<Code> error = {};
  std::string reason = {};  ///< qualifies the code of an error
  SizeMap sizes = {};       ///< of an error: sizes that have it
};

/// Cases whose conditions exclude each other, and cover all sizes at which the operands are layouts.
struct SizeCases {
  std::vector<SizeCase> cases = {};
  std::vector<std::string> notes = {};  ///< at which sizes the operands are not layouts

  /// The value for all sizes, if there is one case and it has a value.
  std::optional<std::string> value() const { return cases.size() == 1 ? cases.front().value : std::nullopt; }
};

/// A layout whose extents, strides or tiles have names for numbers that are not known: in CuTe's notation, as
/// strides, XLA's with tiles, Morello's and oneDNN's. Assumptions may follow `where` in the text. Immutable.
class SizedLayout {
 public:
  const std::string& text() const;
  /// The names, in the order of the text.
  std::vector<std::string> names() const;
  /// The layout with a number for every name. Errors: missing_attribute (a name without a number),
  /// empty_range (the numbers do not satisfy the assumptions), those of parse_layout.
  Result<Layout> at(const SizeMap& sizes) const;
  /// The layout as the library stores it.
  const symbolic::SymbolicLayout& terms() const { return *terms_; }

 private:
  friend Result<SizedLayout> parse_sized_layout(std::string_view text);
  explicit SizedLayout(std::shared_ptr<const symbolic::SymbolicLayout> terms) : terms_(std::move(terms)) {}
  std::shared_ptr<const symbolic::SymbolicLayout> terms_;
};

/// Also reads texts of CuTe's IR, in which each `?` is a number of its own: x1, x2, ... Errors: syntax,
/// unknown_type, not_congruent, bad_permutation, dim_out_of_range, reserved_name, number_range, limit,
/// unknown_attribute, bad_attribute, undefined_value (a divisor that is the number 0); of Morello's entries
/// those of PackedLayout::make.
Result<SizedLayout> parse_sized_layout(std::string_view text);

/// The canonical text in CuTe's notation, `(M,N):(1,M)`; of other notations the text without assumptions.
std::string to_string(const SizedLayout& layout);

/// Whether two layouts are the same function at all sizes. Names are shared: `M` is one number in both.
/// Exact but for `undecided`; bounded by counts, not by time. Errors: empty_range, bad_extent (no sizes make
/// both layouts), limit.
Result<SizeAnswer> equal(const SizedLayout& a, const SizedLayout& b, const SizeAssumptions& where = {});

/// The layout in another notation, in cases. Errors: empty_range, bad_extent.
Result<SizeCases> convert(const SizedLayout& layout, Notation to, const SizeAssumptions& where = {});

/// The offset of an index of terms, one for each dimension: `M - 1,0`. Errors: also syntax, value_count.
Result<SizeCases> offset_at(const SizedLayout& layout, std::string_view index,
                            const SizeAssumptions& where = {});

}  // namespace tessera
