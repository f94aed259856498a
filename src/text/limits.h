// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of readers of text.
#pragma once

#include "tessera/base/index.h"

namespace tessera::detail {

/// Every limit of this folder, with its unit and its reason. The nesting of expressions is kMaxExprDepth.
struct TextLimits {
  /// The number in v0, v1, ..., because callers store a value for each variable.
  Index variable = (1 << 24) - 1;
  int parentheses = 64;  ///< inside each other, because the reader recurses
};
inline constexpr TextLimits kTextLimits = {};

}  // namespace tessera::detail
