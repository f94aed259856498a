// SPDX-License-Identifier: Apache-2.0
// tessera.cute.Layout: a layout or a chain of swizzles, offsets and layouts.
#pragma once

#include <variant>

#include "python/src/python.h"
#include "tessera/algebra/composed_layout.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera::python {

/// A CuTe layout as Python holds it.
struct CuteLayout {
  StridedLayout value;
  Result<Layout> to_layout() const { return Layout::make(value); }
};

/// A chain of more than one part.
struct CuteChain {
  ComposedLayout value;
  Result<Layout> to_layout() const { return Layout::make(value); }
};

}  // namespace tessera::python
