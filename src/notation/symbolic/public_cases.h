// SPDX-License-Identifier: Apache-2.0
// Cases as the public headers have them.
#pragma once

#include "size/sized_cases.h"
#include "tessera/notation/sized_layout.h"

namespace tessera::symbolic {

inline SizeCases public_cases(const SizedAnswer& answer, std::vector<std::string> notes) {
  SizeCases out{.notes = std::move(notes)};
  for (const SizedCase& c : answer.cases) {
    SizeCase one{.condition = c.condition, .reason = c.reason, .sizes = c.sizes};
    if (c.kind == SizedCase::Kind::value) one.value = c.text;
    if (c.kind == SizedCase::Kind::error) one.error = c.code;
    out.cases.push_back(std::move(one));
  }
  return out;
}

}  // namespace tessera::symbolic
