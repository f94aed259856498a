// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "notation/named/gguf_blocks.h"
#include "notation/named/named_family.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace {

// The first shape that the family takes, as a text.
std::string example_of(const detail::NamedFamily& family) {
  const std::vector<std::vector<Index>> shapes =
      family.rank == 1           ? std::vector<std::vector<Index>>{{64}}
      : family.prefix == "scale" ? std::vector<std::vector<Index>>{{300, 7}, {4, 64}}
                                 : std::vector<std::vector<Index>>{{8, 16}, {32, 8}, {16, 64}};
  for (const std::vector<Index>& shape : shapes) {
    const auto layout = NamedLayout::make(
        {.prefix = std::string(family.prefix), .family = std::string(family.name), .shape = shape});
    if (layout) return to_string(*layout);
  }
  return "";
}

NamedFamilyInfo info_of(const detail::NamedFamily& family) {
  NamedFamilyInfo info{.name = fmt::format("{}:{}", family.prefix, family.name),
                       .indices = std::string(family.indices),
                       .formula = std::string(family.formula),
                       .meaning = std::string(family.meaning),
                       .source = std::string(family.source),
                       .example = example_of(family)};
  for (const detail::ParameterRule& rule : family.parameters)
    info.parameters.push_back({std::string(rule.key), rule.fallback, std::string(rule.meaning)});
  return info;
}

// `4 + 1,16,2 16,2,1`: the first cell of a plane and its digits.
std::string plane_text(const detail::BlockPlane& plane) {
  std::vector<std::string> digits;
  for (const detail::BlockDigit& digit : plane.digits) {
    if (digit.ext > 1) digits.push_back(fmt::format("{},{},{}", digit.div, digit.ext, digit.stride));
  }
  return fmt::format("u{} cell {}{}{}", plane.width, plane.first, digits.empty() ? "" : " + ",
                     fmt::join(digits, " "));
}

NamedFamilyInfo info_of(const detail::GgufBlock& block) {
  NamedFamilyInfo info{
      .name = fmt::format("gguf:{}", block.name),
      .indices = "j",
      .meaning = fmt::format("{} elements in {} bytes{}{}", block.elements(), block.bytes,
                             block.codes.empty() ? "" : "; a code is ", block.codes),
      .source = "GGUF, ggml-common.h",
      .example = fmt::format("gguf:{} {}[{}]", block.name, block.fields[0].type, block.elements())};
  std::vector<std::string> parts;
  for (const detail::BlockField& field : block.fields) {
    if (field.type.empty()) continue;
    std::vector<std::string> planes;
    for (const detail::BlockPlane& plane : field.planes) {
      if (plane.width > 0) planes.push_back(plane_text(plane));
    }
    parts.push_back(fmt::format("{} {}[{}]: {}", field.name.empty() ? "codes" : field.name, field.type,
                                field.entries, fmt::join(planes, ", ")));
  }
  info.formula = fmt::format("{}; digits are div,ext,stride in a block", fmt::join(parts, "; "));
  for (const std::string_view name : detail::field_names(block)) {
    if (!name.empty()) info.fields.emplace_back(name);
  }
  return info;
}

}  // namespace

const std::vector<NamedFamilyInfo>& named_families() {
  static const std::vector<NamedFamilyInfo> all = [] {
    std::vector<NamedFamilyInfo> list;
    for (const detail::NamedFamily& family : detail::families()) list.push_back(info_of(family));
    for (const detail::GgufBlock& block : detail::gguf_blocks()) list.push_back(info_of(block));
    return list;
  }();
  return all;
}

}  // namespace tessera
