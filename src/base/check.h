// SPDX-License-Identifier: Apache-2.0
/// \file
/// TESSERA_CHECK: an internal invariant, checked in every build.
#pragma once

namespace tessera::detail {

/// Writes the broken invariant to stderr and aborts. Only a bug in Tessera calls it; bad input never does.
[[noreturn]] void check_failed(const char* condition, const char* message, const char* file, int line);

}  // namespace tessera::detail

#define TESSERA_CHECK(condition, message)                                       \
  do {                                                                          \
    if (!(condition)) [[unlikely]]                                              \
      ::tessera::detail::check_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)
