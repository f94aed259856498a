// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `info`: what files hold.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "report/file_info.h"
#include "report/ttgir_answer.h"
#include "verbs/request.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// The most conversions that may move data between threads: `conversions=0`.
struct ExpectedConversions {
  Index most = 0;
};
template <>
struct FieldType<ExpectedConversions> {
  /// Errors: bad_option.
  static Result<ExpectedConversions> read(std::string_view text);
  static Json schema() { return {{"type", "string"}, {"pattern", "^conversions=[0-9]+$"}}; }
};

struct InfoRequest {
  std::string file = {};
  std::optional<std::string> text = {};                   ///< the content of a text, in place of a file
  std::optional<std::array<std::string, 2>> values = {};  ///< a tensor and indices
  TtgirOrder sort = TtgirOrder::line;
  std::optional<ExpectedConversions> expect = {};
  bool report = false;
};

template <>
struct Words<TtgirOrder> {
  static constexpr std::array<std::string_view, 2> words = {"line", "cost"};
};

template <>
struct Description<InfoRequest> {
  static constexpr std::string_view name = "info";
  static constexpr std::string_view help = "what files hold: tensors, or the modules of a program";
  static constexpr std::string_view subject = "path";
  static constexpr std::string_view extensions = ".txt .html";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(The format is detected from the first bytes of a file. Only the headers of tensor files are read, and with
--values also these elements. An empty NAME selects the only tensor of a file. Of a TTGIR file of Triton each layout
conversion and each access gets its cost, with a cure for bank conflicts.

Examples:
  tessera info examples/ttgir/loop.ttgir --report loop.html
  tessera info examples/hlo/transformer_block.hlo examples/hlo/sharded_mlp.hlo
  head -c 96 /dev/zero > a.raw; tessera copy a.raw a.npy --shape 4,6 --type f32; tessera info a.npy --json
  head -c 96 /dev/zero > b.raw; tessera copy b.raw b.safetensors#w --from 'f32[4,6]'; tessera info b.safetensors --values w 0:2,:)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "file",
                .help = "a tensor file, an index of tensor files, HLO text, plain or gzip, or TTGIR; - reads "
                        "text from "
                        "stdin",
                .argument = true,
                .unless = "text",
                .takes_dash = true,
                .each = true},
          &InfoRequest::file);
    visit(text_field("HLO text or TTGIR, in place of a file"), &InfoRequest::text);
    visit(Field{.name = "values",
                .value = "NAME INDICES",
                .help = "the values of a tensor at these indices, one entry for each dimension: an index, "
                        "a:b, a:b:step "
                        "or :"},
          &InfoRequest::values);
    visit(
        Field{.name = "sort", .help = "TTGIR: the operations by line (the default) or the most costly first"},
        &InfoRequest::sort);
    visit(Field{.name = "expect",
                .value = "conversions=N",
                .help = "TTGIR: end with status 1 if more conversions move data between threads"},
          &InfoRequest::expect);
    visit(Field{.name = "report",
                .help = "TTGIR: write the report: a page that shows everything, or JSON, or text",
                .file = "FILE.html|.json|.txt"},
          &InfoRequest::report);
  }
};

/// What a file holds.
class InfoResult : public VerbAnswer {
 public:
  using Modules = std::shared_ptr<const ParsedModules>;
  /// A report of TTGIR; `more` if it has more conversions than expected.
  struct Ttgir {
    TtgirReport report;
    TtgirOrder order = TtgirOrder::line;
    bool more = false;
    std::shared_ptr<const Source> source = {};
  };
  using Content = std::variant<TensorListing, TensorValues, Modules, Ttgir>;
  InfoResult(std::string path, Content content) : path_(std::move(path)), content_(std::move(content)) {}

  int status() const override;
  bool is_block() const override { return true; }
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  /// Of TTGIR.
  Result<std::string> to_picture(PictureFormat format) const override;

 private:
  std::string path_;
  Content content_;
};

/// Errors: those of read_file and content_of; bad_option (a field for TTGIR, or for tensors, and another
/// file), bad_file (a zip archive, or an unknown format), those of list_tensors, TensorFile::open and
/// tensor_values; the first error of any other text.
Result<InfoResult> info(const InfoRequest& request, Observer& observer);

}  // namespace tessera::verbs
