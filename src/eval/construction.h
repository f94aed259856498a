// SPDX-License-Identifier: Apache-2.0
/// \file
/// Construction of tilers from values.
#pragma once

#include <vector>

#include "eval/function.h"

namespace tessera::eval {

/// The by-mode tiler <T,U,…> of some tilers. Errors: capacity.
tessera::detail::Outcome<Tiler> by_mode(const std::vector<Tiler>& parts);

}  // namespace tessera::eval
