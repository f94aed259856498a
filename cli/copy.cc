// SPDX-License-Identifier: Apache-2.0
// `tessera copy`: a tensor of a file to another file, in another layout.
#include "tessera/transfer/copy.h"

#include <fmt/core.h>

#include <charconv>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/help.h"
#include "cli/progress.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "tessera/report/copy_answer.h"

namespace tessera::cli {
namespace {

struct Request : TensorOptions {
  std::string in;
  std::string out;
  std::string tensor;
  std::string memory = "1G";
  std::string plan;
  bool verify = false;
};

// `512M`: bytes, or KiB, MiB, GiB, TiB by their letters.
std::optional<Index> parse_size(std::string_view text) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || value < 0) return std::nullopt;
  constexpr std::string_view kUnits = "KMGT";
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  if (unit.empty()) return value;
  const std::size_t power = kUnits.find(unit.front());
  if (power == kUnits.npos || (unit.size() > 1 && unit.substr(1) != "iB")) return std::nullopt;
  return checked_mul(value, Index{1} << (10 * (power + 1)));
}

std::optional<Index> read_memory(Session& session, const std::string& text, int& status) {
  const std::optional<Index> bytes = parse_size(text);
  if (bytes && *bytes >= kLeastCopyMemory) return bytes;
  Diagnostic diagnostic{.code = Code::bad_option,
                        .message = bytes ? fmt::format("{} is less than the least bound, 1M", text)
                                         : fmt::format("'{}' is not a size", text)};
  diagnostic.help = "write a number with K, M, G or T behind it: --memory 512M";
  status = report_option(session, std::move(diagnostic), "--memory");
  return std::nullopt;
}

// The plan in a file, as `tessera plan` wrote it.
std::optional<RelayoutPlan> read_plan(Session& session, const std::string& path, Isa isa, int& status) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    status = report_option(session, file.error(), "--plan");
    return std::nullopt;
  }
  const std::string text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const Result<RelayoutPlan> plan = parse_plan(text, isa);
  if (plan) return *plan;
  status = status_of(plan.error().code);
  session.report(plan.error(), std::make_shared<const Source>(path, text));
  return std::nullopt;
}

// Memory that there is not, and threads that it is not enough for, come as exceptions out of the libraries.
Result<CopyReport> copy_in_memory(const TensorFile& file, const Tensor& source, const Tensor& destination,
                                  const TensorPath& out, const CopyOptions& options,
                                  const CopyProgress& progress) {
  const auto too_little = [](std::string message) {
    return fail(Code::limit, std::move(message), {},
                "give less with --memory, or fewer --threads; ulimit -v says how much the program may have");
  };
  try {
    return copy_tensor(file, source, destination, out, options, progress);
  } catch (const std::bad_alloc&) {
    return too_little("out of memory");
  } catch (const std::runtime_error& error) {
    return too_little(error.what());
  }
}

// A refusal by the file's header stands under the header's own text.
int report_file(Session& session, const Request& request, Diagnostic diagnostic,
                const std::shared_ptr<const Source>& header) {
  if (header == nullptr) return report_failure(session, std::move(diagnostic), request.in);
  const int status = status_of(diagnostic.code);
  session.report(std::move(diagnostic), header);
  return status;
}

// Reports a refusal under OUT, which may be spelled as IN is.
int report_out(Session& session, const Request& request, Diagnostic diagnostic) {
  return report_failure(session, std::move(diagnostic), request.out, request.in == request.out ? 1 : 0);
}

