// SPDX-License-Identifier: Apache-2.0
// Layouts of Triton as arguments.
#pragma once

#include "python/src/python.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::python {

/// A text, Gluon's own object by its repr, or an object with reg_bases, lane_bases, warp_bases, block_bases
/// and shape. Raises ParseError.
TritonLayout triton_argument(nb::handle value);

}  // namespace tessera::python
