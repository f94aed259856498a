// SPDX-License-Identifier: Apache-2.0
/// \file
/// CuTe's notation as text: `(2,(2,2)):(4,(2,1))`, `Sw<3,4,3> o _0 o (8,64):(64,1)`, `<3:4,8:2>`, `(2,_)`.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/parse.h"
#include "tessera/base/result.h"

namespace tessera {

/// Any value in CuTe's notation. A layout alone is a TrackedLayout, a chain a TrackedComposed.
using CuteValue = std::variant<TrackedLayout, Swizzle, TrackedComposed, TrackedTiler, TrackedCoord>;

/// Reads a whole text; the marks `_N` are kept. A text that starts with `<` is a tiler, one with a lone `_` a
/// coordinate, anything else an expression. Errors: syntax, number_range, bad_extent, not_congruent,
/// codomain_mismatch, bad_swizzle, overflow, capacity, each with its span. O(length).
/// Example: parse_cute("(4,8)") is the layout (4,8):(1,4).
Result<CuteValue> parse_cute(std::string_view text);

/// Reads one kind of value. A shape alone is the compact layout; a shape as a tiler applies by mode.
Result<TrackedLayout> parse_cute_layout(std::string_view text);
Result<TrackedTuple> parse_cute_shape(std::string_view text);
Result<TrackedCoord> parse_cute_coord(std::string_view text);
Result<TrackedTiler> parse_cute_tiler(std::string_view text);
Result<TrackedComposed> parse_cute_expression(std::string_view text);
Result<Swizzle> parse_cute_swizzle(std::string_view text);

/// The normal form: no spaces, `shape:stride`, by-mode tilers in `<…>`. parse(to_string(x)) == x.
std::string to_string(const IntTuple& tuple);
std::string to_string(const Coord& coord);
std::string to_string(const StridedLayout& layout);
std::string to_string(const Swizzle& swizzle);
std::string to_string(const ComposedLayout& layout);
std::string to_string(const Tiler& tiler);
std::string to_string(const TrackedLayout& layout);
std::string to_string(const TrackedTuple& tuple);
std::string to_string(const TrackedCoord& coord);
std::string to_string(const TrackedTiler& tiler);
std::string to_string(const TrackedComposed& layout);
std::string to_string(const CuteValue& value);

/// The text of the layout, then a grid with the value of each coordinate (row, column) of the two modes;
/// values are coordinates if the strides are scaled bases. The cells are as wide as CuTe's (digits of the
/// cosize + 2), or wider if a value does not fit. Errors: rank_mismatch (rank is not 2), limit (more than
/// 2^20 cells), those of offset.
Result<std::string> print_layout(const StridedLayout& layout);
Result<std::string> print_layout(const ComposedLayout& layout);

}  // namespace tessera
