// SPDX-License-Identifier: Apache-2.0
// The attributes of the header line.
#include "hlo/verify/verify_header.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/plural.h"
#include "hlo/check/types.h"
#include "hlo/syntax/attributes.h"
#include "hlo/syntax/lexer.h"
#include "hlo/verify/verify_aliases.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {
namespace {

constexpr std::string_view kKnown[] = {"is_scheduled",
                                       "entry_computation_layout",
                                       "input_output_alias",
                                       "buffer_donor",
                                       "alias_passthrough_params",
                                       "frontend_attributes",
                                       "replica_count",
                                       "num_partitions",
                                       "allow_spmd_sharding_propagation_to_parameters",
                                       "allow_spmd_sharding_propagation_to_output",
                                       "origin_recovery_table",
                                       "debug_attributes"};

std::optional<Diagnostic> check_type(const Attribute& attribute, HloLexer& lexer, const HloType& expected,
                                     const std::string& what) {
  if (!lexer.skip()) return lexer.error;
  const std::size_t begin = lexer.position() - attribute.span.begin;
  HloType type;
  const auto end = read_hlo_type_at(attribute.value, begin, type);
  if (!end) {
    Diagnostic error = end.error();
    error.span.begin += attribute.span.begin;
    error.span.end += attribute.span.begin;
    return error;
  }
  lexer.seek(*end + attribute.span.begin);
  const std::size_t offset = begin + attribute.span.begin;
  auto bad = validate_written(type, std::string_view(attribute.value).substr(begin, *end - begin), offset);
  if (!bad && !compatible(type, expected)) {
    bad = Diagnostic{.code = Code::shape_mismatch,
                     .message = fmt::format("the header has {} for {}, but the entry computation has {}",
                                            short_text(type), what, short_text(expected)),
                     .span = {static_cast<std::uint32_t>(offset),
                              static_cast<std::uint32_t>(*end + attribute.span.begin)}};
  }
  return bad;
}

// {(type, type)->type}: the types of the entry's parameters and root, with the layouts that the caller sees.
std::optional<Diagnostic> check_entry_layout(const Attribute& attribute, const Computation& entry) {
  HloLexer lexer(attribute.value, attribute.span.begin);
  std::size_t count = 0;
  if (!lexer.need('{', "'{(types)->type}'") || !lexer.need('(', "'(' and the types of the parameters")) {
    return lexer.error;
  }
  bool more = !lexer.accept(')');
  while (more) {
    const HloType unknown = HloType::unreadable();
    const Instruction* parameter = count < entry.parameters.size() ? entry.parameters[count] : nullptr;
    if (auto bad = check_type(attribute, lexer, parameter == nullptr ? unknown : parameter->type,
                              fmt::format("parameter {}", count))) {
      return bad;
    }
    ++count;
    more = lexer.accept(',');
    if (!more && !lexer.need(')', "',' or ')' after a type")) return lexer.error;
  }
  if (count != entry.parameters.size()) {
    return Diagnostic{.code = Code::operand_count,
                      .message = fmt::format("the header lists {}, but the entry computation has {}",
                                             plural(count, "parameter"), entry.parameters.size()),
                      .span = attribute.span,
                      .help = "list the types of the ENTRY parameters in order"};
  }
  if (!lexer.accept("->")) {
    lexer.expected("'->' and the result type");
    return lexer.error;
  }
  const HloType root = entry.root == nullptr ? HloType::unreadable() : entry.root->type;
  if (auto bad = check_type(attribute, lexer, root, "the result")) return bad;
  lexer.need('}', "'}'");
  return lexer.error;
}

// Checks the form of the header attributes.
std::optional<Diagnostic> check_value(const Attribute& attribute) {
  if (attribute.key == "is_scheduled" || attribute.key == "alias_passthrough_params") {
    const auto value = read_bool(attribute);
    return value ? std::nullopt : std::optional(value.error());
  }
  if (attribute.key == "replica_count" || attribute.key == "num_partitions") {
    const auto value = read_int(attribute);
    return value ? std::nullopt : std::optional(value.error());
  }
  return std::nullopt;
}

}  // namespace

void verify_header(const HloModule& module, DiagnosticSink& sink, bool entry_is_cut) {
  const Computation* const entry = entry_is_cut ? nullptr : module.entry;
  for (const Attribute& attribute : module.attributes) {
    if (attribute.key == "entry_computation_layout" && entry != nullptr) {
      if (auto problem = check_entry_layout(attribute, *entry)) sink.add(*std::move(problem));
    } else if ((attribute.key == "input_output_alias" || attribute.key == "buffer_donor") &&
               entry != nullptr) {
      if (auto problem = check_aliases(attribute, *entry)) sink.add(*std::move(problem));
    } else if (auto problem = check_value(attribute)) {
      sink.add(*std::move(problem));
    } else if (std::ranges::find(kKnown, attribute.key) == std::end(kKnown)) {
      const auto begin = static_cast<std::uint32_t>(attribute.key.data() - module.source->text().data());
      sink.add({.code = Code::unknown_attribute,
                .message = fmt::format("unknown attribute '{}', kept as written", attribute.key),
                .span = {begin, begin + static_cast<std::uint32_t>(attribute.key.size())},
                .severity = Severity::warning});
    }
  }
}

}  // namespace tessera::detail
