// SPDX-License-Identifier: Apache-2.0
/// \file
/// How often the elements of an operand are read, and how many bytes each step of a program moves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/indexing.h"
#include "tessera/hlo/module.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

/// The reads of one array by all elements of an output, in one execution.
struct ArrayReads {
  Index elements = 0;  ///< elements of the array
  Count used = {};     ///< distinct elements that are read
  /// Elements that are read, counted once per read: the points of all maps.
  Count reads = {};
  /// Distinct elements that some execution reads; equal to `used` unless the maps have runtime variables.
  Count reachable = {};
  /// Whether it is proved that every element that is read is read equally often.
  bool even = false;
  /// If not exact, the maps may contain elements that are not read, and the counts are upper bounds.
  Exactness exactness = Exactness::exact;
  std::string reason = {};  ///< why the maps or a count are not exact; empty if they are

  bool exact() const { return used.exact() && reads.exact(); }
  /// Whether every element of the array is read. False means "not proved".
  bool covers_array() const { return used.lower == elements; }
};

/// Counts the reads of an array with these extents. Maps of the set that are the same relation count once. If
/// the source of a runtime variable is one element, the variable has one arbitrary value for the whole
/// execution; the counts are exact if they do not depend on it, as for a dynamic slice. If the variable has a
/// value for each index, as in a gather, `used` is a bound. Elements of other replicas count as elements of
/// the array. Unknown maps give the bounds 0 and all elements, and no upper bound for reads. O(maps^2), plus
/// the cost of the counts in map_algebra.h.
ArrayReads count_reads(const IndexingSet& maps, std::span<const Index> extents,
                       const JudgeLimits& limits = {});

/// The reads of an operand by an output. For a tuple operand, the reads of all its arrays together. Errors:
/// index_out_of_range, overflow (the number of elements of the operand is unbounded or exceeds 64 bits).
/// Example: the reads of `{.operand = 1}` of a product of 64 x 32 and 32 x 16 matrices are 64 * 32 * 16, of
/// 32 * 16 elements.
Result<ArrayReads> count_reads(const Instruction& instruction, OutputOperand pair,
                               const JudgeLimits& limits = {});

/// The reads of one array by the output elements of each tile, if every tile of the output is computed
/// separately.
struct TileReads {
  std::vector<Index> tile = {};  ///< extents of a tile
  Index tiles = 0;               ///< number of tiles that cover the output; the last ones may be smaller
  Count used = {};               ///< distinct elements that each tile reads, summed over all tiles
  Count reads = {};              ///< as in ArrayReads: tiles do not change this count
  Count used_by_first = {};      ///< distinct elements that the tile at the origin reads
  Count reads_by_first = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};
};

/// Counts the reads of tiles with these extents, one for each dimension of the maps; an extent is at least 1
/// and at most the output's. As exact as count_reads. Errors: rank_mismatch, bad_extent. Example: a product
/// of 64 x 32 and 32 x 64 matrices in tiles of 16 x 16 reads 16 * 16 * 32 elements of each operand.
Result<TileReads> count_tile_reads(const IndexingSet& maps, std::span<const Index> output,
                                   std::span<const Index> tile, std::span<const Index> extents,
                                   const JudgeLimits& limits = {});

/// The reads of one array among the operands of an instruction by all its outputs.
struct OperandReads {
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;  ///< of the operand
  ArrayReads reads;
  /// Other operands that are the same array, under this or another name, and count together with this one.
  /// Only in StepTraffic.
  std::vector<OperandLeaf> also = {};
};

/// The reads of every array that the instruction depends on, sorted by operand and leaf. A map that several
/// outputs share counts once, because one loop computes them together. Arrays that are not read have no
/// entry.
std::vector<OperandReads> count_reads(const InstructionIndexing& maps, const JudgeLimits& limits = {});

/// How often a computation runs: a loop body once for each iteration, a branch of a conditional at most once.
/// Without an upper bound if the number of iterations of a loop is unknown.
struct ComputationRuns {
  const Computation* computation = nullptr;
  Count runs;
};

