// SPDX-License-Identifier: Apache-2.0
/// \file
/// One line of JSON, read without exceptions.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "tessera/base/result.h"

namespace tessera::verbs {

/// A value, and what a JSON library forgets about its text.
struct JsonLine {
  std::string id;  ///< the top-level key `id` as it is written, if it is a number with a point or exponent
  std::string doubled;  ///< a key that one object has twice; empty if there is none
};

/// Reads the value into `value`. Errors: syntax, number_range (beyond a double), limit (nested too deep),
/// each with a span in the line.
Result<JsonLine> read_json_line(std::string_view line, Json& value);

}  // namespace tessera::verbs
