// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and writes requests by the description of their fields.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verbs/field.h"
#include "verbs/field_types.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// For a request R: `name`, `help`, `footer` (as in Verb), and `fields(visit)`, which calls visit(Field,
/// &R::member) for each field in the order of the help; perhaps `check(request)`, a Result<void>.
template <class R>
struct Description;

/// The error is about this field.
Diagnostic about(const Field& field, Diagnostic diagnostic);
Diagnostic missing(const Field& field);
/// The texts between commas.
std::string joined(const std::vector<std::string>& texts);
/// `--base-align`.
std::string option_of(std::string_view name);
/// The words of a list between spaces.
std::vector<std::string_view> words_of(std::string_view list);
/// Why the request cannot be read, if it has a field that is not one of these, or two that exclude each
/// other, or one without another that it needs.
std::optional<Diagnostic> problem_of_fields(std::string_view verb, const std::vector<Field>& fields,
                                            const FieldTexts& texts);
/// The texts of a field that is to be read; null if there is nothing to read. A field that is missing becomes
/// the problem.
const std::vector<std::string>* texts_to_read(const Field& field, const FieldTexts& texts,
                                              std::string_view unread, std::optional<Diagnostic>& problem);
/// Why the field does not take this number.
std::optional<Diagnostic> out_of_range(const Field& field, Index value, std::string_view text);

/// In place of the number of a value: the error is that the field is given.
inline constexpr std::uint32_t kItsPresence = ~std::uint32_t{0};

/// Errors about a field that is found while the verb works.
Failure refuse(std::string_view field, Code code, std::string message, std::string help = {});
Failure refuse(std::string_view field, Diagnostic error);
/// The status of a text that cannot be read: bad input for every code, unless a limit was reached.
Diagnostic bad_input(Diagnostic error);
/// The same of an error about this field, unless it names another.
Failure bad_input_at(std::string_view field, Diagnostic error);
/// The field's text cannot be read.
Failure unreadable(std::string_view field, Diagnostic error, std::size_t item = 0);

template <class R>
std::vector<Field> fields_of() {
  std::vector<Field> out;
  Description<R>::fields([&](Field field, auto member) {
    using T = std::remove_cvref_t<decltype(std::declval<R&>().*member)>;
    field.repeated = kRepeated<T>;
    field.list = kList<T>;
    field.count = kCount<T>;
    if (field.value.empty()) field.value = words_text<T>();
    out.push_back(field);
  });
  return out;
}

/// Reads one text of a field.
template <class T>
Result<T> read_value(const Field& field, const std::string& text) {
  Result<T> value = FieldType<T>::read(text);
  if (!value) return fail(about(field, std::move(value.error())));
  std::optional<Diagnostic> problem;
  for_each_number(*value, [&](Index number) {
    if (!problem) problem = out_of_range(field, number, text);
  });
  if (problem) return fail(*std::move(problem));
  return value;
}

template <class T>
Result<T> read_field(const Field& field, const std::vector<std::string>& texts) {
  if constexpr (kRepeated<T>) {
    T out;
    for (const std::string& text : texts) {
      auto value = read_value<typename T::value_type>(field, text);
      if (!value) {
        value.error().item = static_cast<std::uint32_t>(out.size());
        return fail(std::move(value.error()));
      }
      out.push_back(*std::move(value));
    }
    return out;
  } else if constexpr (kCount<T> > 0) {
    typename T::value_type out;
    std::ranges::copy(texts, out.begin());
    return T(std::move(out));
  } else if constexpr (std::is_same_v<T, bool>) {
    return texts.empty() ? Result<bool>(true) : read_value<bool>(field, texts.front());
  } else {
    // Given without a value: `"fix": true`.
    if (texts.empty()) return read_value<T>(field, std::string(field.bare));
    return read_value<T>(field, kList<T> ? joined(texts) : texts.front());
  }
}

/// Errors: those of the fields' types, with the field's name; bad_option (a required field is missing, a
/// field is unknown, or fields do not go together). The field `unread` keeps its default.
template <class R>
Result<R> read_request(const FieldTexts& texts, std::string_view unread = {}) {
  R out;
  static const std::vector<Field> kFields = fields_of<R>();
  std::optional<Diagnostic> problem = problem_of_fields(Description<R>::name, kFields, texts);
  Description<R>::fields([&](const Field& field, auto member) {
    const std::vector<std::string>* const given = texts_to_read(field, texts, unread, problem);
    if (given == nullptr) return;
    auto value = read_field<std::remove_cvref_t<decltype(out.*member)>>(field, *given);
    if (value) {
      out.*member = *std::move(value);
    } else {
      problem = std::move(value.error());
    }
  });
  if (problem) return fail(bad_input(*std::move(problem)));
  if constexpr (requires { Description<R>::check(out); }) {
    if (auto checked = Description<R>::check(out); !checked) return fail(std::move(checked.error()));
  }
  return out;
}

template <class R>
Json to_json(const R& request) {
  Json out = Json::object();
  Description<R>::fields([&](const Field& field, auto member) {
    using T = std::remove_cvref_t<decltype(request.*member)>;
    Json value;
    if constexpr (kRepeated<T>) {
      for (const auto& one : request.*member)
        value.push_back(FieldType<typename T::value_type>::to_json(one));
    } else {
      value = FieldType<T>::to_json(request.*member);
    }
    if (!value.is_null()) out[std::string(field.name)] = std::move(value);
  });
  return out;
}

/// The schema of a request without fields yet.
Json schema_without_fields(std::string_view name, std::string_view help);
/// Adds a field with the schema `type` of its value, or of each of its values if it is `repeated`.
void add_field(Json& schema, const Field& field, Json type, bool repeated);
/// Adds which fields need or exclude others, and of which one must be given.
void add_conditions(Json& schema, const std::vector<Field>& fields);

/// JSON Schema 2020-12.
template <class R>
Json request_schema() {
  Json out = schema_without_fields(Description<R>::name, Description<R>::help);
  Description<R>::fields([&](const Field& field, auto member) {
    using T = std::remove_cvref_t<decltype(std::declval<R&>().*member)>;
    if constexpr (kRepeated<T>) {
      add_field(out, field, FieldType<typename T::value_type>::schema(), true);
    } else {
      add_field(out, field, FieldType<T>::schema(), false);
    }
  });
  add_conditions(out, fields_of<R>());
  return out;
}

}  // namespace tessera::verbs
