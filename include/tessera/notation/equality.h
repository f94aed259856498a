// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether two layouts are the same function: a proof, or the first index where they differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/map/judge.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// An index where two layouts differ, and both offsets.
struct LayoutDifference {
  std::vector<Index> index;
  Index first = 0;
  Index second = 0;
  friend bool operator==(const LayoutDifference&, const LayoutDifference&) = default;
};

struct LayoutEquality {
  Verdict verdict = Verdict::undecided;
  std::optional<LayoutDifference> difference = {};  ///< for `no`, unless something else differs
  bool smallest = true;  ///< no smaller index differs (row-major); false only beyond a limit
  std::string word =
      {};  ///< another kind of difference: `different_shape`, `text`, `structure`, `buffer_size`, ...
  std::string reason = {};  ///< that difference as a sentence; for `undecided`, the limit
};

/// What to ignore, and how far to search.
struct LayoutEqualityOptions {
  bool ignore_unit_dims = false;  ///< drop dimensions of extent 1 from both layouts and from the index
  JudgeLimits judge = {};         ///< limits of isl, the last resort
};

/// Whether shapes and offsets are equal. Tries the cheapest proof first: digits (O(digits), any size), bases
/// over F2 (O(bits)), enumeration of each set of interacting dimensions (up to kTableLimit points), then isl.
/// Exact; a `no` has the smallest index in row-major order.
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
std::optional<EqualityNotion> parse_equality_notion(std::string_view word);

/// Whether the layouts are equal in this sense. Text and structure are compared directly; for the others see
/// same_map and same_storage. Exact.
LayoutEquality equal(const Layout& a, const Layout& b, EqualityNotion notion,
                     const LayoutEqualityOptions& options = {});

/// `yes`, `no at (0, 4): 8 and 4`, `no: different_shape: the shapes are (4,8) and (8,4)`, `undecided:
/// REASON`.
std::string to_string(const LayoutEquality& equality);

}  // namespace tessera
