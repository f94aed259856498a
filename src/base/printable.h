// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes untrusted text safe to print on a terminal.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The bytes of the UTF-8 character at `at`: 1 to 4, or 0 for a byte that starts no valid character.
inline std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[i])) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) return 0;
  }
  // Rejects overlong forms, surrogates, and values above U+10FFFF.
  const unsigned second = byte(at + 1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) return 0;
  return length;
}

/// The text with control characters escaped, as in `\x1b`, because they could move the cursor or break the
/// line: those of ASCII and U+0080 to U+009F. Bytes that are not UTF-8 are escaped too. Line breaks stay if
/// `lines` is true. O(length).
inline std::string printable(std::string_view text, bool lines = false) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += fmt::format("\\xc2\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20 && !(lines && byte == '\n')) || byte == 0x7f || utf8_length(text, i) == 0) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      const std::size_t length = utf8_length(text, i);
      out += text.substr(i, length);
      i += length - 1;
    }
  }
  return out;
}

}  // namespace tessera::detail
