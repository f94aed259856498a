// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/tensor_type.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"

namespace tessera {
namespace {

std::optional<Diagnostic> problem(Code code, std::string message, std::string help = {}) {
  return Diagnostic{.code = code, .message = std::move(message), .help = std::move(help)};
}

constexpr const char* kEachDimensionOnce = "name every dimension once, the fastest first: {1,0}";

std::optional<Diagnostic> check_size(const TensorType& type) {
  Index elements = 1;
  for (std::size_t i = 0; i < type.rank(); ++i) {
    if (type.dim_kind(i) == DimKind::unbounded) continue;
    if (mul_overflows(elements, type.dims[i], elements)) {
      return problem(Code::overflow, "the number of elements does not fit in 64 bits");
    }
  }
  Index bytes = 0;
  if (mul_overflows(elements, (bit_width(type.dtype) + 7) / 8, bytes)) {
    return problem(Code::overflow, fmt::format("{} of {} do not fit in 2^63 bytes",
                                               detail::plural(elements, "element"), to_string(type.dtype)));
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_order(const TiledLayout& layout) {
  const std::size_t rank = layout.minor_to_major.size();
  std::vector<bool> seen(rank);
  for (const Index dim : layout.minor_to_major) {
    if (dim < 0 || dim >= static_cast<Index>(rank)) {
      return problem(Code::m2m_range,
                     fmt::format("minor_to_major names dimension {}, but the shape has {}", dim,
                                 detail::plural(rank, "dimension")),
                     kEachDimensionOnce);
    }
    if (seen[static_cast<std::size_t>(dim)]) {
      return problem(Code::m2m_duplicate, fmt::format("minor_to_major names dimension {} twice", dim),
                     kEachDimensionOnce);
    }
    seen[static_cast<std::size_t>(dim)] = true;
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_tiles(const TiledLayout& layout) {
  for (std::size_t i = 0; i < layout.tiles.size(); ++i) {
    const auto& tile = layout.tiles[i];
    if (tile.empty())
      return problem(Code::tile_empty, fmt::format("tile {} has no entries", i),
                     "write the extents of the tile, T(8,128), or leave the tile out");
    for (const Index entry : tile) {
      if (entry < 1 && entry != kCombine) {
        return problem(Code::tile_entry, fmt::format("entry {} of tile {} is neither >= 1 nor '*'", entry, i),
                       "use 1 for a dimension without tiling: T(1,128)");
      }
    }
    if (tile.back() == kCombine) {
      return problem(Code::tile_trailing_star,
                     fmt::format("tile {} ends with '*', but has no more minor dimension to combine with", i),
                     "end the tile with an extent: T(*,4)");
    }
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_split(const TensorType& type, const TiledLayout::Split& split,
                                      std::vector<bool>& seen) {
  const std::size_t rank = type.rank();
  if (split.dim < 0 || split.dim >= static_cast<Index>(rank)) {
    return problem(Code::split_dim_range,
                   fmt::format("SC splits physical dimension {}, but the layout has {}", split.dim,
                               detail::plural(rank, "dimension")),
                   "physical dimensions count from 0, the slowest, to rank - 1");
  }
  const auto physical = static_cast<std::size_t>(split.dim);
  if (seen[physical]) {
    return problem(Code::split_dim_duplicate, fmt::format("SC splits physical dimension {} twice", split.dim),
                   "write all points of a dimension in one list: SC(0:1,2)");
  }
  seen[physical] = true;
  const auto logical = static_cast<std::size_t>(type.layout->minor_to_major[rank - 1 - physical]);
  Index last = 0;
  for (const Index point : split.points) {
    if (point <= last) {
      return problem(Code::split_order, fmt::format("split point {} is not greater than {}", point, last),
                     "write the points in increasing order, starting at 1 or more: SC(1:2,3)");
    }
    if (type.dim_kind(logical) != DimKind::unbounded && point >= type.dims[logical]) {
      return problem(Code::split_range,
                     fmt::format("split point {} is not inside physical dimension {} of extent {}", point,
                                 split.dim, type.dims[logical]),
                     "split inside the dimension: from 1 to its extent - 1");
    }
    last = point;
  }
  return std::nullopt;
}

std::optional<Diagnostic> check_layout(const TensorType& type) {
  const TiledLayout& layout = *type.layout;
  if (layout.minor_to_major.size() != type.rank()) {
    return problem(Code::rank_mismatch,
                   fmt::format("the layout orders {}, but the shape has {}",
                               detail::plural(layout.minor_to_major.size(), "dimension"), type.rank()));
  }
  if (auto bad = check_order(layout)) return bad;
  if (layout.tail_align < 1) {
    return problem(Code::tail_align,
                   fmt::format("tail alignment L({}) must be at least 1", layout.tail_align),
                   "leave the part out: without it nothing is rounded, as with L(1)");
  }
  if (auto bad = check_tiles(layout)) return bad;
  if (layout.element_bits < 0) {
    return problem(Code::element_bits, fmt::format("element size E({}) is negative", layout.element_bits),
                   "write the number of bits, E(4), or leave the part out");
  }
  if (layout.memory_space < 0) {
    return problem(Code::memory_space, fmt::format("memory space S({}) is negative", layout.memory_space),
                   "write the number of the memory space, S(1), or leave the part out");
  }
  if (layout.metadata_prefix_bytes < 0) {
    return problem(Code::metadata_prefix,
                   fmt::format("metadata prefix M({}) is negative", layout.metadata_prefix_bytes),
                   "write the number of bytes, M(64), or leave the part out");
  }
  std::vector<bool> seen(layout.splits.empty() ? 0 : type.rank());
  for (const auto& split : layout.splits) {
    if (auto bad = check_split(type, split, seen)) return bad;
  }
  return std::nullopt;
}

}  // namespace

Result<TensorType> TensorType::make(DType dtype, std::vector<Index> dims, std::optional<TiledLayout> layout) {
  TensorType type{.dtype = dtype, .dims = std::move(dims)};
  if (!is_array_type(dtype) && (!type.dims.empty() || layout))
    return fail(type.dims.empty() ? Code::layout_on_nonarray : Code::nonarray_dims,
                fmt::format("a {} has no {}", to_string(dtype), type.dims.empty() ? "layout" : "dimensions"),
                {},
                type.dims.empty() ? "only an array has a layout: f32[3,5]{1,0}"
                                  : "leave the dimensions out: token[]");
  for (const Index dim : type.dims) {
    if (dim < 0)
      return fail(Code::negative_dim, fmt::format("dimension {} is negative", dim), {},
                  "write an extent of 0 or more");
  }
  if (layout) type.layout = std::make_shared<const TiledLayout>(std::move(*layout));
  if (auto bad = validate(type)) return fail(std::move(*bad));
  return type;
}

std::optional<Index> TensorType::element_count() const {
  Index count = 1;
  for (std::size_t i = 0; i < rank(); ++i) {
    if (dim_kind(i) == DimKind::unbounded || mul_overflows(count, dims[i], count)) return std::nullopt;
  }
  return count;
}

std::vector<Index> TensorType::minor_to_major() const {
  return layout ? layout->minor_to_major : descending_order(rank());
}

bool operator==(const TensorType& a, const TensorType& b) {
  if (a.dtype != b.dtype || a.dims != b.dims || a.dim_kinds != b.dim_kinds) return false;
  if (a.layout == b.layout) return true;
  return a.layout && b.layout && *a.layout == *b.layout;
}

std::optional<Diagnostic> validate(const TensorType& type) {
  if (auto bad = check_size(type)) return bad;
  return type.layout ? check_layout(type) : std::nullopt;
}

}  // namespace tessera
