// SPDX-License-Identifier: Apache-2.0
#include "report/copy_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/plural.h"
#include "report/json.h"
#include "report/moved_keys.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

Json json_of(const TensorPath& path, const CopiedArray& array, FileFormat format, Index bytes) {
  Json json = {{"path", path.path}, {"format", to_string(format)}};
  if (!path.tensor.empty()) json["tensor"] = path.tensor;
  json["layout"] = array.layout;
  json["type"] = array.type.empty() ? Json() : Json(array.type);
  json["element_bits"] = array.element_bits;
  json["bytes"] = bytes;
  return json;
}

}  // namespace

CopiedArray copied_array(const Tensor& tensor) {
  return {to_string(tensor.layout), tensor.dtype ? std::string(to_string(*tensor.dtype)) : "",
          tensor.element_bits};
}

CopiedArray copied_array(const CodeSide& side) { return {side.text(), to_string(side.type), side.cell_bits}; }

std::string bytes_text(double bytes) {
  constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : bytes < 10 ? 2 : bytes < 100 ? 1 : 0, kUnits[unit]);
}

std::string to_text(const CopyAnswer& answer) {
  const CopyReport& report = answer.report;
  std::string text = fmt::format("{} -> {}", answer.source.layout, answer.destination.layout);
  if (!answer.transpose.empty()) text += fmt::format(", transposed {}", fmt::join(answer.transpose, ","));
  if (!answer.recode.empty()) text += fmt::format(", codes changed by {}", answer.recode);
  text += '\n';
  if (report.dry_run) {
    text += fmt::format("{}, {} -> {} to write", detail::plural(report.elements, "element"),
                        report.source_bytes, detail::plural(report.destination_bytes, "byte"));
  } else {
    text += fmt::format("{}, {} -> {} in {:.3f} s ({}/s)", detail::plural(report.elements, "element"),
                        report.source_bytes, detail::plural(report.destination_bytes, "byte"), report.seconds,
                        bytes_text(rate(report.written_bytes, report.seconds)));
  }
  if (report.bands > 1) text += fmt::format(", {} bands", report.bands);
  if (report.by_element) text += ", element by element";
  text += '\n';
  text += resumed_text(report) + leftovers_text(report);
  if (!report.verified) return text;
  return text + fmt::format("verified: all {}\n", detail::plural(report.verified->checked, "element"));
}

std::string to_json(const CopyAnswer& answer) {
  const CopyReport& report = answer.report;
  Json json = {{"schema", "tessera.copy/1"}, {"status", 0}};
  json["source"] = json_of(answer.from, answer.source, format_of(answer.from.path), report.source_bytes);
  json["destination"] = json_of(answer.to, answer.destination, report.format, report.destination_bytes);
  if (!answer.transpose.empty()) json["transpose"] = answer.transpose;
  if (!answer.recode.empty()) json["recode"] = answer.recode;
  json["elements"] = report.elements;
  json["by_element"] = report.by_element;
  if (report.dry_run) {
    json["bands"] = report.bands;
    add_dry_run(json, report.destination_bytes);
  } else {
    add_moved(json, report);
  }
  return detail::dump(json);
}

std::string to_json(const RelayoutPlan& plan, const Layout& source, const Layout& destination) {
  Json json = {{"schema", "tessera.plan/1"}, {"status", 0}};
  json["source"] = to_string(source);
  json["destination"] = to_string(destination);
  json["element_bytes"] = plan.element_bytes();
  json["payload_bytes"] = plan.payload_bytes();
  json["chunks"] = plan.chunks();
  json["plan"] = plan.describe();
  return detail::dump(json);
}

std::string isas_to_json(std::string_view verb) {
  Json json = {
      {"schema", fmt::format("tessera.{}/1", verb)}, {"status", 0}, {"default", to_string(default_isa())}};
  json["isas"] = Json::array();
  for (const Isa isa : available_isas()) json["isas"].push_back(to_string(isa));
  return detail::dump(json);
}

}  // namespace tessera
