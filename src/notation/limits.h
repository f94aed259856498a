// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of notations and of questions about layouts.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason; those of one notation are together. Widths that
/// a format prescribes do not belong here: they are next to its reader.
struct NotationLimits {
  /// Elements: offsets are between -2^62 and 2^62, so that the difference of two fits in 64 bits.
  Index offset = Index{1} << 62;
  int preimage_steps = 1'000'000;   ///< of a search for the indices at an offset: a tenth of a second
  std::size_t range_pieces = 4096;  ///< of a layout whose least and largest offsets are compared
  int range_steps = 1 << 20;        ///< offsets that are tried between a bound and an offset that occurs
  /// Units of a dimension whose common multiples are tried as cuts; a cut that is missed only gives fewer
  /// runs.
  std::size_t paired_cuts = 128;
  Index place_cells = Index{1} << 22;  ///< places that are enumerated for one table: 32 MB
  /// That are tried before isl decides a set that is too large to enumerate.
  Index quick_points = Index{1} << 20;
  Index digit_table = Index{1} << 16;  ///< values of one dimension that are kept
  Index map_table = 1 << 16;           ///< elements of a layout whose digits are found by enumeration

  /// How far it is enumerated whether two indices share an offset, if nothing else decides it.
  struct Collisions {
    Index sorted = Index{1} << 22;  ///< offsets that are sorted: 64 MB
    Index marked = Index{1} << 26;  ///< offsets that are marked in a bitmap, if they are close to each other
    Index places = Index{1} << 30;  ///< bits of this bitmap: 128 MB
    Index corner = Index{1} << 20;  ///< indices at the corner of a layout that may have more: 0.1 s
    int steps = 1'000'000;          ///< of the search for differences of digits
  };
  Collisions collisions = {};

  struct Atoms {
    std::size_t suggestions = 4;  ///< of similar names in a message
  };
  Atoms atoms = {};

  struct Axe {
    int brackets = 64;        ///< inside each other, because the reader recurses
    std::size_t axes = 1024;  ///< because places and steps have a number for each axis: 8 KB a place
    Index chain_steps = Index{1} << 22;  ///< values that are compared to find a chain
  };
  Axe axe = {};

  struct Cute {
    Index table_cells = Index{1} << 20;  ///< of the table of a layout
    Index swizzled = Index{1} << 16;     ///< indices of a function that may be a swizzle of a layout
  };
  Cute cute = {};

  struct Linear {
    int bits = 62;  ///< of an index or an offset, so that sizes fit in 63 bits
  };
  Linear linear = {};

  struct Named {
    Index sizes = Index{1} << 24;          ///< combinations of sizes at which two layouts are compared
    Index decided_sizes = Index{1} << 20;  ///< of those, decided one by one
  };
  Named named = {};

  struct Onednn {
    Index divisors = Index{1} << 16;  ///< of a number of blocks that are tried, each with its partner
  };
  Onednn onednn = {};

  struct Sharding {
    /// Of a mesh whose numbers are listed: a short text may mean a long list.
    Index devices = Index{1} << 17;
  };
  Sharding sharding = {};

  struct Symbolic {
    std::size_t atoms = 64;         ///< quotients and minima of one map
    int points = 20000;             ///< of a box at which a question is tried
    int quotient_rounds = 8;        ///< of one division
    std::size_t guesses = 400;      ///< of a condition
    std::size_t guess_sizes = 400;  ///< at which each guess is compared with the answer
    std::size_t corners = 256;      ///< of a domain
    std::size_t corner_dims = 10;   ///< variables of a domain whose corners are tried: 1024
    std::size_t terms = 1000;       ///< of an expanded polynomial
    std::size_t leaves = 64;        ///< of a layout, as many as of one of numbers
  };
  Symbolic symbolic = {};

  struct Triton {
    int depth = 100;                 ///< of layouts or values inside each other, because the reader recurses
    int element_bits = 40;           ///< of the number of elements of a tensor, and of all buffers up to one
    Index blocks = 4096;             ///< that are listed for one element
    Index padding_intervals = 4096;  ///< that one padding may be wide
    Index compared_elements = Index{1} << 16;  ///< of two padded buffers, one by one
    /// Dimensions of a layout of registers whose names are searched: all orders are tried.
    std::size_t register_rank = 4;
    std::size_t memory_rank = 5;  ///< dimensions of a shared layout whose names are searched
    std::size_t letters = 64;     ///< of a name of an attribute
    Index registers = 1 << 16;    ///< of all threads in one picture
  };
  Triton triton = {};

  struct Xla {
    std::size_t tiles = 16;   ///< of one layout that is searched
    int tile_steps = 20'000;  ///< of this search
    int depth = 500;          ///< of tuples inside each other, because the reader recurses
  };
  Xla xla = {};
};
inline constexpr NotationLimits kNotationLimits = {};

}  // namespace tessera::detail
