// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of the command line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::cli {

/// Every limit of this folder, with its unit and its reason.
struct CliLimits {
  std::size_t line_bytes = std::size_t{64} << 20;  ///< of a request; the rest of a longer line is skipped
  /// Of a module on a page, which the browser has in memory several times.
  std::uintmax_t explored_bytes = std::uintmax_t{256} << 20;
};
inline constexpr CliLimits kCliLimits = {};

}  // namespace tessera::cli
