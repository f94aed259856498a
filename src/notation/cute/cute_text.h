// SPDX-License-Identifier: Apache-2.0
// Reads values of CuTe's notation at the start of a text that continues in another grammar.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "tessera/notation/cute.h"

namespace tessera {

/// The message for `?`, which the Python DSL prints for a dynamic integer.
inline constexpr const char* kDynamicInteger = "'?' is a dynamic extent or stride: write its value";

/// A value as written in C++ or printed by CuTe, read from the start of a text:
/// `Layout<Shape<_4>,Stride<_1>>`, `Swizzle<3,4,3>{}`, `Sw<3,4,3>_smem_ptr[16b](0x400)`. A pointer alone has
/// no value, because it says nothing about a layout. A swizzle at a pointer permutes bytes; the value
/// permutes elements.
struct SpelledCute {
  std::optional<CuteValue> value;
  std::size_t length = 0;  ///< bytes that were read
};
/// Whether a text begins with such a value. Of values in normal form, only swizzles count.
bool begins_spelled_cute(std::string_view text);
/// Whether a text that begins with a word is in this notation: it begins with such a value, with `Int<4>` or
/// with `make_layout(`.
bool begins_cute(std::string_view text);
/// Requires begins_spelled_cute(text). Errors: as parse_cute, with spans in `text`.
Result<SpelledCute> parse_spelled_cute(std::string_view text);

/// One integer of a shape or a stride: `_4`, `-1`, `Int<4>{}`, `3@1@0`.
struct CuteStride {
  Index value = 0;
  bool marked = false;     ///< a compile-time constant
  BasisPath path = 0;      ///< the indices after `@`
  std::size_t length = 0;  ///< bytes that were read
};
/// Errors, each with its span in `text`: syntax, number_range, capacity (levels after `@`).
Result<CuteStride> parse_cute_stride(std::string_view text);

}  // namespace tessera
