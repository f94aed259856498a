// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts as JSON values.
#pragma once

#include "report/json.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {

/// `{"notation": "cute", "text": ..., "crop": [...]}`; Morello's with `shape`, strides as `shape`, `strides`
/// and `offset`, linear layouts as `bases`; all with the canonical text.
Json json_of(const Layout& layout);

}  // namespace tessera::detail