/// The computations that a run of `start` executes step by step, callers first: `start`, and the computations
/// that its loops, calls, conditionals and asynchronous operations run. The computations of fusions and
/// reducers are parts of one step and are not listed. O(instructions).
std::vector<ComputationRuns> executed_computations(const Computation& start);

/// A number between two others.
struct TrafficRatio {
  double lower = 0;
  double upper = 0;
  bool exact() const { return lower == upper; }
};

/// The traffic of one run of a step, in bytes of elements as they are stored, without padding. Operands that
/// are the same array count once: see OperandReads::also. Of a collective, the traffic is that of one
/// device's memory: it reads its operand once, and writes its result.
struct StepTraffic {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  /// The bytes that its loops read, each element as often as the maps of a loop read it: the traffic if no
  /// element were kept for another index. One loop computes all results of one shape. A fusion computes each
  /// value inside it once for each of its elements that is needed: in the loop of the value that needs it one
  /// to one, or in a loop of its own. An element that does not depend on the index is read once by a loop.
  Count read = {};
  /// What a fusion would read if each element of its results computed all that it needs by itself, even what
  /// other elements need as well. Equal to `read` for other steps.
  Count inlined = {};
  /// Of `read`, what a loop reads again for another index, except along dimensions on which the element does
  /// not depend (broadcasts).
  Count repeated = {};
  /// The distinct bytes that are read.
  Count used = {};
  Index operand_bytes = 0;  ///< size of all arrays that the step reads
  /// The bytes of the results. Of a result that is proved to be written in place, only those of the update; a
  /// bound if that is not decided.
  Count written = {};
  /// Whether every result is an update, of a dynamic-update-slice (alone or at the root of a fusion) or a
  /// scatter, that is proved to be written over its operand, because the operand is not needed any more: it
  /// is an intermediate array, donated by `input_output_alias` to this result, or the state of a loop.
  bool in_place = false;
  /// Whether the step is a reshape, transpose or bitcast-convert that moves nothing if the compiler chooses
  /// the layouts so. The totals of a program then count it as a bound from 0 on; the numbers here are those
  /// of a step that moves.
  bool may_vanish = false;
  std::vector<OperandReads> operands = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};  ///< why a number is a bound

  /// The bytes moved if each needed byte is read once and each result is written once: no order of the
  /// computation moves less.
  Count minimum() const;
  /// The bytes read and written.
  Count moved() const;
  /// moved / minimum; empty without upper bounds or if nothing must move.
  std::optional<TrafficRatio> ratio() const;
  /// The bytes that all runs together read again after the first read, computed from upper bounds. Loops that
  /// run an unknown number of times count once.
  Index reread() const;
};

/// The traffic of a program, and the sizes of its parameters and its result.
struct ProgramTraffic {
  std::vector<StepTraffic> steps;  ///< by bytes read again, most first; ties: callers first, then in text
                                   ///< order
  Count moved = {};                ///< sums over all steps and runs
  Count minimum = {};
  std::size_t unknown = 0;  ///< steps whose reads are unknown
  Index parameters = 0;     ///< bytes of the parameters of the computation where the program starts
  Index results = 0;        ///< bytes of the result of this computation
};

struct TrafficOptions {
  const Computation* start = nullptr;      ///< null: the entry
  std::optional<JudgeLimits> limits = {};  ///< if not set, a count takes at most a few milliseconds
  /// Called once for each instruction.
  std::function<void()> advance = {};
};

/// Counts the traffic of every step of a program. Steps that move no data have no entry: parameters,
/// constants, tuples, bitcasts, and reshapes that are proved to be bitcasts. Each number is exact or a bound
/// with a reason. Walks the program once and takes a few microseconds for each map.
ProgramTraffic program_traffic(const HloModule& module, const TrafficOptions& options = {});

}  // namespace tessera
