// SPDX-License-Identifier: Apache-2.0
/// \file
/// Explains why a composition fails, suggests what would compose instead, and gives the results of other
/// implementations.
#pragma once

#include <array>
#include <optional>

#include "tessera/algebra/detail/composition.h"

namespace tessera {

/// The admissibility rules of other implementations. Each walks a leaf of B through the modes of A, taking a
/// number of elements from each mode. They differ in when they refuse; none checks whether two leaves
/// interact.
enum class PeerRule : std::uint8_t {
  cute_cpp,  ///< CuTe C++ 3.9 to 4.7: the mode's extent divides or exceeds the stride; the rest must be
             ///< divisible
  pycute,    ///< pycute and C++ up to 3.8: one of stride and extent divides the other; the rest rounds down
  paper,     ///< the CuTe paper and PyCuTe: truncates A's shape to extent·stride, then removes the first
             ///< `stride` elements; both must divide
  tensor_layouts,  ///< like pycute, or the rest fits in the mode; the rest must be divisible
};
inline constexpr int kPeerRules = 4;
const char* to_string(PeerRule rule);

/// The result of a rule for a pair of integer layouts.
struct PeerVerdict {
  PeerRule rule = PeerRule::cute_cpp;
  bool accepts = false;
  bool fits = true;                    ///< false: the result would be larger than a layout may be
  StridedLayout result = {};           ///< if the rule accepts
  std::optional<Index> wrong_at = {};  ///< the smallest coordinate where the result differs from A(B(c))
};

/// An exact composition, and suggestions if there is none.
struct CompositionReport {
  detail::Outcome<StridedLayout> exact;
  std::array<PeerVerdict, kPeerRules> peers = {};
  std::optional<Index> extent_hint = {};  ///< the largest smaller extent with which the failing leaf composes
  std::optional<Index> stride_hint = {};  ///< the nearest stride with which the failing leaf composes
  bool by_mode_hint = false;              ///< B's modes compose one by one with A's: use `<…>`
};

/// The result of one rule, compared with A(B(c)) at every coordinate up to evaluation_limit(). Requires
/// integer strides.
PeerVerdict peer_composition(PeerRule rule, const StridedLayout& a, const StridedLayout& b);

/// composition(a, b) with the result of every rule and, if there is none, suggestions. The search for each
/// suggestion tries at most a few thousand compositions and 2^24 evaluations. Errors: unsupported_codomain
/// (in the report's `exact`) for coordinate strides of B.
CompositionReport composition_check(const StridedLayout& a, const StridedLayout& b);

}  // namespace tessera
