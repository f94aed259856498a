// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the integers of a program, element by element.
#pragma once

#include <vector>

#include "laws/hlo_reference.h"
#include "tessera/hlo/module.h"

namespace tessera::laws {

/// The values of all arrays of integers and pred that the entry and the computations it calls compute, for
/// these values of the entry's parameters (empty: not integers). Arithmetic wraps to the width of its type.
/// Computations must be called at most once. Fails a check for an opcode that it does not know.
/// `wrapped`: set if any did wrap.
Values run_integers(const HloModule& module, const std::vector<Indices>& parameters, bool& wrapped);

}  // namespace tessera::laws
