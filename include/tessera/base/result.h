// SPDX-License-Identifier: Apache-2.0
/// \file
/// Result<T>: a value, or the Diagnostic that says why there is none: a code, a message, a span of a
/// Source, a witness, a way out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <version>

#include "tessera/base/code.h"

// The library's build sets this macro and passes it on to users, so that both use the same type.
#if !defined(TESSERA_STD_EXPECTED)
#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202202L
#define TESSERA_STD_EXPECTED 1
#else
#define TESSERA_STD_EXPECTED 0
#endif
#endif

#if TESSERA_STD_EXPECTED
#include <expected>
#else
#include <tl/expected.hpp>
#endif

namespace tessera {

/// Half-open byte range [begin, end) of a text. An empty span marks a position between two bytes.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// Line and column of a byte, both counted from 1; columns count bytes.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;

  friend bool operator==(const Position&, const Position&) = default;
};

/// A text and the name that diagnostics show for it. Immutable, so threads may share it. Texts must be
/// smaller than 4 GiB (file readers return `file_too_large`).
class Source {
 public:
  /// `first_line` is the number of the text's first line; larger than 1 if the text is part of a longer one.
  Source(std::string name, std::string text, std::size_t first_line = 1);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;

  /// Line and column of a byte offset; offsets past the end give the position after the last byte. O(log
  /// lines).
  Position position(std::size_t offset) const;

  /// The line with this number without its line break. Empty if there is no such line.
  std::string_view line(std::size_t number) const;

 private:
  std::string name_;
  std::string text_;
  std::size_t first_line_ = 1;
  std::vector<std::uint32_t> line_starts_;
};

/// A warning leaves the answer valid.
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
  /// The field of a request that this is about: `tile`. Empty if no request is at fault.
  std::string_view field = {};
  std::uint32_t item = 0;   ///< which of the field's values, from 0
  std::uint8_t status = 0;  ///< the exit status, if it does not follow from the code
};

/// Whether a diagnostic uses ANSI color escapes.
enum class Color : std::uint8_t { never, always };

/// The diagnostic as clang prints it: `NAME:LINE:COL: error[code]: message`, the source line, a caret line,
/// then `= note:`, `= witness:` and `= help:` lines. Each line ends with a line break. Long source lines are
/// cut around the caret.
std::string render(const Diagnostic& diagnostic, const Source& source, Color color = Color::never);

/// The diagnostic on one line, without its source: `error[code]: message`.
std::string to_string(const Diagnostic& diagnostic);

// std::expected where the standard library has it, tl::expected otherwise. No other file depends on the
// choice.
#if TESSERA_STD_EXPECTED
template <class T>
using Result = std::expected<T, Diagnostic>;
using Failure = std::unexpected<Diagnostic>;
#else
template <class T>
using Result = tl::expected<T, Diagnostic>;
using Failure = tl::unexpected<Diagnostic>;
#endif

/// The error of a Result: `return fail(Code::syntax, "expected '->'", span);`
inline Failure fail(Code code, std::string message, Span span = {}, std::string help = {}) {
  return Failure(
      Diagnostic{.code = code, .message = std::move(message), .span = span, .help = std::move(help)});
}
inline Failure fail(Diagnostic diagnostic) { return Failure(std::move(diagnostic)); }

}  // namespace tessera
