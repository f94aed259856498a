// SPDX-License-Identifier: Apache-2.0
#include "verbs/hlo_costs.h"

#include <memory>
#include <utility>
#include <vector>

#include "hlo/devices/exchanges.h"
#include "hlo/memory/live_arrays.h"
#include "hlo/operations/program_work.h"
#include "hlo/time/roofline.h"
#include "report/exchanges_answer.h"
#include "report/memory_answer.h"
#include "report/shares_answer.h"
#include "report/time_answer.h"
#include "report/work_answer.h"
#include "verbs/code_files.h"

namespace tessera::verbs {
namespace {

using detail::to_json;
using detail::to_text;

template <class T, class... More>
CostPart cost_of(const PartPlace& where, T value, More... more) {
  const auto shared = std::make_shared<const T>(std::move(value));
  return {[=] { return to_text(*shared, more...); },
          [=] { return to_json(where.place(), *shared, more...); }};
}

CostPart shares_part(const HloRequest& request, const PartPlace& where, const HloModule& module,
                     const Computation* start) {
  const auto files = request.source.empty() ? nullptr : std::make_shared<CodeFiles>(request.source);
  detail::ModuleCode::IsOwn own;
  detail::CodeText text;
  if (files != nullptr) {
    own = [files](const std::string& file) { return files->has(file); };
    text = [files](const detail::CodeLine& line) { return files->line(line.file, line.line); };
  }
  detail::ModuleCode code(module, own);
  return cost_of(
      where, detail::code_shares(module, program_traffic(module, {.start = start}), start, *request.by, code),
      text);
}

CostPart time_part(const HloRequest& request, const PartPlace& where, const HloModule& module,
                   const Computation* start, const ShowStep& shown) {
  const ProgramTraffic traffic = program_traffic(module, {.start = start});
  std::vector<detail::StepLink> links;
  for (const detail::DeviceExchange& x : detail::device_exchanges(module, start).exchanges)
    links.push_back({x.instruction, x.received, x.between});
  return cost_of(where,
                 detail::program_time(traffic, detail::program_work(module, start), *request.chip, links),
                 *request.chip, shown);
}

}  // namespace

CostPart cost_part(const HloRequest& request, const PartPlace& where, const HloModule& module,
                   const Computation* start, const ShowStep& shown) {
  if (request.by) return shares_part(request, where, module, start);
  if (request.chip) return time_part(request, where, module, start, shown);
  if (request.memory) return cost_of(where, detail::program_memory(module, start));
  if (request.collectives) return cost_of(where, detail::device_exchanges(module, start));
  return cost_of(where, detail::program_work(module, start), shown);
}

}  // namespace tessera::verbs
