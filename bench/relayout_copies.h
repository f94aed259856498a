// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies without a layout: what the memory of this machine gives at best.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera::bench {

/// Moves n bytes from a to b; both at multiples of 64.
struct PlainCopy {
  std::string_view name;
  void (*copy)(const std::byte* from, std::byte* to, std::size_t n);
};

/// memcpy first; then a plain vector loop, and with streaming stores one page after the other and four pages
/// side by side.
std::vector<PlainCopy> plain_copies();

}  // namespace tessera::bench
