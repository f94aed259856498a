// SPDX-License-Identifier: Apache-2.0
/// \file
/// Global memory traffic of one instruction and of a whole grid, and the widest possible vector access.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tessera/access/bank_conflicts.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

inline constexpr Index kSectorBytes = 32;
inline constexpr Index kLineBytes = 128;

/// The bytes, sectors, lines and segments that the instructions of one or more warps fetch. Assumes no cache
/// between instructions.
struct SegmentReport {
  Index requested = 0;  ///< bytes that the lanes request
  Index bytes = 0;      ///< distinct bytes
  Index sectors = 0;    ///< distinct sectors of 32 bytes
  Index lines = 0;      ///< distinct lines of 128 bytes
  Index ideal_sectors = 0;
  Index ideal_lines = 0;
  std::vector<Index> segments = {};        ///< distinct segments of each size in `other_sizes`
  std::vector<Index> ideal_segments = {};  ///< the fewest segments of each size that hold these bytes

  /// Bytes that are fetched but not requested.
  Index overfetch() const { return kSectorBytes * sectors - bytes; }
  SegmentReport& operator+=(const SegmentReport& other);
};

/// Counts the sectors, lines, and segments of other sizes (in bytes, at least 1) that one instruction of one
/// warp touches. Exact. Example: 32 lanes, 4 bytes each, from byte 4: 5 sectors in 2 lines.
SegmentReport count_segments(const LaneAddresses& lanes, std::span<const Index> other_sizes = {});

/// Value v of lane l of warp k is at the offset lanes(l + L * v) + warps(k), in elements, for warps of L
/// lanes.
struct Grid {
  Layout lanes;  ///< has at most 64 * `values` indices
  Layout warps;
  Index values = 1;  ///< per lane; each group of `vector` consecutive values is one instruction
  Index element_bits = 32;
  Index vector = 1;                  ///< elements that one instruction moves per lane
  Index base = 0;                    ///< byte address of offset 0
  std::optional<Index> limit = {};   ///< elements in the buffer; lanes that begin beyond its end are inactive
  std::vector<Index> segments = {};  ///< further segment sizes to count, in bytes, at most 65536
};

/// Sums over the warps of a grid, and the first warp with the most sectors in one instruction.
struct GridReport {
  SegmentReport sum;
  Index warps = 0;
  Index worst_warp = 0;
  Index worst_sectors = 0;
};

/// Counts the memory traffic of a grid. Exact, and in closed form for any number of warps: sectors depend
/// only on the start of a warp modulo a line. With a limit, warps that cross it are counted one by one.
/// Errors: overflow; those of offset_range; unsupported_width (vectors that do not begin and end at whole
/// bytes); bad_extent (`values` does not divide the size of `lanes`, or `vector` does not divide `values`);
/// limit (more than 64 lanes; a segment size above 65536; more than 2^22 lanes to count one by one, because
/// the warps have no digits or do not ascend). O(instructions of a warp * digits * segment size).
Result<GridReport> count_grid(const Grid& grid);

/// Whether XLA's GPU compiler considers the access coalesced, by its rule for the first warp: the runs of
/// elements that the warp reads need at most 1/0.9 of the 128-byte lines that one contiguous run would need.
/// An empty map means unknown indexing, which is never coalesced. This follows XLA's heuristic;
/// analyze_accesses counts exactly.
bool coalesced_by_xla_rule(const std::optional<IndexMap>& map, Index element_bytes);

/// The fraction of memory transactions of `transaction_bytes` that a tile of an array uses, as XLA estimates
/// it from the tile's elements that are contiguous in the layout. If `strides` is empty, all strides are 1.
/// Errors: rank_mismatch, bad_extent. Example: s8[256,16] in tiles of 6 x 16, 64 bytes: 0.75.
Result<double> tile_bandwidth(const TensorType& type, std::span<const Index> tile,
                              std::span<const Index> strides, Index transaction_bytes);

/// The reason why a vector cannot be twice as wide.
enum class VectorLimit : std::uint8_t { cap, values, gap, alignment, base };
/// `cap`, `values`, `gap`, `alignment`, `base`.
std::string_view to_string(VectorLimit limit);

/// The widest vector that one access can move per thread.
struct VectorWidth {
  Index vector = 1;  ///< elements, a power of two
  VectorLimit limit = VectorLimit::cap;
  std::optional<std::pair<Index, Index>> at = {};  ///< (thread, value) for `gap` and `alignment`
};

/// The offset for a (thread, value) that accesses no memory.
inline constexpr Index kNoOffset = kIndexMin;

/// The largest power of two v for which every aligned group of v values of every thread either accesses no
/// memory, or is consecutive, begins at a multiple of v, and takes at most `cap_bytes`. `offsets` are those
/// of (thread, value), threads fastest, in elements. The buffer's address is a multiple of `base_align`.
/// Exact. O(offsets).
VectorWidth widest_vector(std::span<const Index> offsets, Index threads, Index element_bits,
                          Index base_align = 256, Index cap_bytes = 16);

}  // namespace tessera
