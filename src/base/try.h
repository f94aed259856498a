// SPDX-License-Identifier: Apache-2.0
/// \file
/// Returning the error of a Result to the caller.
#pragma once

#include "tessera/base/result.h"

/// Defines `variable` as the value of a Result, or returns its error.
#define TESSERA_TRY(variable, expression)                         \
  auto variable##_result = (expression);                          \
  if (!variable##_result) return fail(variable##_result.error()); \
  auto& variable = *variable##_result
/// Returns the error of a Result, if it has one.
#define TESSERA_NEED(expression) \
  if (auto needed = (expression); !needed) return fail(needed.error())
