// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plain copies without a layout, which show the memory bandwidth of this machine.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera::bench {

/// Moves n bytes from a to b. Both addresses must be multiples of 64.
struct PlainCopy {
  std::string_view name;
  void (*copy)(const std::byte* from, std::byte* to, std::size_t n);
};

/// memcpy, a plain vector loop, and streaming stores: to one page after another, and to four pages in turn.
std::vector<PlainCopy> plain_copies();

}  // namespace tessera::bench
