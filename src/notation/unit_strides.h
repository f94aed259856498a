// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strides of dimensions of extent 1, which no offset shows.
#pragma once

#include <optional>
#include <vector>

#include "tessera/notation/layout.h"

namespace tessera::detail {

/// For each dimension of extent 1, the stride that strides or a CuTe layout give to it; empty for other
/// dimensions and notations.
std::vector<std::optional<Index>> unit_strides(const Layout& layout);

}  // namespace tessera::detail
