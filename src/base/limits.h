// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of messages.
#pragma once

#include <cstddef>

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason.
struct BaseLimits {
  std::size_t source_line = 120;  ///< bytes; longer lines (up to 150 KB in HLO) are cut around the caret
  /// Bytes of any message; messages that quote input should already have shortened each quotation.
  std::size_t message = 1000;
};
inline constexpr BaseLimits kBaseLimits = {};

}  // namespace tessera::detail
