// SPDX-License-Identifier: Apache-2.0
#include "report/moved_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"

namespace tessera {

double rate(Index bytes, double seconds) { return static_cast<double>(bytes) / std::max(seconds, 1e-9); }

std::string sum_text(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

void add_moved(Json& json, const MovedBytes& moved, const std::optional<VerifyReport>& verified) {
  json["read_bytes"] = moved.read;
  json["written_bytes"] = moved.written;
  json["kept_bytes"] = moved.kept;
  json["repaired_bands"] = moved.repaired_bands;
  json["bands"] = moved.bands;
  json["leftovers"] = moved.leftovers;
  json["seconds"] = moved.seconds;
  json["bytes_per_second"] = rate(moved.written, moved.seconds);
  if (!verified) return;
  Json keys = {{"checked", verified->checked}, {"all", verified->all}};
  if (verified->checksum) keys["checksum"] = sum_text(*verified->checksum);
  keys["seconds"] = verified->seconds;
  json["verified"] = std::move(keys);
}

void add_dry_run(Json& json, Index bytes) {
  json["dry_run"] = true;
  json["bytes"] = bytes;
}

std::string resumed_text(const MovedBytes& moved) {
  std::string text;
  if (moved.kept > 0)
    text += fmt::format("resumed: {} were there already\n", detail::plural(moved.kept, "byte"));
  if (moved.repaired_bands > 0)
    text += fmt::format("resumed: {} differed from the journal and written again\n",
                        detail::plural(moved.repaired_bands, "band"));
  return text;
}

std::string leftovers_text(const MovedBytes& moved) {
  std::string text;
  for (const std::string& path : moved.leftovers)
    text += fmt::format("note: '{}' is left from an earlier run\n", path);
  return text;
}

}  // namespace tessera
