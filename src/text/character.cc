// SPDX-License-Identifier: Apache-2.0
#include "text/character.h"

#include <fmt/core.h>

#include <algorithm>

namespace tessera::detail {
namespace {

// The ASCII text that looks like this character: for full-width forms, and for what word processors insert
// for `-`, `*` and `->`.
std::string_view lookalike(std::uint32_t c) {
  static constexpr std::string_view kAscii =
      "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";
  constexpr std::uint32_t kFullWidth = 0xff01;
  if (c >= kFullWidth && c < kFullWidth + kAscii.size()) return kAscii.substr(c - kFullWidth, 1);
  switch (c) {
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2212:
      return "-";
    case 0x00d7:
      return "x";
    case 0x2217:
    case 0x22c5:
      return "*";
    case 0x2218:
      return "o";
    case 0x2192:
      return "->";
    case 0x2236:
      return ":";
    case 0x27e8:
    case 0x2329:
      return "<";
    case 0x27e9:
    case 0x232a:
      return ">";
    case 0x00a0:
    case 0x3000:
      return " ";
    default:
      return {};
  }
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {1, first, true};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {1, first, false};
  std::uint32_t code_point = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80) return {1, first, false};
    code_point = code_point << 6 | (byte(at + i) & 0x3fu);
  }
  return {length, code_point, true};
}

std::string describe_character(std::string_view text) {
  const Character c = character_at(text, 0);
  if (c.bytes == 0) return "the end";
  if (!c.valid || c.code_point < 0x20 || c.code_point == 0x7f)
    return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text[0]));
  if (c.code_point < 0x7f) return fmt::format("'{}'", text[0]);
  const std::string_view meant = lookalike(c.code_point);
  const std::string name = fmt::format("U+{:04X}", c.code_point);
  return meant.empty() ? name + " (not ASCII)" : fmt::format("{} (not '{}')", name, meant);
}

}  // namespace tessera::detail
