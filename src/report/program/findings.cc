// SPDX-License-Identifier: Apache-2.0
#include "report/program/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/indexing_text.h"
#include "report/limits.h"
#include "report/program/step_facts.h"
#include "report/program/summary_words.h"
#include "report/program/waste_text.h"

namespace tessera::detail {
namespace {

// Steps that differ only in their names and operands.
struct StepGroup {
  const StepTraffic* first = nullptr;
  std::size_t count = 0;
};

class Summary {
 public:
  Summary(const ProgramReport& report, const ReportedModule& module)
      : report_(report), module_(module), file_(shell_word(module.file)) {}

  std::vector<Finding> findings() && {
    total();
    tiled();
    steps();
    warps();
    padding();
    copies();
    unknown();
    return std::move(out_);
  }

 private:
  std::string command(std::string_view options) const {
    return fmt::format("tessera hlo {} {}", file_, options);
  }

  std::string step_command(const Instruction& op) const {
    return command(fmt::format("--traffic --op {}", shell_word(place_name(op))));
  }

  static std::string name_of(const StepGroup& group) {
    const Instruction& op = *group.first->instruction;
    std::string out = fmt::format("{} ({}", printable(place_name(op)), printable(op.opcode_text));
    if (group.count > 1) out += fmt::format(", and {} like it", plural(group.count - 1, "step"));
    return out + ")";
  }

  void total() {
    const ProgramTraffic& all = module_.traffic;
    const bool exact = all.moved.exact() && all.minimum.exact();
    std::string text = fmt::format("{}: {} are read and written if nothing is reused",
                                   plural(all.steps.size(), "step"), bytes_words(all.moved));
    text += all.steps.size() > 1 ? fmt::format("; while these stay {} separate steps, {} must move",
                                               all.steps.size(), at_least_words(all.minimum))
                                 : fmt::format("; {} must move", at_least_words(all.minimum));
    if (exact && all.moved.lower > all.minimum.lower && all.minimum.lower > 0)
      text +=
          fmt::format(", so reuse can save a factor of {}", times_words(all.moved.lower, all.minimum.lower));
    out_.push_back({.kind = "total", .text = text + ".", .exact = exact, .command = command("--traffic")});
  }

  // What moves if each step is computed in tiles that fit on the chip.
  void tiled() {
    if (!module_.tiled) return;
    const TiledProgram& all = *module_.tiled;
    std::string text =
        fmt::format("With {} on chip{}, {} ", bytes_words(all.on_chip),
                    report_.on_chip_source.empty() ? std::string()
                                                   : fmt::format(" ({})", printable(report_.on_chip_source)),
                    plural(all.steps.size(), "step"));
    if (all.bytes.exact())
      text += fmt::format("{} {}.", all.steps.size() == 1 ? "moves" : "move", bytes_words(all.bytes.lower));
    else if (all.bytes.upper)
      text += fmt::format("must move {}; the best tiles found move {}.", at_least_words(all.bytes),
                          bytes_words(*all.bytes.upper));
    else
      text += fmt::format("must move {}; of some it is not known how much their best tiles move.",
                          at_least_words(all.bytes));
    out_.push_back({.kind = "tiled",
                    .text = std::move(text),
                    .exact = all.bytes.exact(),
                    .command = command(fmt::format("--traffic --on-chip {}", all.on_chip))});
  }

  // The steps for which `chosen` is true, grouped. Groups with the most `bytes` come first.
  template <class Chosen, class Bytes>
  std::vector<StepGroup> groups(const Chosen& chosen, const Bytes& bytes) const {
    std::map<std::tuple<std::string, Index, Index>, StepGroup> found;
    for (const StepTraffic& step : module_.traffic.steps) {
      if (!chosen(step)) continue;
      const Instruction& op = *step.instruction;
      StepGroup& group = found[{fmt::format("{} {}", op.opcode_text, type_text(op)), upper_of(step.read),
                                upper_of(step.runs)}];
      if (group.count++ == 0) group.first = &step;
    }
    std::vector<StepGroup> out;
    for (const auto& [key, group] : found) out.push_back(group);
    std::ranges::stable_sort(out, std::ranges::greater{},
                             [&](const StepGroup& group) { return bytes(*group.first); });
    if (out.size() > kReportLimits.program.findings) out.resize(kReportLimits.program.findings);
    return out;
  }

