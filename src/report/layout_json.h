// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts as JSON values.
#pragma once

#include "report/json.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {

/// `{"notation": "cute", "text": ..., "crop": [...]}`, where `text` is the canonical text. Morello layouts
/// have `shape`; strided layouts have `shape`, `strides` and `offset`; linear layouts have `bases`.
Json json_of(const Layout& layout);

}  // namespace tessera::detail
