// SPDX-License-Identifier: Apache-2.0
// Finds shared and missing offsets of a layout or a chain.
#pragma once

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/equality.h"

namespace tessera::eval {

/// Whether no two 1-D coordinates share an offset; if some do, the result contains such a pair. Up to
/// evaluation_limit() coordinates are enumerated; with more, the structure decides, as for Layout. Requires a
/// domain. Errors: undecided, unsupported_codomain, those of offset.
tessera::detail::Outcome<Injectivity> injectivity_of(const ComposedLayout& chain);

/// The smallest offset >= 0 that does not occur. With more than evaluation_limit() coordinates, it follows
/// from the strides of a plain layout or from bases over F2. Requires a domain. Errors: as above.
tessera::detail::Outcome<Index> smallest_missing_offset(const ComposedLayout& chain);

}  // namespace tessera::eval
