// SPDX-License-Identifier: Apache-2.0
#include "report/family_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/named_answer.h"

namespace tessera {
namespace {

std::string title(const NamedFamilyInfo& family) {
  std::vector<std::string> parts;
  for (const NamedFamilyInfo::Parameter& parameter : family.parameters)
    parts.push_back(parameter.fallback > 0 ? fmt::format("{}={}", parameter.key, parameter.fallback)
                                           : parameter.key);
  if (!parts.empty()) return fmt::format("{}({})", family.name, fmt::join(parts, ","));
  return family.name;
}

// Three indices: one step along each of the last dimensions, and the last index.
std::vector<std::vector<Index>> chosen_points(std::span<const Index> shape) {
  std::vector<std::vector<Index>> points;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<Index> index(shape.size(), 0);
    index[d] = 1;
    points.push_back(std::move(index));
  }
  std::vector<Index> last;
  for (const Index extent : shape) last.push_back(extent - 1);
  if (shape.size() == 1) points.push_back({shape[0] / 2});
  points.push_back(std::move(last));
  return points;
}

std::string container_text(const NamedLayout& layout) {
  return fmt::format("{}[{}], {} bytes", to_string(layout.container().type),
                     fmt::join(layout.container().shape, ","), layout.buffer_bytes());
}

std::string points_text(const NamedLayout& layout) {
  std::vector<std::string> points;
  for (const std::vector<Index>& index : chosen_points(layout.shape())) {
    const auto runs = runs_at(layout, index);
    const std::string bits = runs_text(runs, layout.type().bits);
    const Index width = layout.type().bits;
    points.push_back(
        layout.kind() != NamedKind::cells ? fmt::format("({}) -> {}", fmt::join(index, ","), bits)
        : width < 8
            ? fmt::format("({}) -> {}: {}", fmt::join(index, ","), layout.bit_offset(index, 0) / width, bits)
            : fmt::format("({}) -> {}", fmt::join(index, ","), layout.bit_offset(index, 0) / width));
  }
  return fmt::format("{}", fmt::join(points, layout.kind() == NamedKind::cells ? ", " : " | "));
}

std::string digits_text(const NamedLayout& layout) {
  const auto all = planes(layout);
  if (!all) return "";
  std::vector<std::string> parts;
  for (const BitPlane& plane : *all) {
    const auto digits = to_digits(plane.layout);
    if (!digits) return "none: the offset mixes dimensions, or bits of them";
    parts.push_back(all->size() == 1 ? to_string(*digits)
                                     : fmt::format("bits {}-{}: {}", plane.first,
                                                   plane.first + plane.width - 1, to_string(*digits)));
  }
  return fmt::format("{}", fmt::join(parts, " | "));
}

}  // namespace

std::string to_list(std::span<const NamedFamilyInfo* const> families) {
  std::size_t width = 0;
  for (const NamedFamilyInfo* family : families) width = std::max(width, title(*family).size());
  std::string text;
  for (const NamedFamilyInfo* family : families)
    text += fmt::format("{}{:<{}}  {}", text.empty() ? "" : "\n", title(*family), width, family->meaning);
  return text;
}

std::string to_text(const NamedFamilyInfo& family) {
  std::string text = family.name;
  const auto row = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("\n  {:<10} {}", name, value);
  };
  row("meaning", family.meaning);
  row("cell",
      family.indices.empty() ? family.formula : fmt::format("of ({}): {}", family.indices, family.formula));
  for (const NamedFamilyInfo::Parameter& parameter : family.parameters) {
    row(parameter.key, parameter.fallback > 0
                           ? fmt::format("{}; by default {}", parameter.meaning, parameter.fallback)
                           : parameter.meaning);
  }
  row("fields", fmt::format("{}", fmt::join(family.fields, ", ")));
  row("used by", family.source);
  row("example", family.example);
  if (const auto layout = parse_named_layout(family.example)) {
    row("digits", digits_text(*layout));
    row("container", container_text(*layout));
    row("points", points_text(*layout));
    row("picture", fmt::format("tessera show '{}'", family.example));
  }
  return text;
}

std::string to_list(std::span<const NamedLayout> names) {
  std::vector<std::string> lines;
  for (const NamedLayout& name : names) lines.push_back(to_string(name));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Json json_of(const NamedFamilyInfo& family) {
  Json parameters = Json::array();
  for (const NamedFamilyInfo::Parameter& parameter : family.parameters) {
    parameters.push_back({{"key", parameter.key},
                          {"default", parameter.fallback > 0 ? Json(parameter.fallback) : Json()},
                          {"meaning", parameter.meaning}});
  }
  return {{"name", family.name},       {"parameters", std::move(parameters)},
          {"fields", family.fields},   {"indices", family.indices},
          {"formula", family.formula}, {"meaning", family.meaning},
          {"source", family.source},   {"example", family.example}};
}

Json json_of(const NamedLayout& name) {
  Json json = {{"text", to_string(name)}, {"name", name_of(name)}};
  add_fields(json, name);
  return json;
}

}  // namespace tessera
