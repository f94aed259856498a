// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plain strides, as in NumPy.
#pragma once

#include <vector>

#include "tessera/base/index.h"

namespace tessera {

/// offset + sum of stride[i] * x[i] over the box of `shape`: one stride per extent. In elements.
struct Strides {
  std::vector<Index> shape;
  std::vector<Index> strides;
  Index offset = 0;
  friend bool operator==(const Strides&, const Strides&) = default;
};

}  // namespace tessera
