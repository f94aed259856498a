// SPDX-License-Identifier: Apache-2.0
// The type of the elements that a copy between two layouts moves.
#pragma once

#include "python/src/python.h"
#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/notation/layout.h"

namespace tessera::python {

struct CopiedType {
  DType dtype;
  Index bytes = 0;  ///< of an element in memory
};

/// `dtype`, or the type of either layout if it is None. Raises Error (missing_layout, different_type,
/// unsupported_width).
CopiedType copied_type(const Layout& from, const Layout& to, nb::handle dtype);

}  // namespace tessera::python
