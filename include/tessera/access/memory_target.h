// SPDX-License-Identifier: Apache-2.0
/// \file
/// MemoryTarget: lanes, banks and phases of a processor; and what one instruction costs on it: bank
/// conflicts, sectors, lines, and the widest vector.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// Kinds of access. `ldmatrix` and `stmatrix` move 16 bytes per lane, and only the first 8 * matrices lanes
/// supply addresses.
enum class AccessKind : std::uint8_t { read, write, ldmatrix, stmatrix };

/// `read`, `write`, `ldmatrix`, `stmatrix`.
std::string_view to_string(AccessKind kind);
/// Whether the access is ldmatrix or stmatrix.
inline bool is_matrix(AccessKind kind) {
  return kind == AccessKind::ldmatrix || kind == AccessKind::stmatrix;
}

/// How one instruction of a given kind and width is served: phase after phase, each with access to all banks.
struct PhaseRule {
  int banks = 32;
  std::vector<std::uint64_t> phases;  ///< the lanes of each phase as a mask, ordered by lowest lane
  std::vector<unsigned> lane_masks;   ///< the phases are the cosets of their span under XOR
  bool has_lane_masks = false;        ///< false: the phases are not such cosets
};

/// The properties of a processor that bank conflicts depend on. The named targets are `nvidia` (compute
/// capability 5.0 and later), `nvidia-7x` (7.0 to 7.5, where two requests may be served as one), `cdna3`,
/// `cdna4`, `rdna3`, `rdna4`.
class MemoryTarget {
 public:
  /// Reads a name, or `banks:BxW[@L][/P]`: B banks of W bytes, L lanes (default 32), phases of P consecutive
  /// lanes (default: as many as the banks serve at once). Errors: unknown_name, bad_option (a number out of
  /// range).
  static Result<MemoryTarget> parse(std::string_view text);

  /// The target `nvidia`.
  MemoryTarget() = default;

  const std::string& name() const { return name_; }
  int lanes() const { return lanes_; }
  /// Bytes of one bank.
  int word() const { return word_; }
  /// Whether the processor has ldmatrix and stmatrix.
  bool has_matrix_access() const;
  /// Whether neighboring lanes with equal addresses may share a request.
  bool may_pair_requests() const;
  /// The largest number of banks over all kinds and widths.
  int most_banks() const;
  /// The rule for a kind and a width in bytes per lane: a power of two, at most 16.
  PhaseRule rule(AccessKind kind, int width) const;

 private:
  std::string name_ = "nvidia";
  int row_ = 0;  // in the table of named targets; -1 for a target given by numbers
  int lanes_ = 32;
  int word_ = 4;
  int banks_ = 32;
  int lanes_per_phase_ = 0;  // 0: as many as the banks serve at once
};

/// One instruction of one warp: what each lane touches.
struct LaneAddresses {
  std::span<const Index> bytes;              ///< first byte of each lane; at most 64 lanes
  std::uint64_t active = ~std::uint64_t{0};  ///< the lanes that take part; lanes without an address never do
  int width = 4;                             ///< bytes of each lane
};

/// Lanes that are served together.
struct BankPhase {
  int number = 0;           ///< among all phases of the instruction
  std::uint64_t lanes = 0;  ///< the active lanes of the phase
  int ways = 0;             ///< the most distinct words in one bank
  int banks = 0;            ///< banks that the lanes touch
  int words = 0;            ///< distinct words that the lanes touch
};

/// The distinct words of one bank that the lanes of one phase touch, ascending, each with its lanes.
struct BankConflict {
  int phase = 0;  ///< its number among all phases of the instruction
  Index bank = 0;
  std::vector<std::pair<Index, std::uint64_t>> words = {};
};

/// The cost of an instruction. `excess` is the cost of conflicts.
struct BankReport {
  Index wavefronts = 0;                ///< passes over the banks: the sum of the ways of all phases
  Index ideal = 0;                     ///< phases with an active lane
  int ways = 0;                        ///< the ways of the worst phase
  std::vector<BankPhase> phases = {};  ///< those with an active lane
  /// The conflict in the first phase with the most ways, in the lowest bank that has them; empty without a
  /// conflict.
  std::optional<BankConflict> conflict = {};
  /// The first active lane whose address is not a multiple of its width: the instruction cannot run.
  std::optional<int> misaligned = {};
  /// Less than `wavefronts` if requests may be paired (nvidia-7x); `wavefronts` is then an upper bound.
  Index wavefronts_at_least = 0;

  Index excess() const { return wavefronts - ideal; }
};

/// Counts bank conflicts by definition: lanes of a phase that touch the same word count once, even for
/// writes. Exact. O(n log n) for n words of all lanes. Example: 32 lanes, 4 bytes each, 8 bytes apart: 2
/// wavefronts.
BankReport count_banks(const LaneAddresses& lanes, AccessKind kind, const MemoryTarget& target);

/// Counts only the wavefronts. Does not allocate.
Index count_wavefronts(const LaneAddresses& lanes, const PhaseRule& rule, int word);

/// Why an instruction has conflicts, if its addresses are linear over F2: a(lane) = a(0) xor D(lane).
struct BankBits {
  std::vector<Index> lane_bytes;  ///< D(1), D(2), D(4), ...
  int dim = 0;                    ///< dimension of the space of words in a phase
  int rank = 0;                   ///< rank of their bank bits: the phase has 2^(dim - rank) ways
  std::vector<unsigned>
      same_bank;  ///< a basis, in echelon form, of all m for which the lanes l and l xor m share a bank
  std::vector<unsigned> same_word;  ///< a basis of all m for which they also touch the same word
  std::uint64_t bank_mask = 0;      ///< the address bits that select the bank
};

/// The BankBits of an instruction, or why it has none: lanes are inactive or misaligned, the number of banks
/// or lanes is not a power of two, or the addresses are not linear.
struct BankBitsAnswer {
  std::optional<BankBits> bits;
  std::string no_bits = {};
};
/// The BankBits of an instruction, or why it has none. Exact.
BankBitsAnswer bank_bits(const LaneAddresses& lanes, AccessKind kind, const MemoryTarget& target);

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
/// bytes, elements of less than a bit); bad_extent (`values` does not divide the size of `lanes`, or `vector`
/// does not divide `values`, or one is below 1);
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

/// The offsets that the threads of an access touch, and what limits its vectors.
struct ThreadOffsets {
  std::span<const Index> offsets;  ///< of (thread, value), threads fastest, in elements
  Index threads = 1;
  Index element_bits = 32;
  Index base_align = 256;  ///< in bytes: the buffer's address is a multiple of this
  Index cap_bytes = 16;    ///< the largest vector of the processor
  Index base = 0;          ///< in bytes: where offset 0 is in the buffer
};

/// The largest power of two v for which every aligned group of v values of every thread either accesses no
/// memory, or is consecutive, begins at a multiple of its size, and takes at most `cap_bytes`. Exact.
/// O(offsets).
VectorWidth widest_vector(const ThreadOffsets& access);

}  // namespace tessera
