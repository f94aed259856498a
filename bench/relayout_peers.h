// SPDX-License-Identifier: Apache-2.0
/// \file
/// Other libraries that support some of the copies, if they are installed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tessera/notation/digits.h"

namespace tessera::bench {

/// Copies once between the buffers for which it was made.
struct Peer {
  std::string name;
  std::function<void()> run;
};

/// The peers that support a copy from one digit form to another. Both forms have the same shape and one chain
/// of digits per dimension. Each peer runs on `threads` threads of its own.
std::vector<Peer> peers_for(const Digits& src, const Digits& dst, int element_bytes, int threads,
                            const std::byte* from, std::byte* to);

}  // namespace tessera::bench