  static std::string runs_words(const StepTraffic& step) {
    if (step.runs == Count{1, 1}) return "";
    if (!step.runs.upper) return ", in each of its runs";
    return fmt::format(", in each of its {}{} runs", step.runs.exact() ? "" : "at most ", *step.runs.upper);
  }

  void steps() {
    const auto reads = [](const StepTraffic& step) { return times_runs(step, upper_of(step.read)); };
    for (const StepGroup& group :
         groups([](const StepTraffic& step) { return step.read.upper > Index{0}; }, reads)) {
      const StepTraffic& step = *group.first;
      std::string text = fmt::format("{} reads {}", name_of(group), bytes_words(step.read));
      if (step.used.lower > 0 && upper_of(step.read) > step.used.lower)
        text += fmt::format(" to use {}{}", bytes_words(step.used), each_byte_words(step));
      out_.push_back({.kind = "reads",
                      .text = text + runs_words(step) + ".",
                      .instruction = step.instruction,
                      .bytes = reads(step),
                      .exact = all_exact(step),
                      .command = step_command(*step.instruction)});
    }
    wastes();
  }

  // Steps without a product whose loops need an element at several indices. Broadcasts do not count: the
  // element does not depend on the index.
  void wastes() {
    const std::vector<StepGroup> found = groups(
        [](const StepTraffic& step) { return step.repeated.lower > 0 && !has_product(*step.instruction); },
        [](const StepTraffic& step) { return times_runs(step, upper_of(step.repeated)); });
    for (const StepGroup& group : found) {
      const StepTraffic& step = *group.first;
      const bool exact = step.repeated.exact() && step.runs.exact();
      out_.push_back({.kind = "wastes",
                      .text = fmt::format("{} would re-read {} if every element fetched its own inputs{}; no "
                                          "dot or convolution explains it.",
                                          name_of(group), bytes_words(step.repeated), runs_words(step)),
                      .instruction = step.instruction,
                      .bytes = times_runs(step, upper_of(step.repeated)),
                      .exact = exact,
                      .command = step_command(*step.instruction)});
    }
    if (!found.empty()) return;
    const auto any = [&](const auto& chosen) { return std::ranges::any_of(module_.traffic.steps, chosen); };
    const bool products = any([](const StepTraffic& step) { return has_product(*step.instruction); });
    const bool open = any(
        [](const StepTraffic& step) { return !step.repeated.exact() && !has_product(*step.instruction); });
    // The loops of one fusion may each read an element, as those of a softmax do. A kernel that keeps it need
    // not, but the count does not know the kernel.
    const bool loops = any([](const StepTraffic& step) {
      return upper_of(step.read) > step.used.lower && !has_product(*step.instruction);
    });
    out_.push_back(
        {.kind = "wastes",
         .text = fmt::format("No step{}{} would re-read an element{}, except to broadcast it.",
                             products ? " without a dot or convolution" : "",
                             open ? " whose reads are known" : "", loops ? " within one of its loops" : ""),
         .bytes = 0,
         .exact = !open,
         .command = command("--traffic")});
  }

  // What the count of sectors assumes about the kernel. `result`: the array that it computes.
  static std::string mapping_words(const WarpAccess& warp, const HloType& result) {
    if (warp.shares) return "if the lanes of a warp share each element";
    const bool rows =
        !result.is_array() || result.array().minor_to_major() == descending_order(result.rank());
    return fmt::format("if one thread computes one element, in {}",
                       rows ? "row-major order" : "the order of memory");
  }

