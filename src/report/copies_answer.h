// SPDX-License-Identifier: Apache-2.0
/// \file
/// The movements of a program, as text and as JSON.
#pragma once

#include <string>

#include "hlo/analysis/copies.h"
#include "report/indexing_json.h"

namespace tessera {

/// The memory bandwidth that turns bytes into time.
struct Bandwidth {
  double bytes_per_second = 0;
  bool measured = false;  ///< on this machine; else given
};

/// A line for each movement, for each chain, and the totals.
std::string to_text(const CopiesReport& report, const Bandwidth& bandwidth);

/// One object with the key `movement` for each, one with `chain` for each chain, one with `copies_totals`; a
/// line each. `schema` is `tessera.hlo/1`.
std::string to_json(const InstructionPlace& place, const CopiesReport& report, const Bandwidth& bandwidth);

}  // namespace tessera
