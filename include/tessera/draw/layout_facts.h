// SPDX-License-Identifier: Apache-2.0
/// \file
/// Facts about a layout, in numbers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/notation/layout.h"

namespace tessera {

/// The offsets that hold an element, as runs of consecutive offsets.
struct OffsetRuns {
  Index count = 0;
  Index shortest = 0;
  Index longest = 0;
  /// The largest number that divides the first and the end offset of every run; 0 for the empty layout.
  Index alignment = 0;
  friend bool operator==(const OffsetRuns&, const OffsetRuns&) = default;
};

/// Facts about one layout, all exact; `unknown` lists the missing ones with their reasons. Offsets and sizes
/// are in elements.
struct LayoutFacts {
  std::string text = {};   ///< the layout with its prefix
  std::string order = {};  ///< how its notation orders dimensions
  Notation notation = Notation::strides;
  std::vector<Index> shape = {};
  Index size = 0;
  /// Smallest and largest offset; empty for the empty layout.
  std::optional<std::pair<Index, Index>> offsets = {};
  /// 1 + the largest offset, or 1 + largest - smallest if offsets are negative.
  std::optional<Index> cosize = {};
  std::optional<Index> buffer = {};
  std::optional<Index> bits = {};   ///< per element
  std::optional<Index> bytes = {};  ///< the buffer's size, rounded up
  /// Number of distinct offsets.
  std::optional<Index> image = {};
  /// Unused elements of the buffer.
  std::optional<Index> padding = {};
  std::optional<bool> injective = {};
  std::string witness = {};  ///< two indices that share an offset
  std::optional<OffsetRuns> runs = {};
  std::optional<Digits> digits = {};
  std::string no_digits = {};  ///< why `digits` is empty: `entangled`, ...
  IndexMap map;                ///< simplified
  std::vector<std::pair<std::string, std::string>> unknown = {};
};

/// Facts about a layout of any size, computed from its digits or by enumeration of at most 2^22 elements.
/// `bits` is the width of an element if the layout does not give it; 0: unknown.
LayoutFacts facts_of(const Layout& layout, Index bits = 0);

/// Names and values for display, in a fixed order.
std::vector<std::pair<std::string, std::string>> fact_rows(const LayoutFacts& facts);

/// One line: `shape (3,5), size 15, buffer 24, padding 9, injective`.
std::string fact_line(const LayoutFacts& facts);

}  // namespace tessera