  void warps() {
    // Only GPUs have warps.
    if (module_.device == DeviceKind::cpu || module_.device == DeviceKind::tpu) return;
    std::size_t operands = 0;
    std::size_t open = 0;
    std::size_t many = 0;
    std::size_t sampled = 0;
    bool bound = false;
    double most = 0;
    const StepTraffic* worst = nullptr;
    std::size_t place = 0;
    std::string why;
    for (const StepTraffic& step : module_.traffic.steps) {
      const ReportedInstruction& one = module_.instructions[module_.places.at(step.instruction)];
      for (std::size_t i = 0; i < one.warps.size(); ++i) {
        const WarpAccess& warp = report_.warps[one.warps[i]];
        ++operands;
        if (!warp.known() && open++ == 0) why = warp.reason;
        sampled += warp.sampled != 0;
        bound = bound || warp.is_bound;
        if (!warp.known() || warp.excess() <= 0) continue;
        ++many;
        const double share = 1 - static_cast<double>(warp.fewest) / static_cast<double>(warp.sectors);
        const double lost = share * static_cast<double>(upper_of(step.operands[i].reads.used)) *
                            static_cast<double>(std::max<Index>(upper_of(step.runs), 1));
        if (worst != nullptr && lost <= most) continue;
        most = lost;
        worst = &step;
        place = i;
      }
    }
    if (operands == 0) return;
    Finding finding{.kind = "uncoalesced", .text = {}};
    if (worst == nullptr) {
      if (operands > open)
        finding.text = fmt::format(
            "0 of {}: every warp fetches as few sectors of 32 bytes as can hold its data, if one thread "
            "computes one element, in the order of memory, or the lanes of a warp share each element.",
            plural(operands - open, "operand"));
      finding.bytes = 0;
    } else {
      const Instruction& op = *worst->instruction;
      const WarpAccess& warp = report_.warps[module_.instructions[module_.places.at(&op)].warps[place]];
      finding.text = fmt::format(
          "{} of {}, {}{} operand {}: {} sectors of 32 bytes fetched, {} would hold the data, {}{}.", many,
          plural(operands, "operand"), many == 1 ? "" : "most ", printable(place_name(op)),
          worst->operands[place].operand, count_words(warp.sectors), count_words(warp.fewest),
          mapping_words(warp, leaf_type(op.type, 0)),
          warp.sampled != 0 ? fmt::format(", in a sample of {}", plural(warp.sampled, "instruction")) : "");
      finding.instruction = &op;
      finding.command = warp_command(op, worst->operands[place], warp);
    }
    if (open > 0)
      finding.text += fmt::format("{}What warps fetch of {} is not known: {}.",
                                  finding.text.empty() ? "" : " ", plural(open, "operand"), printable(why));
    if (sampled > 0)
      finding.text += fmt::format(" The numbers of {} are those of a sample.", plural(sampled, "operand"));
    finding.exact = open == 0 && sampled == 0 && !bound;
    out_.push_back(std::move(finding));
  }

  static std::string warp_command(const Instruction& op, const OperandReads& read, const WarpAccess& warp) {
    const HloType& type = leaf_type(op.operand_type(read.operand), read.leaf);
    return fmt::format("tessera access {} --threads {} --space global", shell_word(to_string(type)),
                       shell_word("map:" + warp.map));
  }

  void padding() {
    const PaddingReport& all = module_.padding;
    std::size_t padded = 0;
    Index saving = 0;
    for (const PaddedArray& array : all.arrays) {
      if (array.now > array.elements) padded += static_cast<std::size_t>(array.count);
      saving = checked_add(saving, array.saving()).value_or(kIndexMax);
    }
    Finding finding{
        .kind = "padding", .text = "No array is padded by its layout.", .bytes = all.now - all.elements};
    if (padded > 0) {
      finding.text = fmt::format("{} padded: {} in memory for {} of elements",
                                 padded == 1 ? "1 array is" : fmt::format("{} arrays are", padded),
                                 bytes_words(all.now), bytes_words(all.elements));
      const std::string others = all.rule == TilingRule::written
                                     ? "other orders of the dimensions"
                                     : fmt::format("other layouts of the rule {}", to_string(all.rule));
      if (saving > 0) finding.text += fmt::format("; {} save {}", others, bytes_words(saving));
      if (saving > 0 && !all.lost.empty())
        finding.text += fmt::format(", and {} would become copies", plural(all.lost.size(), "bitcast"));
      finding.text += ".";
    }
    finding.command = command(all.own ? "--padding" : fmt::format("--padding {}", to_string(all.rule)));
    out_.push_back(std::move(finding));
  }

