// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `info`: what files hold.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "report/file_info.h"
#include "verbs/request.h"
#include "verbs/verb.h"

namespace tessera::verbs {

struct InfoRequest {
  std::string file = {};
  std::string text = {};                                  ///< the content of a text, in place of a file
  std::optional<std::array<std::string, 2>> values = {};  ///< a tensor and indices
};

template <>
struct Description<InfoRequest> {
  static constexpr std::string_view name = "info";
  static constexpr std::string_view help = "what files hold: tensors, or the modules of a program";
  static constexpr std::string_view subject = "path";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(The format is detected from the first bytes of a file. Only the headers of tensor files are read, and with
--values also these elements. An empty NAME selects the only tensor of a file.

Examples:
  tessera info examples/hlo/transformer_block.hlo examples/hlo/sharded_mlp.hlo
  head -c 96 /dev/zero > a.raw; tessera copy a.raw a.npy --shape 4,6 --type f32; tessera info a.npy --json
  head -c 96 /dev/zero > b.raw; tessera copy b.raw b.safetensors#w --from 'f32[4,6]'; tessera info b.safetensors --values w 0:2,:)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(
        Field{
            .name = "file",
            .help =
                "a tensor file, an index of tensor files, or HLO text, plain or gzip; - reads HLO text from "
                "stdin",
            .argument = true,
            .unless = "text",
            .takes_dash = true,
            .each = true},
        &InfoRequest::file);
    visit(Field{.name = "text",
                .value = "TEXT",
                .help = "HLO text, in place of a file",
                .excludes = "file",
                .in_request = true},
          &InfoRequest::text);
    visit(Field{.name = "values",
                .value = "NAME INDICES",
                .help = "the values of a tensor at these indices, one entry for each dimension: an index, "
                        "a:b, a:b:step "
                        "or :"},
          &InfoRequest::values);
  }
};

/// What a file holds.
class InfoResult : public VerbAnswer {
 public:
  using Modules = std::shared_ptr<const ParsedModules>;
  InfoResult(std::string path, std::variant<TensorListing, TensorValues, Modules> content)
      : path_(std::move(path)), content_(std::move(content)) {}

  int status() const override;
  bool is_block() const override { return true; }
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  std::string path_;
  std::variant<TensorListing, TensorValues, Modules> content_;
};

/// Errors: those of read_file and content_of; bad_file (a zip archive, or an unknown format), those of
/// list_tensors, TensorFile::open and tensor_values; the first error of any other text.
Result<InfoResult> info(const InfoRequest& request, Observer& observer);

}  // namespace tessera::verbs
