// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index maps as MLIR prints them.
#pragma once

#include <string>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera::detail {

/// The text of a map without the surrounding attribute. Blanks replace the attribute, so that spans refer to
/// the original text.
struct PastedMap {
  std::string text;
  bool affine = false;  ///< an `affine_map`, which has no domain: its variables are unbounded
};

/// True for `#xla.indexing_map<...>`, `indexing_map<...>`, `affine_map<...>`, and for an alias of one,
/// `#map = affine_map<...>`.
bool is_pasted_map(std::string_view text);

/// Takes the map out of the attribute. An `indexing_map` may be quoted, with escapes and with escaped quotes;
/// a domain may follow an `affine_map`: `affine_map<(d0) -> (d0 mod 8)>, domain: d0 in [0, 63]`. Requires
/// is_pasted_map. Errors: syntax (no closing '>' or quote). O(text).
Result<PastedMap> unwrap_pasted_map(std::string_view text);

}  // namespace tessera::detail
