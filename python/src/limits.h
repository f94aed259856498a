// SPDX-License-Identifier: Apache-2.0
/// \file
/// The limits of the Python module.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::python {

/// Every limit of this folder, with its unit and its reason.
struct PythonLimits {
  std::size_t shown_bytes = 60;                ///< of a value in a message
  int descr_depth = 64;                        ///< of a 'descr', because its reader recurses
  Index address = Index{1} << 62;              ///< bytes that an array may reach, so that sums fit in 64 bits
  std::size_t holders = std::size_t{1} << 20;  ///< of one element; more are refused, not cut
};
inline constexpr PythonLimits kPythonLimits = {};

}  // namespace tessera::python
