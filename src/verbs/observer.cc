// SPDX-License-Identifier: Apache-2.0
#include "verbs/observer.h"

#include <fmt/core.h>

namespace tessera::verbs {

std::shared_ptr<const Source> Observer::source_of(std::string_view field, const std::string& text) {
  return std::make_shared<const Source>(fmt::format("<{}>", field), text);
}

}  // namespace tessera::verbs
