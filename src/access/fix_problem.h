// SPDX-License-Identifier: Apache-2.0
/// \file
/// The input of all searches for a layout without conflicts.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "access/bit_space.h"
#include "tessera/access/access.h"
#include "tessera/access/memory_target.h"

namespace tessera::detail {

/// An access whose instructions all have linear addresses over F2, with the same differences within a phase.
struct LinearAccess {
  BitSpace served;                ///< differences of byte addresses of lanes that are served together
  std::uint64_t vector_bits = 0;  ///< address bits inside a vector
  int bank_bits = 5;
  Index cost = 0;  ///< weight * instructions * phases: wavefronts without conflicts
};

/// One access of the problem and its instructions.
struct CountedAccess {
  const Access* access = nullptr;
  std::vector<AccessInstruction> instructions = {};
  int width = 4;
  PhaseRule rule = {};
  std::optional<LinearAccess> linear = {};
};

/// A layout and its accesses, prepared for counting many variants of the layout.
struct FixProblem {
  std::vector<Index> offsets;  ///< of the box by 1-D index, in elements
  Index cosize = 0;            ///< 1 + the largest offset
  Index element_bytes = 4;
  MemoryTarget target;
  std::vector<CountedAccess> accesses = {};

  /// The unit that a fix keeps contiguous, in bytes: the word of a bank, or the widest vector if that is
  /// wider.
  Index block_bytes() const;
  /// The most elements of a vector.
  Index widest_vector() const;
  /// Every access is linear over F2.
  bool is_linear() const;

  static Result<FixProblem> make(std::vector<Index> offsets, Index element_bytes, const MemoryTarget& target,
                                 std::span<const Access> accesses);
};

/// Weighted wavefronts of each access when element offset x moves to move(x). Exact, by counting.
std::vector<Index> count_moved(const FixProblem& problem, const std::function<Index(Index)>& move);
/// As count_moved, if index i of the box has the offset offsets[i].
std::vector<Index> count_at(const FixProblem& problem, std::span<const Index> offsets);
/// As count_moved, for a linear map of element offsets. Computed from ranks if the accesses are linear.
std::vector<Index> count_linear(const FixProblem& problem, const BitMap& map);

Index total(std::span<const Index> wavefronts);

/// A lower bound for all layouts of whole blocks: in each phase, some bank has at least the average number of
/// words.
std::vector<Index> wavefront_floor(const FixProblem& problem);
/// The same bound for one access alone, without its weight: blocks are as wide as its own vectors.
Index access_floor(std::span<const AccessInstruction> instructions, const Access& access,
                   std::span<const Index> offsets, Index element_bytes, const MemoryTarget& target);

}  // namespace tessera::detail
