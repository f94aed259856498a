// SPDX-License-Identifier: Apache-2.0
#include "report/program/line_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "base/saturating.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/limits.h"
#include "report/program/step_facts.h"

namespace tessera::detail {
namespace {

// What all modules of a program do at one line.
struct LineSum {
  CodeLine line = {};
  Index bytes = 0;
  double seconds = 0;
  bool exact = true;
};

std::map<std::string, LineSum> sums_of(const std::vector<const CodeShares*>& all) {
  std::map<std::string, LineSum> out;
  for (const CodeShares* shares : all) {
    for (const CodeShare& share : shares->shares) {
      LineSum& sum = out[share.line.text()];
      sum.line = share.line;
      sum.bytes = saturating_add(sum.bytes, upper_of(share.minimum));
      sum.seconds += share.seconds;
      sum.exact = sum.exact && share.minimum.exact();
    }
  }
  return out;
}

// Sums of the same times in another order differ in their last digits.
bool same_seconds(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); }

ChangedLine change_of(const LineSum* before, const LineSum* after) {
  ChangedLine out;
  if (before != nullptr) {
    out.before = before->line.text();
    out.function = before->line.function;
    out.bytes_before = before->bytes;
    out.seconds_before = before->seconds;
    out.exact = before->exact;
  }
  if (after != nullptr) {
    out.after = after->line.text();
    out.function = after->line.function;
    out.bytes_after = after->bytes;
    out.seconds_after = after->seconds;
    out.exact = out.exact && after->exact;
  }
  if (same_seconds(out.seconds_before, out.seconds_after)) out.seconds_after = out.seconds_before;
  return out;
}

// Lines in the order of their numbers, by file and function.
using Functions = std::map<std::pair<std::string, std::string>, std::vector<const LineSum*>>;

void add(Functions& functions, const LineSum& sum) {
  functions[{sum.line.file, sum.line.function}].push_back(&sum);
}

std::string signed_seconds(double seconds) {
  return (seconds > 0 ? "+" : seconds < 0 ? "-" : "") + seconds_text(std::abs(seconds));
}

}  // namespace

std::vector<ChangedLine> compare_lines(const std::vector<const CodeShares*>& before,
                                       const std::vector<const CodeShares*>& after) {
  const std::map<std::string, LineSum> old = sums_of(before);
  const std::map<std::string, LineSum> own = sums_of(after);
  std::vector<ChangedLine> out;
  Functions old_rest;
  Functions own_rest;
  for (const auto& [name, sum] : old) {
    const auto found = own.find(name);
    if (found != own.end() && found->second.line.function == sum.line.function) {
      out.push_back(change_of(&sum, &found->second));
    } else {
      add(old_rest, sum);
    }
  }
  for (const auto& [name, sum] : own) {
    const auto found = old.find(name);
    if (found == old.end() || found->second.line.function != sum.line.function) add(own_rest, sum);
  }
  for (Functions* rest : {&old_rest, &own_rest}) {
    for (auto& [function, lines] : *rest)
      std::ranges::stable_sort(lines, {}, [](const LineSum* x) { return x->line.line; });
  }
  for (auto& [function, lines] : own_rest) {
    const auto found = old_rest.find(function);
    // Without a function, nothing says that two lines are one.
    const bool same = found != old_rest.end() && !function.second.empty();
    const std::size_t both = same ? std::min(lines.size(), found->second.size()) : 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
      out.push_back(change_of(i < both ? found->second[i] : nullptr, lines[i]));
    if (same)
      found->second.erase(found->second.begin(), found->second.begin() + static_cast<std::ptrdiff_t>(both));
  }
  for (const auto& [function, lines] : old_rest)
    for (const LineSum* line : lines) out.push_back(change_of(line, nullptr));
  std::erase_if(out, [](const ChangedLine& x) {
    return x.bytes_before == x.bytes_after && x.seconds_before == x.seconds_after;
  });
  const auto rank = [](const ChangedLine& x) {
    const double seconds = x.seconds_after - x.seconds_before;
    const bool better = seconds != 0 ? seconds < 0 : x.difference() < 0;
    return std::tuple(better, -std::abs(seconds), -std::abs(static_cast<double>(x.difference())));
  };
  std::ranges::stable_sort(out, {}, rank);
  return out;
}

std::string to_text(const std::vector<ChangedLine>& lines, bool timed) {
  if (lines.empty()) return {};
  std::vector<std::string> heads = {"before", "after", "change"};
  if (timed) heads.insert(heads.begin(), {"time before", "time after", "time change"});
  ByteTable table(heads, "line");
  for (std::size_t i = 0; i < std::min(lines.size(), kReportLimits.program.lines); ++i) {
    const ChangedLine& line = lines[i];
    std::vector<std::string> cells = {fmt::format("{}", line.bytes_before),
                                      fmt::format("{}", line.bytes_after),
                                      fmt::format("{:+}", line.difference())};
    if (timed)
      cells.insert(cells.begin(), {seconds_text(line.seconds_before), seconds_text(line.seconds_after),
                                   signed_seconds(line.seconds_after - line.seconds_before)});
    const std::string& name = line.after.empty() ? line.before : line.after;
    std::string text = name.empty() ? "(no source line)" : printable(name);
    if (!line.function.empty()) text += " in " + printable(line.function);
    if (!name.empty() && line.before.empty()) text += "; new";
    if (!name.empty() && line.after.empty()) text += "; gone";
    if (!line.before.empty() && !line.after.empty() && line.before != line.after)
      text += "; was " + printable(line.before);
    if (!line.exact) text += "; at most";
    table.add(cells, text);
  }
  std::string out = table.text();
  if (lines.size() > kReportLimits.program.lines)
    out += fmt::format("and {}; --json has all of them\n",
                       plural(static_cast<Index>(lines.size() - kReportLimits.program.lines), "more line"));
  return out;
}

}  // namespace tessera::detail
