// SPDX-License-Identifier: Apache-2.0
/// \file
/// Text of shardings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/sharding.h"

namespace tessera {

/// One sharding: `{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}`, `{maximal device=3}`, and the form
/// over a mesh, `{mesh['x'=2,'y'=4], [{'x'}, {}]}`, which becomes the tiled form (unused axes replicate).
/// Errors: syntax, number_range, unknown_name (an axis that the mesh does not have), duplicate_name (an axis
/// used twice), and those of Sharding::tiled; each with its span.
Result<Sharding> parse_sharding(std::string_view text);

/// One or, in a tuple's braces, several: `{{replicated}, {devices=[2]<=[2]}}`.
Result<std::vector<Sharding>> parse_shardings(std::string_view text);

/// Canonical text: equal device orders have one spelling. parse_sharding(to_string(x)) == x.
std::string to_string(const Sharding& sharding);

}  // namespace tessera
