// SPDX-License-Identifier: Apache-2.0
/// \file
/// A page to look at: every instruction of a file with its maps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tessera/hlo/analyze.h"
#include "tessera/report/stats_report.h"

namespace tessera {

/// Writes one self-contained page piece by piece, so that memory does not grow with the program: `begin`,
/// then each `instruction`, then `end`. The page needs no network; its list is searched by name, opcode, type
/// and map, and only the rows in sight are laid out, so that a program of 10^5 instructions scrolls.
class HtmlReport {
 public:
  /// The page up to its list. `title` may be any text.
  std::string begin(std::string_view title);
  /// The row of one instruction, with what `analyze` says about it in this direction.
  std::string instruction(std::string_view module, const InstructionMaps& maps, IndexingDirection direction);
  /// What the list's rows add up to, and the rest of the page.
  std::string end(const StatsReport& stats);

 private:
  std::uint64_t count_ = 0;
};

}  // namespace tessera
