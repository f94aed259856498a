// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for conversions between notations.
#pragma once

#include <vector>

#include "tessera/notation/conversion.h"

namespace tessera::detail {

inline bool is_empty(const Layout& layout) { return layout.size() == 0; }

inline std::vector<Index> shape_of(const Layout& layout) {
  return {layout.shape().begin(), layout.shape().end()};
}

/// The conversion to this layout, which drops nothing.
Result<Conversion> converted(Result<Layout> layout);
/// Appends a layout unless it is an error or already in the list.
void add_spelling(std::vector<Layout>& all, Result<Layout> layout);

}  // namespace tessera::detail
