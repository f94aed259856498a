// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where GGUF blocks have the bits of their fields, by the loops that dequantize them.
#pragma once

#include <string>
#include <vector>

#include "packings/placed_bits.h"

namespace tessera::packings {

/// A field: `gguf:q4_k`, `gguf:q4_k.sc`.
struct GgufFieldCase {
  std::string name;
  int width = 4;
  std::int64_t multiple = 256;  ///< entries of a block
  std::string type = {};        ///< if it is not u<width>
};

std::vector<GgufFieldCase> gguf_field_cases();

/// `field` without the prefix: `q4_k.sc`.
PlacedBits place_gguf(const std::string& field, const Numbers& shape);

}  // namespace tessera::packings
