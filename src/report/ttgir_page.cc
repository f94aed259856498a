// SPDX-License-Identifier: Apache-2.0
#include "report/ttgir_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/page/page.h"
#include "report/ttgir_answer.h"
#include "report/ttgir_words.h"

namespace tessera::detail {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_of(const TtgirOperation& op) {
  if (op.error) return "unknown";
  if (std::holds_alternative<TtgirConversion>(op.what)) return "conversion";
  if (std::holds_alternative<TtgirLocal>(op.what)) return "shared";
  if (std::holds_alternative<TtgirAllocation>(op.what)) return "allocation";
  if (std::holds_alternative<TtgirGlobal>(op.what)) return "global";
  if (std::holds_alternative<TtgirReduction>(op.what)) return "reduction";
  return "layouts";
}

// The lines of a text, each from its first character.
std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    out.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void add_cure(Json& out, const TtgirCure& cure) {
  out["better"] = {{"layout", to_string(cure.memory)}, {"wavefronts", cure.wavefronts}};
  if (!cure.lines.empty()) out["better"]["line"] = cure.lines.front();
}

}  // namespace

std::string ttgir_page_json(std::string_view path, const TtgirReport& report, std::string_view text) {
  Json out = Json::parse(to_json(path, report, TtgirOrder::line));
  const std::vector<std::string_view> lines = lines_in(text);
  for (std::size_t i = 0; i < report.operations.size(); ++i) {
    const TtgirOperation& op = report.operations[i];
    Json& one = out["operations"][i];
    one["kind"] = kind_of(op);
    one["sentence"] = op.error ? op.error->message : sentence_of(op);
    if (const std::string conflict = conflict_of(op); !conflict.empty()) one["conflict"] = conflict;
    if (const std::string cure = cure_of(op); !cure.empty()) one["cure"] = cure;
    if (const std::string command = command_of(report, op); !command.empty()) one["command"] = command;
    if (const auto* local = std::get_if<TtgirLocal>(&op.what); local != nullptr && local->cure)
      add_cure(one, *local->cure);
    if (const auto* global = std::get_if<TtgirGlobal>(&op.what))
      one["fewest"] = fewest_sectors(global->access);
    const auto line = static_cast<std::size_t>(op.line);
    if (line > 0 && line <= lines.size()) one["code"] = lines[line - 1];
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ttgir_page(std::string_view path, const TtgirReport& report, std::string_view text) {
  return kernel_page(path, ttgir_page_json(path, report, text));
}

}  // namespace tessera::detail
