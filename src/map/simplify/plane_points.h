// SPDX-License-Identifier: Apache-2.0
/// \file
/// Integer points of convex polygons.
#pragma once

#include <optional>
#include <span>

#include "tessera/base/index.h"

namespace tessera::detail {

/// a*x + b*y <= c.
struct HalfPlane {
  Index a;
  Index b;
  Index c;
};

/// Is there an integer point in all half planes? Exact; empty if the polygon is unbounded or numbers are
/// too large for 128 bits. A polygon without integer points is thin in some direction (its lattice width is
/// at most 1 + 2/sqrt(3) < 3, Hurkens 1990), so a reduced basis leaves a few lines to check. O(n^2 + log of
/// the size).
std::optional<bool> has_integer_point(std::span<const HalfPlane> planes);

}  // namespace tessera::detail
