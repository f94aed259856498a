// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and writes requests by the description of their fields.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
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

/// Where a request has the value of a field, and what its type does. One function for each type, not for each
/// field: there are three hundred fields.
struct FieldValue {
  std::ptrdiff_t offset;  ///< of the value in the request, in bytes
  std::optional<Diagnostic> (*read)(const Field& field, const std::vector<std::string>& texts, void* value);
  Json (*schema)();  ///< of one value
};

struct RequestFields {
  std::vector<Field> fields;
  std::vector<FieldValue> values;  ///< one for each field
};

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

/// Puts what the texts of a field say in the T at `place`.
template <class T>
std::optional<Diagnostic> read_field(const Field& field, const std::vector<std::string>& texts, void* place) {
  T& out = *static_cast<T*>(place);
  if constexpr (kRepeated<T>) {
    for (const std::string& text : texts) {
      auto value = read_value<typename T::value_type>(field, text);
      if (!value) {
        value.error().item = static_cast<std::uint32_t>(out.size());
        return std::move(value.error());
      }
      out.push_back(*std::move(value));
    }
  } else if constexpr (kCount<T> > 0) {
    std::ranges::copy(texts, out.emplace().begin());
  } else {
    // Given without a value: `"fix": true`.
    std::string text = texts.empty() ? std::string(field.bare) : kList<T> ? joined(texts) : texts.front();
    if (std::is_same_v<T, bool> && texts.empty()) text = "true";
    Result<T> value = read_value<T>(field, text);
    if (!value) return std::move(value.error());
    out = *std::move(value);
  }
  return std::nullopt;
}

template <class T>
void add_field(RequestFields& out, Field field, std::ptrdiff_t offset) {
  field.repeated = kRepeated<T>;
  field.list = kList<T>;
  field.count = kCount<T>;
  if (field.value.empty()) field.value = words_text<T>();
  out.fields.push_back(field);
  if constexpr (kRepeated<T>) {
    out.values.push_back({offset, read_field<T>, FieldType<typename T::value_type>::schema});
  } else {
    out.values.push_back({offset, read_field<T>, FieldType<T>::schema});
  }
}

template <class R>
const RequestFields& fields_of() {
  static const RequestFields kFields = [] {
    RequestFields out;
    const R request;
    const auto* const begin = reinterpret_cast<const char*>(&request);
    Description<R>::fields([&](const Field& field, auto member) {
      const auto& value = request.*member;
      add_field<std::remove_cvref_t<decltype(value)>>(out, field,
                                                      reinterpret_cast<const char*>(&value) - begin);
    });
    return out;
  }();
  return kFields;
}

/// Puts the texts of fields in the request, but for the field `unread`, which keeps its default. What is
/// wrong with them: a field is unknown, missing, or cannot be read; two exclude each other; one needs
/// another.
std::optional<Diagnostic> read_fields(std::string_view verb, const RequestFields& fields,
                                      const FieldTexts& texts, std::string_view unread, void* request);

/// Errors: those of the fields' types, with the field's name; bad_option (a required field is missing, a
/// field is unknown, or fields do not go together). The field `unread` keeps its default.
template <class R>
Result<R> read_request(const FieldTexts& texts, std::string_view unread = {}) {
  R out;
  if (auto problem = read_fields(Description<R>::name, fields_of<R>(), texts, unread, &out))
    return fail(bad_input(*std::move(problem)));
  if constexpr (requires { Description<R>::check(out); }) {
    if (auto checked = Description<R>::check(out); !checked) return fail(std::move(checked.error()));
  }
  return out;
}

/// JSON Schema 2020-12 of a request.
Json request_schema(std::string_view name, std::string_view help, const RequestFields& fields);

}  // namespace tessera::verbs
