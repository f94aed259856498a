// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and writes requests by the description of their fields.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "verbs/field.h"
#include "verbs/field_types.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// For a request R: `name`, `help`, `footer` (as in Verb), and `fields(visit)`, which calls visit(Field,
/// &R::member) for each field in the order of the help.
template <class R>
struct Description;

/// The error is about this field.
Diagnostic about(const Field& field, Diagnostic diagnostic);
Diagnostic missing(const Field& field);
/// Why the request cannot be read, if it has a field that is not one of these.
std::optional<Diagnostic> unknown_field(std::string_view verb, const std::vector<Field>& fields,
                                        const FieldTexts& texts);

template <class R>
std::vector<Field> fields_of() {
  std::vector<Field> out;
  Description<R>::fields([&](const Field& field, auto) { out.push_back(field); });
  return out;
}

/// Errors: those of the fields' types, with the field's name; bad_option (a required field is missing, or a
/// field is unknown).
template <class R>
Result<R> read_request(const FieldTexts& texts) {
  R out;
  std::optional<Diagnostic> problem = unknown_field(Description<R>::name, fields_of<R>(), texts);
  Description<R>::fields([&](const Field& field, auto member) {
    if (problem) return;
    const auto text = texts.find(field.name);
    if (text == texts.end()) {
      if (field.argument) problem = missing(field);
      return;
    }
    auto value = FieldType<std::remove_cvref_t<decltype(out.*member)>>::read(text->second);
    if (!value) {
      problem = about(field, std::move(value.error()));
      return;
    }
    out.*member = *std::move(value);
  });
  if (problem) return fail(*std::move(problem));
  return out;
}

template <class R>
Json to_json(const R& request) {
  Json out = Json::object();
  Description<R>::fields([&](const Field& field, auto member) {
    Json value = FieldType<std::remove_cvref_t<decltype(request.*member)>>::to_json(request.*member);
    if (!value.is_null()) out[std::string(field.name)] = std::move(value);
  });
  return out;
}

/// JSON Schema 2020-12.
template <class R>
Json request_schema() {
  Json properties = Json::object();
  Json required = Json::array();
  Description<R>::fields([&](const Field& field, auto member) {
    Json type = FieldType<std::remove_cvref_t<decltype(std::declval<R&>().*member)>>::schema();
    type["description"] = field.help;
    properties[std::string(field.name)] = std::move(type);
    if (field.argument) required.push_back(field.name);
  });
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", Description<R>::name},
          {"description", Description<R>::help},
          {"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

}  // namespace tessera::verbs
