// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts a layout to another notation, or says why that is impossible.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// A converted layout: the same function on the same box.
struct Conversion {
  Layout layout;
  /// Buffer size of the source in elements, if the target implies a smaller one.
  std::optional<Index> buffer_size = {};
  /// Properties of the source that the target cannot express: `type bf16`, `memory space S(1)`.
  std::vector<std::string> dropped = {};
  std::vector<std::string> notes = {};
};

/// The layout in another notation, in that notation's normal form: one mode per digit (CuTe, with a crop if
/// the box cuts the top digit), the fewest tiles (XLA), dynamic entries where possible (Morello), the fewest
/// blocks (oneDNN). For CuTe, a function without digits becomes `Sw o _0 o layout` if possible; beyond 2^16
/// indices this is tried only for extents that are powers of two, without a crop. XLA keeps the type of the
/// source, or gets f32 if it has none, and its buffer size with L(...). Errors: not_representable
/// with a witness and the first reason that applies (docs/lookup/conversions.md lists those of each target),
/// rank_mismatch (a scalar, where a notation needs a dimension), undecided. Exact. O(digits) if digits are
/// known; XLA searches at most 20,000 steps. Example: `f32[3,5]{1,0:T(2,2)}` to CuTe is
/// `((2,2),(2,3)):((2,12),(1,4)) crop (3,5)`.
Result<Conversion> convert(const Layout& from, Notation to);

/// Every known spelling in the target notation: the answer of `convert` first, then other tile lists of the
/// same length (XLA), packs instead of dynamic entries (Morello), unsimplified expressions (maps), and the
/// source itself, if it is in this notation. All are the same function. Errors: those of convert.
Result<std::vector<Layout>> spellings(const Layout& from, Notation to);

/// The same memory seen through permuted indices, as by numpy.transpose(array, axes): dimension i of the
/// result is dimension axes[i] of the layout. Notation and buffer size stay. Errors: rank_mismatch (not one
/// axis per dimension), dim_out_of_range, bad_permutation (an axis twice). Exact. O(rank); for maps, O(size
/// of the map). Example: `f32[3,5]{1,0:T(2,2)}` by {1, 0} is `f32[5,3]{0,1:T(2,2)}`.
Result<Layout> transpose(const Layout& layout, std::span<const Index> axes);

}  // namespace tessera
