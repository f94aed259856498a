// SPDX-License-Identifier: Apache-2.0
#include "files/json_reader.h"

#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace tessera {

namespace {

// Receives the parser's events. Errors arrive by a callback, because some builds disable exceptions.
class Checker {
 public:
  explicit Checker(JsonCheck& check) : check_(check) {}

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(Json::number_integer_t) { return true; }
  bool number_unsigned(Json::number_unsigned_t) { return true; }
  bool number_float(Json::number_float_t, const std::string&) { return true; }
  bool string(const std::string&) { return true; }
  bool binary(const Json::binary_t&) { return true; }
  bool start_object(std::size_t) {
    keys_.emplace_back();
    return true;
  }
  bool key(const std::string& name) {
    if (!check_.repeated_key && !keys_.back().insert(name).second) check_.repeated_key = name;
    return true;
  }
  bool end_object() {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) { return true; }
  bool end_array() { return true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    constexpr int kNumberRange = 406;
    check_.fault = error.id == kNumberRange ? JsonFault::number_range : JsonFault::syntax;
    check_.at = position > 0 ? position - 1 : 0;
    return false;
  }

 private:
  JsonCheck& check_;
  std::vector<std::set<std::string>> keys_;  // of the open objects
};

// True if that many bytes can be allocated. This is cheap: large blocks take only address space until they
// are touched.
bool has_memory(std::size_t bytes) {
  return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]) != nullptr;
}

}  // namespace

JsonCheck check_json(std::string_view text) {
  // The parsed JSON and the checker's keys together take 6 to 10 times the size of the text.
  constexpr std::size_t kBytesPerByte = 16;
  JsonCheck check;
  if (!has_memory(kBytesPerByte * text.size())) {
    check.fault = JsonFault::out_of_memory;
    return check;
  }
  Checker checker(check);
  Json::sax_parse(text, &checker);
  return check;
}

Json parse_json(std::string_view text) {
  return Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
}

std::string json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tessera
