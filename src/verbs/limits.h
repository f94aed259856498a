// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of requests and of what verbs read.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::verbs {

/// Every limit of this folder, with its unit and its reason.
struct VerbLimits {
  std::size_t json_depth = 64;                     ///< of a request, because its reader recurses
  std::size_t code_bytes = std::size_t{16} << 20;  ///< of a file of code; a longer one is something else
  std::size_t dump_files = 100000;                 ///< of a folder of dumps; a fuller one is something else
  std::size_t dump_kinds = 6;                      ///< of other files that a message names
  Index listed_places = Index{1} << 20;            ///< of a distribution
  Index picture_rows = 64;                         ///< of a layout that is drawn whole on a terminal
};
inline constexpr VerbLimits kVerbLimits = {};

}  // namespace tessera::verbs
