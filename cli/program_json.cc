// SPDX-License-Identifier: Apache-2.0
#include "cli/program_json.h"

#include "report/json.h"

namespace tessera::cli {

std::string version_json(std::string_view version) {
  return Json{{"schema", "tessera.version/1"}, {"status", 0}, {"version", version}}.dump();
}

std::string help_json(std::string_view verb, std::string_view text) {
  return Json{{"schema", "tessera.help/1"}, {"status", 0}, {"verb", verb}, {"text", text}}.dump();
}

std::string completion_json(std::string_view shell, std::string_view script) {
  return Json{{"schema", "tessera.completion/1"}, {"status", 0}, {"shell", shell}, {"script", script}}.dump();
}

}  // namespace tessera::cli
