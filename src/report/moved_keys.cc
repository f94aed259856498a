// SPDX-License-Identifier: Apache-2.0
#include "report/moved_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"

namespace tessera {

double rate(Index bytes, double seconds) { return static_cast<double>(bytes) / std::max(seconds, 1e-9); }

void add_moved(Json& json, const TransferReport& report) {
  json["read_bytes"] = report.read_bytes;
  json["written_bytes"] = report.written_bytes;
  json["kept_bytes"] = report.kept_bytes;
  json["repaired_bands"] = report.repaired_bands;
  json["bands"] = report.bands;
  json["leftovers"] = report.leftovers;
  json["seconds"] = report.seconds;
  json["bytes_per_second"] = rate(report.written_bytes, report.seconds);
  if (!report.verified) return;
  Json keys = {{"checked", report.verified->checked}, {"all", true}};
  keys["seconds"] = report.verified->seconds;
  json["verified"] = std::move(keys);
}

void add_dry_run(Json& json, Index bytes) {
  json["dry_run"] = true;
  json["bytes"] = bytes;
}

std::string resumed_text(const TransferReport& report) {
  std::string text;
  if (report.kept_bytes > 0)
    text += fmt::format("resumed: {} were there already\n", detail::plural(report.kept_bytes, "byte"));
  if (report.repaired_bands > 0)
    text += fmt::format("resumed: {} differed from the journal and written again\n",
                        detail::plural(report.repaired_bands, "band"));
  return text;
}

std::string leftovers_text(const TransferReport& report) {
  std::string text;
  for (const std::string& path : report.leftovers)
    text += fmt::format("note: '{}' is left from an earlier run\n", path);
  return text;
}

}  // namespace tessera
