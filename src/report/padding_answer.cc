// SPDX-License-Identifier: Apache-2.0
#include "report/padding_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/plural.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"
#include "report/json.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

using detail::plural;

// The most bitcasts that the text lists. JSON has all of them.
constexpr std::size_t kShownBitcasts = 20;

Json json_of(const PaddedArray& array) {
  Json json = {{"type", to_string(array.type)}, {"first", place_name(*array.first)}};
  add_padding(json, array);
  return json;
}

Index saving_of(const PaddingReport& report) {
  Index all = 0;
  for (const PaddedArray& array : report.arrays) all = checked_add(all, array.saving()).value_or(kIndexMax);
  return all;
}

Index bytes_of(const std::vector<LostBitcast>& lost) {
  Index all = 0;
  for (const LostBitcast& one : lost) all = checked_add(all, one.bytes).value_or(kIndexMax);
  return all;
}

}  // namespace

void add_padding(Json& json, const PaddedArray& array) {
  json["arrays"] = array.count;
  json["element_bytes"] = array.elements;
  json["now_bytes"] = array.now;
  json["ruled"] = array.ruled.text;
  json["ruled_bytes"] = array.ruled.bytes;
  json["best"] = array.best.text;
  json["best_bytes"] = array.best.bytes;
  json["saving"] = array.saving();
  if (!array.joined) return;
  json["joined"] = array.joined->text;
  json["joined_bytes"] = array.joined->bytes;
}

std::string to_text(const PaddingReport& report) {
  const bool written = report.rule == TilingRule::written;
  detail::ByteTable table({"elements", "now", "usual", "best", "saving", "arrays"}, "type");
  Index count = 0;
  Index untiled = 0;
  for (const PaddedArray& array : report.arrays) {
    count += array.count;
    if (!array.is_tiled()) untiled += array.count;
    const bool chosen = !array.is_tiled() && array.best.bytes < array.ruled.bytes;
    if (array.saving() == 0 && !chosen && !array.joined) continue;
    std::string what = fmt::format("{} -> {}", to_string(array.type), array.best.text);
    if (array.joined) what += fmt::format("; reshaped {}: {}", array.joined->text, array.joined->bytes);
    table.add({fmt::format("{}", array.elements), fmt::format("{}", array.now),
               fmt::format("{}", array.ruled.bytes), fmt::format("{}", array.best.bytes),
               fmt::format("{}", array.saving()), fmt::format("{}", array.count)},
              what);
  }
  std::string out = table.text();
  out += fmt::format("{} {}: {} bytes of elements, {} now, ", plural(count, "array"),
                     written ? "as written" : fmt::format("under {}", to_string(report.rule)),
                     report.elements, report.now);
  if (!written) out += fmt::format("{} with the usual tile, ", report.ruled);
  out += fmt::format("{} at best; the best layouts save {}", report.best, saving_of(report));
  out += report.unknown == 0 ? "\n" : fmt::format("; {} of unknown size\n", report.unknown);
  if (written && untiled == count && count > 0)
    out +=
        "no layout has tiles, so nothing is padded; --padding tpu, 32x32 or onednn shows what a rule would "
        "take\n";
  if (!written && untiled > 0)
    out += fmt::format("{} no tiles as written: 'usual' and 'best' are what the rule would take\n",
                       untiled == 1 ? "1 array has" : fmt::format("{} arrays have", untiled));
  if (report.lost.empty()) return out;
  out += fmt::format("{} would become copies of {}:\n", plural(report.lost.size(), "bitcast"),
                     plural(bytes_of(report.lost), "byte"));
  for (std::size_t i = 0; i < std::min(report.lost.size(), kShownBitcasts); ++i) {
    out += fmt::format("  {}: {}\n", header_text(*report.lost[i].instruction),
                       plural(report.lost[i].bytes, "byte"));
  }
  if (report.lost.size() > kShownBitcasts)
    out += fmt::format("  and {} more; --json lists all\n", report.lost.size() - kShownBitcasts);
  return out;
}

std::string to_json(const InstructionPlace& place, const PaddingReport& report) {
  const auto line = [&](const char* key, Json value) {
    Json json = detail::hlo_object(place);
    json[key] = std::move(value);
    return detail::dump(json) + "\n";
  };
  std::string out;
  for (const PaddedArray& array : report.arrays) out += line("padding", json_of(array));
  Json totals = {{"rule", to_string(report.rule)},
                 {"element_bytes", report.elements},
                 {"now_bytes", report.now},
                 {"ruled_bytes", report.ruled},
                 {"best_bytes", report.best},
                 {"saving", saving_of(report)},
                 {"unknown", report.unknown},
                 {"lost", Json::array()},
                 {"lost_bytes", bytes_of(report.lost)}};
  for (const LostBitcast& one : report.lost)
    totals["lost"].push_back({{"instruction", place_name(*one.instruction)}, {"bytes", one.bytes}});
  return out + line("padding_totals", std::move(totals));
}

}  // namespace tessera
