// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts a layout to another notation, or says why that is impossible; decides whether two layouts are
/// the same function, with a proof or the first index where they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/map/judge.h"
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

/// Every known spelling in the target notation: the result of `convert` first, then other tile lists of the
/// same length (XLA), packs instead of dynamic entries (Morello), unsimplified expressions (maps), and the
/// source itself, if it is in this notation. All are the same function. Errors: those of convert.
Result<std::vector<Layout>> spellings(const Layout& from, Notation to);

/// The same memory seen through permuted indices, as by numpy.transpose(array, axes): dimension i of the
/// result is dimension axes[i] of the layout. Notation and buffer size stay. Errors: rank_mismatch (not one
/// axis per dimension), dim_out_of_range, bad_permutation (an axis twice). Exact. O(rank); for maps, O(size
/// of the map). Example: `f32[3,5]{1,0:T(2,2)}` by {1, 0} is `f32[5,3]{0,1:T(2,2)}`.
Result<Layout> transpose(const Layout& layout, std::span<const Index> axes);

/// An index where two layouts differ, and both offsets.
struct LayoutDifference {
  std::vector<Index> index;
  Index first = 0;
  Index second = 0;
  friend bool operator==(const LayoutDifference&, const LayoutDifference&) = default;
};

/// Whether two layouts are equal, and what shows that they are not.
struct LayoutEquality {
  Verdict verdict = Verdict::undecided;
  std::optional<LayoutDifference> difference = {};  ///< for `no`, unless something else differs
  bool smallest = true;  ///< no smaller index differs (row-major); false only beyond a limit
  std::string word =
      {};  ///< another kind of difference: `different_shape`, `text`, `structure`, `buffer_size`, ...
  std::string reason = {};  ///< that difference as a sentence; for `undecided`, the limit
  /// How a `yes` was proved: `identity`, `digits`, `bases`, `enumeration`, `isl`.
  std::string_view proof = {};
};

/// What to ignore, and how far to search.
struct LayoutEqualityOptions {
  bool ignore_unit_dims = false;  ///< drop dimensions of extent 1 from both layouts and from the index
  JudgeLimits judge = {};         ///< limits of isl, the last resort
};

/// Whether shapes and offsets are equal. Tries the cheapest proof first: digits (O(digits), any size), bases
/// over F2 (O(bits)), enumeration of each set of interacting dimensions (up to kTableLimit points), then isl.
/// Exact; a `no` has the smallest index in row-major order, unless its `smallest` is false.
LayoutEquality same_map(const Layout& a, const Layout& b, const LayoutEqualityOptions& options = {});

/// Whether shapes, offsets, buffer sizes, element widths and splits are equal.
LayoutEquality same_storage(const Layout& a, const Layout& b, const LayoutEqualityOptions& options = {});

/// The smallest index at which two normal forms on the same box differ; empty if they are the same function.
/// O(digits).
std::optional<LayoutDifference> first_difference(const Digits& a, const Digits& b);

/// text: equal canonical texts. structure: the same notation and equal fields. map: equal shapes and offsets.
/// storage: also equal buffer sizes, element widths and splits.
enum class EqualityNotion : std::uint8_t { text, structure, map, storage };

/// `text`, `structure`, `map`, `storage`.
std::string_view to_string(EqualityNotion notion);
/// The notion with this name, if there is one.
std::optional<EqualityNotion> parse_equality_notion(std::string_view word);

/// Whether the layouts are equal in this sense. Text and structure are compared directly; for the others see
/// same_map and same_storage. Exact.
LayoutEquality equal(const Layout& a, const Layout& b, EqualityNotion notion,
                     const LayoutEqualityOptions& options = {});

/// `yes`, `no at (0, 4): 8 and 4`, `no: different_shape: the shapes are (4,8) and (8,4)`, `undecided:
/// REASON`.
std::string to_string(const LayoutEquality& equality);

}  // namespace tessera
