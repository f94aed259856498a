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

/// JSON for a failed request: `{"schema": "tessera.VERB/1", "action": ..., "status": ..., "error": {...}}`,
/// without `action` if it is empty. One line, no line break.
std::string problem_json(std::string_view verb, std::string_view action, int status,
                         const Diagnostic& diagnostic, const Source& source);

}  // namespace tessera
