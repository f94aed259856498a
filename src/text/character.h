// SPDX-License-Identifier: Apache-2.0
/// \file
/// What stands at a place of a text, in words: notations are ASCII, texts from the outside may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::detail {

/// A character of UTF-8. A byte that begins none is a character of its own, without a code point.
struct Character {
  std::size_t bytes = 0;  ///< 0 at the end of the text
  std::uint32_t code_point = 0;
  bool valid = false;
};
Character character_at(std::string_view text, std::size_t at);

/// The first character of a text: `'x'`, `U+FF08 (not '(')`, `byte 0xff`, `the end`. Nothing of it
/// reaches a terminal that is not printable ASCII.
std::string describe_character(std::string_view text);

}  // namespace tessera::detail
