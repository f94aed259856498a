// SPDX-License-Identifier: Apache-2.0
/// \file
/// The fields of verbs that read names of sizes: assumptions, and numbers for names.
#pragma once

#include <string>
#include <vector>

#include "size/assumption.h"
#include "tessera/size/size.h"
#include "text/sized_text.h"
#include "verbs/placed.h"
#include "verbs/request.h"

namespace tessera::verbs {

/// Numbers for names: `M=64` or `M=64,N=128`.
struct SizeValues {
  std::vector<SizeRange> values = {};
  std::string text = {};
};
template <>
struct FieldType<SizeValues> {
  /// Errors: those of parse_size_ranges; number_range (more than one value).
  static Result<SizeValues> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

inline constexpr Field kWhereField = {
    .name = "where",
    .value = "ASSUMPTIONS",
    .help = "what is assumed of the sizes with names: N % 8 == 0, 1 <= M <= N"};
inline constexpr Field kSizeField = {
    .name = "size", .value = "NAME=NUMBER,...", .help = "a number for a size with a name; may be repeated"};

/// What the two fields assume together. Errors, about their fields: those of the assumptions;
/// duplicate_name.
Result<symbolic::AssumptionList> assumptions_of(const std::string& where,
                                                const std::vector<SizeValues>& size);

/// Puts numbers for the names of the layout in its place, if every name has one; else `assumed` is what the
/// fields assume. Errors: those above; unknown_name (the layout does not have the name); empty_range (the
/// numbers do not satisfy the assumptions); those of the layout of numbers.
Result<void> put_sizes(Given<PlacedLayout>& layout, const std::string& where,
                       const std::vector<SizeValues>& size, symbolic::AssumptionList& assumed);

/// Whether each number is for a size that the `subject` of a question, such as a map, has. Errors:
/// unknown_name, about `size`.
Result<void> are_named(std::string_view subject, const std::vector<SizeValues>& size,
                       const std::vector<std::string>& names);

/// `M = 2, N = 4`.
std::string sizes_text(const SizeMap& sizes);

}  // namespace tessera::verbs
