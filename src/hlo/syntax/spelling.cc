// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/spelling.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "hlo/limits.h"
#include "hlo/syntax/attribute_keys.h"

namespace tessera::detail {
namespace {

// The number of insertions, deletions, replacements and swaps of neighbors that turn a into b, inexact above
// `limit`.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || a.size() > kHloLimits.syntax.compared_length ||
      b.size() > kHloLimits.syntax.compared_length)
    return limit + 1;
  std::array<std::array<std::size_t, kHloLimits.syntax.compared_length + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i - 1) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

Nearest::Nearest(std::string_view word) : word_(word), best_(word.size() / 3 + 1) {}

void Nearest::offer(std::string_view candidate) {
  const std::size_t d = distance(word_, candidate, best_ - 1);
  if (d >= best_ || d == 0) return;
  best_ = d;
  found_ = candidate;
}

Diagnostic missing_attribute(const Instruction& instruction, std::string_view key) {
  std::string help = fmt::format("write ', {}=...' after the operands", key);
  for (const Attribute& attribute : instruction.attributes) {
    if (attribute_form(attribute.key) != AttributeForm::unknown) continue;
    Nearest nearest(attribute.key);
    nearest.offer(key);
    if (!nearest.found().empty())
      help = fmt::format("did you mean '{}' instead of '{}'?", key, attribute.key);
  }
  return {.code = Code::missing_attribute,
          .message = fmt::format("{} needs the attribute '{}'", instruction.opcode_text, key),
          .span = instruction.opcode_span,
          .help = std::move(help)};
}

std::string_view similar_opcode(std::string_view text) {
  Nearest nearest(text);
  for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::unknown); ++i) {
    nearest.offer(to_string(static_cast<Opcode>(i)));
  }
  return nearest.found();
}

std::string_view similar_name(std::string_view name, const Computation& computation) {
  Nearest nearest(name);
  const auto& all = computation.instructions;
  for (std::size_t i = all.size() - std::min(all.size(), kHloLimits.syntax.compared_names); i < all.size();
       ++i) {
    nearest.offer(all[i]->name);
  }
  return nearest.found();
}

std::string_view similar_name(std::string_view name, const HloModule& module) {
  Nearest nearest(name);
  const auto& all = module.computations;
  for (std::size_t i = all.size() - std::min(all.size(), kHloLimits.syntax.compared_names); i < all.size();
       ++i) {
    nearest.offer(all[i]->name);
  }
  return nearest.found();
}

}  // namespace tessera::detail
