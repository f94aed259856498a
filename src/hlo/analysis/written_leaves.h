// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which arrays of a result an instruction writes.
#pragma once

#include <cstddef>
#include <utility>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The leaves [first, last) of the result that are new arrays. The start of an asynchronous operation returns
/// its operands and a context as well.
std::pair<std::size_t, std::size_t> written_leaves(const Instruction& op);

}  // namespace tessera::detail
