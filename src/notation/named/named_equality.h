// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares layouts by the bits of their elements.
#pragma once

#include "tessera/notation/conversion.h"
#include "tessera/notation/named_layout.h"

namespace tessera::detail {

/// Whether both have each bit of each element at the same place, range by range of the bits. A layout of
/// cells has elements of `bits` bits, as a named layout must. Requires equal shapes. Errors: those of planes.
Result<LayoutEquality> compare_bits(const NamedOrLayout& a, const NamedOrLayout& b, int bits,
                                    const LayoutEqualityOptions& options = {});

}  // namespace tessera::detail
