// SPDX-License-Identifier: Apache-2.0
#include "notation/named/named_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/nearest.h"
#include "base/try.h"
#include "notation/named/refused.h"
#include "text/character_class.h"

namespace tessera::detail {
namespace {

constexpr std::string_view kPrefixes[] = {"scale", "pack", "gguf"};

std::vector<std::string> names_of(std::string_view prefix) {
  std::vector<std::string> names;
  if (prefix == "gguf") {
    for (const GgufBlock& block : gguf_blocks()) names.emplace_back(block.name);
  }
  for (const NamedFamily& family : families()) {
    if (family.prefix == prefix) names.emplace_back(family.name);
  }
  return names;
}

// The nearest name: `8x4, 128x4` for `128x5` if several are equally near.
std::string nearest_names(std::string_view word, const std::vector<std::string>& names) {
  std::size_t least = std::max<std::size_t>(1, word.size() / 3);
  std::vector<std::string> best;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(lower_case(word), name);
    if (distance > least) continue;
    if (distance < least) best.clear();
    least = distance;
    best.push_back(name);
  }
  return fmt::format("{}", fmt::join(best, " or "));
}

Failure unknown_family(const NamedFields& fields, Span span) {
  std::string help;
  for (const std::string_view prefix : kPrefixes) {
    const auto names = names_of(prefix);
    if (prefix != fields.prefix && std::ranges::find(names, fields.family) != names.end())
      help = fmt::format("{}:{} exists", prefix, fields.family);
  }
  const auto names = names_of(fields.prefix);
  if (const std::string near = nearest_names(fields.family, names); help.empty() && !near.empty())
    help = fmt::format("did you mean {}?", near);
  if (help.empty()) help = fmt::format("{} has {}", fields.prefix, fmt::join(names, ", "));
  return fail(Code::unknown_name,
              fmt::format("{} has no {} '{}'", fields.prefix, fields.prefix == "gguf" ? "type" : "family",
                          fields.family),
              span, help);
}

// Orders that depend on data, and elements without bits of their own.
Result<void> check_refused(const NamedFields& fields, Span span) {
  if (fields.prefix == "pack" && (fields.family == "g_idx" || fields.family == "act_order")) {
    return refused("data_dependent", "the order of rows of act-order GPTQ is the tensor g_idx",
                   "sort the rows by g_idx first; the result is pack:gptq", span);
  }
  if (fields.prefix != "gguf") return {};
  const std::string_view reason = refused_gguf_type(fields.family);
  if (reason == "codebook") {
    return refused(reason,
                   fmt::format("elements of {} are indices into grids, several at a time", fields.family),
                   "copy whole blocks, as bytes", span);
  }
  if (reason == "base3") {
    return refused(reason, fmt::format("{} has five elements in a byte, in base 3", fields.family),
                   "copy whole blocks, as bytes", span);
  }
  return {};
}

Result<void> check_field(const NamedFields& fields, const NamedSpans& spans, CheckedFields& out) {
  const std::string_view name = fields.field == "q" ? std::string_view() : std::string_view(fields.field);
  if (out.state.block == nullptr) {
    if (fields.field.empty()) return {};
    return fail(Code::unknown_name, fmt::format("{}:{} has no fields", fields.prefix, fields.family),
                spans.field, "only types of GGUF have fields");
  }
  out.field = find_field(*out.state.block, name);
  if (out.field) {
    out.state.field = name;
    return {};
  }
  std::vector<std::string> names;
  for (const std::string_view one : field_names(*out.state.block)) {
    if (!one.empty()) names.emplace_back(one);
  }
  return fail(Code::unknown_name, fmt::format("gguf:{} has no field '{}'", fields.family, fields.field),
              spans.field, fmt::format("its fields are {}", fmt::join(names, ", ")));
}

std::string range_text(const ParameterRule& rule) {
  switch (rule.kind) {
    case ParameterRule::Kind::one_of:
      return fmt::format("{} is one of {}", rule.key, fmt::join(rule.values, ", "));
    case ParameterRule::Kind::power_of_two:
      return fmt::format("{} is a power of two", rule.key);
    default:
      return rule.unit > 1 ? fmt::format("{} is a multiple of {}", rule.key, rule.unit)
                           : fmt::format("{} is at least 1", rule.key);
  }
}

Result<void> check_parameters(const NamedFields& fields, const NamedSpans& spans, CheckedFields& out) {
  const std::span<const ParameterRule> rules =
      out.state.rule != nullptr ? out.state.rule->parameters : std::span<const ParameterRule>();
  const auto span_of = [](const std::vector<Span>& list, std::size_t i) {
    return i < list.size() ? list[i] : Span{};
  };
  std::vector<const NamedParameter*> given(rules.size(), nullptr);
  for (std::size_t i = 0; i < fields.parameters.size(); ++i) {
    const NamedParameter& parameter = fields.parameters[i];
    const auto rule = std::ranges::find(rules, parameter.key, &ParameterRule::key);
    if (rule == rules.end()) {
      std::vector<std::string> names;
      for (const ParameterRule& one : rules) names.emplace_back(one.key);
      const std::string near = nearest(parameter.key, names);
      return fail(Code::unknown_name,
                  fmt::format("{}:{} has no parameter '{}'", fields.prefix, fields.family, parameter.key),
                  span_of(spans.keys, i),
                  names.empty()  ? "leave out the parameters"
                  : near.empty() ? fmt::format("its parameter{} {}", names.size() == 1 ? " is" : "s are",
                                               fmt::join(names, ", "))
                                 : fmt::format("did you mean {}?", near));
    }
    const NamedParameter*& slot = given[static_cast<std::size_t>(rule - rules.begin())];
    if (slot != nullptr) {
      return fail(Code::duplicate_name, fmt::format("the parameter {} occurs twice", parameter.key),
                  span_of(spans.keys, i), "keep one of them");
    }
    slot = &parameter;
    const bool is_groups = rule->kind == ParameterRule::Kind::groups;
    if (is_groups && out.groups) {
      return fail(Code::bad_option, "groups and kgroups exclude each other", span_of(spans.keys, i),
                  "groups cut the rows, kgroups the columns");
    }
    if (is_groups) {
      const auto negative = std::ranges::find_if(parameter.values, [](Index size) { return size < 0; });
      if (parameter.values.empty() || negative != parameter.values.end()) {
        return fail(Code::number_range, fmt::format("{} needs sizes that are at least 0", parameter.key),
                    span_of(spans.values, i), "write sizes like groups=100+0+28");
      }
      out.groups = parameter;
      out.groups_span = span_of(spans.values, i);
    } else if (parameter.values.size() != 1 || !rule->takes(parameter.values.front())) {
      return fail(Code::number_range,
                  fmt::format("{}:{} does not take {}={}", fields.prefix, fields.family, parameter.key,
                              fmt::join(parameter.values, "+")),
                  span_of(spans.values, i), range_text(*rule));
    }
  }
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const bool is_groups = rules[r].kind == ParameterRule::Kind::groups;
    out.values.push_back(given[r] != nullptr && !is_groups ? given[r]->values.front() : rules[r].fallback);
    if (given[r] != nullptr && (is_groups || given[r]->values.front() != rules[r].fallback))
      out.state.parameters.push_back(*given[r]);
  }
  return {};
}

