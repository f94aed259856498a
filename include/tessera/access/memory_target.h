// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a processor serves lanes that access shared memory at the same time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"

namespace tessera {

/// Kinds of access. `ldmatrix` and `stmatrix` move 16 bytes per lane, and only the first 8 * matrices lanes
/// supply addresses.
enum class AccessKind : std::uint8_t { read, write, ldmatrix, stmatrix };

/// `read`, `write`, `ldmatrix`, `stmatrix`.
std::string_view to_string(AccessKind kind);
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

}  // namespace tessera
