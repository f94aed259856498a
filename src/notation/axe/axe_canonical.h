// SPDX-License-Identifier: Apache-2.0
/// \file
/// The normal form of Axe layouts.
#pragma once

#include "tessera/notation/axe.h"

namespace tessera::detail {

/// `canonical`, but the shape stays in any case.
AxeLayout canonical_of_shape(const AxeLayout& layout);

}  // namespace tessera::detail
