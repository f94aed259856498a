// SPDX-License-Identifier: Apache-2.0
#include "cli/hlo_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/page/page.h"
#include "report/program/comparison.h"
#include "report/program/findings.h"
#include "report/program/program_json.h"

namespace tessera::cli {

int report_diagnostics(Session& session, const ParsedModules& parsed) {
  int status = kDone;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    session.report(diagnostic, parsed.source);
    if (diagnostic.severity == Severity::error) {
      status = std::max<int>({status, kBadInput, status_of(diagnostic)});
    }
  }
  return status;
}

HloReport::HloReport(std::vector<std::string> files, std::string old_file, bool with_summary,
                     detail::ReportOptions options)
    : files_(std::move(files)),
      old_file_(std::move(old_file)),
      with_summary_(with_summary),
      options_(options),
      builder_(std::move(options)) {}

AnalyzeStats HloReport::add(const std::string& file, const std::string& computation, ParsedModules parsed,
                            const std::function<void()>& advance) {
  AnalyzeStats out;
  computation_ = computation;
  const ParsedModules& kept = parsed_.emplace_back(std::move(parsed));
  for (const HloModule& module : kept.modules) out += builder_.add(file, module, computation, advance);
  return out;
}

int HloReport::write(Session& session, Output& out, Format format) {
  int status = kDone;
  const detail::ProgramReport report = std::move(builder_).finish();
  std::optional<ParsedModules> parsed;
  detail::ProgramReport old;
  std::optional<detail::ProgramComparison> comparison;
  if (!old_file_.empty()) {
    const Result<std::shared_ptr<const Source>> source = read_file(old_file_);
    if (!source) {
      session.report_option(source.error(), "--compare");
      return status_of(source.error());
    }
    parsed = parse_hlo(*source);
    status = report_diagnostics(session, *parsed);
    detail::ReportOptions traffic_only = options_;
    traffic_only.traffic_only = true;
    detail::ReportBuilder builder(traffic_only);
    for (const HloModule& module : parsed->modules) builder.add(old_file_, module, computation_, [] {});
    old = std::move(builder).finish();
    comparison = detail::compare_programs(old, report);
  }
  if (format == Format::text) {
    if (with_summary_ || !comparison) out.write(detail::summary_text(report));
    if (comparison) out.write(detail::to_text(*comparison));
    return status;
  }
  const std::string json = detail::to_json(report, comparison ? &*comparison : nullptr);
  out.write(format == Format::html ? detail::report_page(fmt::format("{}", fmt::join(files_, ", ")), json)
                                   : json);
  return status;
}

}  // namespace tessera::cli
