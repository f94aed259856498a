// SPDX-License-Identifier: Apache-2.0
#include "verbs/json_request.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace tessera::verbs {

Result<std::string> text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return std::string(value.get<bool>() ? "true" : "false");
  // The JSON library has read an integer of more than 64 bits as a float, without its last digits.
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (value.is_number_float() && std::abs(value.get<double>()) >= kLargestExact)
    return fail(Code::bad_option, "JSON may round a number this large", {}, "write it in quotes");
  // To JSON Schema, 8.0 is an integer.
  if (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()))
    return std::to_string(static_cast<long long>(value.get<double>()));
  if (value.is_number()) return value.dump();
  return fail(Code::bad_option, value.is_array() ? "a list cannot contain lists"
                                                 : "a value must be a string, a number or a boolean");
}

Result<FieldTexts> field_texts(const Json& request) {
  FieldTexts out;
  for (const auto& [key, value] : request.items()) {
    if (value.is_null() || (value.is_boolean() && !value.get<bool>())) continue;
    if (value.is_array() && value.empty()) continue;
    std::vector<std::string>& texts = out[key];
    if (value.is_boolean()) continue;  // true: given without a value
    const Json one = Json::array({value});
    for (const Json& each : value.is_array() ? value : one) {
      Result<std::string> text = text_of(each);
      if (!text) {
        text.error().message = fmt::format("'{}': {}", key, text.error().message);
        return fail(std::move(text.error()));
      }
      texts.push_back(*std::move(text));
    }
  }
  return out;
}

}  // namespace tessera::verbs
