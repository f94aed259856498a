// SPDX-License-Identifier: Apache-2.0
/// \file
/// Untrusted text on a terminal.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace tessera::detail {

/// The text with control characters escaped, as in `\x1b`, because they could move the cursor or break the
/// line: those of ASCII and U+0080 to U+009F. Line breaks stay if `lines`. O(length).
inline std::string printable(std::string_view text, bool lines = false) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += fmt::format("\\xc2\\x{:02x}", next);
      ++i;
    } else if ((byte < 0x20 && !(lines && byte == '\n')) || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace tessera::detail
