// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a pad reads.
#pragma once

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Whether it is proved that some element of the result is not one of operand 0, so that the pad reads its
/// padding value. Requires a sound pad.
bool reads_padding_value(const Instruction& pad);

}  // namespace tessera::detail