std::string widths_text(Widths takes) {
  std::vector<int> list;
  for (int bits = 1; bits < 64; ++bits) {
    if ((takes >> bits & 1) != 0) list.push_back(bits);
  }
  if (list.size() == 1) return fmt::format("{}", list.front());
  return fmt::format("{} or {}", fmt::join(list.begin(), list.end() - 1, ", "), list.back());
}

Result<void> check_type(const NamedFields& fields, const NamedSpans& spans, CheckedFields& out) {
  const std::string_view fallback = out.field ? out.field->type : out.state.rule->type;
  if (!fields.type && !spans.type_text.empty()) {
    return fail(Code::unknown_type, fmt::format("unknown element type '{}'", spans.type_text), spans.type,
                fmt::format("for example {}; integers are u1 to u8 and s1 to s8", fallback));
  }
  out.state.type = fields.type ? *fields.type : *parse_cell_type(fallback);
  const Widths takes = out.field ? widths(parse_cell_type(fallback)->bits) : out.state.rule->takes;
  const int bits = out.state.type.bits;
  if (bits < 1 || bits > 63 || (takes >> bits & 1) == 0) {
    return fail(Code::argument_type,
                fmt::format("{}:{} does not take elements of {} bits", fields.prefix, fields.family, bits),
                spans.type, fmt::format("its elements have {} bits", widths_text(takes)));
  }
  return {};
}

}  // namespace

Result<void> check_family(const NamedFields& fields, const NamedSpans& spans) {
  TESSERA_NEED(check_refused(fields, spans.family));
  const bool is_block = fields.prefix == "gguf" && find_gguf_block(fields.family) != nullptr;
  if (is_block || find_family(fields.prefix, fields.family) != nullptr) return {};
  return unknown_family(fields, spans.family);
}

Result<CheckedFields> check_fields(const NamedFields& fields, const NamedSpans& spans) {
  CheckedFields out;
  out.state.prefix = fields.prefix;
  out.state.family = fields.family;
  out.state.shape = fields.shape;
  TESSERA_NEED(check_family(fields, spans));
  out.state.rule = find_family(fields.prefix, fields.family);
  if (fields.prefix == "gguf") out.state.block = find_gguf_block(fields.family);
  TESSERA_NEED(check_field(fields, spans, out));
  TESSERA_NEED(check_parameters(fields, spans, out));
  TESSERA_NEED(check_type(fields, spans, out));
  for (const Index extent : fields.shape) {
    if (extent < 0) return fail(Code::bad_extent, fmt::format("the extent {} is negative", extent));
  }
  return out;
}

}  // namespace tessera::detail
