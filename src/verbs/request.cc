// SPDX-License-Identifier: Apache-2.0
#include "verbs/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/at_fault.h"
#include "base/nearest.h"
#include "report/exit_status.h"

namespace tessera::verbs {
namespace {

// The spelling of a field on the command line: `--base-align`, or `B`.
std::string spelling_of(const std::vector<Field>& fields, std::string_view name) {
  const auto field = std::ranges::find(fields, name, &Field::name);
  if (field == fields.end() || !field->argument) return option_of(name);
  std::string out(name);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

Diagnostic not_together(const Field& field, std::string message, std::string help) {
  return {
      .code = Code::bad_option, .message = std::move(message), .help = std::move(help), .field = field.name};
}

// The schema of one value of a field, with its range.
Json value_schema(const Field& field, Json type) {
  const auto limit = [&](Json& one) {
    if (one.value("type", "") != "integer") return;
    if (!field.numbers.empty()) {
      Json numbers = Json::array();
      for (const std::string_view number : words_of(field.numbers)) numbers.push_back(Json::parse(number));
      one = {{"enum", std::move(numbers)}};
      return;
    }
    if (field.least != 0) one["minimum"] = field.least;
    if (field.most != kIndexMax) one["maximum"] = field.most;
  };
  limit(type);
  if (type.contains("oneOf"))
    for (Json& one : type["oneOf"]) limit(one.contains("items") ? one["items"] : one);
  if (!field.bare.empty()) type = {{"oneOf", {std::move(type), {{"const", true}}}}};
  return type;
}

// Why the request cannot be read, if it has a field that is not one of these, or two that exclude each other,
// or one without another that it needs.
std::optional<Diagnostic> problem_of_fields(std::string_view verb, const std::vector<Field>& fields,
                                            const FieldTexts& texts) {
  for (const auto& [name, text] : texts) {
    if (std::ranges::find(fields, name, &Field::name) != fields.end()) continue;
    std::vector<std::string> names;
    for (const Field& field : fields) names.emplace_back(field.name);
    const std::string meant = detail::nearest(name, names);
    return Diagnostic{.code = Code::bad_option,
                      .message = fmt::format("{} has no field '{}'", verb, name),
                      .help = meant.empty() ? fmt::format("it has {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean {}?", meant)};
  }
  // A flag may be given as false.
  const auto is_given = [&](std::string_view name) {
    const auto given = texts.find(name);
    if (given == texts.end()) return false;
    const auto field = std::ranges::find(fields, name, &Field::name);
    if (!field->is_flag() || given->second.empty()) return true;
    const Result<bool> value = FieldType<bool>::read(given->second.front());
    return !value || *value;
  };
  const auto has_one_of = [&](std::string_view names) {
    return std::ranges::any_of(words_of(names), [&](std::string_view name) { return is_given(name); });
  };
  for (const Field& field : fields) {
    const std::string option = spelling_of(fields, field.name);
    const auto given = texts.find(field.name);
    if (!is_given(field.name)) {
      if (!field.unless.empty() && !has_one_of(field.unless)) {
        std::vector<std::string> others;
        for (const std::string_view other : words_of(field.unless))
          others.push_back(spelling_of(fields, other));
        return not_together(field, fmt::format("{} is missing", option),
                            fmt::format("give it, or {}", fmt::join(others, " or ")));
      }
      continue;
    }
    if (field.count > 0 && given->second.size() != field.count)
      return not_together(
          field, fmt::format("{} takes {} values, not {}", option, field.count, given->second.size()),
          fmt::format("{} {}", option, field.value));
    if (given->second.size() > 1 && !field.repeated && !field.list && field.count == 0)
      return not_together(field, fmt::format("{} takes one value, not {}", option, given->second.size()),
                          "give one of them");
    if (given->second.empty() && !field.is_flag() && field.bare.empty())
      return not_together(field, fmt::format("{} needs a value", option),
                          fmt::format("{}: {}", field.name, field.help.substr(0, field.help.find(';'))));
    if (!field.needs.empty() && !is_given(field.needs))
      return not_together(field, fmt::format("{} has no effect without {}", option, option_of(field.needs)),
                          fmt::format("give {}, or leave {} out", option_of(field.needs), option));
    for (const std::string_view other : words_of(field.excludes))
      if (is_given(other))
        return not_together(field,
                            fmt::format("{} and {} exclude each other", option, spelling_of(fields, other)),
                            "leave one of the two out");
  }
  return std::nullopt;
}

// Adds which fields need or exclude others, and of which one must be given.
void add_conditions(Json& schema, const std::vector<Field>& fields) {
  const auto given = [&](std::string_view name) {
    const auto field = std::ranges::find(fields, name, &Field::name);
    Json out = {{"required", {name}}};
    // A flag may be given as false.
    if (field != fields.end() && field->is_flag()) out["properties"][std::string(name)] = {{"const", true}};
    return out;
  };
  for (const Field& field : fields) {
    if (!field.unless.empty()) {
      Json any = Json::array();
      any.push_back(given(field.name));
      for (const std::string_view other : words_of(field.unless)) any.push_back(given(other));
      schema["allOf"].push_back({{"anyOf", std::move(any)}});
    }
    if (!field.needs.empty())
      schema["allOf"].push_back({{"if", given(field.name)}, {"then", given(field.needs)}});
    for (const std::string_view other : words_of(field.excludes))
      schema["allOf"].push_back({{"not", {{"allOf", {given(field.name), given(other)}}}}});
  }
}

}  // namespace

Diagnostic about(const Field& field, Diagnostic diagnostic) {
  diagnostic.field = field.name;
  if (diagnostic.help.empty() && !field.example.empty())
    diagnostic.help = fmt::format("{} {}", option_of(field.name), field.example);
  if (diagnostic.help.ends_with(':') && !field.example.empty())
    diagnostic.help += fmt::format(" {} {}", option_of(field.name), field.example);
  constexpr std::string_view kNumbers = " is not a whole number from 0";
  if (diagnostic.message.ends_with(kNumbers) && (field.least > 0 || field.most < kIndexMax)) {
    diagnostic.message.pop_back();
    diagnostic.message += field.most < kIndexMax ? fmt::format("{} to {}", field.least, field.most)
                                                 : std::to_string(field.least);
  }
  return diagnostic;
}

Diagnostic missing(const Field& field) {
  return about(field,
               {.code = Code::bad_option,
                .message = fmt::format("{} is missing", field.name),
                .help = fmt::format("{}: {}", field.name, field.help.substr(0, field.help.find(';')))});
}

std::string joined(const std::vector<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ",")); }

