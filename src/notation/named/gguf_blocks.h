// SPDX-License-Identifier: Apache-2.0
/// \file
/// GgufBlock: the fields of a block of each GGUF type. The table is gguf_blocks.inc.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "notation/named/array_order.h"

namespace tessera::detail {

/// stride * (position / div mod ext), for the position in the block.
struct BlockDigit {
  Index div = 1;
  Index ext = 1;
  Index stride = 0;
};
using BlockDigits = std::array<BlockDigit, 4>;

/// `width` bits of each value of a field: cells of that width, from the start of the block.
struct BlockPlane {
  int width = 0;  ///< 0: no plane
  Index first = 0;
  BlockDigits digits = {};
  std::string_view name = {};  ///< if the plane is a field, too
};

struct BlockField {
  std::string_view name;  ///< empty for the codes
  std::string_view type;
  Index entries = 1;  ///< in a block
  std::array<BlockPlane, 2> planes = {};
};

struct GgufBlock {
  std::string_view name;
  Index bytes = 1;
  std::string_view codes;  ///< what a code means, if it is not the number itself
  std::array<BlockField, 5> fields = {};

  Index elements() const { return fields[0].entries; }
};

/// The types with fields, in the order of the documentation.
std::span<const GgufBlock> gguf_blocks();
const GgufBlock* find_gguf_block(std::string_view name);

/// The names of the fields: the codes (empty), the fields, the planes.
std::vector<std::string_view> field_names(const GgufBlock& block);
/// A field or a plane by its name, as a field. Empty if there is none.
std::optional<BlockField> find_field(const GgufBlock& block, std::string_view name);

/// Writes the order of one row.
void write_block(OrderWriter& order, const GgufBlock& block, const BlockField& field);

/// Why a type has no fields here: `codebook` or `base3`; empty for others.
std::string_view refused_gguf_type(std::string_view name);

}  // namespace tessera::detail
