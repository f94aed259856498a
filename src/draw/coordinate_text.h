// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of an index.
#pragma once

#include <span>
#include <string>

#include "tessera/base/index.h"

namespace tessera {

/// `2,3`; `()` without dimensions.
std::string coordinate_text(std::span<const Index> index);
}  // namespace tessera
