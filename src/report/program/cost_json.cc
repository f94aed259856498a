// SPDX-License-Identifier: Apache-2.0
#include "report/program/cost_json.h"

#include <cmath>

#include "report/amounts.h"

namespace tessera::detail {

Json number_json(const Count& count) {
  if (count.exact()) return count.lower;
  return Json::array({count.lower, count.upper ? Json(*count.upper) : Json()});
}

double rounded_seconds(double seconds) {
  if (seconds <= 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(seconds)) - 3);
  return std::round(seconds / unit) * unit;
}

Json work_json(const Work& work) {
  return {{"flops", number_json(work.flops())},
          {"integer_operations", number_json(work.integer_operations())},
          {"transcendentals", number_json(work.transcendentals())}};
}

Json time_json(const StepTime& step) {
  return {{"seconds", json_of(step.total)}, {"waits_for", to_string(step.limit)}};
}

Json tiled_json(const TiledStep& step) {
  Json json = {{"bytes", number_json(step.bytes)}};
  if (step.tile) {
    json["tile"] = step.tile->sizes;
    json["tile_bytes"] = step.tile->bytes;
    if (step.step->instruction->type.leaf_count() > 1) json["result"] = step.leaf;
  }
  if (step.whole) json["whole"] = true;
  if (step.product) json["product"] = true;
  if (!step.reason.empty()) json["reason"] = step.reason;
  return json;
}

Json time_json(const ProgramTime& time, const Chip& chip) {
  return {{"chip", chip.title},
          {"source", chip.source},
          {"seconds", json_of(time.total)},
          {"memory_seconds", json_of(time.memory)},
          {"compute_seconds", json_of(time.compute)},
          {"link_seconds", json_of(time.link)},
          {"undecided_seconds", json_of(time.undecided)},
          {"not_timed", time.unrated}};
}

}  // namespace tessera::detail