std::string option_of(std::string_view name) {
  std::string option = fmt::format("--{}", name);
  std::ranges::replace(option, '_', '-');
  return option;
}

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    out.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

std::optional<Diagnostic> out_of_range(const Field& field, Index value, std::string_view text) {
  if (!field.numbers.empty()) {
    const std::vector<std::string_view> numbers = words_of(field.numbers);
    if (std::ranges::find(numbers, std::to_string(value)) != numbers.end()) return std::nullopt;
    return about(field, {.code = Code::bad_option,
                         .message = fmt::format("{} must be one of {}, not {}", option_of(field.name),
                                                fmt::join(numbers, ", "), value),
                         .span = {0, static_cast<std::uint32_t>(text.size())}});
  }
  if (value >= field.least && value <= field.most) return std::nullopt;
  return about(field, {.code = Code::bad_option,
                       .message = field.most == kIndexMax
                                      ? fmt::format("{} must be at least {}, not {}", option_of(field.name),
                                                    field.least, value)
                                      : fmt::format("{} must be between {} and {}, not {}",
                                                    option_of(field.name), field.least, field.most, value),
                       .span = {0, static_cast<std::uint32_t>(text.size())}});
}

Failure refuse(std::string_view field, Code code, std::string message, std::string help) {
  return fail(
      Diagnostic{.code = code, .message = std::move(message), .help = std::move(help), .field = field});
}

Failure refuse(std::string_view field, Diagnostic error) {
  error.field = field;
  return fail(std::move(error));
}

Diagnostic bad_input(Diagnostic error) {
  error.status = error.code == Code::limit ? kFailed : kBadInput;
  return error;
}

Failure bad_input_at(std::string_view field, Diagnostic error) {
  return fail(bad_input(detail::at_fault(field, std::move(error))));
}

Failure unreadable(std::string_view field, Diagnostic error, std::size_t item) {
  error.field = field;
  error.item = static_cast<std::uint32_t>(item);
  return fail(bad_input(std::move(error)));
}

std::optional<Diagnostic> read_fields(std::string_view verb, const RequestFields& all,
                                      const FieldTexts& texts, std::string_view unread, void* request) {
  if (auto problem = problem_of_fields(verb, all.fields, texts)) return problem;
  for (std::size_t i = 0; i < all.fields.size(); ++i) {
    const Field& field = all.fields[i];
    if (field.name == unread) continue;
    if (const auto given = texts.find(field.name); given != texts.end()) {
      const FieldValue& value = all.values[i];
      if (auto problem = value.read(field, given->second, static_cast<char*>(request) + value.offset))
        return problem;
    } else if (field.must_be_given()) {
      return missing(field);
    }
  }
  return std::nullopt;
}

Json request_schema(std::string_view name, std::string_view help, const RequestFields& all) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", name},
                 {"description", help},
                 {"type", "object"},
                 {"properties", Json::object()},
                 {"required", Json::array()},
                 {"additionalProperties", false}};
  for (std::size_t i = 0; i < all.fields.size(); ++i) {
    const Field& field = all.fields[i];
    Json type = value_schema(field, all.values[i].schema());
    if (field.repeated) type = {{"oneOf", {type, {{"type", "array"}, {"items", type}}}}};
    type["description"] = field.help;
    schema["properties"][std::string(field.name)] = std::move(type);
    if (field.must_be_given()) schema["required"].push_back(field.name);
  }
  add_conditions(schema, all.fields);
  return schema;
}

}  // namespace tessera::verbs
