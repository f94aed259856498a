// SPDX-License-Identifier: Apache-2.0
/// \file
/// Diagnostics as JSON.
#pragma once

#include <string>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera {

/// `{"code": "syntax", "severity": "error", "message": ..., "source": ..., "line": ..., "column": ...}` and,
/// if present, `reason`, `witness`, `notes`, `help`. One line, no line break.
std::string to_json(const Diagnostic& diagnostic, const Source& source);

/// A question, as JSON names it.
struct QuestionName {
  std::string_view verb;
  std::string_view action = {};  ///< may be empty
  std::string_view key = {};     ///< the key of `value`; empty if the question has no name of its own
  std::string_view value = {};
};

/// JSON for a failed request: `{"schema": "tessera.VERB/1", "action": ..., "status": ..., "error": {...}}`,
/// with the question's own name after the status. One line, no line break.
std::string problem_json(const QuestionName& question, int status, const Diagnostic& diagnostic,
                         const Source& source);
/// The same without a name of its own.
std::string problem_json(std::string_view verb, std::string_view action, int status,
                         const Diagnostic& diagnostic, const Source& source);

}  // namespace tessera
