// SPDX-License-Identifier: Apache-2.0
#include "verbs/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/at_fault.h"
#include "report/exit_status.h"
#include "report/ttgir_page.h"
#include "tessera/files/tensor_file.h"
#include "tessera/hlo/module.h"
#include "verbs/program.h"

namespace tessera::verbs {
namespace {

constexpr const char* kFormats =
    "tessera info reads .npy, .safetensors, .safetensors.index.json, .gguf, HLO text and TTGIR";

// Refuses the fields for TTGIR, which would have no effect: an expectation would seem to be met.
Result<void> check_without_ttgir(const InfoRequest& request, const std::string& path, bool text) {
  if (request.report)
    return refuse("report", Code::bad_option,
                  fmt::format("'{}' is not TTGIR, so it has no page with --report", path),
                  text ? fmt::format("of HLO text 'tessera hlo {} --report REPORT.html' makes one", path)
                       : "pages are for TTGIR and HLO text; leave it out");
  const std::string_view given = request.expect ? "expect" : request.sort != TtgirOrder::line ? "sort" : "";
  if (given.empty()) return {};
  return refuse(given, Code::bad_option, fmt::format("'{}' is not TTGIR", path),
                fmt::format("{} is for the TTGIR of Triton; leave it out", option_of(given)));
}

Result<InfoResult> ttgir_info(const InfoRequest& request, const std::string& path,
                              const std::shared_ptr<const Source>& source) {
  auto report = read_ttgir(source->text());
  if (!report) return refuse(request.text ? "text" : "file", std::move(report.error()));
  bool more = false;
  if (request.expect) {
    // Only conversions that move data between threads count, and those that cannot be read, which may.
    Index moved = 0;
    for (const auto& [level, count] : report->conversions)
      moved += level > RegisterLevel::selection ? count : 0;
    for (const TtgirOperation& op : report->operations)
      moved += op.error && op.op == "ttg.convert_layout" ? 1 : 0;
    more = moved > request.expect->most;
  }
  return InfoResult(path, InfoResult::Ttgir{*std::move(report), request.sort, more, source});
}

// The values of a tensor of the listed file.
Result<TensorValues> values_of(const std::string& path, const TensorListing& listing, const std::string& name,
                               const std::string& indices) {
  std::string file = path;
  const bool npy = listing.content == Content::npy;
  if (npy && !name.empty())
    return refuse("values", Code::unknown_name, fmt::format("the array of '{}' has no name", path),
                  fmt::format("write an empty name: --values '' {}", indices));
  if (listing.content == Content::index) {
    const auto named = std::ranges::find(listing.tensors, name, &ListedTensor::name);
    if (named == listing.tensors.end())
      return refuse("values", Code::unknown_name, fmt::format("'{}' has no tensor '{}'", path, name),
                    fmt::format("tessera info {} lists its tensors", path));
    const std::size_t slash = path.rfind('/');
    file = (slash == path.npos ? "" : path.substr(0, slash + 1)) + named->file;
  }
  const FileFormat format = npy                                ? FileFormat::npy
                            : listing.content == Content::gguf ? FileFormat::gguf
                                                               : FileFormat::safetensors;
  auto tensor = TensorFile::open({file, npy ? "" : name}, nullptr, format);
  if (!tensor) {
    tensor.error().span = {};
    return fail(detail::at_fault("values", std::move(tensor.error())));
  }
  auto values = tensor_values(*tensor, indices);
  if (values) return values;
  values.error().item = 1;
  return refuse("values", std::move(values.error()));
}

// The modules of a text.
Result<InfoResult> text_info(const InfoRequest& request, const std::string& path,
                             const std::shared_ptr<const Source>& source, Observer& observer) {
  if (is_ttgir(source->text())) return ttgir_info(request, path, source);
  if (auto checked = check_without_ttgir(request, path, true); !checked)
    return fail(std::move(checked.error()));
  auto parsed = std::make_shared<const ParsedModules>(parse_hlo(source));
  const bool hlo = std::ranges::any_of(
      parsed->modules, [](const HloModule& module) { return module.instruction_count() > 0; });
  const auto error = std::ranges::find(parsed->diagnostics, Severity::error, &Diagnostic::severity);
  if (!hlo && error != parsed->diagnostics.end()) {
    Diagnostic first = *error;
    first.notes.emplace_back(kFormats);
    return in_file(observer, std::move(first), source);
  }
  for (const Diagnostic& problem : parsed->diagnostics) observer.found(problem, source);
  return InfoResult(path, std::move(parsed));
}

Result<InfoResult> text_info(const InfoRequest& request, const std::string& path, Observer& observer) {
  auto source = read_file(path);
  if (!source) return refuse("file", std::move(source.error()));
  return text_info(request, path, *source, observer);
}

}  // namespace

Result<ExpectedConversions> FieldType<ExpectedConversions>::read(std::string_view text) {
  constexpr std::string_view kName = "conversions=";
  if (text.starts_with(kName)) {
    const Result<Index> most = FieldType<Index>::read(text.substr(kName.size()));
    if (most) return ExpectedConversions{*most};
  }
  return fail(Code::bad_option, fmt::format("'{}' is not conversions=N", text), {}, "write conversions=0");
}

int InfoResult::status() const {
  if (const auto* const ttgir = std::get_if<Ttgir>(&content_)) return ttgir->more ? kNo : kDone;
  const auto* const modules = std::get_if<Modules>(&content_);
  return modules != nullptr && has_errors(**modules) ? kBadInput : kDone;
}

Result<std::string> InfoResult::to_text(const Terminal& /*terminal*/) const {
  if (const auto* const listing = std::get_if<TensorListing>(&content_))
    return tessera::to_text(path_, *listing);
  if (const auto* const values = std::get_if<TensorValues>(&content_))
    return tessera::to_text(path_, *values);
  if (const auto* const ttgir = std::get_if<Ttgir>(&content_))
    return tessera::to_text(path_, ttgir->report, ttgir->order);
  std::vector<ModuleInfo> modules;
  for (const HloModule& module : std::get<Modules>(content_)->modules) modules.push_back(info_of(module));
  return tessera::to_text(path_, modules);
}

Result<std::string> InfoResult::to_json() const {
  if (const auto* const listing = std::get_if<TensorListing>(&content_))
    return tessera::to_json(path_, *listing);
  if (const auto* const values = std::get_if<TensorValues>(&content_))
    return tessera::to_json(path_, *values);
  if (const auto* const ttgir = std::get_if<Ttgir>(&content_))
    return tessera::to_json(path_, ttgir->report, ttgir->order);
  std::vector<ModuleInfo> modules;
  for (const HloModule& module : std::get<Modules>(content_)->modules) modules.push_back(info_of(module));
  return tessera::to_json(path_, modules);
}

Result<std::string> InfoResult::to_picture(PictureFormat format) const {
  const auto* const ttgir = std::get_if<Ttgir>(&content_);
  if (ttgir == nullptr || format != PictureFormat::html) return VerbAnswer::to_picture(format);
  return detail::ttgir_page(path_, ttgir->report, ttgir->source->text());
}

Result<InfoResult> info(const InfoRequest& request, Observer& observer) {
  const std::string& path = request.file;
  if (request.text) {
    if (request.values)
      return refuse("values", Code::bad_option, "a text holds no tensor with values",
                    "--values reads .npy, .safetensors and .gguf files");
    return text_info(request, "<text>", std::make_shared<const Source>("<text>", *request.text), observer);
  }
  if (path == "-" && !request.values) return text_info(request, path, observer);
  auto content = content_of(path);
  if (!content) return refuse("file", std::move(content.error()));
  switch (*content) {
    case Content::text:
      if (request.values)
        return refuse("file", Code::bad_option,
                      fmt::format("'{}' is a text, which holds no tensor with values", path),
                      "--values reads .npy, .safetensors and .gguf files");
      return text_info(request, path, observer);
    case Content::zip:
      return refuse("file", Code::bad_file, fmt::format("'{}' is a zip archive, like .npz and .pt", path),
                    fmt::format("unpack it; a .npz holds .npy files: unzip {}", path));
    case Content::unknown:
      return refuse("file", Code::bad_file, fmt::format("the format of '{}' is unknown", path),
                    std::string(kFormats) + "; raw bytes need a layout: tessera copy --from LAYOUT");
    default:
      break;
  }
  if (auto checked = check_without_ttgir(request, path, false); !checked)
    return fail(std::move(checked.error()));
  std::shared_ptr<const Source> header;
  auto listing = list_tensors(path, *content, &header);
  if (!listing && header != nullptr) return in_file(observer, std::move(listing.error()), header);
  if (!listing) return refuse("file", std::move(listing.error()));
  if (!request.values) return InfoResult(path, *std::move(listing));
  const auto& [name, indices] = *request.values;
  auto values = values_of(path, *listing, name, indices);
  if (!values) return fail(std::move(values.error()));
  return InfoResult(path, *std::move(values));
}

}  // namespace tessera::verbs
