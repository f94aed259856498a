// SPDX-License-Identifier: Apache-2.0
#include "notation/onednn/blocked_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "notation/layout_form.h"
#include "notation/limits.h"

namespace tessera::detail {
namespace {

using Part = BlockedFault::Part;

char letter(std::size_t dim) { return static_cast<char>('a' + dim); }

BlockedFault overflow() {
  return {{.code = Code::overflow,
           .message = "the padded array has 2^62 elements or more, but offsets must be below 2^62"}};
}

BlockedFault bad(Part part, std::size_t dim, std::string message, std::string help) {
  return {{.code = Code::bad_extent, .message = std::move(message), .help = std::move(help)}, part, dim};
}

// Checks the padded extent of a dimension, and counts its blocks.
std::optional<BlockedFault> count_blocks(const BlockedLayout& layout, std::size_t dim, Index block,
                                         BlockedMemory& out) {
  const Index extent = layout.shape[dim];
  out.outer[dim] = ceil_div(extent, block);
  Index least = 0;
  if (mul_overflows(out.outer[dim], block, least)) return overflow();
  if (layout.padded.empty()) return std::nullopt;
  const Index padded = layout.padded[dim];
  if (padded < extent) {
    return bad(Part::padded, dim,
               fmt::format("dimension {} is padded to {}, but has {}", letter(dim), padded,
                           plural(extent, "element")),
               fmt::format("pad it to {} or more", least));
  }
  if (padded % block != 0) {
    return bad(Part::padded, dim,
               fmt::format("dimension {} is padded to {}, which is not a multiple of its blocks of {}",
                           letter(dim), padded, block),
               fmt::format("pad it to {} or another multiple of {}", least, block));
  }
  out.outer[dim] = padded / block;
  return std::nullopt;
}

}  // namespace

std::optional<BlockedFault> measure(const BlockedLayout& layout, BlockedMemory& out) {
  const std::size_t rank = layout.shape.size();
  out = {.outer = layout.shape, .strides = layout.strides};
  out.strides.resize(rank, 1);
  std::vector<Index> block(rank, 1);
  for (const BlockedLayout::Block& one : layout.blocks) {
    Index& own = block[static_cast<std::size_t>(one.dim)];
    if (mul_overflows(own, one.size, own)) return overflow();
  }
  for (std::size_t d = 0; d < rank; ++d) {
    if (auto fault = count_blocks(layout, d, block[d], out)) return fault;
  }
  if (std::ranges::find(layout.shape, 0) != layout.shape.end()) {
    out.elements = 0;
    return std::nullopt;
  }
  for (const Index own : block) {
    if (mul_overflows(out.elements, own, out.elements)) return overflow();
  }
  for (std::size_t k = rank; k-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.order[k]);
    Index& stride = out.strides[d];
    if (layout.strides.empty()) stride = out.elements;
    // A stride is never used if there is one block, and 0 repeats the same memory.
    if (out.outer[d] == 1 || stride == 0) continue;
    if (stride < out.elements) {
      return bad(Part::strides, d,
                 fmt::format("dimension {} has stride {}, but the parts that the tag puts after it take {}",
                             letter(d), stride, plural(out.elements, "element")),
                 "strides are in the order a, b, c, ...; the tag names the dimension with the largest first");
    }
    if (mul_overflows(stride, out.outer[d], out.elements)) return overflow();
  }
  if (out.elements >= kNotationLimits.offset) return overflow();
  return std::nullopt;
}

}  // namespace tessera::detail
