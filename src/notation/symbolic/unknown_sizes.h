// SPDX-License-Identifier: Apache-2.0
// Texts of CuTe's IR: `?` is a number that only the run knows, `?{i64 div=16}` with what is known of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "notation/symbolic/symbolic_layout.h"

namespace tessera::symbolic {

/// The text with a name x1, x2, ... for each `?`, and what is assumed of these names: divisors, and intervals
/// of extents from 1 and of strides from 0 to the end of 32 bits, or with `i64` of 64.
struct NamedUnknowns {
  std::string text;
  AssumptionList where;
  std::size_t count = 0;
  /// For each character of `text`, and its end, the place in the original.
  std::vector<std::uint32_t> places = {};

  /// The place in the original of a place in `text`; what is beyond its end is at the end.
  Span original(Span span) const;
};

/// Whether the text has a `?` or one of the wrappers `!cute.layout<"...">` and `!cute.memref<..., "...">`.
bool has_unknowns(std::string_view text);

/// Numbers the unknowns from `first` on. Errors: syntax, unknown_attribute, bad_attribute (div=0).
Result<NamedUnknowns> named_unknowns(std::string_view text, std::size_t first = 1);

/// A layout whose text may have unknowns, which are numbered from `first` on. Errors: those of
/// SymbolicLayout::parse and named_unknowns, with spans in the text.
Result<SymbolicLayout> parse_with_unknowns(std::string_view text, std::size_t first = 1);

/// The first number from which unknowns take no name that the text has already: 4 for `(x3,?):(1,2)`.
std::size_t first_unknown(std::string_view text);

/// The unknowns of a text.
std::size_t unknown_count(std::string_view text);

}  // namespace tessera::symbolic
