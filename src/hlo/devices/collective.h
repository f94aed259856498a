// SPDX-License-Identifier: Apache-2.0
/// \file
/// The collective that an instruction is or starts, and the devices that take part.
#pragma once

#include <optional>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The collective that the instruction is or starts, if any.
std::optional<Collective> collective_of(const Instruction& op);

/// Of a program with one replica: the partitions in each group, in their order. Empty if they are not known.
std::optional<std::vector<std::vector<Index>>> partition_groups(const Instruction& collective);

/// Of a program with one replica: for each partition the one from which a collective-permute brings its
/// result, or -1. Empty if the pairs cannot be read or are out of range.
std::optional<std::vector<Index>> permute_sources(const Instruction& permute, std::size_t partitions);

}  // namespace tessera::detail
