// SPDX-License-Identifier: Apache-2.0
/// \file
/// How much of an array an instruction reads, and how often.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/indexing.h"
#include "tessera/map/image.h"

namespace tessera {

/// The reads of one array by all elements of an output, in one execution.
struct ArrayReads {
  Index elements = 0;  ///< of the array
  Count used = {};     ///< different elements that are read
  /// Elements that are read, each as often as the maps read it: the points of all maps.
  Count reads = {};
  /// Different elements that some execution reads: `used` unless the maps have runtime variables.
  Count reachable = {};
  /// If it is not exact, the maps may contain more than what is read, and the counts are upper bounds.
  Exactness exactness = Exactness::exact;
  std::string reason = {};  ///< why the maps or a count are not exact; empty if they are

  bool exact() const { return used.exact() && reads.exact(); }
  /// Whether no element of the array is left out. False means "not proved".
  bool covers_array() const { return used.lower == elements; }
};

/// Limits for questions about whole programs: a count takes some milliseconds at most.
JudgeLimits quick_limits();

/// Counts the reads of an array with these extents. Two maps of the set that are the same relation are one.
/// A runtime variable has one value for the whole execution if its source is one element, and then any
/// value; the counts are exact if they do not depend on it, as for a dynamic slice. If it has a value for
/// each index, as in a gather, `used` is a bound. Elements of other replicas count as elements of the array.
/// Unknown maps give the bounds 0 and all elements, and reads without an upper bound. O(maps^2), and what
/// the counts of image.h cost.
ArrayReads count_reads(const IndexingSet& maps, std::span<const Index> extents,
                       const JudgeLimits& limits = {});

/// The reads of operand `operand` by output `output`. Of a tuple operand, the reads of all its arrays
/// together. Errors: index_out_of_range, overflow (the elements of the operand exceed 64 bits),
/// undefined_value (an extent is unbounded).
Result<ArrayReads> count_reads(const Instruction& instruction, std::size_t output, std::size_t operand,
                               const JudgeLimits& limits = {});

/// The reads of one array by the output elements of each tile, when every tile of the output is computed on
/// its own.
struct TileReads {
  std::vector<Index> tile = {};  ///< extents
  Index tiles = 0;               ///< how many cover the output; those at the ends may be smaller
  Count used = {};               ///< different elements of each tile, summed over all tiles
  Count reads = {};              ///< as in ArrayReads: tiles do not change it
  Count used_by_first = {};      ///< by the tile at the origin
  Count reads_by_first = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};
};

/// Counts the reads of tiles with these extents, one for each dimension of the maps; an extent is at least 1
/// and at most the output's. Exact as count_reads. Errors: rank_mismatch, bad_extent. Example: a product of
/// 64 x 32 and 32 x 64 matrices in tiles of 16 x 16 reads 16 * 16 * 32 elements of each operand.
Result<TileReads> count_tile_reads(const IndexingSet& maps, std::span<const Index> output,
                                   std::span<const Index> tile, std::span<const Index> extents,
                                   const JudgeLimits& limits = {});

/// The reads of one array among the operands of an instruction by all its outputs.
struct OperandReads {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;  ///< of the operand
  ArrayReads reads;
};

/// The reads of every array that the instruction depends on, sorted by operand and leaf. A map that several
/// outputs share counts once, as one loop computes them together. Arrays that are not read have no entry.
std::vector<OperandReads> count_reads(const InstructionIndexing& maps, const JudgeLimits& limits = {});

}  // namespace tessera
