// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the names of a layout.
#pragma once

#include <vector>

#include "tessera/notation/conversion.h"

namespace tessera::detail {

/// The first name of a layout, in its own type; other names are notes. Errors: not_representable with reason
/// `unnamed`.
Result<Conversion> convert_to_named(const Layout& from);
/// The other names.
void add_names(const Layout& from, const Layout& first, std::vector<Layout>& all);

}  // namespace tessera::detail
