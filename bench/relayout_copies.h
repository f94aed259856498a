// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plain copies without a layout, which show the limit of this machine's memory.
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

/// memcpy, a plain vector loop, and streaming stores to one page after another and to four pages side by
/// side.
std::vector<PlainCopy> plain_copies();

}  // namespace tessera::bench
