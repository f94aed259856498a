// SPDX-License-Identifier: Apache-2.0
/// \file
/// A layout with the instructions that touch it: the input of every count and of every search for a fix.
#pragma once

#include <bit>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "access/instructions.h"
#include "algebra/bit_space.h"
#include "tessera/access/access.h"
#include "tessera/access/memory_target.h"

namespace tessera::detail {

/// Converts between bits of byte addresses and bits of element offsets. The element size in bits is a power
/// of two.
struct ElementShift {
  int shift;  ///< log2 of the bytes per element; negative if a byte holds several elements

  explicit ElementShift(Index element_bits)
      : shift(std::countr_zero(static_cast<std::uint64_t>(element_bits)) - 3) {}
  std::uint64_t to_elements(std::uint64_t bytes) const {
    return shift < 0 ? bytes << -shift : bytes >> shift;
  }
  std::uint64_t to_bytes(std::uint64_t elements) const {
    return shift < 0 ? elements >> -shift : elements << shift;
  }
  /// The address bits inside an element.
  std::uint64_t byte_mask() const { return shift < 0 ? 0 : (std::uint64_t{1} << shift) - 1; }
};

/// An access whose instructions all have linear addresses over F2, with the same differences within a phase.
struct LinearAccess {
  BitSpace served;                ///< differences of byte addresses of lanes that are served together
  std::uint64_t vector_bits = 0;  ///< address bits inside a vector
  int bank_bits = 5;
  Index cost = 0;  ///< weight * instructions * phases: wavefronts without conflicts
};

/// One access with its instructions.
struct CountedAccess {
  const Access* access = nullptr;
  ThreadTable table = {};
  std::vector<AccessInstruction> instructions = {};
  int width = 4;        ///< bytes per lane
  PhaseRule rule = {};  ///< the phases of a shared-memory access
  std::optional<LinearAccess> linear = {};
};

/// A layout and its accesses, prepared for counting many variants of the layout.
struct AccessedLayout {
  std::vector<Index> offsets;  ///< offset of each 1-D index of the box, or only of the touched indices
  bool whole_box = true;       ///< false: the box is too large, and the accesses refer to touched indices
  Index cosize = 0;            ///< 1 + the largest offset
  Index element_bits = 32;
  MemoryTarget target = {};
  std::vector<CountedAccess> accesses = {};

  /// Refers to `accesses`, which must outlive the result. With LargeAccess::sample the box may have any size.
  /// Errors: those of offset_table, thread_table, access_instructions.
  static Result<AccessedLayout> make(const Layout& layout, std::span<const Access> accesses,
                                     const AccessOptions& options, LargeAccess large = LargeAccess::refuse);

  /// The byte that contains the first bit of the element at an offset, relative to the base.
  Index byte_at(Index offset) const {
    return element_bits % 8 == 0
               ? offset * (element_bits / 8)
               : floor_div(offset, 8) * element_bits + floor_div(mod(offset, 8) * element_bits, 8);
  }
  /// The first byte of each lane.
  std::vector<Index> bytes_of(const CountedAccess& access, const AccessInstruction& one) const;
  /// The first (instruction, lane) whose address is not a multiple of the width.
  std::optional<std::pair<std::size_t, int>> misaligned(const CountedAccess& access) const;
  /// Finds LinearAccess for every access that has one. Requires aligned accesses.
  void find_linear_accesses();
  /// True if every access is linear over F2.
  bool is_linear() const;
  /// Why `access` is not linear over F2. Requires find_linear_accesses and that it is not.
  std::string nonlinear_reason(const CountedAccess& access) const;
  /// Whether every access can also run if index i of the box has the offset offsets[i]: the values of its
  /// vectors are consecutive, and its addresses are multiples of its width.
  bool runs_at(std::span<const Index> moved) const;
  /// The widest access, in bytes of a lane.
  Index widest_bytes() const;
  /// The unit that a fix keeps contiguous, in bytes: a bank's word, or the widest vector if that is wider.
  Index block_bytes() const;
  /// The number of elements in the widest vector.
  Index widest_vector() const;
  /// The number of lanes that one count of all accesses processes.
  Index lanes() const;
};

/// Weighted wavefronts of each access if element offset x moves to move(x). Exact: found by counting.
std::vector<Index> count_moved(const AccessedLayout& layout, const std::function<Index(Index)>& move);
/// Like count_moved, if index i of the box has the offset offsets[i].
std::vector<Index> count_at(const AccessedLayout& layout, std::span<const Index> offsets);
/// Like count_moved, for a linear map of element offsets. Computed from ranks if the accesses are linear.
std::vector<Index> count_linear(const AccessedLayout& layout, const BitMap& map);

Index total(std::span<const Index> wavefronts);

/// A lower bound on the wavefronts of the access, without its weight, for all layouts that keep aligned
/// blocks whole: in each phase, some bank has at least the average number of words. If the access is not
/// aligned, the bound is the number of phases.
Index wavefront_floor(const AccessedLayout& layout, const CountedAccess& access, Index block_bytes);
/// The bound of each access times its weight, for layouts that keep the blocks of all accesses whole.
std::vector<Index> wavefront_floors(const AccessedLayout& layout);

}  // namespace tessera::detail
