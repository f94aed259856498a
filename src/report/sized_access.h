// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bank conflicts of a layout with names for sizes, as text and as JSON.
#pragma once

#include <string>

#include "access/symbolic/sized_wavefronts.h"

namespace tessera {

/// The answer of `tessera access` for all sizes.
struct SizedAccessAnswer {
  std::string layout;
  AccessOptions options = {};
  symbolic::SizedWavefronts wavefronts = {};
};

/// Several lines. The last one has no line break.
std::string to_text(const SizedAccessAnswer& answer);
std::string to_line(const SizedAccessAnswer& answer);
/// `{"schema": "tessera.access/1", "status", "layout", "accesses": [{"name", "ideal", "by", "formula",
/// "cases"}], "parameters", "where"}`.
std::string to_json(const SizedAccessAnswer& answer);
/// 0 if no sizes have conflicts, 1 if some have or an access has an error, 3 if some case is undecided.
int status_of(const SizedAccessAnswer& answer);

}  // namespace tessera
