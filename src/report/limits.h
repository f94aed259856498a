// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of answers as text, JSON and pictures.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason. Most keep a text short.
struct ReportLimits {
  std::size_t value_bytes = 72;       ///< of a text in a file, which may be long
  Index tile_reads = Index{1} << 18;  ///< of a tile, each of which is one cell of a grid
  Index grid_lines = 64;              ///< rows and columns of a grid of a map
  std::size_t parameter_boxes = 8;    ///< of elements, or names, on a line
  std::size_t reshard_parts = 16;     ///< of a dimension on one line
  std::size_t file_runs = 16;         ///< of files on one line
  Index shard_lines = 64;             ///< rows and columns of shards or of messages
  /// Of a dimension with a line for each; of a longer one, only where a shard begins.
  Index shard_indices = 32;
  std::size_t sized_cases = 16;         ///< without --all
  Index access_pairs = Index{1} << 22;  ///< of a thread and a value, which the command enumerates

  struct Program {
    std::size_t findings = 3;          ///< of one kind in the summary; the table has all of them
    std::size_t lines = 20;            ///< of code in the table
    std::uint64_t drawn_arrays = 256;  ///< of a tuple
    std::size_t tiles = 600;           ///< that are analyzed; more would dominate the report
    /// Of one array whose reads are counted; more would take milliseconds for each operand.
    Index counted_tiles = 4096;
    Index lanes = 4096;  ///< that are counted one by one; more would take milliseconds for each operand
    std::size_t shown_wastes = 20;  ///< in the text; the page and JSON have more
    std::size_t wastes = 2000;      ///< of a module; more would make its page slow
  };
  Program program = {};
};
inline constexpr ReportLimits kReportLimits = {};

}  // namespace tessera::detail
