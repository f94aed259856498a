// SPDX-License-Identifier: Apache-2.0
#include "report/on_chip_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"
#include "report/json.h"

namespace tessera::detail {
namespace {

std::string tiled_step_text(const TiledStep& one) {
  const StepTraffic& step = *one.step;
  std::string out = header_text(*step.instruction);
  if (one.whole) out += "; fits whole";
  if (one.tile) {
    const bool several = step.instruction->type.leaf_count() > 1;
    out += fmt::format("; tiles of {}{}, {}", fmt::join(one.tile->sizes, "x"),
                       several ? fmt::format(" of result {}", one.leaf) : std::string(),
                       plural(one.tile->bytes, "byte"));
  }
  if (one.product) out += fmt::format("; no tiling moves less than {}", one.bytes.lower);
  if (!one.reason.empty()) out += "; " + printable(one.reason);
  return out;
}

}  // namespace

std::string to_text(const ProgramTraffic& traffic, const TiledProgram& tiled, std::string_view source,
                    const ShowStep& shown) {
  ByteTable table({"least", "tiled", "fused", "runs"}, "step");
  for (const TiledStep& one : tiled.steps) {
    const StepTraffic& step = *one.step;
    if (!shown(*step.instruction)) continue;
    table.add({bounds_text(step.minimum()), bounds_text(one.bytes), bounds_text(step.moved()),
               bounds_text(step.runs)},
              tiled_step_text(one));
  }
  return table.text() +
         fmt::format("{} with {} on chip{}: {} bytes move at least, {} in tiles, {} as fused\n",
                     plural(static_cast<Index>(tiled.steps.size()), "step"), plural(tiled.on_chip, "byte"),
                     source.empty() ? std::string() : fmt::format(" ({})", source),
                     bounds_text(traffic.minimum), bounds_text(tiled.bytes), bounds_text(traffic.moved));
}

std::string to_json(const InstructionPlace& place, const ProgramTraffic& traffic, const TiledProgram& tiled,
                    std::string_view source, const ShowStep& shown) {
  std::string out;
  for (const TiledStep& one : tiled.steps) {
    const StepTraffic& step = *one.step;
    if (!shown(*step.instruction)) continue;
    Json json = hlo_object(place, *step.instruction);
    json["tiled"] = {{"runs", json_of(step.runs)},
                     {"minimum_bytes", json_of(step.minimum())},
                     {"bytes", json_of(one.bytes)},
                     {"fused_bytes", json_of(step.moved())},
                     {"whole", one.whole},
                     {"product", one.product},
                     {"tile", one.tile ? Json(one.tile->sizes) : Json()},
                     {"tile_bytes", one.tile ? Json(one.tile->bytes) : Json()},
                     {"result", one.tile ? Json(one.leaf) : Json()},
                     {"reason", one.reason}};
    out += dump(json) + "\n";
  }
  Json json = hlo_object(place);
  json["tiled_totals"] = {{"on_chip_bytes", tiled.on_chip}, {"source", source},
                          {"steps", tiled.steps.size()},    {"minimum_bytes", json_of(traffic.minimum)},
                          {"bytes", json_of(tiled.bytes)},  {"fused_bytes", json_of(traffic.moved)}};
  return out + dump(json) + "\n";
}

}  // namespace tessera::detail
