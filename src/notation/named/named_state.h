// SPDX-License-Identifier: Apache-2.0
/// \file
/// NamedLayout::State: the fields of a named layout, checked, and where its bits lie.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "notation/named/array_order.h"
#include "notation/named/gguf_blocks.h"
#include "notation/named/named_family.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace detail {

/// Rows, or columns, that are laid out by themselves.
struct GroupPart {
  Index begin = 0;
  Index size = 0;
  std::vector<Region> regions = {};  ///< of the index minus `begin`; bases count from the buffer's start
};

}  // namespace detail

struct NamedLayout::State {
  std::string prefix;
  std::string family;
  std::string field;
  std::vector<NamedParameter> parameters;
  CellType type;
  std::vector<Index> shape;
  const detail::NamedFamily* rule = nullptr;  ///< null for GGUF
  const detail::GgufBlock* block = nullptr;   ///< null for families
  NamedKind kind = NamedKind::cells;
  Index bits = 0;
  Container container;
  std::size_t batch = 0;  ///< the number of dimensions before those of the family
  /// Bits of each element; dimensions are those of the shape, then the bit. Empty if there are uneven groups.
  std::vector<detail::Region> regions = {};
  /// Groups whose sizes do not give digits; only of kind cells.
  std::vector<detail::GroupPart> groups = {};
  std::size_t group_dim = 0;

  bool empty() const;
};

namespace detail {

/// The cell of a region at an index; `bit` counts if the region is of a stream.
Index region_offset(const Region& region, std::size_t merged_dim, std::span<const Index> index, int bit);
/// The cell of a layout with groups.
Index grouped_offset(const NamedLayout::State& state, std::span<const Index> index);

}  // namespace detail
}  // namespace tessera
