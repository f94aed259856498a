// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

// Checks that the map and the output have the same extents.
Result<void> check_output(const IndexMap& map, const Layout& output) {
  std::vector<Index> extents;
  for (std::size_t d = 0; d < map.dim_count(); ++d) {
    const Interval bounds = map.variables()[d].bounds;
    if (map.known_empty()) {
      extents.push_back(0);
    } else if (bounds.lower == 0 && bounds.upper != kPosInf) {
      extents.push_back(bounds.upper + 1);
    } else {
      return fail(Code::shape_mismatch,
                  fmt::format("dimension {} of the map has the range {}, which must start at 0", d,
                              to_string(bounds)));
    }
  }
  const bool same = map.known_empty() ? output.size() == 0 && output.rank() == map.dim_count()
                                      : std::ranges::equal(extents, output.shape());
  if (same) return {};
  return fail(Code::shape_mismatch,
              fmt::format("the domain of the map has shape ({}), but the output has shape ({})",
                          fmt::join(extents, ","), fmt::join(output.shape(), ",")));
}

}  // namespace

Result<IndexMap> access_map(const IndexMap& map, const Layout& operand) {
  auto both = compose(map, lower(operand));
  if (!both) return both;
  return simplify(*both);
}

Result<IndexMap> access_map(const IndexMap& map, const Layout& operand, const Layout& output) {
  if (const auto checked = check_output(map, output); !checked) return fail(checked.error());
  const auto read = access_map(map, operand);
  if (!read) return read;
  const auto back = inverse(lower(output));
  if (!back) return fail(back.error());
  auto both = compose(*back, *read);
  if (!both) return both;
  return simplify(*both);
}

Result<Equality> is_bitcast(const IndexMap& map, const Layout& operand, const Layout& output) {
  if (const auto checked = check_output(map, output); !checked) return fail(checked.error());
  const auto read = access_map(map, operand);
  if (!read) return fail(read.error());
  return equal(*read, simplify(lower(output)));
}

}  // namespace tessera
