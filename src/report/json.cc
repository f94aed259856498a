// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include "base/limits.h"
#include "base/shortened.h"

namespace tessera::detail {

Json json_of(const Diagnostic& diagnostic, const Source& source) {
  // Messages may quote their input.
  const auto text = [](std::string_view s) { return shortened(s, kBaseLimits.message); };
  const Position at = source.position(diagnostic.span.begin);
  Json json = {{"code", to_string(diagnostic.code)},
               {"severity", diagnostic.severity == Severity::error ? "error" : "warning"},
               {"message", text(diagnostic.message)},
               {"source", source.name()},
               {"line", at.line},
               {"column", at.column}};
  if (!diagnostic.reason.empty()) json["reason"] = diagnostic.reason;
  if (!diagnostic.witness.empty()) json["witness"] = text(diagnostic.witness);
  for (const std::string& note : diagnostic.notes) json["notes"].push_back(text(note));
  if (!diagnostic.help.empty()) json["help"] = text(diagnostic.help);
  return json;
}

Json json_of(const Count& count) {
  return {{"lower", count.lower}, {"upper", count.upper ? Json(*count.upper) : Json()}};
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace tessera::detail
