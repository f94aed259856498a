// SPDX-License-Identifier: Apache-2.0
/// \file
/// The same function in another notation, or why there is none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The answer of a conversion: the same function on the same box.
struct Conversion {
  Layout layout;
  /// Elements of memory of the source, where the target does not say it and its offsets do not reach it.
  std::optional<Index> buffer_size = {};
  /// Tags of the source that the target has no place for: `type bf16`, `memory space S(1)`.
  std::vector<std::string> dropped = {};
  std::vector<std::string> notes = {};
};

/// The layout in another notation, in that notation's normal form: the digits one by one (CuTe, with a crop
/// where the box cuts the top digit), the fewest tiles (XLA), Dynamic where possible (Morello). A function
/// without digits becomes `Sw o _0 o layout` where there is one: any of at most 2^16 indices, beyond that of
/// extents that are powers of two and without a crop. XLA keeps the memory of the source with L(...), and its
/// type; layouts without a type become f32. Errors: not_representable with the first of the target's reasons
/// that applies and a witness — cute: empty, entangled, irregular, offset; strides: entangled, irregular,
/// multi_digit; morello: empty, entangled, irregular, offset, negative_stride, broadcast, padding, order;
/// xla: empty, entangled, irregular, offset, negative_stride, broadcast, gap; linear: empty, offset,
/// not_power_of_two, negative_stride, carry. rank_mismatch (a scalar, where a notation needs a dimension),
/// undecided. Exact. O(digits) where digits are known; XLA searches 20 000 steps at most. Example:
/// `f32[3,5]{1,0:T(2,2)}` to CuTe is `((2,2),(2,3)):((2,12),(1,4)) crop (3,5)`.
Result<Conversion> convert(const Layout& from, Notation to);

/// Every spelling of the target we know: the answer of `convert` first, then other tile lists of the same
/// number (XLA), packs in place of Dynamic entries (Morello), the expression as the notation's arithmetic has
/// it (maps), and what was written, if it was in this notation. All are the same function. Errors as convert.
Result<std::vector<Layout>> spellings(const Layout& from, Notation to);

}  // namespace tessera
