// SPDX-License-Identifier: Apache-2.0
#include "report/stats_report.h"

#include <fmt/core.h>

#include <cmath>

#include "base/printable.h"
#include "report/indexing_text.h"
#include "report/json.h"

namespace tessera {
namespace {

// Rounds to three decimals; further digits would be noise.
double rounded(double value) { return std::round(value * 1e3) / 1e3; }

}  // namespace

StatsReport& StatsReport::operator+=(const StatsReport& other) {
  files += other.files;
  modules += other.modules;
  parse_ms += other.parse_ms;
  analysis += other.analysis;
  return *this;
}

std::string to_text(const StatsReport& stats) {
  const AnalyzeStats& a = stats.analysis;
  std::string out;
  for (const Exactness exactness : {Exactness::superset, Exactness::unknown}) {
    for (const AnalyzeStats::Shortfall& one : a.shortfalls) {
      if (one.exactness != exactness) continue;
      out += fmt::format("{} {}: {} ({})\n", to_string(one.exactness), one.opcode, one.count,
                         detail::printable(one.reason));
    }
  }
  return out + fmt::format(
                   "modules {}, instructions {}, analyzed {} (exact {}, superset {}, unknown {}), maps {}, "
                   "parse {:.1f} ms, index {:.1f} ms\n",
                   stats.modules, a.instructions, a.analyzed, a.exact, a.superset, a.unknown, a.maps,
                   stats.parse_ms, a.seconds * 1e3);
}

std::string to_json(const StatsReport& stats) {
  const AnalyzeStats& a = stats.analysis;
  Json shortfalls = Json::array();
  for (const AnalyzeStats::Shortfall& one : a.shortfalls) {
    shortfalls.push_back({{"opcode", one.opcode},
                          {"exactness", to_string(one.exactness)},
                          {"count", one.count},
                          {"reason", one.reason}});
  }
  Json json = {{"schema", "tessera.hlo/1"}};
  if (stats.file.empty()) {
    json["files"] = stats.files;
  } else {
    json["file"] = stats.file;
  }
  json["stats"] = {{"modules", stats.modules},
                   {"instructions", a.instructions},
                   {"analyzed", a.analyzed},
                   {"exact", a.exact},
                   {"superset", a.superset},
                   {"unknown", a.unknown},
                   {"maps", a.maps},
                   {"parse_ms", rounded(stats.parse_ms)},
                   {"index_ms", rounded(a.seconds * 1e3)},
                   {"shortfalls", shortfalls}};
  return detail::dump(json);
}

}  // namespace tessera
