// SPDX-License-Identifier: Apache-2.0
/// \file
/// XLA's notation of types and layouts: `f32[3,5]{1,0:T(2,2)}`, `(s32[], f32[<=4])`, `b(u8[16])`, `token[]`.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/hlo_type.h"

namespace tessera {

/// strict: the notation as XLA writes it. lenient: also the older documentation's (type names in any letter
/// case, U+2217 for `*`, the parts of a layout in any order); whatever strict accepts means the same.
enum class ShapeMode : std::uint8_t { strict, lenient };

/// Reads a type and checks it: `f32[3,5]{1,0:T(2,2)}`. Nothing may follow but blanks and comments.
/// Errors: those of `read_hlo_type` (with a position), then those of `validate`. Exact; O(text).
/// Example: to_string(*parse_hlo_type("f32 [ 3, 5 ]{1,0:}")) == "f32[3,5]{1,0}".
Result<HloType> parse_hlo_type(std::string_view text, ShapeMode mode = ShapeMode::strict);

/// The same without the check: the layout may be nonsense for the dimensions.
/// Errors, those of a left-to-right reader: syntax, unknown_type, number_range, negative_dim, rank_mismatch,
/// nonarray_dims, layout_on_nonarray, buffer_element, index_type, sparse_only, depth.
Result<HloType> read_hlo_type(std::string_view text, ShapeMode mode = ShapeMode::strict);

/// Reads the type that begins at byte `begin` of a longer text into `out` and gives the byte after it. A `{`
/// belongs to the type only if a number or `:` follows. Spans are places in `text`. Errors as read_hlo_type.
Result<std::size_t> read_hlo_type_at(std::string_view text, std::size_t begin, HloType& out);

/// The canonical text: lower-case types, no blanks but after the commas of tuples, `/*index=5*/` before
/// every fifth tuple element, default parts of a layout left out, no layout without parts for rank 0.
/// parse_hlo_type(to_string(t)) == t for every valid type.
std::string to_string(const HloType& type);
std::string to_string(const TensorType& type);
/// `{1,0:T(8,128)}`.
std::string to_string(const TiledLayout& layout);

std::ostream& operator<<(std::ostream& out, const HloType& type);
std::ostream& operator<<(std::ostream& out, const TensorType& type);

/// Appends the canonical text. Without `layouts` no layout is written: `f32[3,5]`.
void append(std::string& out, const HloType& type, bool layouts = true);

}  // namespace tessera
