// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a block of GGUF has next to its codes.
#pragma once

#include <string>

#include "tessera/notation/named_layout.h"

namespace tessera::detail {

/// `d, dmin, sc, mn` for the codes of a block: the fields that are 0 in a buffer with nothing but codes.
/// Empty for a field of a block, and for other families.
std::string fields_beside_codes(const NamedLayout& layout);

}  // namespace tessera::detail
