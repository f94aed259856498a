// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers for all sizes as text and as JSON.
#pragma once

#include <string>

#include "eval/for_all_sizes.h"

namespace tessera {

struct SizedTextOptions {
  bool one_line = false;  ///< cases are joined by `; `
  bool all = false;       ///< more than 16 cases, too; else the verb has --all
};

/// The lines of each answer, with names in a column of this width; without names, the cases alone. No line
/// break at the end.
std::string to_text(const symbolic::SizedAnswers& answers, std::size_t names,
                    const SizedTextOptions& options = {});
int status_of(const symbolic::SizedAnswers& answers);

/// The keys of an answer about one layout: `{"schema": "tessera.VERB/1", "status", LAYOUT: {"text"}, LIST:
/// [{NAME, "cases"}], "parameters", "where"}`; without a list, `cases` itself.
struct SizedKeys {
  std::string_view verb;
  std::string_view layout;
  std::string_view list = {};
  std::string_view name = {};
};
std::string to_json(const SizedKeys& keys, const std::string& text, const std::string& to,
                    const symbolic::SizedAnswers& answers);

/// A line for each case: `(4,N/4):(8,1)  if N % 4 == 0`. Ends with a line break.
std::string to_text(const eval::SizedEvaluation& evaluation, const SizedTextOptions& options = {});

/// 0 if every case has a value, and none is `false`; 1 if some case is an error; 3 if some is undecided. For
/// an error of the text, its status.
int status_of(const eval::SizedEvaluation& evaluation);

/// `{"schema": "tessera.eval/1", "status", "values": [{"cases": [{"if", "value" | "error" | "undecided"}]}],
/// "parameters", "where"}`. One line, no line break.
std::string to_json(const eval::SizedEvaluation& evaluation, const Source& source);

/// 0 for yes, 1 for iff and no, 3 for undecided.
int status_of(const SizeAnswer& answer);

/// The answer whether two layouts are equal for all sizes: `{"schema": "tessera.equal/1", "status", "a", "b",
/// "notion", "equal", "where", "answer", "condition", "at_sizes", "counterexample", "values", "smallest"}`.
std::string to_json(const std::string& a, const std::string& b, const std::string& where,
                    const SizeAnswer& answer);

/// The answer to a question about maps for all sizes: `{"schema": "tessera.map/1", "action", "status",
/// "where", "answer", ...}`, with the keys of above.
std::string map_answer_json(std::string_view action, const std::string& where, const SizeAnswer& answer);
/// The cases of an answer about a map: `{"schema": "tessera.map/1", "action", "status", "cases",
/// "parameters", "where"}`.
std::string map_cases_json(std::string_view action, const symbolic::SizedAnswers& answers);

}  // namespace tessera