  void copies() {
    const CopiesReport& all = module_.copies;
    const std::string answer = command("--copies");
    for (std::size_t i = 0; i < std::min(all.chains.size(), kReportLimits.program.findings); ++i) {
      const MovementChain& chain = all.chains[i];
      std::vector<std::string> names;
      for (const Instruction* op : chain.instructions) names.push_back(printable(place_name(*op)));
      out_.push_back({.kind = "copies",
                      .text = fmt::format("{} {}: {} of {} moved for nothing.", fmt::join(names, ", "),
                                          chain.cancels() ? "cancel each other" : "could be one movement",
                                          bytes_words(chain.saving), bytes_words(chain.traffic)),
                      .instruction = chain.instructions.front(),
                      .bytes = chain.saving,
                      .exact = chain.runs.exact(),
                      .command = answer});
    }
    std::size_t bitcasts = 0;
    bool exact = true;
    const Movement* largest = nullptr;
    for (const Movement& movement : all.movements) {
      bitcasts += movement.saving() > 0 ? 1 : 0;
      exact = exact && movement.runs.exact() && !movement.may_vanish();
      if (largest == nullptr) largest = &movement;
    }
    if (largest != nullptr) {
      const std::size_t count = all.movements.size();
      const std::string bytes =
          fmt::format("{}{} read and written", exact ? "" : "at most ", bytes_words(all.traffic));
      const std::string name = printable(place_name(*largest->instruction));
      out_.push_back({.kind = "copies",
                      .text = count == 1 ? fmt::format("{} only moves data: {}.", name, bytes)
                                         : fmt::format("{} only move data: {}, most by {} ({}).",
                                                       plural(count, "instruction"), bytes, name,
                                                       bytes_words(largest->traffic())),
                      .instruction = largest->instruction,
                      .bytes = all.traffic,
                      .exact = exact,
                      .command = answer});
    }
    if (bitcasts > 0)
      out_.push_back({.kind = "copies",
                      .text = fmt::format(
                          "{} every byte in its order, so {} would do: {} saved.",
                          bitcasts == 1 ? "1 movement keeps" : fmt::format("{} movements keep", bitcasts),
                          bitcasts == 1 ? "a bitcast" : "bitcasts", bytes_words(all.bitcast_savings)),
                      .bytes = all.bitcast_savings,
                      .exact = exact,
                      .command = answer});
    if (all.unknown > 0)
      out_.push_back(
          {.kind = "copies",
           .text = fmt::format("Whether {} its data where it is, is not known.",
                               all.unknown == 1 ? "1 movement leaves"
                                                : fmt::format("each of {} movements leaves", all.unknown)),
           .exact = false,
           .command = answer});
    // Whether what `slice-start` and its like start is a movement, is not looked at.
    const auto started = std::ranges::count_if(module_.traffic.steps, [](const StepTraffic& step) {
      return step.instruction->opcode == Opcode::async_start;
    });
    if (all.movements.empty() && started > 0)
      out_.push_back({.kind = "copies",
                      .text = fmt::format("No movement was found; {} not looked into.",
                                          started == 1 ? "1 asynchronous step was"
                                                       : fmt::format("{} asynchronous steps were", started)),
                      .exact = false,
                      .command = answer});
    if (all.movements.empty() && started == 0)
      out_.push_back({.kind = "copies",
                      .text = "No instruction that runs is only a copy, transpose, slice or other movement.",
                      .bytes = 0,
                      .command = answer});
  }

  void unknown() {
    std::map<std::string, std::pair<std::size_t, const Instruction*>> reasons;
    std::size_t bounds = 0;
    for (const StepTraffic& step : module_.traffic.steps) {
      if (step.exactness == Exactness::unknown) {
        auto& [count, first] = reasons[step.reason];
        if (count++ == 0) first = step.instruction;
      } else if (!all_exact(step)) {
        ++bounds;
      }
    }
    const std::size_t all = module_.traffic.steps.size();
    const std::string also =
        bounds == 0 ? "" : fmt::format(" The numbers of {} are bounds.", plural(bounds, "step"));
    if (reasons.empty())
      out_.push_back({.kind = "unknown",
                      .text = "What is read is known for every step." + also,
                      .exact = bounds == 0,
                      .command = command("--stats")});
    for (const auto& [reason, found] : reasons) {
      const bool first = out_.back().kind != "unknown";
      out_.push_back({.kind = "unknown",
                      .text = fmt::format("{} of {}: {}.{}", found.first, plural(all, "step"),
                                          printable(reason), first ? also : ""),
                      .instruction = found.second,
                      .exact = false,
                      .command = command("--stats")});
    }
  }

  const ProgramReport& report_;
  const ReportedModule& module_;
  std::string file_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> findings(const ProgramReport& report, const ReportedModule& module) {
  return Summary(report, module).findings();
}

std::string summary_text(const ProgramReport& report) {
  std::string out;
  for (const ReportedModule& module : report.modules) {
    if (report.modules.size() > 1)
      out += fmt::format("{}: {}\n", printable(module.file), printable(module.module->name));
    out += waste_text(report, module);
    for (const Finding& finding : findings(report, module))
      out += fmt::format("{:<12}{}  {}\n", finding.kind, finding.exact ? "exact" : "bound", finding.text);
  }
  return out;
}

}  // namespace tessera::detail
