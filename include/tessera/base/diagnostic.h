// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is wrong, where, and what to do instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/code.h"
#include "tessera/base/source.h"

namespace tessera {

enum class Severity : std::uint8_t { error, warning };

/// One problem in a text, or one "no such answer". Messages are one line, name the thing and its numbers,
/// start in lower case and end without a period.
struct Diagnostic {
  Code code = Code::syntax;
  std::string message;
  Span span = {};  ///< where in the source; meaningless without one
  Severity severity = Severity::error;
  std::string reason = {};   ///< the second word of `not_representable` and similar codes
  std::string witness = {};  ///< the smallest point that shows a "no"
  std::vector<std::string> notes = {};
  std::string help = {};  ///< what to type instead
};

/// Whether a diagnostic uses colors (ANSI escapes).
enum class Color : std::uint8_t { never, always };

/// In clang's form: `NAME:LINE:COL: error[code]: message`, the source line, a caret line, `= note:`, `=
/// witness:` and `= help:` lines, each ending with a line break. Long lines are cut around the caret.
std::string render(const Diagnostic& diagnostic, const Source& source, Color color = Color::never);

/// The same on one line and without a source: `error[code]: message`.
std::string to_string(const Diagnostic& diagnostic);

}  // namespace tessera
