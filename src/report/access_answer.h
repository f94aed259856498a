// SPDX-License-Identifier: Apache-2.0
/// \file
/// What accesses cost, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tessera/access/access_report.h"
#include "tessera/access/fix.h"

namespace tessera {

/// The answer of `tessera access`.
struct AccessAnswer {
  Layout layout;
  AccessOptions options = {};
  std::vector<AccessReport> accesses = {};
  Index floor = 0;  ///< of all accesses together, with their weights
  std::optional<GridReport> grid = {};
  std::optional<FixSet> fixes = {};
  bool why = false;  ///< the table of address bits instead of a sentence
};

/// Weighted wavefronts of all accesses.
Index total_wavefronts(const AccessAnswer& answer);

/// Several lines, without the last line break.
std::string to_text(const AccessAnswer& answer);
/// `(32,32):(32,1): wavefronts 132, floor 8, best Sw<5,0,5> 8`.
std::string to_line(const AccessAnswer& answer);
/// `{"schema": "tessera.access/1", ...}`; docs/lookup/json.md lists the keys.
std::string to_json(const AccessAnswer& answer, int status);

/// The layout with the fix applied: a swizzle before the layout, padded strides, or bases over F2.
/// parse_layout reads the text, unless it is of the form `SWIZZLE after LAYOUT` or `offset bits to ... after
/// LAYOUT`.
std::string fixed_text(const Layout& layout, const Fix& fix);

}  // namespace tessera