// Reports a refusal of the copy under the argument that it is about.
int report_copy(Session& session, const Request& request, const Diagnostic& diagnostic) {
  switch (diagnostic.code) {
    case Code::broadcast:
    case Code::different_shape:
    case Code::different_type:     // or a plan's elements
    case Code::unsupported_width:  // of the destination; read_fill has looked at --fill
    case Code::not_applicable:
    case Code::overflow:
      if (!request.plan.empty()) return report_option(session, diagnostic, "--plan");
      if (!request.to.empty()) return report_option(session, diagnostic, "--to");
      return report_failure(session, diagnostic, request.in);
    case Code::verify_failed:
    case Code::undecided:
    case Code::limit:
      if (request.plan.empty()) return report_out(session, request, diagnostic);
      return report_option(session, diagnostic, "--plan");
    case Code::number_range:
      return report_failure(session, diagnostic, request.in);
    case Code::bad_option:
      if (diagnostic.reason == "padding") return report_option(session, diagnostic, "--plan");
      return report_out(session, request, diagnostic);
    default:
      return report_out(session, request, diagnostic);
  }
}

// The same for a refusal of the source.
int report_source(Session& session, const Request& request, const Diagnostic& diagnostic) {
  if (diagnostic.code == Code::different_type && !request.type.empty())
    return report_option(session, diagnostic, "--type");
  if (diagnostic.code == Code::different_type && request.bytes != 0)
    return report_option(session, diagnostic, "--bytes");
  if (diagnostic.code == Code::missing_layout || request.from.empty())
    return report_failure(session, diagnostic, request.in);
  return report_option(session, diagnostic, "--from");
}

// Files are mapped and named; streams are neither.
std::optional<int> refuse_streams(Session& session, const Request& request) {
  const std::string help = "the file '-' itself is './-'";
  if (request.in == "-") {
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = "standard input cannot be mapped, as files are",
                           .help = "write the bytes to a file first; " + help},
                          request.in);
  }
  if (request.out == "-") {
    return report_out(session, request,
                      {.code = Code::bad_option,
                       .message = "standard output is for what is told of the copy",
                       .help = "name a file; " + help});
  }
  return std::nullopt;
}

bool names_an_npy_array(const std::string& path) {
  const std::size_t hash = path.find('#');
  return hash != std::string::npos && format_of(path.substr(0, hash)) == FileFormat::npy;
}

