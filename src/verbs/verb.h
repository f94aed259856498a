// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs: each takes a request, given as the texts of its fields, and returns a value that can be shown.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "verbs/answer.h"
#include "verbs/field.h"
#include "verbs/observer.h"

namespace tessera::verbs {

/// The texts of each field that a request has, by its name: one, or more if the field may be repeated; none
/// for a flag, or for a field that is given without its value.
using FieldTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// One verb, for front ends that do not know its request.
struct Verb {
  std::string_view name;        ///< `tile`, `map simplify`
  std::string_view help;        ///< one line
  std::string_view footer;      ///< how to read the answer, and examples
  std::string_view extensions;  ///< of files with the answer, between spaces
  std::string_view subject;  ///< the key of a refusal's JSON for the field of several questions; may be empty
  bool marks_line;           ///< its values are names: errors mark them within the command line
  std::vector<Field> fields;
  /// JSON Schema 2020-12 of the request. That of answers is `answer_schema`.
  std::string (*schema)();
  /// Whether the request can be read, but for the field `unread`. If not, `refusal` has the reason.
  bool (*check)(const FieldTexts& texts, std::string_view unread, Diagnostic& refusal);
  /// The answer. Null, with the reason in `refusal`, if there is none.
  std::unique_ptr<VerbAnswer> (*ask)(const FieldTexts& texts, Observer& observer, Diagnostic& refusal);
};

/// JSON for a question without an answer.
std::string refusal_json(const Verb& verb, const FieldTexts& texts, int status, const Diagnostic& error,
                         const Source& source);

/// The value that an error is about.
struct FaultyValue {
  const Field* field;
  std::size_t argument = 0;  ///< its number on the command line, from 1; 0: an option
  std::size_t item = 0;      ///< which of the field's values
  std::string text;          ///< empty for a flag; a list of numbers as a whole
};
/// Empty if the error is about no field, or about one that is not given.
std::optional<FaultyValue> value_of(const Verb& verb, const FieldTexts& texts, const Diagnostic& error);

/// The verbs that have a request, in the order of the help.
std::span<const Verb> all_verbs();
/// Null if there is no such verb, or if it has no request yet.
const Verb* find_verb(std::string_view name);
/// The names of all of them, between commas.
std::string verb_names();

}  // namespace tessera::verbs
