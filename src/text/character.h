// SPDX-License-Identifier: Apache-2.0
/// \file
/// Describes a character for messages. Notations are ASCII, but input may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::detail {

/// A UTF-8 character. An invalid byte is a character without a code point.
struct Character {
  std::size_t bytes = 0;  ///< 0 at the end of the text
  std::uint32_t code_point = 0;
  bool valid = false;
};
Character character_at(std::string_view text, std::size_t at);

/// Describes the first character of a text, in printable ASCII: `'x'`, `U+FF08 (not '(')`, `byte 0xff`, `the
/// end`.
std::string describe_character(std::string_view text);

}  // namespace tessera::detail
