// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instruction sets that the kernels are built for.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"

namespace tessera {

/// `automatic` is the best one this machine has; `scalar` is plain C++.
enum class Isa : std::uint8_t { automatic, scalar, sse4, avx2, avx512, avx512_dl, neon };

/// `auto`, `scalar`, `sse4`, `avx2`, `avx512`, `avx512_dl`, `neon`.
std::string_view to_string(Isa isa);

/// The instruction set of a name. Errors: bad_option for a name that does not exist, or that this machine or
/// build does not support; the help lists those that it does.
Result<Isa> parse_isa(std::string_view name);

/// The instruction sets that this build has kernels for and this machine can run, simplest first. Never
/// empty.
std::vector<Isa> available_isas();

/// What `automatic` means: the environment variable TESSERA_ISA if it names an available one, else the best.
Isa default_isa();

}  // namespace tessera
