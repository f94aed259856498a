// SPDX-License-Identifier: Apache-2.0
/// \file
/// JSON from files, read without exceptions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace tessera {

/// Why a text was rejected. `out_of_memory`: its value would not fit in the memory that is left.
enum class JsonFault : std::uint8_t { none, syntax, number_range, out_of_memory };

/// What check_json found in a text.
struct JsonCheck {
  JsonFault fault = JsonFault::none;
  std::size_t at = 0;                            ///< syntax: the byte at which reading stopped
  std::optional<std::string> repeated_key = {};  ///< the first key that an object has twice
};

/// Checks the text without building its value. Call parse_json only if it finds no fault.
JsonCheck check_json(std::string_view text);

/// The value of a text that check_json accepts.
Json parse_json(std::string_view text);

/// A string as JSON writes it, in quotes.
std::string json_string(std::string_view text);

}  // namespace tessera
