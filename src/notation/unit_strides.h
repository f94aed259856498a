// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strides that no offset shows.
#pragma once

#include <vector>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// For each dimension with at most one index, the stride that the source has for it: that of NumPy's strides,
/// or of a mode of CuTe's notation. 0 for other dimensions and notations. In an array without elements, every
/// dimension counts. The normal forms of the notations have 0 there; other spellings keep the strides, which
/// code may compare.
std::vector<Index> unit_strides(const Layout& from);

}  // namespace tessera::detail
