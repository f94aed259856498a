// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bank conflicts of one instruction: exact counts, and which address bits cause them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/access/memory_target.h"
#include "tessera/base/index.h"

namespace tessera {

/// One instruction of one warp: what each lane touches.
struct LaneAddresses {
  std::span<const Index> bytes;              ///< first byte of each lane; at most 64 lanes
  std::uint64_t active = ~std::uint64_t{0};  ///< the lanes that take part; lanes without an address never do
  int width = 4;                             ///< bytes of each lane
};

/// Lanes that are served together.
struct BankPhase {
  std::uint64_t lanes = 0;  ///< the active lanes of the phase
  int ways = 0;             ///< the most distinct words in one bank
  int banks = 0;            ///< banks that the lanes touch
  int words = 0;            ///< distinct words that the lanes touch
};

/// The distinct words of one bank that the lanes of one phase touch, ascending, each with its lanes.
struct BankConflict {
  int phase = 0;  ///< its number among the phases with an active lane
  Index bank = 0;
  std::vector<std::pair<Index, std::uint64_t>> words = {};
};

/// The cost of an instruction. `excess` is the cost of conflicts.
struct BankReport {
  Index wavefronts = 0;  ///< passes over the banks: the sum of the ways of all phases
  Index ideal = 0;       ///< phases with an active lane
  int ways = 0;          ///< the ways of the worst phase
  std::vector<BankPhase> phases = {};
  /// The conflict in the first phase with the most ways, in the lowest bank that has them; empty without a
  /// conflict.
  std::optional<BankConflict> conflict = {};
  /// The first active lane whose address is not a multiple of its width: the instruction cannot run.
  std::optional<int> misaligned = {};
  /// Less than `wavefronts` if requests may be paired (nvidia-7x); `wavefronts` is then an upper bound.
  Index wavefronts_at_least = 0;

  Index excess() const { return wavefronts - ideal; }
};

/// Counts by the definition: lanes of a phase that touch the same word count once, even for writes. Exact.
/// O(lanes * words * log). Example: 32 lanes, 4 bytes each, 8 bytes apart: 2 wavefronts.
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
};

/// The BankBits of an instruction, or why it has none: lanes are inactive or misaligned, the number of banks
/// or lanes is not a power of two, or the addresses are not linear.
struct BankBitsAnswer {
  std::optional<BankBits> bits;
  std::string no_bits = {};
};
BankBitsAnswer bank_bits(const LaneAddresses& lanes, AccessKind kind, const MemoryTarget& target);

}  // namespace tessera
