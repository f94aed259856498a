// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of recipes and of copies from file to file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/base/index.h"

namespace tessera::transfer {

/// Every limit of this folder, with its unit and its reason. Those of public functions are next to them:
/// kLeastCopyMemory, kLeastReshardMemory.
struct TransferLimits {
  std::size_t cell_moves = std::size_t{1} << 20;  ///< that one move may become
  /// Reading one of this many elements of a source without digits costs as much as moving all by a plan.
  Index laid_out_share = 8;
  Index least_piece = Index{1} << 18;      ///< elements that are moved at once, wherever the source has them
  Index settings_bytes = Index{64} << 20;  ///< of a file of settings that is read as a whole
  /// Bytes of a copy with a journal, so that it can be resumed. Smaller ones take less time than finding out
  /// what is there, and leave nothing.
  Index least_journaled = Index{64} << 20;
  std::size_t listed_patterns = 8;  ///< in the help of an error
  std::size_t element_maps = 4096;  ///< of an answer
  /// Of a band, which each thread has in memory. A journal with a longer one is damaged.
  Index band_bytes = Index{64} << 20;
  int axis_depth = 64;                    ///< of parentheses, because the reader recurses
  int axis_steps = 10'000;                ///< to compute the sizes of all axes
  std::size_t listed_names = 3;           ///< in one message
  Index box_elements = Index{1} << 16;    ///< of a box that are listed one by one
  Index runs_at_once = Index{1} << 13;    ///< of equally placed elements, in memory while they become boxes
  std::size_t run_period = 64;            ///< runs after which their distances repeat
  Index verified_block = Index{1} << 12;  ///< elements that are compared together, however far apart they are
  Index copied_cuts = 64;          ///< copies of an element in one tensor whose cuts are known together
  std::uint32_t row_nodes = 4096;  ///< of a map in which blocks of rows are searched
};
inline constexpr TransferLimits kTransferLimits = {};

}  // namespace tessera::transfer
