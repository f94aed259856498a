// SPDX-License-Identifier: Apache-2.0
/// \file
/// A part of the text of an access, with its position, so that an error points at it.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// A part of the text and the position of its first byte.
struct TextPart {
  std::string_view text;
  std::size_t at = 0;

  /// The part of this part from byte `begin` on.
  TextPart from(std::size_t begin) const { return {text.substr(begin), at + begin}; }
  /// The first `count` bytes of this part.
  TextPart first(std::size_t count) const { return {text.substr(0, count), at}; }
};

inline Span span_of(const TextPart& part) {
  return {static_cast<std::uint32_t>(part.at), static_cast<std::uint32_t>(part.at + part.text.size())};
}

/// The error bad_option at this part.
inline Failure bad_part(const TextPart& part, std::string message, std::string help) {
  return fail(Code::bad_option, std::move(message), span_of(part), std::move(help));
}

/// The number, if the whole text is one.
inline std::optional<Index> whole_number(std::string_view text) {
  Index out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

inline std::string_view without_leading_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

}  // namespace tessera::detail
