// SPDX-License-Identifier: Apache-2.0
/// \file
/// A request as one line of JSON, and its answer as another: `tessera batch`, and the engine of the web page.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tessera/base/result.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// The message that refuses `-` in a request.
inline constexpr const char* kNoStdin = "a request cannot read stdin ('-'): send one request per line";

/// The form of an answer in a reply: `json`, `picture` (JSON with the picture) and `cells` are the reply; the
/// others are a document in its key `text`.
enum class AnswerForm : std::uint8_t { json, picture, cells, text, svg, tex, html };

/// A line that is a request.
struct LineRequest {
  std::string id;  ///< as JSON; empty if the request has none
  std::string name;
  const Verb* verb = nullptr;  ///< null if the verb takes no requests
  FieldTexts fields = {};
  AnswerForm form = AnswerForm::json;
};

/// The exit status, and one line of JSON without its line break.
struct LineReply {
  int status = 0;
  std::string text;
};

/// Reads the request into `request`, and what it was written as into `json`; both are partly set after an
/// error. Errors: syntax, number_range, limit, bad_option.
Result<void> read_request_line(std::string_view line, LineRequest& request, Json& json);

/// The text of an element of `args`.
Result<std::string> argument_text(const Json& value);
/// Whether `name` can be an option of a request.
Result<void> check_option(const std::string& name);

/// The same answer with the request's id, which comes after the schema.
std::string with_id(std::string text, const LineRequest& request);

/// The reply to a line that is not a request.
LineReply refused_line(const LineRequest& request, int status, const Diagnostic& problem, const Source& line);

/// Called while a question is worked on: `done` of `total`.
using Advanced = std::function<void(std::string_view stage, std::uint64_t done, std::uint64_t total)>;

/// The reply to a request that has a verb and could not be answered, for example for lack of memory.
LineReply refused_request(const LineRequest& request, Diagnostic error);

/// The reply to a request that has a verb.
LineReply answer_request(const LineRequest& request, const Advanced& advanced = nullptr);

}  // namespace tessera::verbs
