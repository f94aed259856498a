// SPDX-License-Identifier: Apache-2.0
/// \file
/// The accesses that a thread block makes to an array with a given layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tessera/access/memory_target.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// The position of a block in a larger box.
struct AccessWindow {
  std::vector<Index>
      shape;  ///< shape of the block: Access::tv gives 1-D indices in it, first dimension fastest
  std::vector<Index> at = {};  ///< the first index of the block in the box; empty: all zeros
  bool everywhere = false;  ///< one block at `at` plus every multiple of `shape`; lanes outside the box are
                            ///< inactive
};

/// One access of all threads: which indices of the layout's box they touch, and how.
struct Access {
  std::string name = "a";
  /// A layout from (thread, value) to the 1-D index in the box, first dimension fastest; a 1-D layout has one
  /// value per thread. Or a map from the thread (its first dimension) and the values (its other variables,
  /// the first one fastest) to the indices of the box; a thread outside the map's domain is inactive.
  std::variant<Layout, IndexMap> tv;
  std::optional<AccessWindow> window = {};
  AccessKind kind = AccessKind::read;
  int matrices = 4;                          ///< per ldmatrix or stmatrix: 1, 2 or 4
  Index vector = 1;                          ///< values that one instruction moves per thread
  std::uint64_t active = ~std::uint64_t{0};  ///< the lanes of every warp that take part
  Index weight = 1;                          ///< how many times this access counts in sums
  Index base = 0;                            ///< byte address of offset 0
};

/// Options that all accesses share.
struct AccessOptions {
  Index element_bits = 32;
  MemoryTarget target = {};
  bool shared = true;
  bool global = true;
  Index base_align = 256;             ///< in bytes: the global buffer begins at a multiple of this
  std::vector<Index> segments = {};   ///< further segment sizes of global memory to count, in bytes
  Index most_pairs = Index{1} << 22;  ///< (thread, value) pairs of an access that are counted one by one
};

/// Reads `[NAME=]TV[,key[=value]]...` for a layout: TV is a layout from (thread, value) to the 1-D index in
/// the box, `map:` followed by an index map, `rows` or `columns`; keys are read, write, ldmatrix=N,
/// stmatrix=N, vector=N|auto, active=LANES, weight=N, base=BYTES, over=R,C, at=R,C, at=all. `defaults` gives
/// the keys that the text omits. `atom:ID` gives 1-D indices in the atom's tile, unless `over` gives another
/// shape. Errors: bad_option, unknown_name, those of parse_layout and parse_index_map.
Result<Access> parse_access(std::string_view text, const Layout& layout, const AccessOptions& options,
                            const Access& defaults);

/// The access for a layout that itself maps (thread, value) to the offset.
Access whole_layout(const Layout& layout);

}  // namespace tessera
