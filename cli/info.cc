// SPDX-License-Identifier: Apache-2.0
// `tessera info`: describes the contents of files.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "report/diagnostic_json.h"
#include "report/file_info.h"
#include "report/ttgir_answer.h"
#include "tessera/files/tensor_file.h"
#include "tessera/hlo/module.h"

namespace tessera::cli {
namespace {

constexpr const char* kFormats =
    "tessera info reads .npy, .safetensors, .safetensors.index.json, .gguf, HLO text and TTGIR";

// The options that only TTGIR has.
struct TtgirOptions {
  std::string sort;    // line or cost
  std::string expect;  // conversions=N
};

class Info {
 public:
  /// `values`: a tensor and indices, or empty.
  Info(Session& session, Output& out, Format format, const std::vector<std::string>& values,
       const TtgirOptions& ttgir)
      : session_(session), out_(out), json_(format == Format::json), values_(values), ttgir_(ttgir) {}

  int answer(const std::string& path, std::size_t which) {
    which_ = which;
    if (path == "-" && values_.empty()) return text_file(path);
    const Result<Content> content = content_of(path);
    if (!content) return refuse(path, content.error());
    switch (*content) {
      case Content::text:
        if (!values_.empty()) {
          return refuse(path,
                        {.code = Code::bad_option,
                         .message = fmt::format("'{}' is a text, which holds no tensor with values", path),
                         .help = "--values reads .npy, .safetensors and .gguf files"});
        }
        return text_file(path);
      case Content::zip:
        return refuse(path, {.code = Code::bad_file,
                             .message = fmt::format("'{}' is a zip archive, like .npz and .pt", path),
                             .help = fmt::format("unpack it; a .npz holds .npy files: unzip {}", path)});
      case Content::unknown:
        return refuse(
            path, {.code = Code::bad_file,
                   .message = fmt::format("the format of '{}' is unknown", path),
                   .help = std::string(kFormats) + "; raw bytes need a layout: tessera copy --from LAYOUT"});
      default:
        break;
    }
    std::shared_ptr<const Source> header;
    const Result<TensorListing> listing = list_tensors(path, *content, &header);
    if (!listing && header != nullptr) return refuse_in(path, listing.error(), header);
    if (!listing) return refuse(path, listing.error());
    if (!values_.empty()) return show_values(path, *listing);
    write(json_ ? to_json(path, *listing) + "\n" : to_text(path, *listing));
    return kDone;
  }

 private:
  int show_values(const std::string& path, const TensorListing& listing) {
    std::string file = path;
    const bool npy = listing.content == Content::npy;
    if (npy && !values_[0].empty()) {
      return refuse_value({.code = Code::unknown_name,
                           .message = fmt::format("the array of '{}' has no name", path),
                           .help = fmt::format("write an empty name: --values '' {}", values_[1])},
                          values_[0]);
    }
    if (listing.content == Content::index) {
      const auto named = std::ranges::find(listing.tensors, values_[0], &ListedTensor::name);
      if (named == listing.tensors.end()) {
        return refuse_value({.code = Code::unknown_name,
                             .message = fmt::format("'{}' has no tensor '{}'", path, values_[0]),
                             .help = fmt::format("tessera info {} lists its tensors", path)},
                            values_[0]);
      }
      const std::size_t slash = path.rfind('/');
      file = (slash == path.npos ? "" : path.substr(0, slash + 1)) + named->file;
    }
    const FileFormat format = npy                                ? FileFormat::npy
                              : listing.content == Content::gguf ? FileFormat::gguf
                                                                 : FileFormat::safetensors;
    const auto tensor = TensorFile::open({file, npy ? "" : values_[0]}, nullptr, format);
    if (!tensor) {
      if (tensor.error().code == Code::file_not_found) return refuse(path, tensor.error());
      return refuse_value(tensor.error(), values_[0]);
    }
    const auto values = tensor_values(*tensor, values_[1]);
    if (!values)
      return refuse_in(path, values.error(), std::make_shared<const Source>("<indices>", values_[1]));
    write(json_ ? to_json(path, *values) + "\n" : to_text(path, *values));
    return kDone;
  }

  // An error about a value of --values.
  int refuse_value(Diagnostic diagnostic, const std::string& value) {
    diagnostic.span = {};
    return report_failure(session_, std::move(diagnostic), value);
  }

  int text_file(const std::string& path) {
    const Result<std::shared_ptr<const Source>> source = read_file(path);
    if (!source) return refuse(path, source.error());
    if (is_ttgir((*source)->text())) return ttgir_file(path, *source);
    const ParsedModules parsed = parse_hlo(*source);
    const bool hlo = std::ranges::any_of(
        parsed.modules, [](const HloModule& module) { return module.instruction_count() > 0; });
    const auto error = std::ranges::find(parsed.diagnostics, Severity::error, &Diagnostic::severity);
    if (!hlo && error != parsed.diagnostics.end()) {
      Diagnostic first = *error;
      first.notes.push_back(kFormats);
      return refuse_in(path, std::move(first), *source);
    }
    std::vector<ModuleInfo> modules;
    for (const HloModule& module : parsed.modules) modules.push_back(info_of(module));
    int status = kDone;
    // Invalid parts of a program are not counted.
    for (const Diagnostic& diagnostic : parsed.diagnostics) {
      session_.report(diagnostic, *source);
      if (diagnostic.severity == Severity::error) status = std::max<int>(status, kBadInput);
    }
    write(json_ ? to_json(path, modules) + "\n" : to_text(path, modules));
    return status;
  }

