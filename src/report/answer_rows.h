// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rows of `tessera access`: a name and a value, in two columns.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tessera::detail {

inline std::string row(std::string_view name, const std::string& value) {
  return fmt::format("{:<15}{}\n", name, value);
}
inline std::string inner(std::string_view name, const std::string& value) {
  return fmt::format("  {:<13}{}\n", name, value);
}

}  // namespace tessera::detail
