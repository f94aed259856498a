// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of generated code.
#pragma once

#include "tessera/base/index.h"

namespace tessera::coding {

/// Every limit of this folder, with its unit and its reason.
struct CodeLimits {
  Index tested_bytes = Index{64} << 20;  ///< of a buffer that a test fills
  std::size_t tried_sizes = 2000;        ///< of which a test has a few
};
inline constexpr CodeLimits kCodeLimits = {};

}  // namespace tessera::coding
