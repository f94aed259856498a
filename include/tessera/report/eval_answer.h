// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers of the calculator as text and as JSON.
#pragma once

#include <string>

#include "tessera/base/source.h"
#include "tessera/eval/evaluator.h"
#include "tessera/eval/function.h"

namespace tessera {

/// How the answers of one text are written.
struct EvalTextOptions {
  bool one_line = false;  ///< several answers are joined by `; `, as the statements were
};

/// The explanations that were asked for, a block each with numbered steps, then the answers: a value, or
/// `name = value` for an assignment that ends the text. Ends with a line break unless there is no answer.
std::string to_text(const Evaluation& evaluation, const EvalTextOptions& options = {});

/// 0, or 1 where an answer is `false`; for an error 1 (no such answer), 2 (bad input) or 3 (undecided, a
/// limit).
int status_of(const Evaluation& evaluation);

/// `{"schema": "tessera.eval/1", "status": …, "values": […]}`, with `steps`, `notes` and `error` where they
/// are there. One line, no line break.
std::string to_json(const Evaluation& evaluation, const Source& source);

/// `{"schema": "tessera.eval/1", "status": 0, "functions": [{"name", "signature", "summary", "group",
/// "example"}, …]}`.
std::string to_json(const std::vector<FunctionInfo>& functions);

}  // namespace tessera
