// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs: each takes a request, given as the texts of its fields, and returns a value that can be shown.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "verbs/field.h"

namespace tessera::verbs {

/// The text of each field that a request has, by its name.
using FieldTexts = std::map<std::string, std::string, std::less<>>;

/// A problem of a file that the question names. The answer is valid if it is a warning.
struct FileProblem {
  Diagnostic diagnostic;
  std::shared_ptr<const Source> source;
};

/// What a verb found. Text and JSON are made when they are asked for.
class VerbAnswer {
 public:
  virtual ~VerbAnswer() = default;
  virtual int status() const = 0;
  virtual std::string to_text() const = 0;
  virtual std::string to_json() const = 0;
  virtual std::span<const FileProblem> problems() const { return {}; }
};

/// A question without an answer.
struct NoAnswer {
  Diagnostic diagnostic;  ///< `field`: what it is about
  int status = 0;
  std::vector<FileProblem> problems = {};
};

/// One verb, for front ends that do not know its request.
struct Verb {
  std::string_view name;
  std::string_view help;    ///< one line
  std::string_view footer;  ///< how to read the answer, and examples
  std::vector<Field> fields;
  /// JSON Schema 2020-12 of the request.
  std::string (*schema)();
  /// Null, and why.
  std::unique_ptr<VerbAnswer> (*ask)(const FieldTexts& texts, NoAnswer& refusal);
};

/// Null if there is no such verb, or if it has no request yet.
const Verb* find_verb(std::string_view name);
/// The names of all of them, between commas.
std::string verb_names();

}  // namespace tessera::verbs
