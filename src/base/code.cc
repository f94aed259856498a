// SPDX-License-Identifier: Apache-2.0
#include "tessera/base/code.h"

#include <array>

namespace tessera {
namespace {

constexpr std::array kWords = {
#define TESSERA_CODE(word) std::string_view(#word),
    TESSERA_CODES(TESSERA_CODE)
#undef TESSERA_CODE
};

}  // namespace

std::string_view to_string(Code code) { return kWords[static_cast<std::size_t>(code)]; }

std::optional<Code> parse_code(std::string_view word) {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] == word) return static_cast<Code>(i);
  }
  return std::nullopt;
}

}  // namespace tessera
