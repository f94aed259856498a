// SPDX-License-Identifier: Apache-2.0
/// \file
/// Diagnostic: what is wrong, where, and what to do instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/code.h"
#include "tessera/base/source.h"

namespace tessera {

enum class Severity : std::uint8_t { error, warning };

/// One problem in a text, or the reason why a question has no answer. A message is one line, names its
/// subject and the numbers, starts in lower case and ends without a period.
struct Diagnostic {
  Code code = Code::syntax;
  std::string message;
  Span span = {};  ///< where in the source, if there is one
  Severity severity = Severity::error;
  std::string reason = {};   ///< qualifies `not_representable` and similar codes
  std::string witness = {};  ///< the smallest counterexample
  std::vector<std::string> notes = {};
  std::string help = {};  ///< what to type instead
};

/// Whether a diagnostic uses ANSI color escapes.
enum class Color : std::uint8_t { never, always };

/// The diagnostic as clang prints it: `NAME:LINE:COL: error[code]: message`, the source line, a caret line,
/// then `= note:`, `= witness:` and `= help:` lines. Each line ends with a line break. Long source lines are
/// cut around the caret.
std::string render(const Diagnostic& diagnostic, const Source& source, Color color = Color::never);

/// The diagnostic on one line, without its source: `error[code]: message`.
std::string to_string(const Diagnostic& diagnostic);

}  // namespace tessera
