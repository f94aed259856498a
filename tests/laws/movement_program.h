// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random small programs of copies, transposes and reshapes between layouts, in loops, calls and branches.
#pragma once

#include <random>
#include <string>

namespace tessera::laws {

/// A module whose entry has one array parameter. Loops run a constant number of times, in some cases never.
std::string movement_program(std::mt19937_64& random);

}  // namespace tessera::laws
