// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts of any notation as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// Reads a layout of any notation: `f32[3,5]{1,0:T(2,2)}`, `((2,2),(2,3)):((2,12),(1,4)) crop (3,5)`,
/// `Sw<3,0,3> o _0 o (8,8):(8,1)`, `6x8:[1, 0, 1 p(4)]`, `np:(6,8):(1,6) + 7`, `d0:1,16 d1:2,4,8`, `(d0, d1)
/// -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]`. A prefix `xla: cute: mor: np: ll: map:` decides;
/// without one the notation is recognized by how the text begins, and a flat `(6,8):(1,6)` is CuTe (the same
/// function as strides). Errors: those of the notation and of Layout::make, with the span in `text`;
/// missing_layout for a layout without the shape it needs. O(text).
Result<Layout> parse_layout(std::string_view text);

/// The notation that a text names by its prefix.
std::optional<Notation> notation_prefix(std::string_view text);

/// `xla`, `cute`, `mor`, `np`, `ll`, `map`: the prefix before the colon.
std::string_view prefix(Notation notation);

/// The canonical text: parse_layout(to_string(x)) == x, for maps the same function (the operand of a minus is
/// read into canonical form). The map of an empty box has its extents: `domain: d0 in [0, -1]`. Strides have
/// their prefix.
std::string to_string(const Layout& layout);
/// The same with the prefix of every notation.
std::string to_prefixed_string(const Layout& layout);

/// How the notation orders dimensions: `CuTe: leftmost mode fastest`, `XLA: minor_to_major {1,0}`.
std::string order_text(const Layout& layout);

}  // namespace tessera
