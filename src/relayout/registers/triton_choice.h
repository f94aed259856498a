// SPDX-License-Identifier: Apache-2.0
/// \file
/// What Triton 3.9 does for a conversion of registers: as data, because it differs from what is needed.
#pragma once

#include <optional>

#include "relayout/registers/flat_bases.h"
#include "tessera/relayout/register_plan.h"

namespace tessera::moving {

struct ChoiceOfTriton {
  TritonChoice choice = TritonChoice::none;
  Index shuffles = 0;  ///< of a warp
};

ChoiceOfTriton choice_of_triton(const FlatBases& from, const FlatBases& to, Index element_bits);

}  // namespace tessera::moving
