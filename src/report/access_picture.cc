// SPDX-License-Identifier: Apache-2.0
#include "report/access_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "access/accessed_layout.h"
#include "base/plural.h"
#include "draw/bank_picture.h"
#include "tessera/access/memory_target.h"

namespace tessera {
namespace {

using detail::AccessedLayout;
using detail::AccessInstruction;
using detail::CountedAccess;
using detail::TouchedMemory;

// The addresses of one instruction, in one layout.
struct Touched {
  std::vector<Index> bytes;
  std::uint64_t active = 0;
  int width = 4;
  Index begin = 0;
  Index end = 0;
  Index element_bits = 0;
  std::vector<BankPhase> phases = {};  // those with an active lane

  TouchedMemory memory(std::uint64_t lanes, std::string caption) const {
    return {.caption = std::move(caption),
            .bytes = bytes,
            .lanes = lanes & active,
            .width = width,
            .begin = begin,
            .end = end,
            .element_bits = element_bits};
  }
};

// The access with the most conflicts, or with the most sectors in one instruction.
const AccessReport& worst_access(const AccessReports& reports, bool lines) {
  const auto cost = [&](const AccessReport& report) {
    if (lines) return report.global ? report.global->worst_sectors : 0;
    return report.shared ? Index{report.shared->ways} : 0;
  };
  return *std::ranges::max_element(reports.each, {}, cost);
}

Failure no_such(std::string_view what, std::size_t number, std::size_t count) {
  return fail(Diagnostic{.code = Code::index_out_of_range,
                         .message = fmt::format("there is no {} {}: the access has {}", what, number,
                                                detail::plural(count, what)),
                         .help = "count from 0",
                         .field = what});
}

Result<Touched> addresses_of(const Layout& layout, const Access& access, const AccessOptions& options,
                             std::size_t instruction) {
  const Result<AccessedLayout> made =
      AccessedLayout::make(layout, std::span(&access, 1), options, detail::LargeAccess::sample);
  if (!made) return fail(made.error());
  const CountedAccess& counted = made->accesses[0];
  if (instruction >= counted.instructions.size())
    return no_such("instruction", instruction, counted.instructions.size());
  const AccessInstruction& one = counted.instructions[instruction];
  Touched out{.bytes = made->bytes_of(counted, one), .active = one.active, .width = counted.width};
  out.begin = access.base;
  out.end = access.base + made->byte_at(made->cosize);
  out.element_bits = options.element_bits;
  if (!options.shared) return out;
  const LaneAddresses lanes{.bytes = out.bytes, .active = out.active, .width = out.width};
  out.phases = count_banks(lanes, access.kind, options.target).phases;
  return out;
}

}  // namespace

Result<Picture> access_picture(const AccessAnswer& answer, const AccessView& view) {
  const AccessReport& report = worst_access(answer.reports, view.lines);
  const Access& access = report.access;
  const std::string title =
      fmt::format("{}: {} of {}", access.name, kind_text(access), to_prefixed_string(answer.layout));
  if (report.instructions == 0) {
    return Picture{.title = title, .notes = {"no lane takes part"}};
  }
  AccessOptions options = answer.options;
  (view.lines ? options.shared : options.global) = false;
  const std::size_t worst = view.lines ? report.global->worst_instruction : report.shared->worst_instruction;
  const std::size_t instruction = view.instruction.value_or(worst);
  const Result<Touched> before = addresses_of(answer.layout, access, options, instruction);
  if (!before) return fail(before.error());
  if (view.lines) {
    const TouchedMemory all = before->memory(~std::uint64_t{0}, fmt::format("instruction {}", instruction));
    return detail::line_picture(title, std::span(&all, 1));
  }
  std::optional<Touched> after;
  if (answer.fixes && answer.fixes->best_fix().family != FixFamily::none && answer.fixes->best_fix().layout) {
    Result<Touched> fixed = addresses_of(*answer.fixes->best_fix().layout, access, options, instruction);
    if (!fixed) return fail(fixed.error());
    after = *std::move(fixed);
  }
  const PhaseRule rule = options.target.rule(access.kind, before->width);
  const int worst_phase = std::ranges::max_element(before->phases, {}, &BankPhase::ways)->number;
  const std::size_t chosen = view.phase.value_or(static_cast<std::size_t>(worst_phase));
  if (chosen >= rule.phases.size()) return no_such("phase", chosen, rule.phases.size());
  std::vector<TouchedMemory> panels;
  for (std::size_t p = 0; p < before->phases.size(); ++p) {
    const BankPhase& phase = before->phases[p];
    if (!view.all_phases && static_cast<std::size_t>(phase.number) != chosen) continue;
    const std::string where = fmt::format("instruction {}, phase {}", instruction, phase.number);
    panels.push_back(
        before->memory(phase.lanes, fmt::format("{}: {}", where, detail::plural(phase.ways, "wavefront"))));
    if (!after) continue;
    panels.push_back(after->memory(
        phase.lanes, fmt::format("fixed: {}", detail::plural(after->phases[p].ways, "wavefront"))));
  }
  if (panels.empty())
    return Picture{.title = title, .notes = {fmt::format("no lane takes part in phase {}", chosen)}};
  return detail::bank_picture(title, panels, rule.banks, options.target.word());
}

}  // namespace tessera
