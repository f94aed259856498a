// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers about index maps, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/map/index_map.h"
#include "tessera/map/judge.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera {

/// How a map is printed.
struct MapTextOptions {
  bool legacy = false;                      ///< in the older form, on several lines
  std::vector<LegacyRuntime> sources = {};  ///< sources of the runtime variables, for the older form
};

/// `(d0) -> (d0 + 1), domain: d0 in [0, 3]`.
std::string to_text(const IndexMap& map, const MapTextOptions& options);

/// `yes`; `no at (3, 5): (8) and (9); 12 points differ`; `no: REASON` if no single point shows the
/// difference; `undecided: REASON`. The value of a map outside its domain is `undefined`. `differing`: the
/// number of points at which the maps differ.
std::string to_text(const Equality& equality, const std::optional<Count>& differing = {});

/// `r0 in [0, 7], r1 in [0, 3], r0 mod 2 in [0, 0]`. If the image is not exact, ` (superset: REASON)`
/// follows.
std::string to_text(const Image& image);

/// An answer in one line of JSON: `{"schema": "tessera.map/1", "action": ..., "status": ..., ...}`; `status`
/// is the exit status of the command line (0 yes or done, 1 no, 3 undecided).
std::string to_json(std::string_view action, const IndexMap& map);
std::string to_json(std::string_view action, UndefinedMap undefined);
std::string to_json(std::string_view action, const Equality& equality,
                    const std::optional<Count>& differing = {});
std::string to_json(std::string_view action, const Image& image);
/// `of` names what was counted: `values` or `points`.
std::string to_json(std::string_view action, const Count& count, std::string_view of);

}  // namespace tessera
