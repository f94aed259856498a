// SPDX-License-Identifier: Apache-2.0
/// \file
/// BlockedLayout: arrays in blocks, oneDNN's format tags, padded dimensions and outer strides.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// An array in blocks. Each dimension is padded to a multiple of the product of its blocks. In memory, the
/// dimensions in `order` (which count whole blocks) vary slowest, then the blocks; the last block varies
/// fastest. A value that `to_layout` accepts has 1 to 12 dimensions, each once in `order`, blocks of size 2
/// or more, and `strides` that agree with `order`: each is 0 (a broadcast), or at least the memory of all
/// faster parts, unless its dimension has a single block.
struct BlockedLayout {
  /// `size` consecutive indices of a dimension that are stored together.
  struct Block {
    Index dim = 0;
    Index size = 2;
    friend bool operator==(const Block&, const Block&) = default;
  };

  std::vector<Index> shape = {};
  std::vector<Index> order = {};   ///< slowest first
  std::vector<Block> blocks = {};  ///< slowest first
  std::optional<DType> dtype = {};
  /// oneDNN's `padded_dims`: at least the extents, and multiples of the blocks. Empty: the least.
  std::vector<Index> padded = {};
  /// oneDNN's outer strides: from one block to the next, in elements, for dimensions a, b, c, ... Empty:
  /// dense.
  std::vector<Index> strides = {};

  /// The offset of an index inside the shape, in elements. Requires a value that `to_layout` accepts.
  /// O(dimensions + blocks).
  Index offset(std::span<const Index> index) const;
  Index offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }
  friend bool operator==(const BlockedLayout&, const BlockedLayout&) = default;
};

/// The most dimensions of a tag: `a` to `l`.
inline constexpr std::size_t kMaxTagDims = 12;

/// Reads `2x32x7x7:aBcd16b`, or with an element type `f32[2,32,7,7]:aBcd16b`. Also accepts the tags of oneDNN
/// that name the dimensions of activations and weights: `nChw16c` is `aBcd16b`, `OIhw4i16o4i` is
/// `ABcd4b16a4b`, `hwio` is `cdba`. A single `x` means all dimensions that are not named: `aBx16b`. After
/// the tag, `:4096x1024x112x16` are the outer strides and ` padded 2x48x8x7` the padded dimensions. Errors,
/// each with its span: syntax, number_range, bad_extent (also a stride inside the memory of the faster
/// parts), rank_mismatch, unknown_type, missing_layout (a tag without a shape), overflow. O(text).
Result<BlockedLayout> parse_blocked_layout(std::string_view text);

/// Whether a word is a format tag for some shape.
bool is_format_tag(std::string_view word);

/// `aBcd16b`.
std::string format_tag(const BlockedLayout& layout);

/// `2x32x7x7:aBcd16b`, with `:` and strides, and with ` padded ` and padded dimensions, if it has them.
/// parse_blocked_layout(to_string(x)) == x.
std::string to_string(const BlockedLayout& layout);

class Layout;  // layout.h
/// For Layout::make: an array in blocks; extents may be 0. Errors: rank_mismatch, bad_extent,
/// bad_permutation, layout_on_nonarray (a type without elements), overflow.
Result<Layout> to_layout(BlockedLayout layout);

}  // namespace tessera
