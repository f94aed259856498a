// SPDX-License-Identifier: Apache-2.0
#include "report/diagnostic_json.h"

#include <fmt/core.h>

#include "report/json.h"

namespace tessera {

std::string to_json(const Diagnostic& diagnostic, const Source& source) {
  return detail::dump(detail::json_of(diagnostic, source));
}

std::string problem_json(std::string_view verb, std::string_view action, int status,
                         const Diagnostic& diagnostic, const Source& source) {
  return problem_json({verb, action}, status, diagnostic, source);
}

std::string problem_json(const QuestionName& question, int status, const Diagnostic& diagnostic,
                         const Source& source) {
  Json json = {{"schema", fmt::format("tessera.{}/1", question.verb)}};
  if (!question.action.empty()) json["action"] = question.action;
  json["status"] = status;
  if (!question.key.empty()) json[std::string(question.key)] = question.value;
  json["error"] = detail::json_of(diagnostic, source);
  return detail::dump(json);
}

}  // namespace tessera