int copy(Session& session, const Request& request) {
  if (request.isa == "list") return list_isas(session);
  for (const auto& [name, value] : {std::pair("IN", &request.in), std::pair("OUT", &request.out)}) {
    if (!value->empty()) continue;
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = fmt::format("{} is missing", name),
                           .help = "the usage is: tessera copy [options] IN OUT"},
                          "");
  }
  if (const std::optional<int> refused = refuse_streams(session, request)) return *refused;
  int status = kDone;
  const std::optional<Layout> from = read_layout(session, "--from", request.from, status);
  const std::optional<Layout> to =
      status == kDone ? read_layout(session, "--to", request.to, status) : std::nullopt;
  if (status != kDone) return status;
  const std::optional<ElementHint> hint = read_hint(session, request, to, status);
  const std::optional<Isa> isa = status == kDone ? read_isa(session, request.isa, status) : std::nullopt;
  const std::optional<Index> memory =
      status == kDone ? read_memory(session, request.memory, status) : std::nullopt;
  if (status != kDone) return status;

  TensorPath in = parse_tensor_path(request.in);
  if (!request.tensor.empty() && !in.tensor.empty() && in.tensor != request.tensor) {
    return report_option(
        session,
        {.code = Code::bad_option,
         .message = fmt::format("--tensor says '{}', and IN says '{}'", request.tensor, in.tensor),
         .help = "leave one of them out"},
        "--tensor");
  }
  if (!request.tensor.empty()) in.tensor = request.tensor;
  const TensorPath out = parse_tensor_path(request.out);
  if (names_an_npy_array(request.out)) {
    return report_out(session, request,
                      {.code = Code::bad_option,
                       .message = "a .npy file holds one array, which has no name",
                       .help = "leave out what stands behind .npy, or write a .safetensors file"});
  }
  std::shared_ptr<const Source> header;
  const Result<TensorFile> file = TensorFile::open(in, &header);
  if (!file) return report_file(session, request, file.error(), header);
  const Result<Tensor> source = source_tensor(*file, from, *hint);
  if (!source) return report_source(session, request, source.error());
  const Result<Tensor> destination = destination_tensor(*source, to);
  if (!destination) return report_copy(session, request, destination.error());
  const Index bits =
      destination->is_packed() ? destination->element_bits : 8 * moved_bytes(*source, *destination);
  const std::optional<Fill> fill = read_fill(session, request.fill, destination->dtype, bits, status);
  if (!fill) return status;

  std::optional<RelayoutPlan> plan;
  if (!request.plan.empty()) plan = read_plan(session, request.plan, *isa, status);
  if (status != kDone) return status;

  // The report's own file is opened first: what cannot be told is not begun.
  const std::unique_ptr<Destination> answer = Destination::open(session, /*html_allowed=*/false, status);
  if (answer == nullptr) return status;
  const CopyOptions options{.padding = fill->padding,
                            .fill = fill->bytes,
                            .isa = *isa,
                            .threads = request.threads,
                            .memory_bytes = *memory,
                            .verify = request.verify,
                            .force = session.options.force,
                            .plan = plan};
  std::optional<Progress> bar;
  std::optional<CopyStage> shown;
  const bool visible = !session.options.quiet && !session.is_request();
  const CopyProgress progress = [&](CopyStage stage, Index done, Index total) {
    if (shown != stage) {
      bar.emplace(session.err(), static_cast<std::uint64_t>(total), visible,
                  stage == CopyStage::copy ? ProgressUnit::bytes : ProgressUnit::elements);
      shown = stage;
    }
    bar->advance_to(static_cast<std::uint64_t>(done));
  };
  const Result<CopyReport> report = copy_in_memory(*file, *source, *destination, out, options, progress);
  bar.reset();
  if (!report) {
    status = report_copy(session, request, report.error());
    return answer->finish(status);
  }
  const CopyAnswer text{in, *source, out, *destination, *report};
  answer->output().write(answer->format() == Format::json ? to_json(text) + "\n" : to_text(text));
  return answer->finish(kDone);
}

}  // namespace

void add_copy(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("copy", "move a tensor between files and layouts");
  auto request = std::make_shared<Request>();
  verb->add_option("IN", request->in, "the file that is read: .npy, .safetensors (FILE#TENSOR), or raw bytes")
      ->group(kNeeded);
  verb->add_option("OUT", request->out, "the file that is written, in the format of its extension")
      ->group(kNeeded);
  add_tensor_options(*verb, *request);
  verb->add_option("--tensor", request->tensor, "which tensor of a .safetensors file is read")
      ->type_name("NAME");
  verb->add_option("--memory", request->memory,
                   "most memory for buffers and for pages of the files: 512M, 4G; 1G is the default")
      ->type_name("SIZE");
  verb->add_option(
          "--plan", request->plan,
          "run the plan in this file, as `tessera plan` prints it, once it is proved for the layouts")
      ->type_name("FILE");
  verb->add_flag("--verify", request->verify, "compare the result with the source before it gets its name");
  add_common_options(*verb, session);
  verb->footer(
      "--from may be left out where the header says the layout, and must agree with it. Without --to the "
      "result is\n"
      "row-major. The file appears whole or not at all; an old one is only replaced with --force.\n"
      "\n"
      "Examples:\n"
      "  head -c 96 /dev/zero > a.raw; tessera copy a.raw b.npy --from 'f32[4,6]{1,0}' --verify\n"
      "  head -c 96 /dev/zero > c.raw; tessera copy c.raw d.raw --from 'f32[4,6]{1,0}' --to "
      "'f32[4,6]{1,0:T(2,4)}' "
      "--fill -1\n"
      "  tessera copy --isa list");
  verb->callback(
      [&session, request] { session.action = [&session, request] { return copy(session, *request); }; });
}

}  // namespace tessera::cli
