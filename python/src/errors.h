// SPDX-License-Identifier: Apache-2.0
// Diagnostics as Python exceptions.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "python/src/python.h"
#include "tessera/base/result.h"

namespace tessera::python {

/// An instance of tessera.Error, or of the subclass for the code. If `parsing`, the text could not be read,
/// and the result is a ParseError for every code.
nb::object error_object(const Diagnostic& diagnostic, const Source* source, bool parsing);

/// Raises the error of an operation that has no text.
[[noreturn]] void raise(const Diagnostic& diagnostic);
/// Raises a ParseError with a caret in the text.
[[noreturn]] void raise(const Diagnostic& diagnostic, std::string_view text);
[[noreturn]] void raise(const Diagnostic& diagnostic, const Source& source);
[[noreturn]] void raise(Code code, std::string message, std::string help = {});

/// The diagnostic with options as keywords, because nobody typed a command: `--bytes 4` is `bytes=4`, and
/// `--base-align` is `base_align`.
std::string with_keywords(std::string_view text);
Diagnostic with_keywords(Diagnostic diagnostic);

/// Warns with a tessera.NoteWarning: the answer is right, but says less or more than it seems.
void warn(const std::string& note);

template <class T>
T unwrap(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
template <class T>
T unwrap(Result<T> result, std::string_view text) {
  if (!result) raise(result.error(), text);
  return *std::move(result);
}

/// Calls `f` without the GIL.
template <class F>
auto released(F&& f) {
  nb::gil_scoped_release release;
  return f();
}

}  // namespace tessera::python
