// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost of accesses, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tessera/access/access.h"
#include "tessera/draw/picture.h"

namespace tessera {

/// The answer of `tessera access`.
struct AccessAnswer {
  Layout layout;
  AccessOptions options = {};
  AccessReports reports = {};
  std::optional<GridReport> grid = {};
  std::optional<FixSet> fixes = {};
  bool why = false;  ///< print the table of address bits instead of a sentence
};

/// Several lines. The last one has no line break.
std::string to_text(const AccessAnswer& answer);
/// `(32,32):(32,1): wavefronts 132, floor 8, best Sw<5,0,5> 8`.
std::string to_line(const AccessAnswer& answer);
/// `{"schema": "tessera.access/1", ...}`; docs/lookup/json.md lists the keys.
/// `picture` becomes the value of `view`.
std::string to_json(const AccessAnswer& answer, int status, const Picture* picture = nullptr);

/// `(32,4):(1,32)`, `map:(d0) -> (d0, 0), domain: d0 in [0, 31]`.
std::string tv_text(const Access& access);
/// `read`, `ldmatrix.x4`.
std::string kind_text(const Access& access);

}  // namespace tessera
