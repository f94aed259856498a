// SPDX-License-Identifier: Apache-2.0
#include "verbs/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  return about(field, {.code = Code::bad_option,
                       .message = fmt::format("{} is missing", field.name),
                       .help = fmt::format("{}: {}", field.name, field.help)});
}

std::optional<Diagnostic> unknown_field(std::string_view verb, const std::vector<Field>& fields,
                                        const FieldTexts& texts) {
  for (const auto& [name, text] : texts) {
    if (std::ranges::find(fields, name, &Field::name) != fields.end()) continue;
    std::vector<std::string_view> names;
    for (const Field& field : fields) names.push_back(field.name);
    return Diagnostic{.code = Code::bad_option,
                      .message = fmt::format("{} has no field '{}'", verb, name),
                      .help = fmt::format("it has {}", fmt::join(names, ", "))};
  }
  return std::nullopt;
}

}  // namespace tessera::verbs
