// SPDX-License-Identifier: Apache-2.0
/// \file
/// What copies and the files of reshard tell alike: bytes, time, what an interrupted run left.
#pragma once

#include <string>

#include "report/json.h"
#include "tessera/transfer/copy.h"

namespace tessera {

/// Adds `read_bytes`, `written_bytes`, `kept_bytes`, `repaired_bands`, `bands`, `leftovers`, `seconds`,
/// `bytes_per_second`, and `verified`, if it was.
void add_moved(Json& json, const TransferReport& report);
/// Adds `dry_run` and the bytes that would be written.
void add_dry_run(Json& json, Index bytes);

/// `resumed: ...`, for a run that continued another.
std::string resumed_text(const TransferReport& report);
/// `note: ...`, for each unfinished folder of an earlier run.
std::string leftovers_text(const TransferReport& report);
/// Bytes per second. Times below one clock tick count as one tick.
double rate(Index bytes, double seconds);

}  // namespace tessera
