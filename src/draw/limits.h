// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of pictures and facts.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason. Those of public functions are next to them:
/// kMaxCells, kMaxClasses, kMaxSteps.
struct DrawLimits {
  Index bank_lines = 64;                ///< lines of memory; longer arrays show only the touched lines
  Index bits = Index{1} << 16;          ///< of the buffer that a picture of bits shows
  Index bit_elements = Index{1} << 18;  ///< enumerated to find the owner of a bit, if a stream has no digits
  Index sorted_owners =
      Index{1} << 16;  ///< elements; of larger layouts the inverse gives the owners of offsets
  Index table_elements = Index{1} << 22;  ///< enumerated for one table
  std::size_t cell_owners = 64;           ///< of one offset that are listed
  Index table_cells = Index{1} << 14;     ///< of a table; of a larger window it has every n-th row and column
  Index facts_elements = Index{1} << 22;  ///< enumerated for a fact
  Index padding_cells = Index{1} << 18;   ///< searched backward for the last element
  std::size_t linked_cells = 4096;        ///< of two views with a line for each element
  Index padding_ratio = 3;                ///< of padding to elements; more would hide the elements
  Index sorted_elements = Index{1} << 22;  ///< whose offsets are sorted to find the owner of each
  std::size_t named_owners = 4;            ///< of one offset, by name
  std::size_t shown_places = 8;            ///< of one element
  Index places = Index{1} << 22;           ///< of a picture: its cells times the copies of each
  double pixels = 1 << 26;                 ///< of a PNG: 256 MB
  Index shown_owners = 8;                  ///< of one element of a tile
};
inline constexpr DrawLimits kDrawLimits = {};

}  // namespace tessera::detail
