// SPDX-License-Identifier: Apache-2.0
/// \file
/// The leaves of types: the arrays of nested tuples, numbered from left to right.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The type that a buffer holds; other types unchanged.
inline const HloType& held_type(const HloType& type) {
  return type.kind() == HloType::Kind::buffer ? type.elements()[0] : type;
}

/// Counts leaves. Cached by type, so that a tuple of a thousand elements with a thousand readers is counted
/// once.
class Leaves {
 public:
  /// For a tuple of n elements, n + 1 numbers: element i has the leaves [offsets[i], offsets[i + 1]). For
  /// other types, {0, 1}.
  std::span<const std::uint32_t> offsets(const HloType& type);
  std::uint32_t count(const HloType& type) { return type.is_tuple() ? offsets(type).back() : 1; }
  /// An operand's first leaf, numbered within the type of the instruction that it names, and its number of
  /// leaves.
  std::uint32_t first(const Operand& operand);
  std::uint32_t count(const Operand& operand) { return count(operand.type()); }
  /// The element that contains a leaf. O(log elements).
  std::uint32_t element(const HloType& type, std::uint32_t leaf);
  const HloType& type(const HloType& type, std::uint32_t leaf) {
    return type.is_tuple() ? element_type(type, leaf) : type;
  }

 private:
  const HloType& element_type(const HloType& tuple, std::uint32_t leaf);

  std::unordered_map<const HloType*, std::vector<std::uint32_t>> offsets_;
};

}  // namespace tessera::detail
