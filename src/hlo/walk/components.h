// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strongly connected components of a graph.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::detail {

/// The strongly connected components of the graph in which node i needs `needs[i]`, each after those that it
/// needs, with its nodes in ascending order. Without recursion. O(nodes + edges).
std::vector<std::vector<std::uint32_t>> strong_components(
    const std::vector<std::vector<std::uint32_t>>& needs);

}  // namespace tessera::detail
