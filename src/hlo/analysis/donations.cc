// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/donations.h"

#include <utility>

#include "hlo/module/as_size.h"
#include "hlo/syntax/attribute_reader.h"

namespace tessera::detail {
namespace {

using TuplePath = std::vector<Index>;

struct AliasEntry {
  TuplePath output;
  bool any_output = false;
  Index parameter = 0;
  TuplePath part;
};

// (0, {1}), (0, {1}, may-alias) or (0).
bool read_parameter(HloLexer& lexer, AliasEntry& entry) {
  if (!lexer.need('(', "'('") || !lexer.integer(entry.parameter, "a parameter number")) return false;
  if (lexer.accept(')')) return true;
  if (!lexer.need(',', "','") || !read_index_list(lexer, entry.part)) return false;
  if (lexer.accept(',')) {
    lexer.skip();
    lexer.identifier();
  }
  return lexer.need(')', "')'");
}

std::vector<AliasEntry> read_entries(const Attribute& attribute) {
  const bool donors = attribute.key == "buffer_donor";
  auto entries = read_value<std::vector<AliasEntry>>(
      attribute, "{ {}: (0, {}) }", [&](HloLexer& lexer, std::vector<AliasEntry>& out) {
        return read_list(lexer, '{', '}', [&] {
          AliasEntry& entry = out.emplace_back();
          entry.any_output = donors;
          if (!donors && (!read_index_list(lexer, entry.output) || !lexer.need(':', "':'"))) return false;
          return read_parameter(lexer, entry);
        });
      });
  return entries ? *std::move(entries) : std::vector<AliasEntry>();
}

// The leaves of the part of a type that a path names: the first, and their number.
std::optional<std::pair<std::uint32_t, std::uint32_t>> leaves_at(const HloType& type, const TuplePath& path,
                                                                 Leaves& leaves) {
  const HloType* at = &type;
  std::uint32_t first = 0;
  for (const Index i : path) {
    if (!at->is_tuple() || i < 0 || as_size(i) >= at->elements().size()) return std::nullopt;
    first += leaves.offsets(*at)[as_size(i)];
    at = &at->elements()[as_size(i)];
  }
  return std::pair(first, leaves.count(*at));
}

}  // namespace

std::vector<Donation> donations(const HloModule& module, Leaves& leaves) {
  std::vector<Donation> out;
  if (module.entry == nullptr || module.entry->root == nullptr) return out;
  for (const Attribute& attribute : module.attributes) {
    if (attribute.key != "input_output_alias" && attribute.key != "buffer_donor") continue;
    for (const AliasEntry& entry : read_entries(attribute)) {
      const auto& parameters = module.entry->parameters;
      if (entry.parameter < 0 || as_size(entry.parameter) >= parameters.size()) continue;
      const Instruction* const parameter = parameters[as_size(entry.parameter)];
      if (parameter == nullptr) continue;
      const auto part = leaves_at(parameter->type, entry.part, leaves);
      const auto result = leaves_at(module.entry->root->type, entry.output, leaves);
      if (!part || (!entry.any_output && !result)) continue;
      for (std::uint32_t i = 0; i < part->second; ++i) {
        Donation& one = out.emplace_back(Donation{entry.parameter, part->first + i});
        if (!entry.any_output && i < result->second) one.result = result->first + i;
      }
    }
  }
  return out;
}

}  // namespace tessera::detail