  int ttgir_file(const std::string& path, const std::shared_ptr<const Source>& source) {
    const Result<TtgirReport> report = read_ttgir(source->text());
    if (!report) return refuse(path, report.error());
    const TtgirOrder order = ttgir_.sort == "cost" ? TtgirOrder::cost : TtgirOrder::line;
    write(json_ ? to_json(path, *report, order) + "\n" : to_text(path, *report, order));
    if (ttgir_.expect.empty()) return kDone;
    // Only conversions that move data between threads count.
    Index moved = 0;
    for (const auto& [level, count] : report->conversions)
      moved += level > RegisterLevel::selection ? count : 0;
    const std::string_view most = std::string_view(ttgir_.expect).substr(ttgir_.expect.find('=') + 1);
    Index expected = 0;
    std::from_chars(most.data(), most.data() + most.size(), expected);
    return moved > expected ? kNo : kDone;
  }

  // An error about the file as a whole.
  int refuse(const std::string& path, Diagnostic diagnostic) {
    const int status = report_failure(session_, std::move(diagnostic), path, which_);
    const ShownDiagnostic& shown = session_.diagnostics().back();
    error_json(path, shown.diagnostic, *shown.source);
    if (json_) session_.answered();
    return status;
  }
  // An error at a position in the file.
  int refuse_in(const std::string& path, Diagnostic diagnostic, const std::shared_ptr<const Source>& source) {
    const int status = status_of(diagnostic);
    error_json(path, diagnostic, *source);
    session_.report(std::move(diagnostic), source);
    if (json_) session_.answered();
    return status;
  }
  void error_json(const std::string& path, const Diagnostic& diagnostic, const Source& source) {
    if (!json_ || session_.is_request()) return;
    write(to_error_json(path, diagnostic, source, status_of(diagnostic)) + "\n");
  }
  // Texts of several files are separated by a blank line.
  void write(const std::string& text) {
    if (!json_ && written_) out_.write("\n");
    written_ = true;
    out_.write(text);
  }

  Session& session_;
  Output& out_;
  bool json_;
  const std::vector<std::string>& values_;
  const TtgirOptions& ttgir_;
  bool written_ = false;
  std::size_t which_ = 0;
};

int info(Session& session, const std::vector<std::string>& files, const std::vector<std::string>& values,
         const TtgirOptions& ttgir) {
  if (session.is_request() && files.size() > 1) {
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = "a request asks about one file",
                           .help = "send a request for each file"},
                          files[1]);
  }
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  Info answer(session, destination->output(), destination->format(), values, ttgir);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto which = static_cast<std::size_t>(
        std::count(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(i), files[i]));
    status = std::max(status, answer.answer(files[i], which));
  }
  return destination->finish(status);
}

}  // namespace

void add_info(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("info", "what files hold: tensors, or the modules of a program");
  auto files = std::make_shared<std::vector<std::string>>();
  verb->add_option(
          "FILE", *files,
          "a tensor file, an index of tensor files, or HLO text, plain or gzip; - reads HLO text from stdin")
      ->required()
      ->type_size(1)
      ->expected(1, -1);
  auto values = std::make_shared<std::vector<std::string>>();
  verb->add_option(
          "--values", *values,
          "the values of a tensor at these indices, one entry for each dimension: an index, a:b, a:b:step "
          "or :")
      ->type_name("NAME INDICES")
      ->type_size(2)
      ->expected(1);
  auto ttgir = std::make_shared<TtgirOptions>();
  verb->add_option("--sort", ttgir->sort,
                   "TTGIR: the operations by line (the default) or the most costly first")
      ->check(CLI::IsMember({"line", "cost"}));
  verb->add_option("--expect", ttgir->expect,
                   "TTGIR: conversions=N ends with status 1 if more conversions move data between threads")
      ->check(CLI::Validator(
          [](const std::string& text) {
            const bool good = text.starts_with("conversions=") && text.size() > 12 &&
                              text.find_first_not_of("0123456789", 12) == std::string::npos;
            return good ? std::string() : "write conversions=0";
          },
          "conversions=N"));
  add_common_options(*verb, session);
  verb->footer(
      R"(The format is detected from the first bytes of a file. Only the headers of tensor files are read, and with
--values also these elements. An empty NAME selects the only tensor of a file. Of a TTGIR file of Triton each layout
conversion and each access gets its cost, with a cure for bank conflicts.

Examples:
  tessera info examples/hlo/transformer_block.hlo examples/hlo/sharded_mlp.hlo
  head -c 96 /dev/zero > a.raw; tessera copy a.raw a.npy --shape 4,6 --type f32; tessera info a.npy --json
  head -c 96 /dev/zero > b.raw; tessera copy b.raw b.safetensors#w --from 'f32[4,6]'; tessera info b.safetensors --values w 0:2,:)");
  verb->callback([&session, files, values, ttgir] {
    session.action = [&session, files, values, ttgir] { return info(session, *files, *values, *ttgir); };
  });
}

}  // namespace tessera::cli
