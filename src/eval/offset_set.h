// SPDX-License-Identifier: Apache-2.0
// The set of offsets of a layout or a chain: shared offsets and missing offsets.
#pragma once

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/equality.h"

namespace tessera::eval {

/// Whether no two 1-D coordinates share an offset, with such a pair if they do. Up to evaluation_limit()
/// coordinates are enumerated; beyond that the structure decides, as for Layout. Requires a domain. Errors:
/// undecided, unsupported_codomain, those of offset.
Outcome<Injectivity> injectivity_of(const ComposedLayout& chain);

/// The smallest offset >= 0 that does not occur. Beyond evaluation_limit() the strides of a plain layout or
/// bases over F2 decide. Requires a domain. Errors: as above.
Outcome<Index> smallest_missing_offset(const ComposedLayout& chain);

}  // namespace tessera::eval
