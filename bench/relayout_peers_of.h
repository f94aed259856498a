// SPDX-License-Identifier: Apache-2.0
/// \file
/// One function per library. Empty if the library is not installed or does not support the copy.
#pragma once

#include <optional>

#include "relayout_peers.h"

namespace tessera::bench {

std::optional<Peer> onednn_peer(const Digits& src, const Digits& dst, int element_bytes, int threads,
                                const std::byte* from, std::byte* to);
std::optional<Peer> eigen_peer(const Digits& src, const Digits& dst, int element_bytes, int threads,
                               const std::byte* from, std::byte* to);

}  // namespace tessera::bench
