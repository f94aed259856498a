// SPDX-License-Identifier: Apache-2.0
/// \file
/// The JSON Schema of answers. It follows from the tables of docs/lookup/json.md, which describe every key.
#pragma once

#include <string_view>

#include "base/json.h"

namespace tessera::verbs {

/// JSON Schema 2020-12 of what a verb prints as JSON, or returns for a request: `tile`, `map simplify`.
Json answer_schema(std::string_view verb);

}  // namespace tessera::verbs
