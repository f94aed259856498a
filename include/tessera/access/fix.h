// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds a layout of the same box with the fewest bank conflicts for a set of accesses, and says how far it
/// is from the optimum.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/access/access.h"
#include "tessera/algebra/strided_layout.h"
#include "tessera/algebra/swizzle.h"

namespace tessera {

/// Ways to change a layout: none leaves it alone, swizzle applies Sw<B,M,S> after it, pad enlarges one
/// stride, and linear applies any invertible linear map of the offset bits over F2.
enum class FixFamily : std::uint8_t { none, swizzle, pad, linear };
/// What is proved about a fix: no layout that moves whole blocks is better (floor), no linear swizzle is
/// better (linear), no member of its family is better (family), or nothing, because a limit was reached
/// (none).
enum class FixProof : std::uint8_t { floor, linear, family, none };
std::string_view to_string(FixFamily family);
std::string_view to_string(FixProof proof);

struct Fix {
  FixFamily family = FixFamily::none;
  Index wavefronts = 0;  ///< weighted sum over all accesses
  std::vector<Index> per_access = {};
  Index bytes = 0;  ///< extra bytes that the new layout needs
  int xor_terms = 0;
  std::optional<Swizzle> swizzle =
      {};                          ///< of element offsets; also set for a linear fix that equals one swizzle
  std::vector<Index> images = {};  ///< for linear: where the offset bits 1, 2, 4, ... go
  std::optional<StridedLayout> padded = {};
  Index pad = 0;  ///< elements added to the enlarged stride
  FixProof proof = FixProof::none;
};

/// Which searches run.
struct FixFamilies {
  bool swizzle = true;
  bool pad = true;
  bool linear = true;
};

/// All candidates, and the best one: fewest wavefronts, then bytes, then xor terms, then bits of the swizzle.
struct FixSet {
  Index before = 0;  ///< wavefronts of the layout itself
  std::vector<Index> before_per_access;
  Index floor = 0;  ///< a lower bound on the wavefronts of every layout that moves whole blocks
  std::vector<Index> floor_per_access;
  bool linear = false;  ///< every access is linear over F2, with the same space for all its instructions
  std::vector<Fix> candidates;
  std::size_t best = 0;
  std::vector<Swizzle> equal_swizzles;  ///< all swizzles as good as the best, with as many bits

  const Fix& best_fix() const { return candidates[best]; }
};

/// Searches the families for a layout of the same box. Moves aligned blocks of the widest vector (at least a
/// bank) as a whole, so vectors stay consecutive. Ranks all swizzles and paddings. The linear swizzle is
/// optimal for one or two accesses; for more it comes from a search that is complete up to 2,000,000 nodes.
/// Errors: not_applicable (an address that is not a multiple of its width, a negative offset), non_injective,
/// those of access_instructions. Example: a 32x32 tile of 4 bytes written by rows and read by columns gets
/// Sw<5,0,5>.
Result<FixSet> find_fixes(const Layout& layout, std::span<const Access> accesses, Index element_bytes,
                          const MemoryTarget& target, FixFamilies families = {});

/// Only FixSet::floor. Errors: those of find_fixes.
Result<Index> least_wavefronts(const Layout& layout, std::span<const Access> accesses, Index element_bytes,
                               const MemoryTarget& target);

}  // namespace tessera
