// SPDX-License-Identifier: Apache-2.0
/// \file
/// The compute capability of a target.
#pragma once

#include <charconv>
#include <string_view>

#include "tessera/base/index.h"

namespace tessera::triton {

/// 90 for `cuda:90`; 0 for other targets.
inline Index compute_capability(std::string_view target) {
  Index out = 0;
  if (target.starts_with("cuda:")) {
    const std::string_view digits = target.substr(5);
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
  }
  return out;
}

}  // namespace tessera::triton
