// SPDX-License-Identifier: Apache-2.0
#include "verbs/request.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::verbs {

Diagnostic about(const Field& field, Diagnostic diagnostic) {
  diagnostic.field = field.name;
  if (diagnostic.help.empty() && !field.example.empty()) {
    std::string option(field.name);
    std::ranges::replace(option, '_', '-');
    diagnostic.help = fmt::format("--{} {}", option, field.example);
  }
  return diagnostic;
}

Diagnostic missing(const Field& field) {
  return about(field, {.code = Code::bad_option, .message = fmt::format("{} is missing", field.name)});
}

}  // namespace tessera::verbs
