// SPDX-License-Identifier: Apache-2.0
#include "report/program/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/plural.h"
#include "hlo/metadata/metadata.h"
#include "hlo/syntax/printer.h"
#include "map/image/image_union.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/indexing_text.h"
#include "report/program/summary_words.h"

namespace tessera::detail {
namespace {

Index bytes_of_step(const StepTraffic& step) {
  const Count once = step.moved();
  return checked_mul(once.upper.value_or(once.lower),
                     std::max<Index>(step.runs.upper.value_or(step.runs.lower), 1))
      .value_or(kIndexMax);
}

// `fusion` for `fusion.12`.
std::string_view without_number(std::string_view name) {
  const std::size_t dot = name.find_last_not_of("0123456789");
  return dot != std::string_view::npos && dot > 0 && dot + 1 < name.size() && name[dot] == '.'
             ? name.substr(0, dot)
             : name;
}

// The type without layouts.
std::string shape_text(const HloType& type) {
  if (type.is_array()) return to_string(TensorType{.dtype = type.array().dtype, .dims = type.array().dims});
  if (!type.is_tuple()) return to_string(type);
  std::string out = "(";
  for (const HloType& element : type.elements()) out += shape_text(element) + ",";
  return out + ")";
}

using StepList = std::vector<const StepTraffic*>;

// The steps of a module, in the order of its text.
StepList steps_of(const ReportedModule& module) {
  StepList out;
  for (const ReportedInstruction& one : module.instructions) {
    if (one.step != kNone) out.push_back(&module.traffic.steps[one.step]);
  }
  return out;
}

// Matches steps with equal keys in order, and removes them from both lists. A step with an empty key matches
// none.
template <class Key>
void match(StepList& before, StepList& after, std::vector<ChangedStep>& found, const Key& key) {
  std::unordered_map<std::string, std::deque<const StepTraffic*>> waiting;
  for (const StepTraffic* step : before) {
    std::string own = key(*step->instruction);
    if (!own.empty()) waiting[std::move(own)].push_back(step);
  }
  std::unordered_map<const StepTraffic*, bool> gone;
  StepList rest;
  for (const StepTraffic* step : after) {
    const auto place = waiting.find(key(*step->instruction));
    if (place == waiting.end() || place->second.empty()) {
      rest.push_back(step);
      continue;
    }
    const StepTraffic* old = place->second.front();
    place->second.pop_front();
    gone[old] = true;
    found.push_back({old, step, bytes_of_step(*old), bytes_of_step(*step)});
  }
  std::erase_if(before, [&](const StepTraffic* step) { return gone.contains(step); });
  after = std::move(rest);
}

std::string sign_text(Index difference) { return fmt::format("{}{}", difference > 0 ? "+" : "", difference); }

std::string change_text(const ChangedStep& change) {
  const Instruction& op = *(change.after != nullptr ? change.after : change.before)->instruction;
  std::string out = fmt::format("{} = {} {}", place_name(op), type_text(op), op.opcode_text);
  if (change.before == nullptr) {
    out += "; new";
  } else if (change.after == nullptr) {
    out += "; gone";
  } else if (const Instruction& old = *change.before->instruction; old.opcode_text != op.opcode_text) {
    out += fmt::format("; was {} {}", place_name(old), old.opcode_text);
  } else if (place_name(old) != place_name(op)) {
    out += "; was " + place_name(old);
  }
  return change.exact() ? out : out + "; at most";
}

// The seconds of each step, and their sum, which is added up in the order of the steps.
std::unordered_map<const Instruction*, double> seconds_of_steps(const ProgramReport& report, double& sum) {
  std::unordered_map<const Instruction*, double> out;
  for (const ReportedModule& module : report.modules) {
    if (!module.time) continue;
    for (const StepTime& step : module.time->steps) {
      out.emplace(step.instruction, step.total.finite());
      sum += step.total.finite();
    }
  }
  return out;
}

void add_times(const ProgramReport& before, const ProgramReport& after, std::vector<ChangedStep>& changes,
               ProgramComparison& out) {
  out.timed = before.chip && after.chip;
  if (!out.timed) return;
  const auto old = seconds_of_steps(before, out.seconds_before);
  const auto own = seconds_of_steps(after, out.seconds_after);
  const auto seconds = [](const auto& all, const StepTraffic* step) {
    const auto found = step != nullptr ? all.find(step->instruction) : all.end();
    return found == all.end() ? 0.0 : found->second;
  };
  for (ChangedStep& change : changes) {
    change.seconds_before = seconds(old, change.before);
    change.seconds_after = seconds(own, change.after);
  }
}

std::vector<ChangedLine> changed_lines(const ProgramReport& before, const ProgramReport& after) {
  std::vector<const CodeShares*> shares[2];
  bool known = false;
  for (const auto& [report, out] : {std::pair(&before, &shares[0]), std::pair(&after, &shares[1])}) {
    for (const ReportedModule& module : report->modules) {
      out->push_back(&module.lines);
      known = known || std::ranges::any_of(module.lines.shares,
                                           [](const CodeShare& share) { return share.line.known(); });
    }
  }
  return known ? compare_lines(shares[0], shares[1]) : std::vector<ChangedLine>();
}

}  // namespace

bool ChangedStep::exact() const {
  const auto is_exact = [](const StepTraffic* step) {
    return step == nullptr || (step->moved().exact() && step->runs.exact());
  };
  return is_exact(before) && is_exact(after);
}

ProgramComparison compare_programs(const ProgramReport& before, const ProgramReport& after) {
  ProgramComparison out;
  if (!before.modules.empty()) out.old_file = before.modules.front().file;
  std::vector<ChangedStep> found;
  for (std::size_t m = 0; m < std::max(before.modules.size(), after.modules.size()); ++m) {
    StepList old = m < before.modules.size() ? steps_of(before.modules[m]) : StepList();
    StepList own = m < after.modules.size() ? steps_of(after.modules[m]) : StepList();
    const auto typed = [](const Instruction& op, std::string_view name) {
      return fmt::format("{} {} {}", name, op.opcode_text, shape_text(op.type));
    };
    match(old, own, found,
          [](const Instruction& op) { return fmt::format("{} {}", place_name(op), shape_text(op.type)); });
    match(old, own, found, [&](const Instruction& op) { return typed(op, without_number(op.name)); });
    const auto scope = [](const Instruction& op) { return read_metadata(op).op_name; };
    match(old, own, found, [&](const Instruction& op) {
      const std::string name = scope(op);
      return name.empty() ? name : name + " " + shape_text(op.type);
    });
    match(old, own, found, [&](const Instruction& op) { return typed(op, ""); });
    match(old, own, found, scope);
    for (const StepTraffic* step : own) found.push_back({nullptr, step, 0, bytes_of_step(*step)});
    for (const StepTraffic* step : old) found.push_back({step, nullptr, bytes_of_step(*step), 0});
    out.added += own.size();
    out.removed += old.size();
    if (m < before.modules.size()) {
      out.moved_before = sum(out.moved_before, before.modules[m].traffic.moved);
      out.minimum_before = sum(out.minimum_before, before.modules[m].traffic.minimum);
    }
    if (m < after.modules.size()) {
      out.moved_after = sum(out.moved_after, after.modules[m].traffic.moved);
      out.minimum_after = sum(out.minimum_after, after.modules[m].traffic.minimum);
    }
  }
  out.matched = found.size() - out.added - out.removed;
  add_times(before, after, found, out);
  out.lines = changed_lines(before, after);
  for (ChangedStep& change : found) {
    if (change.difference() == 0 && change.seconds_before == change.seconds_after &&
        change.before != nullptr && change.after != nullptr)
      continue;
    out.worse += change.difference() > 0 ? 1 : 0;
    out.better += change.difference() < 0 ? 1 : 0;
    out.changes.push_back(change);
  }
  std::ranges::stable_sort(out.changes, [](const ChangedStep& a, const ChangedStep& b) {
    const double slower_a = a.seconds_after - a.seconds_before;
    const double slower_b = b.seconds_after - b.seconds_before;
    if ((slower_a > 0) != (slower_b > 0)) return slower_a > 0;
    if (slower_a != slower_b) return slower_a > 0 ? slower_a > slower_b : slower_a < slower_b;
    const Index x = a.difference();
    const Index y = b.difference();
    if ((x > 0) != (y > 0)) return x > 0;
    return x > 0 ? x > y : x < y;
  });
  return out;
}

std::string to_text(const ProgramComparison& comparison) {
  std::vector<std::string> heads = {"before", "after", "change"};
  if (comparison.timed) heads.insert(heads.begin(), {"time before", "time after"});
  ByteTable table(heads, "step");
  for (const ChangedStep& change : comparison.changes) {
    std::vector<std::string> cells = {fmt::format("{}", change.bytes_before),
                                      fmt::format("{}", change.bytes_after), sign_text(change.difference())};
    if (comparison.timed)
      cells.insert(cells.begin(), {seconds_text(change.seconds_before), seconds_text(change.seconds_after)});
    table.add(std::move(cells), change_text(change));
  }
  const std::string times =
      comparison.timed
          ? fmt::format("estimate: {} before, {} now, one step after another at peak rates\n",
                        seconds_text(comparison.seconds_before), seconds_text(comparison.seconds_after))
          : std::string();
  return table.text() + to_text(comparison.lines, comparison.timed) + times +
         fmt::format(
             "{} in both, {} worse, {} better ({} new, {} gone); {} moved before, {} now; {} had to move, {} "
             "must now\n",
             plural(comparison.matched, "step"), comparison.worse, comparison.better, comparison.added,
             comparison.removed, bytes_words(comparison.moved_before), bytes_words(comparison.moved_after),
             bytes_words(comparison.minimum_before), bytes_words(comparison.minimum_after));
}

}  // namespace tessera::detail
