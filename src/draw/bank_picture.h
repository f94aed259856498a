// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures of the memory that the lanes of one instruction touch: words in the banks of shared memory, or in
/// the lines of global memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/draw/picture.h"

namespace tessera::detail {

/// The memory that the lanes touch in one instruction, or in one phase of it.
struct TouchedMemory {
  std::string caption = {};
  std::span<const Index> bytes;  ///< the first byte that each lane touches; at most 64 lanes
  std::uint64_t lanes = 0;       ///< the lanes that take part
  int width = 4;                 ///< bytes that each lane touches
  Index begin = 0;               ///< the bytes of the array: [begin, end)
  Index end = 0;
  Index element_bits = 0;  ///< 0: unknown
};

/// One panel for each entry: a column for each bank, a row for each line of `banks` words. A touched word
/// shows its lanes and has the color of its first lane modulo 8. The last row counts the touched words of
/// each bank; if some bank has several, the fullest banks are marked. If an array has more than 64 lines,
/// only the touched lines are drawn. Errors: limit (more than kMaxCells cells).
Result<Picture> bank_picture(std::string title, std::span<const TouchedMemory> panels, int banks, int word);

/// One panel for each entry: a column for each 4-byte word of a 128-byte line, a row for each touched line,
/// and a heavier line between 32-byte sectors. Fetched words that no lane asked for are padding; other words
/// of a line are not drawn.
Result<Picture> line_picture(std::string title, std::span<const TouchedMemory> panels);

}  // namespace tessera::detail
