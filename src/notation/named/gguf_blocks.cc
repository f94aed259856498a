// SPDX-License-Identifier: Apache-2.0
#include "notation/named/gguf_blocks.h"

#include <algorithm>

namespace tessera::detail {
namespace {

#include "notation/named/gguf_blocks.inc"

// The planes of a field that exist.
std::span<const BlockPlane> planes_of(const BlockField& field) {
  return {field.planes.data(), field.planes[1].width > 0 ? std::size_t{2} : std::size_t{1}};
}

std::string_view unsigned_name(int width) {
  switch (width) {
    case 1:
      return "u1";
    case 2:
      return "u2";
    default:
      return "u4";
  }
}

}  // namespace

std::span<const GgufBlock> gguf_blocks() { return kGgufBlocks; }

const GgufBlock* find_gguf_block(std::string_view name) {
  const auto* found = std::ranges::find(kGgufBlocks, name, &GgufBlock::name);
  return found == std::end(kGgufBlocks) ? nullptr : found;
}

std::vector<std::string_view> field_names(const GgufBlock& block) {
  std::vector<std::string_view> names;
  for (const BlockField& field : block.fields) {
    if (!field.type.empty()) names.push_back(field.name);
  }
  for (const BlockPlane& plane : block.fields[0].planes) {
    if (!plane.name.empty()) names.push_back(plane.name);
  }
  return names;
}

std::optional<BlockField> find_field(const GgufBlock& block, std::string_view name) {
  for (const BlockField& field : block.fields) {
    if (!field.type.empty() && field.name == name) return field;
  }
  for (const BlockPlane& plane : block.fields[0].planes) {
    if (!plane.name.empty() && plane.name == name)
      return BlockField{name, unsigned_name(plane.width), block.elements(), {{plane}}};
  }
  return std::nullopt;
}

void write_block(OrderWriter& order, const GgufBlock& block, const BlockField& field) {
  order.need(0, field.entries);
  for (const BlockPlane& plane : planes_of(field)) {
    order.plane(plane.width);
    order.add_base(plane.first);
    std::vector<Step> steps;
    for (const BlockDigit& digit : plane.digits) {
      if (digit.ext > 1) steps.push_back({digit.ext, digit.stride});
    }
    order.steps(0, steps, CellCount(block.bytes) * 8 / plane.width);
  }
  order.words(8, {CellCount(order.extent(0)) / field.entries * block.bytes});
}

std::string_view refused_gguf_type(std::string_view name) {
  if (std::ranges::find(kCodebooks, name) != std::end(kCodebooks)) return "codebook";
  if (std::ranges::find(kBase3, name) != std::end(kBase3)) return "base3";
  return "";
}

}  // namespace tessera::detail
