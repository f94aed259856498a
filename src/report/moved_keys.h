// SPDX-License-Identifier: Apache-2.0
/// \file
/// What copies and the files of reshard tell alike: bytes, time, what an interrupted run left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/json.h"
#include "tessera/transfer/copy.h"

namespace tessera {

/// What a run of either moved.
struct MovedBytes {
  Index read = 0;
  Index written = 0;
  Index kept = 0;
  Index repaired_bands = 0;
  Index bands = 0;
  double seconds = 0;
  const std::vector<std::string>& leftovers;
};

/// Adds `read_bytes`, `written_bytes`, `kept_bytes`, `repaired_bands`, `bands`, `leftovers`, `seconds`,
/// `bytes_per_second`, and `verified`, if it was.
void add_moved(Json& json, const MovedBytes& moved, const std::optional<VerifyReport>& verified);
/// Adds `dry_run` and the bytes that would be written.
void add_dry_run(Json& json, Index bytes);

/// `resumed: ...`, for a run that continued another.
std::string resumed_text(const MovedBytes& moved);
/// `note: ...`, for each unfinished folder of an earlier run.
std::string leftovers_text(const MovedBytes& moved);
/// Bytes per second. Times below one clock tick count as one tick.
double rate(Index bytes, double seconds);
/// The sum of the hashes of all elements.
std::string sum_text(std::uint64_t sum);

}  // namespace tessera
