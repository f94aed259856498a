// SPDX-License-Identifier: Apache-2.0
/// \file
/// The dimension of an iota.
#pragma once

#include <cstddef>
#include <optional>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The dimension along which an iota counts; empty if the instruction has an error.
std::optional<std::size_t> counted_dimension(const Instruction& iota);

}  // namespace tessera::detail
