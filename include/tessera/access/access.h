// SPDX-License-Identifier: Apache-2.0
/// \file
/// The accesses that a thread block makes to an array with a given layout, their cost in shared and in global
/// memory, and layouts that avoid bank conflicts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tessera/access/memory_target.h"
#include "tessera/algebra/composed_layout.h"
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
/// the box, `map:` followed by an index map, `rows`, `columns`, or a matrix instruction; keys are read,
/// write, ldmatrix=N, stmatrix=N, vector=N|auto, active=LANES, weight=N, base=BYTES, over=R,C, at=R,C,
/// at=all. `defaults` gives the keys that the text omits. LANES is a mask or a list: `0xff`, `0-15,24`.
/// `atom:ID` gives 1-D indices in the atom's tile, unless `over` gives another shape.
///
/// A matrix instruction is `ldmatrix.xN` or `stmatrix.xN` (`.trans` too) with 1, 2 or 4 matrices of 8 rows of
/// 16 bytes along the second dimension: lane l has row l mod 8 of matrix l div 8. Its tile counts like an
/// atom's; 4 matrices lie 2 x 2, the first two below each other. As a key it is the same as ldmatrix=N.
///
/// Errors, each at its part of the text: bad_option, unknown_name, unsupported_width, those of parse_layout
/// and parse_index_map.
Result<Access> parse_access(std::string_view text, const Layout& layout, const AccessOptions& options,
                            const Access& defaults);

/// The access for a layout that itself maps (thread, value) to the offset.
Access whole_layout(const Layout& layout);

/// Bank conflicts of all instructions. Ignores weights.
struct SharedMemoryReport {
  Index wavefronts = 0;
  Index wavefronts_at_least = 0;
  Index ideal = 0;
  Index floor =
      0;  ///< a lower bound on the wavefronts of every layout that keeps the vectors of this access whole
  int ways = 0;
  std::size_t worst_instruction = 0;          ///< the first instruction with the most ways
  std::optional<BankConflict> conflict = {};  ///< the conflict of `worst_instruction`
  BankBitsAnswer bits = {};                   ///< the address bits of `worst_instruction`

  Index excess() const { return wavefronts - ideal; }
};

/// Sectors and lines of all instructions.
struct GlobalMemoryReport {
  SegmentReport sum = {};
  /// False: the numbers are those of a sample. A sample is only needed for an access of too many pairs whose
  /// addresses are not sums of a part for the lane and a part for the warp and the value.
  bool exact = true;
  std::size_t worst_instruction = 0;  ///< the first counted instruction with the most sectors
  Index worst_warp = 0;               ///< the first warp with an instruction of `worst_sectors`
  Index worst_sectors = 0;
  std::optional<VectorWidth> width = {};  ///< empty for a sample
};

/// The cost of one access.
struct AccessReport {
  Access access;
  Index warps = 0;
  std::size_t instructions = 0;
  std::size_t phases = 0;  ///< per instruction
  /// The number of all instructions, if there were more than `most_pairs` values, so that only a sample of
  /// `instructions` instructions was counted one by one. All sums are those of the sample, except for those
  /// of global memory if they are exact.
  std::optional<Index> sampled_of = {};
  std::optional<SharedMemoryReport> shared = {};
  std::optional<GlobalMemoryReport> global = {};
  /// The first (instruction, lane) whose address is not a multiple of the width: the instruction cannot run.
  std::optional<std::pair<std::size_t, int>> misaligned = {};
  std::vector<std::string> notes = {};  ///< such as two lanes that write the same byte
};

/// The reports of all accesses of a layout, in order.
struct AccessReports {
  std::vector<AccessReport> each;
  /// Weighted sums over the accesses to shared memory. The floor holds for layouts that keep the vectors of
  /// all accesses whole.
  Index wavefronts = 0;
  Index ideal = 0;
  Index floor = 0;
};

