// SPDX-License-Identifier: Apache-2.0
// The canonical text of a layout with names for sizes.
#pragma once

#include <string>

#include "notation/symbolic/symbolic_layout.h"

namespace tessera::symbolic {

/// Of CuTe's notation: each term in its canonical form, and the strides of a compact layout, `(M,N):(1,M)`,
/// without a prefix and blanks. Of other notations: the text.
std::string canonical(const SymbolicLayout& layout);

}  // namespace tessera::symbolic
