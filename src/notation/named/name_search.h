// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the names of a layout.
#pragma once

#include <optional>
#include <vector>

#include "tessera/notation/conversion.h"
#include "tessera/notation/named_layout.h"

namespace tessera::detail {

/// What a search for names finds.
struct NameSearch {
  std::vector<NamedLayout> names = {};
  /// Names of which it is not known whether they are the same function.
  std::vector<NamedLayout> undecided = {};
};

/// The names of a layout with elements of `bits` bits, of either kind; bits are compared where one of both
/// has no cells. The names have this type; without one, the layout's own, and fields of GGUF blocks have
/// theirs.
NameSearch search_names(const NamedOrLayout& layout, int bits, const std::optional<CellType>& type);

/// The first name of a layout, in its own type; other names are notes. Errors: not_representable with reason
/// `unnamed`.
Result<Conversion> convert_to_named(const Layout& from);
/// The other names.
void add_names(const Layout& from, const Layout& first, std::vector<Layout>& all);

}  // namespace tessera::detail
