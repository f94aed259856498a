// SPDX-License-Identifier: Apache-2.0
/// \file
/// GGML's element types: their numbers in GGUF files, and their blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"

namespace tessera {

/// A type of tensors in GGUF files. Elements are stored in blocks; plain types have one element in a block.
struct GgufType {
  std::uint32_t number = 0;
  std::string_view name;  ///< `q4_k`; plain types have their XLA names, `f32`, `s8`
  Index block_elements = 1;
  Index block_bytes = 0;
  std::optional<DType> dtype;  ///< of plain types
  bool has_codes = true;       ///< false: an element is not a field of bits (codebooks, base 3)

  bool is_plain() const { return dtype.has_value(); }
};

/// The type with this number, or null. O(log types).
const GgufType* find_gguf_type(std::uint32_t number);

/// What is known about a number without a type: `removed from ggml`; empty if nothing is.
std::string_view gguf_type_story(std::uint32_t number);

/// The layout of such a tensor as text: `f32[2,3]{1,0}`, `gguf:q4_k[4096,4096]`. Empty for types without
/// codes. `shape` is slowest dimension first.
std::string gguf_layout_text(const GgufType& type, const std::vector<Index>& shape);

}  // namespace tessera
