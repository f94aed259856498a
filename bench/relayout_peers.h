// SPDX-License-Identifier: Apache-2.0
/// \file
/// Other libraries that can do some of the copies, where they are installed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tessera/notation/digits.h"

namespace tessera::bench {

/// Copies once, between the buffers it was made for.
struct Peer {
  std::string name;
  std::function<void()> run;
};

/// The peers that can copy from one digit form to another; both on one box, one chain of digits a dimension.
/// They run on so many threads, their own.
std::vector<Peer> peers_for(const Digits& src, const Digits& dst, int element_bytes, int threads,
                            const std::byte* from, std::byte* to);

}  // namespace tessera::bench
