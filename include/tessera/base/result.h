// SPDX-License-Identifier: Apache-2.0
/// \file
/// Result<T>: a value, or the reason why there is none.
#pragma once

#include <utility>
#include <version>

#include "tessera/base/diagnostic.h"

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
