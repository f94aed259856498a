// SPDX-License-Identifier: Apache-2.0
#include "cli/hlo_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/help.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace tessera::cli {

std::optional<TilingRule> HloOptions::rule() const {
  const Result<TilingRule> named = parse_tiling_rule(padding);
  return named ? std::optional(*named) : std::nullopt;
}

bool take_report(Session& session, HloOptions& options) {
  options.reported = options.summary || !options.compare.empty() || !options.report.empty() ||
                     session.options.output.ends_with(".html");
  if (options.report.empty()) return true;
  if (!session.options.output.empty() && session.options.output != options.report) {
    session.report_option({.code = Code::bad_option,
                           .message = "-o and --report name different files for one answer",
                           .help = "run the command twice to get both"},
                          kOutputOption);
    return false;
  }
  session.options.output = options.report;
  session.options.output_option = "--report";
  return true;
}

bool check_together(Session& session, const HloOptions& options) {
  struct Pair {
    bool idle;
    const char* option;
    bool beside;
    std::string other;
    const char* help;
  };
  const bool page = session.options.output.ends_with(".html");
  const std::string report = !options.report.empty()    ? "--report"
                             : page                     ? "-o " + session.options.output
                             : !options.compare.empty() ? "--compare"
                                                        : "--summary";
  const bool json = session.options.json;
  const std::vector<const char*> lists = options.lists();
  const char* const list = lists.empty() ? "" : lists[0];
  const bool reported = options.reported;
  const Pair pairs[] = {
      {options.stats, "--stats", reported, report, "the report shows the counts; leave --stats out"},
      {json, "--json", page, report, "the file name asks for a page; leave one of the two out"},
      {options.bitcasts, "--bitcasts", reported, report, "the report shows bitcasts; leave --bitcasts out"},
      {options.traffic, "--traffic", reported, report, "the report shows the traffic; leave --traffic out"},
      {options.copies, "--copies", reported, report, "the report shows the movements; leave --copies out"},
      {!options.same.empty(), "--same", reported, report, "run the command twice to get both"},
      {options.parameters, "--parameters", reported, report, "run the command twice to get both"},
      {!reported && lists.size() > 1, lists.size() > 1 ? lists[1] : "", true, list,
       "run the command twice to get both"},
      {options.fused, "--fused", options.whole(), list, "each fusion is one step of the program"},
      {options.fused, "--fused", reported, report, "the report has every instruction"},
      {options.direction == "in", "--direction", options.whole(), list, "this list has no direction"},
      {options.direction == "in", "--direction", reported, report, "the report has what outputs read"},
      {!options.op.empty(), "--op", !reported && (!options.padding.empty() || options.copies), list,
       "the list is about a whole program; --computation NAME starts it elsewhere"},
      {!options.op.empty(), "--op", !reported && !options.same.empty(), list, "--same names the two results"},
      {!options.op.empty(), "--op", reported, report,
       "the report is about a whole program; --computation NAME starts it elsewhere"},
      {options.legacy, "--legacy", reported, report, "the report has the current form of every map"},
      {options.legacy, "--legacy", json, "--json", "JSON has the current form of every map"},
      {options.legacy, "--legacy", !lists.empty(), list,
       options.parameters ? "these maps have the current form" : "these lists show no maps"},
  };
  for (const Pair& pair : pairs) {
    if (!pair.idle || !pair.beside) continue;
    session.report_argument({.code = Code::bad_option,
                             .message = fmt::format("{} has no effect with {}", pair.option, pair.other),
                             .help = pair.help},
                            pair.option);
    return false;
  }
  return true;
}

bool check_stdin(Session& session, const HloOptions& options) {
  const auto count = std::ranges::count(options.files, "-");
  if (count == 0 || (count == 1 && !session.is_request())) return true;
  session.report_argument({.code = Code::bad_option,
                           .message = session.is_request() ? kNoStdin : "'-' can be given only once",
                           .help = session.is_request() ? "" : "stdin can be read only once"},
                          "-", session.is_request() ? 0 : 1);
  return false;
}

}  // namespace tessera::cli
