// SPDX-License-Identifier: Apache-2.0
/// \file
/// Diagnostics as JSON.
#pragma once

#include <span>
#include <string>

#include "tessera/base/diagnostic.h"
#include "tessera/base/source.h"

namespace tessera {

/// `{"code": "syntax", "severity": "error", "message": ..., "source": ..., "line": ..., "column": ...}` and,
/// where they are there, `reason`, `witness`, `notes`, `help`. One line, no line break.
std::string to_json(const Diagnostic& diagnostic, const Source& source);

}  // namespace tessera
