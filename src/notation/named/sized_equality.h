// SPDX-License-Identifier: Apache-2.0
/// \file
/// Equality of two layouts for all sizes of a range.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/notation/named_layout.h"
#include "text/sized_text.h"

namespace tessera {

/// The answer for all combinations of sizes, or the first that is not equal; the first name varies slowest.
struct SizedEquality {
  LayoutEquality equality = {};      ///< of the combination at `at_sizes`, or a yes
  Index tried = 0;                   ///< combinations, for a yes
  std::vector<Index> at_sizes = {};  ///< one for each range; empty for a yes
};

/// Whether the layouts are equal for every combination of sizes. Where a size only cuts the first dimension
/// of both boxes, and the offsets do not depend on it, the largest decides. Exact. Errors: those of the texts
/// (the message names the sizes; `field` is `b` for the second), unknown_name, limit (more than
/// detail::kNotationLimits.named.sizes combinations).
struct SizedPair {
  std::string a;
  std::string b;
  std::vector<SizeRange> sizes;
};
Result<SizedEquality> equal_for_sizes(const SizedPair& pair, EqualityNotion notion,
                                      const LayoutEqualityOptions& options = {});

/// `M=129, K=1`.
std::string sizes_text(std::span<const SizeRange> sizes, std::span<const Index> values);

}  // namespace tessera
