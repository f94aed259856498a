// SPDX-License-Identifier: Apache-2.0
/// \file
/// A page that lists every instruction with its maps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/hlo/analyze.h"
#include "tessera/report/indexing_json.h"
#include "tessera/report/stats_report.h"

namespace tessera {

/// Writes one self-contained page piece by piece, so that memory does not grow with the program: `begin`,
/// then each `instruction`, then `end`. The page needs no network. Readers can search its list by name,
/// opcode, type and map. Only the visible rows are laid out, so that a program of 10^5 instructions scrolls
/// smoothly.
class HtmlReport {
 public:
  /// The page up to its list. The title is escaped.
  std::string begin(std::string_view title);
  /// The row of one instruction, with its maps in this direction.
  std::string instruction(const InstructionPlace& place, const InstructionIndexing& maps,
                          IndexingDirection direction);
  /// The totals and the rest of the page.
  std::string end(const StatsReport& stats);

 private:
  std::uint64_t count_ = 0;
};

}  // namespace tessera
