// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.h"

namespace tessera {
namespace {

constexpr std::string_view kDots = "...";

// Whether a byte continues a character of UTF-8.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  // The tail gets a quarter, because the beginning of a text tells more than its end.
  std::size_t tail = (most - kDots.size()) / 4;
  std::size_t head = most - kDots.size() - tail;
  for (int i = 0; i < 3 && head > 0 && continues(text[head]); ++i) --head;
  for (int i = 0; i < 3 && tail > 0 && continues(text[text.size() - tail]); ++i) --tail;
  std::string out(text.substr(0, head));
  out += kDots;
  out += text.substr(text.size() - tail);
  return out;
}

}  // namespace tessera
