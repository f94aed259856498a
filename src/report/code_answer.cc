// SPDX-License-Identifier: Apache-2.0
#include "report/code_answer.h"

#include "report/json.h"

namespace tessera {

std::string to_json(const SourceCode& code, std::string_view kind) {
  Json json = {{"schema", "tessera.code/1"},
               {"status", 0},
               {"language", to_string(code.language)},
               {"kind", kind},
               {"code", code.text}};
  if (!code.test.empty()) json["test"] = code.test;
  return detail::dump(json);
}

}  // namespace tessera
