// SPDX-License-Identifier: Apache-2.0
#include "tessera/report/diagnostic_json.h"

#include "report/json.h"
#include "tessera/report/remedy.h"

namespace tessera {
namespace detail {

Json json_of(const Diagnostic& diagnostic, const Source& source) {
  const Position at = source.position(diagnostic.span.begin);
  Json json = {{"code", to_string(diagnostic.code)},
               {"severity", diagnostic.severity == Severity::error ? "error" : "warning"},
               {"message", diagnostic.message},
               {"source", source.name()},
               {"line", at.line},
               {"column", at.column}};
  if (!diagnostic.reason.empty()) json["reason"] = diagnostic.reason;
  if (!diagnostic.witness.empty()) json["witness"] = diagnostic.witness;
  if (!diagnostic.notes.empty()) json["notes"] = diagnostic.notes;
  if (const std::string help = remedy(diagnostic); !help.empty()) json["help"] = help;
  return json;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace detail

std::string to_json(const Diagnostic& diagnostic, const Source& source) {
  return detail::dump(detail::json_of(diagnostic, source));
}

}  // namespace tessera
