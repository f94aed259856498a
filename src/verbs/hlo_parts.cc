// SPDX-License-Identifier: Apache-2.0
#include "verbs/hlo_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/printable.h"
#include "hlo/analysis/free_layout.h"
#include "report/page/page.h"
#include "report/program/findings.h"
#include "report/program/program_json.h"

namespace tessera::verbs {
namespace {

std::string heading_line(std::string_view text, const Terminal& terminal) {
  return fmt::format("{}{}{}\n", terminal.bold ? "\x1b[1m" : "", text, terminal.bold ? "\x1b[0m" : "");
}

// `code FILE:LINE in FUNCTION, SCOPE`, as far as the dump says.
std::string code_text(detail::ModuleCode& code, const Instruction& instruction) {
  const detail::CodeLine& line = code.line(instruction);
  const std::string& scope = code.scope(instruction);
  if (!line.known() && scope.empty()) return {};
  std::string out = "  code";
  if (line.known()) out += " " + detail::printable(line.text());
  if (!line.function.empty()) out += " in " + detail::printable(line.function);
  if (!scope.empty()) out += (line.known() ? ", " : " ") + detail::printable(scope);
  return out + "\n";
}

}  // namespace

Result<std::string> HloHeadline::to_text(const Terminal& terminal) const {
  return heading_line(fmt::format("{} {}", word_, name_), terminal);
}

Result<std::string> InstructionPart::to_text(const Terminal& terminal) const {
  return heading_line(header_text(*maps_.instruction), terminal) +
         (code_ != nullptr ? code_text(*code_, *maps_.instruction) : std::string()) +
         tessera::to_text(maps_, {.legacy = legacy_});
}

Result<std::string> InstructionPart::to_json() const {
  return tessera::to_json(where_.place(), maps_, direction_, code_.get());
}

Result<std::string> BitcastPart::to_text(const Terminal& /*terminal*/) const {
  return tessera::to_text(*maps_.instruction, answer_,
                          answer_.verdict == Verdict::yes ? FreeLayouts() : free_layouts(*maps_.instruction));
}

Result<std::string> BitcastPart::to_json() const {
  return tessera::to_json(where_.place(), maps_, direction_);
}

Result<std::string> ReportPart::to_text(const Terminal& /*terminal*/) const {
  const auto& comparison = reported_->comparison;
  std::string out;
  if (reported_->with_summary || !comparison) out += detail::summary_text(reported_->report);
  if (comparison) out += detail::to_text(*comparison);
  return out;
}

Result<std::string> ReportPart::to_json() const {
  const auto& comparison = reported_->comparison;
  detail::add_tiles(reported_->report);
  return detail::to_json(reported_->report, comparison ? &*comparison : nullptr);
}

Result<std::string> ReportPart::to_picture(PictureFormat format) const {
  if (format == PictureFormat::json) return to_json();
  if (format != PictureFormat::html) return VerbAnswer::to_picture(format);
  Result<std::string> json = to_json();
  if (!json) return json;
  return detail::report_page(fmt::format("{}", fmt::join(reported_->files, ", ")), *json);
}

}  // namespace tessera::verbs
