// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts of an analysis, as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "tessera/hlo/analyze.h"

namespace tessera {

/// The counts of one file, or of several files.
struct StatsReport {
  std::string file = {};  ///< name of the file; empty for several files
  std::size_t files = 1;
  std::size_t modules = 0;
  double parse_ms = 0;         ///< reading and checking the text
  AnalyzeStats analysis = {};  ///< counts of all modules

  StatsReport& operator+=(const StatsReport& other);
};

/// Lines `unknown OPCODE: N (REASON)` and `superset OPCODE: N (REASON)`, then the line
/// `modules N, instructions N, analyzed N (exact N, superset N, unknown N), maps N, parse T ms, index T ms`.
std::string to_text(const StatsReport& stats);

/// One line of JSON. `schema` is `tessera.hlo/1`. `file` is the name of the file, or `files` is the number of
/// files. The counts are in `stats`.
std::string to_json(const StatsReport& stats);

}  // namespace tessera