/// Counts accesses of a layout. Exact under the model of the target, for at most `most_pairs` (thread, value)
/// pairs; otherwise counts a sample of about a quarter as many pairs, spread evenly over all instructions.
/// Sectors and lines of global memory stay exact for any number of pairs if each address is the sum of a part
/// for the lane and a part for the warp and the value: these are counted in closed form. The layout may have
/// any size. An access given by a map is the kernel's map from threads to the indices of an array: lanes
/// outside the map's domain are inactive, and each value of its other variables is another instruction.
/// Errors: index_out_of_range (an access leaves the box), rank_mismatch, not_applicable (the values of a
/// vector are not consecutive), unsupported_width, bad_option (the target has no matrix access, a segment
/// size below 1), bad_extent,
/// undefined_value, overflow, limit (the number of instructions exceeds 64 bits). O(instructions * lanes).
Result<AccessReports> analyze_accesses(const Layout& layout, std::span<const Access> accesses,
                                       const AccessOptions& options);

/// Ways to change a layout: not at all, by a swizzle of its offsets, by padding one stride (in all ways
/// that differ in their banks; the strides above it stay or grow in proportion), or by any invertible linear
/// map of its offset bits over F2. A change may need more memory than the layout.
enum class FixFamily : std::uint8_t { none, swizzle, pad, linear };
/// What is proved about a fix. floor: no layout that keeps blocks whole is better. linear: no linear swizzle
/// is better. family: no other member of its family is better. none: nothing; FixSet::searches says what was
/// searched.
enum class FixProof : std::uint8_t { floor, linear, family, none };
/// `none`, `swizzle`, `pad`, `linear`; `floor`, `linear`, `family`, `none`.
std::string_view to_string(FixFamily family);
std::string_view to_string(FixProof proof);

/// A changed layout, what it costs, and what is proved about it.
struct Fix {
  FixFamily family = FixFamily::none;
  Index wavefronts = 0;  ///< weighted sum over all accesses
  std::vector<Index> per_access = {};
  Index bytes = 0;  ///< extra bytes that the new layout needs
  int xor_terms = 0;
  /// The swizzle of element offsets; also set for a linear fix that equals a single swizzle.
  std::optional<Swizzle> swizzle = {};
  std::vector<Index> images = {};  ///< for linear: the images of the offset bits 1, 2, 4, ...
  Index pad = 0;                   ///< elements added to the enlarged stride
  FixProof proof = FixProof::none;
  /// The fixed layout; empty if no notation has it.
  std::optional<Layout> layout = {};
};

/// Which searches run.
struct FixFamilies {
  bool swizzle = true;
  bool pad = true;
  bool linear = true;
};

/// What the search of one family did.
struct FixSearch {
  FixFamily family = FixFamily::none;
  Index tried = 0;                ///< members that were counted; 0 for linear maps, which are solved for
  bool complete = true;           ///< false: a limit was reached, so a better member may exist
  std::string not_searched = {};  ///< why the family was not searched; empty if it was
};

/// All candidates, and the best one: fewest wavefronts, then bytes, then xor terms, then bits of the swizzle.
struct FixSet {
  Index before = 0;  ///< wavefronts of the layout itself
  std::vector<Index> before_per_access;
  Index block_bytes = 0;  ///< the widest vector or, if that is wider, the width of a bank
  Index floor = 0;        ///< a lower bound for all layouts that keep aligned blocks of this size whole
  std::vector<Index> floor_per_access;
  bool linear = false;  ///< every access has linear addresses over F2, with equal differences in all phases
  std::vector<Fix> candidates;
  std::size_t best = 0;
  std::vector<Swizzle> equal_swizzles;   ///< all swizzles as good as the best one and with as many bits
  std::vector<FixSearch> searches = {};  ///< one for each requested family

  const Fix& best_fix() const { return candidates[best]; }
};

/// Searches the families for a layout of the same box. Moves aligned blocks of the widest vector (at least
/// one bank wide) as a whole, so vectors stay consecutive; a padding that keeps only the vectors is tried if
/// those stay above the floor. Ranks all swizzles and paddings, with at most 2^28 lanes counted. A swizzle of
/// the layout itself is replaced, not kept. The linear swizzle is optimal for one or two accesses; for more
/// it comes from a search that is complete up to 2,000,000 nodes. The wavefronts of every fix are counted on
/// the fixed layout. Errors: misaligned (an address that is not a multiple of its width), not_applicable (a
/// negative offset), non_injective, limit (more than 2^22 indices), those of analyze_accesses. Example: a
/// 32x32 tile of 4 bytes written by rows and read by columns gets Sw<5,0,5>.
Result<FixSet> find_fixes(const Layout& layout, std::span<const Access> accesses, Index element_bits,
                          const MemoryTarget& target, FixFamilies families = {});

}  // namespace tessera
