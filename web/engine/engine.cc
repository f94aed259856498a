// SPDX-License-Identifier: Apache-2.0
// The library for a web page: a WebAssembly module without a main function. A caller writes a request into
// the buffer, calls tessera_answer, and reads the answer, the line that `tessera batch` prints for it.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "report/exit_status.h"
#include "report/json.h"
#include "verbs/request_line.h"

// The page's side of progress: `done` of `total`.
extern "C" [[clang::import_module("tessera"), clang::import_name("advanced")]] void tessera_advanced(
    const char* stage, std::size_t length, double done, double total);

namespace {

using tessera::Json;

std::string& buffer() {
  static std::string text;
  return text;
}

std::string answer_line(std::string_view line) {
  using namespace tessera;
  const Source source("<stdin>", std::string(line), 1);
  verbs::LineRequest request;
  Json json;
  if (const Result<void> read = verbs::read_request_line(line, request, json); !read) {
    const int status = read.error().code == Code::limit ? kFailed : kBadInput;
    return verbs::refused_line(request, status, read.error(), source).text;
  }
  if (request.verb == nullptr)
    return verbs::refused_line(request, kBadInput,
                               {.code = Code::unknown_name,
                                .message = "verb '" + request.name + "' is not available in a browser",
                                .help = "run it in a terminal: tessera " + request.name + " --help"},
                               source)
        .text;
  return verbs::answer_request(request,
                               [](std::string_view stage, std::uint64_t done, std::uint64_t total) {
                                 tessera_advanced(stage.data(), stage.size(), static_cast<double>(done),
                                                  static_cast<double>(total));
                               })
      .text;
}

Json json_of(const tessera::verbs::Field& field) {
  return {{"name", field.name},         {"value", field.value},       {"help", field.help},
          {"argument", field.argument}, {"repeated", field.repeated}, {"bare", field.bare}};
}

}  // namespace

extern "C" {

/// Room for a request of `size` bytes.
[[clang::export_name("tessera_buffer")]] char* tessera_buffer(std::size_t size) {
  buffer().assign(size, '\0');
  return buffer().data();
}

/// Answers the request in the buffer. Returns where the answer is; its size is tessera_size().
[[clang::export_name("tessera_answer")]] const char* tessera_answer() {
  buffer() = answer_line(buffer());
  return buffer().data();
}

/// The verbs that have requests, with their fields, as JSON: how a command line is read.
[[clang::export_name("tessera_verbs")]] const char* tessera_verbs() {
  Json verbs = Json::array();
  for (const tessera::verbs::Verb& verb : tessera::verbs::all_verbs()) {
    Json fields = Json::array();
    for (const tessera::verbs::Field& field : verb.fields) fields.push_back(json_of(field));
    verbs.push_back({{"name", verb.name}, {"help", verb.help}, {"fields", std::move(fields)}});
  }
  buffer() = tessera::detail::dump(verbs);
  return buffer().data();
}

[[clang::export_name("tessera_size")]] std::size_t tessera_size() { return buffer().size(); }
}
