// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers of the calculator as text and as JSON.
#pragma once

#include <string>

#include "tessera/base/result.h"
#include "tessera/eval/evaluator.h"

namespace tessera {

/// How to print the answers of one text.
struct EvalTextOptions {
  bool one_line = false;  ///< join several answers with `; `, like statements
};

/// The requested explanations, each a block of numbered steps, followed by the answers: a value, or `name =
/// value` if the text ends in an assignment. Ends with a line break unless there is no answer.
std::string to_text(const Evaluation& evaluation, const EvalTextOptions& options = {});

/// The exit status: 0, or 1 if an answer is `false`. For an error: 1 (no such answer), 2 (bad input) or 3
/// (undecided or a limit).
int status_of(const Evaluation& evaluation);

/// `{"schema": "tessera.eval/1", "status": …, "values": […]}`, with `steps`, `notes` and `error` if present.
/// One line, no line break.
std::string to_json(const Evaluation& evaluation, const Source& source);

/// `{"schema": "tessera.eval/1", "status": 0, "functions": [{"name", "signature", "summary", "group",
/// "example"}, …]}`.
std::string to_json(const std::vector<FunctionInfo>& functions);

}  // namespace tessera
