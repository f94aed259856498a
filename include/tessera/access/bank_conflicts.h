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
  std::span<const Index> bytes;              ///< first byte of each lane; at most 64
  std::uint64_t active = ~std::uint64_t{0};  ///< the lanes that take part; lanes without an address never do
  int width = 4;                             ///< bytes of each lane
};

/// Lanes that are served together.
struct BankPhase {
  std::uint64_t lanes = 0;  ///< the active ones
  int ways = 0;             ///< most different words of one bank
  int banks = 0;            ///< that are touched
  int words = 0;            ///< different ones
};

/// Different words of one bank that lanes touch together, ascending, each with its lanes.
struct BankConflict {
  int phase = 0;  ///< counts the phases with an active lane
  Index bank = 0;
  std::vector<std::pair<Index, std::uint64_t>> words = {};
};

/// The cost of an instruction. `excess` is the cost of conflicts.
struct BankReport {
  Index wavefronts = 0;  ///< passes over the banks: the sum of the ways of all phases
  Index ideal = 0;       ///< phases with an active lane
  int ways = 0;          ///< of the worst phase
  std::vector<BankPhase> phases = {};
  /// The first phase with the most ways, and its lowest bank that has them; empty without a conflict.
  std::optional<BankConflict> conflict = {};
  /// The first active lane whose address is not a multiple of its width: the instruction cannot run.
  std::optional<int> misaligned = {};
  /// Below `wavefronts` where requests may be paired (nvidia-7x): then `wavefronts` is an upper bound.
  Index wavefronts_at_least = 0;

  Index excess() const { return wavefronts - ideal; }
};

/// Counts by the definition: lanes of a phase that touch the same word count once, also in writes. Exact.
/// O(lanes * words * log). Example: 32 lanes, 4 bytes each, 8 bytes apart: 2 wavefronts.
BankReport count_banks(const LaneAddresses& lanes, AccessKind kind, const MemoryTarget& target);

/// Counts only the wavefronts. Does not allocate.
Index count_wavefronts(const LaneAddresses& lanes, const PhaseRule& rule, int word);

/// Why an instruction has conflicts, if its addresses are linear over F2: a(lane) = a(0) xor D(lane).
struct BankBits {
  std::vector<Index> lane_bytes;  ///< D(1), D(2), D(4), ...
  int dim = 0;                    ///< of the words of a phase
  int rank = 0;                   ///< of their bank bits: 2^(dim - rank) ways
  std::vector<unsigned>
      same_bank;  ///< lanes l and l xor m meet in a bank: a basis of these m, in echelon form
  std::vector<unsigned> same_word;  ///< ... and touch the same words
};

/// The bits of an instruction, or why there are none: inactive or misaligned lanes, a number of banks or
/// lanes that is not a power of two, addresses that are not linear.
struct BankBitsAnswer {
  std::optional<BankBits> bits;
  std::string no_bits = {};
};
BankBitsAnswer bank_bits(const LaneAddresses& lanes, AccessKind kind, const MemoryTarget& target);

}  // namespace tessera
