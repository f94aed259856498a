// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a processor serves the lanes that touch shared memory together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"

namespace tessera {

/// `ldmatrix` and `stmatrix` move 16 bytes per lane, and only lanes below 8 times the number of matrices give
/// addresses.
enum class AccessKind : std::uint8_t { read, write, ldmatrix, stmatrix };

/// `read`, `write`, `ldmatrix`, `stmatrix`.
std::string_view to_string(AccessKind kind);
inline bool is_matrix(AccessKind kind) {
  return kind == AccessKind::ldmatrix || kind == AccessKind::stmatrix;
}

/// How one instruction of a kind and a width is served: one phase after another, each with all banks.
struct PhaseRule {
  int banks = 32;
  std::vector<std::uint64_t> phases;  ///< the lanes of each phase as a mask, by lowest lane
  std::vector<unsigned> lane_masks;   ///< the phases are the cosets of the span of these under exclusive or
  bool has_lane_masks = false;        ///< false: the phases are other sets
};

/// The properties of a processor that bank conflicts depend on. The named ones are `nvidia` (compute
/// capability 5.0 and later), `nvidia-7x` (7.0 to 7.5, where two requests may be served as one), `cdna3`,
/// `cdna4`, `rdna3`, `rdna4`.
class MemoryTarget {
 public:
  /// Reads a name, or `banks:BxW[@L][/P]`: B banks of W bytes, L lanes (32), phases of P consecutive lanes
  /// (as many as the banks serve at once). Errors: unknown_name, bad_option (a number out of range).
  static Result<MemoryTarget> parse(std::string_view text);

  /// The target `nvidia`.
  MemoryTarget() = default;

  const std::string& name() const { return name_; }
  int lanes() const { return lanes_; }
  /// Bytes of one bank.
  int word() const { return word_; }
  /// Whether it has ldmatrix and stmatrix.
  bool has_matrix_access() const;
  /// Whether neighboring lanes with equal addresses may share a request.
  bool may_pair_requests() const;
  /// The most banks of any kind and width.
  int most_banks() const;
  /// `width` is in bytes per lane: a power of two, at most 16.
  PhaseRule rule(AccessKind kind, int width) const;

 private:
  std::string name_ = "nvidia";
  int row_ = 0;  // of the table of named targets; -1: by numbers
  int lanes_ = 32;
  int word_ = 4;
  int banks_ = 32;
  int lanes_per_phase_ = 0;  // 0: as many as the banks serve at once
};

}  // namespace tessera
