// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of files of tensors.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera {

/// Every limit of this folder, with its unit and its reason.
struct FileLimits {
  Index values = Index{1} << 16;                    ///< of one answer
  std::size_t quoted_bytes = std::size_t{1} << 20;  ///< of a file, at which errors may point
  std::size_t gguf_rank = 4;                        ///< dimensions: those of the format
  int gguf_nesting = 8;                             ///< of arrays, because the reader recurses
  Index gguf_bytes = Index{1} << 62;  ///< of a tensor, and its elements, so that sums fit in 64 bits
  std::size_t gguf_shown = 80;        ///< bytes of a name in a message
  std::size_t npy_rank = 64;          ///< dimensions, as in NumPy 2
  /// Bytes: 64 extents take 1.5 KB, and the length of a damaged header may claim gigabytes.
  std::size_t npy_header = std::size_t{1} << 20;
  std::size_t safetensors_header = 100'000'000;  ///< bytes: those of the format's own library
};
inline constexpr FileLimits kFileLimits = {};

}  // namespace tessera
