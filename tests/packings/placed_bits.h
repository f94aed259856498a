// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where packings put bits, as the programs that made them do it: they reshape, permute and pack, or write
/// bits one after another. Shares no code with the library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::packings {

using Numbers = std::vector<std::int64_t>;

/// where[e][b]: the place of bit b of element e (row-major) in the buffer.
struct PlacedBits {
  std::int64_t bits = 0;  ///< of the buffer
  std::vector<Numbers> where = {};
};

/// A packing and the numbers by which its extents must be divisible.
struct PackingCase {
  std::string name;         ///< `pack:awq`, `scale:128x4(cols=8)`, `gguf:q4_k.sc`
  std::vector<int> widths;  ///< of the elements
  std::size_t rank = 2;
  Numbers multiples = {1, 1};  ///< of the last dimensions
  bool is_batched = true;
  std::string type = {};  ///< if it is not u<width>
};

/// All packings that place() knows.
std::vector<PackingCase> packing_cases();

/// `shape` has at least `rank` dimensions; the first ones are batch.
PlacedBits place(const PackingCase& packing, int width, const Numbers& shape);

}  // namespace tessera::packings
