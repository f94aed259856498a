// SPDX-License-Identifier: Apache-2.0
/// \file
/// The maps of register layouts.
#pragma once

#include <span>

#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

/// On a shape of the layout's rank with extents that are powers of two.
Result<TritonBases> register_bases(const TritonAttribute& attribute, std::span<const Index> shape);

}  // namespace tessera::triton
