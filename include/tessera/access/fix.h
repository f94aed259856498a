// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layout of the same box with the fewest bank conflicts for a set of accesses, and how far it is from the
/// best possible one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/access/access.h"
#include "tessera/algebra/swizzle.h"

namespace tessera {

/// Ways to change a layout: not at all, by a swizzle of its offsets, by padding one stride, or by any
/// invertible linear map of its offset bits over F2.
enum class FixFamily : std::uint8_t { none, swizzle, pad, linear };
/// What is proved about a fix. floor: no layout that keeps blocks whole is better. linear: no linear swizzle
/// is better. family: no other member of its family is better. none: nothing, because a limit was reached.
enum class FixProof : std::uint8_t { floor, linear, family, none };
std::string_view to_string(FixFamily family);
std::string_view to_string(FixProof proof);

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

/// All candidates, and the best one: fewest wavefronts, then bytes, then xor terms, then bits of the swizzle.
struct FixSet {
  Index before = 0;  ///< wavefronts of the layout itself
  std::vector<Index> before_per_access;
  Index floor = 0;  ///< a lower bound for all layouts that move whole blocks
  std::vector<Index> floor_per_access;
  bool linear = false;  ///< every access has linear addresses over F2, with equal differences in all phases
  std::vector<Fix> candidates;
  std::size_t best = 0;
  std::vector<Swizzle> equal_swizzles;  ///< all swizzles as good as the best one and with as many bits

  const Fix& best_fix() const { return candidates[best]; }
};

/// Searches the families for a layout of the same box. Moves aligned blocks of the widest vector (at least
/// one bank wide) as a whole, so vectors stay consecutive. Ranks all swizzles and paddings, with at most 2^28
/// lanes counted. A swizzle of the layout itself is replaced, not kept. The linear swizzle is optimal for one
/// or two accesses; for more it comes from a search that is complete up to 2,000,000 nodes. The wavefronts of
/// every fix are counted on the fixed layout. Errors: misaligned (an address that is not a multiple of its
/// width), not_applicable (a negative offset), non_injective, limit (more than 2^22 indices), those of
/// analyze_accesses. Example: a 32x32 tile of 4 bytes written by rows and read by columns gets Sw<5,0,5>.
Result<FixSet> find_fixes(const Layout& layout, std::span<const Access> accesses, Index element_bits,
                          const MemoryTarget& target, FixFamilies families = {});

}  // namespace tessera
