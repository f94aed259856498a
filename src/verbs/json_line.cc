// SPDX-License-Identifier: Apache-2.0
#include "verbs/json_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "verbs/limits.h"

namespace tessera::verbs {
namespace {

// Describes the byte at which reading failed.
std::string unexpected(std::string_view line, std::size_t at) {
  if (at >= line.size()) return "unexpected end of line";
  const auto byte = static_cast<unsigned char>(line[at]);
  return byte > 0x20 && byte < 0x7f ? fmt::format("unexpected '{}'", line[at])
                                    : fmt::format("unexpected byte 0x{:02x}", byte);
}

// Builds the value. Every function returns whether to go on.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view line, Json& value) : line_(line), value_(value) {}

  JsonLine& found() { return found_; }
  Diagnostic& problem() { return problem_; }

  bool null() override { return put(nullptr) != nullptr; }
  bool boolean(bool value) override { return put(value) != nullptr; }
  bool number_integer(std::int64_t value) override { return put(value) != nullptr; }
  bool number_unsigned(std::uint64_t value) override { return put(value) != nullptr; }
  bool number_float(double value, const std::string& written) override {
    if (open_.size() == 1 && open_[0].value->is_object() && open_[0].key == "id") found_.id = written;
    return put(value) != nullptr;
  }
  bool string(std::string& value) override { return put(std::move(value)) != nullptr; }
  bool binary(Json::binary_t&) override { return false; }  // is not in JSON
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    if (open_.back().value->contains(name)) found_.doubled = name;
    open_.back().key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    constexpr int kOutOfRange = 406;
    if (error.id == kOutOfRange) {
      problem_ = {.code = Code::number_range,
                  .message = "the request has a number beyond the range of a double",
                  .help = "write it as a string"};
      return false;
    }
    const std::size_t at = position > 0 ? position - 1 : 0;
    const auto place = static_cast<std::uint32_t>(at);
    problem_ = {.code = Code::syntax,
                .message = "the request is not JSON: " + unexpected(line_, at),
                .span = {place, place + 1},
                .help = R"x({"verb": "map", "args": ["simplify", "() -> (1)"], "options": {}, "id": 1})x"};
    return false;
  }

 private:
  struct Open {
    Json* value;
    std::string key;  // the last one of an object
  };

  Json* put(Json value) {
    if (open_.empty()) return &(value_ = std::move(value));
    Json& inside = *open_.back().value;
    if (inside.is_array()) {
      inside.push_back(std::move(value));
      return &inside.back();
    }
    Json& place = inside[open_.back().key];
    place = std::move(value);
    return &place;
  }

  bool open(Json value) {
    if (open_.size() == kVerbLimits.json_depth) {
      problem_ = {.code = Code::limit,
                  .message = fmt::format("the request is nested more than {} deep", kVerbLimits.json_depth),
                  .help = "a request needs two levels"};
      return false;
    }
    open_.push_back({put(std::move(value)), {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view line_;
  Json& value_;
  JsonLine found_;
  Diagnostic problem_;
  std::vector<Open> open_;
};

}  // namespace

Result<JsonLine> read_json_line(std::string_view line, Json& value) {
  Builder builder(line, value);
  if (!Json::sax_parse(line, &builder)) return fail(std::move(builder.problem()));
  return std::move(builder.found());
}

}  // namespace tessera::verbs
