// SPDX-License-Identifier: Apache-2.0
/// \file
/// Errors that name the argument that they are about.
#pragma once

#include <string_view>
#include <utility>

#include "tessera/base/result.h"

namespace tessera::detail {

/// Names the argument that an error is about, unless a function below already has: `to`. Requires a literal.
inline Diagnostic at_fault(std::string_view argument, Diagnostic error) {
  if (error.field.empty()) error.field = argument;
  return error;
}

inline Failure at_fault(std::string_view argument, Failure failure) {
  return fail(at_fault(argument, std::move(Result<void>(std::move(failure)).error())));
}

template <class T>
Result<T> at_fault(std::string_view argument, Result<T> result) {
  if (!result) return fail(at_fault(argument, std::move(result.error())));
  return result;
}

}  // namespace tessera::detail
