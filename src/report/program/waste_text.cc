// SPDX-License-Identifier: Apache-2.0
#include "report/program/waste_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/plural.h"
#include "base/printable.h"
#include "report/amounts.h"
#include "report/indexing_text.h"
#include "report/limits.h"
#include "report/program/summary_words.h"
#include "report/program/wastes.h"

namespace tessera::detail {
namespace {

std::string part_words(const Seconds& part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * part.finite() / whole) : std::string("?");
}

std::string time_line(const ProgramTime& time, const Chip& chip, double whole) {
  std::string out = fmt::format("time        estimate  {} for {} on {}, one after another at peak rates",
                                seconds_text(time.total),
                                plural(static_cast<Index>(time.steps.size()), "step"), printable(chip.title));
  const std::pair<const Seconds*, const char*> parts[] = {
      {&time.memory, "memory"}, {&time.compute, "operations"}, {&time.link, "links"}};
  std::string waits;
  for (const auto& [part, name] : parts)
    if (part->finite() > 0)
      waits += fmt::format("{}{} of it for {}", waits.empty() ? "" : ", ", part_words(*part, whole), name);
  if (!waits.empty()) out += ": " + waits;
  if (time.hidden.upper > 0 && std::isfinite(time.hidden.upper))
    out += fmt::format("; at most {} of the links can pass while other steps run",
                       seconds_text(time.hidden.upper));
  if (time.undecided.finite() > 0)
    out += fmt::format("; {} is not decided", part_words(time.undecided, whole));
  if (!time.unrated.empty()) out += fmt::format("; not timed, for want of a rate: {}", time.unrated);
  return out + "\n";
}

// Wastes of one kind at one line, or in one scope if they have no line.
struct WasteGroup {
  const Waste* first = nullptr;
  CodePlace place = {};
  std::size_t count = 0;
  Seconds seconds = {};
  double on_top = 0;  // seconds that the time of the program does not have
};

std::vector<WasteGroup> groups_of(const std::vector<Waste>& all, const ReportedModule& module) {
  std::vector<WasteGroup> out;
  std::map<std::pair<std::string_view, std::string>, std::size_t> places;
  for (const Waste& waste : all) {
    CodePlace place = module.nearby->of(*waste.instruction);
    std::string where = place.line.known() ? place.line.text() : place.scope;
    if (where.empty()) where = place_name(*waste.instruction);
    const auto [found, is_new] = places.try_emplace({waste.kind, std::move(where)}, out.size());
    if (is_new) out.push_back({.first = &waste, .place = std::move(place)});
    WasteGroup& group = out[found->second];
    ++group.count;
    group.seconds = group.seconds + waste.seconds;
    if (waste.on_top) group.on_top += waste.seconds.finite();
  }
  std::ranges::stable_sort(out, std::ranges::greater{},
                           [](const WasteGroup& x) { return x.seconds.finite(); });
  return out;
}

// Of upper bounds where there are any: shares are parts of it.
double whole_time(const ReportedModule& module) {
  double out = 0;
  if (module.time)
    for (const StepTime& step : module.time->steps) out += step.total.finite();
  return out;
}

// `model.py:12 in step, jit(step)/layer (of main/dot.3)`, as far as it is known.
std::string place_words(const CodePlace& place) {
  std::string out = printable(place.line.text());
  if (!place.line.function.empty()) out += " in " + printable(place.line.function);
  if (!place.scope.empty()) out += (out.empty() ? "" : ", ") + printable(place.scope);
  if (!out.empty() && place.neighbor != nullptr)
    out += fmt::format(" (of {})", printable(place_name(*place.neighbor)));
  return out;
}

}  // namespace

std::string waste_text(const ProgramReport& report, const ReportedModule& module) {
  if (!module.time || !report.chip) return {};
  const double whole = whole_time(module);
  std::string out = time_line(*module.time, *report.chip, whole);
  std::vector<Waste> all = wastes(report, module);
  const std::size_t untimed = std::erase_if(all, [](const Waste& x) { return x.seconds.upper == 0; });
  if (module.traffic.steps.size() > 1 &&
      std::ranges::none_of(module.traffic.steps, [](const StepTraffic& step) {
        return step.instruction->opcode == Opcode::fusion;
      }))
    out +=
        "            no step is a fusion, as in a dump from before fusion: the compiler may still fuse "
        "steps, so "
        "no fusions are proposed\n";
  const std::vector<WasteGroup> groups = groups_of(all, module);
  for (std::size_t i = 0; i < std::min(groups.size(), kReportLimits.program.shown_wastes); ++i) {
    const WasteGroup& group = groups[i];
    const Waste& waste = *group.first;
    out += fmt::format("saves       {}, {}  {}: {} {}{}\n", seconds_text(group.seconds),
                       part_words(group.seconds, whole + group.on_top), waste.kind,
                       printable(place_name(*waste.instruction)), waste.text,
                       group.count > 1 ? fmt::format("; and {} like it", group.count - 1) : std::string());
    for (const std::uint32_t map : waste.maps)
      out += fmt::format("            by {}\n", report.map_texts[map]);
    const std::string words = place_words(group.place);
    if (!words.empty()) out += fmt::format("            at {}\n", words);
    if (!report.text) continue;
    if (const auto line = report.text(group.place.line))
      out += fmt::format("            | {}\n", printable(*line));
  }
  if (all.empty()) {
    out += "saves       nothing was found that takes time on this chip without need";
    if (untimed > 0)
      out += fmt::format("; --json has {} in bytes", plural(static_cast<Index>(untimed), "waste"));
    out += "\n";
  }
  if (groups.size() > kReportLimits.program.shown_wastes)
    out += fmt::format(
        "            and {}; --json and the page have all of them\n",
        plural(static_cast<Index>(groups.size() - kReportLimits.program.shown_wastes), "other place"));
  return out;
}

}  // namespace tessera::detail
