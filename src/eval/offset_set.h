// SPDX-License-Identifier: Apache-2.0
// The offsets of a layout or a chain as a set: which meet, and which are missing.
#pragma once

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/equality.h"

namespace tessera::eval {

/// Whether no two 1-D coordinates share an offset; a no carries such a pair. Few coordinates are enumerated;
/// beyond evaluation_limit() the structure decides, as it does for Layout. Requires a domain. Errors:
/// undecided, unsupported_codomain, those of offset.
Outcome<Injectivity> injectivity_of(const ComposedLayout& chain);

/// The smallest offset >= 0 that does not occur. Beyond evaluation_limit() by the strides of a plain layout,
/// or by bases over F2. Requires a domain. Errors: as above.
Outcome<Index> smallest_missing_offset(const ComposedLayout& chain);

}  // namespace tessera::eval
