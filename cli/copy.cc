// SPDX-License-Identifier: Apache-2.0
// `tessera copy`: writes a tensor of a file to another file, in another layout.
#include "tessera/transfer/copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

#include "cli/copy_request.h"
#include "cli/help.h"
#include "cli/little_memory.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "report/copy_answer.h"
#include "tessera/notation/conversion.h"
#include "text/point.h"
#include "transfer/tensor.h"
#include "verbs/byte_size.h"

namespace tessera::cli {
namespace {

std::optional<Index> read_memory(Session& session, const std::string& text, int& status) {
  const std::optional<Index> bytes = verbs::parse_byte_size(text);
  if (bytes && *bytes >= kLeastCopyMemory) return bytes;
  Diagnostic diagnostic{.code = Code::bad_option,
                        .message = bytes ? fmt::format("{} is too little; the minimum is 1M", text)
                                         : fmt::format("'{}' is not a size", text)};
  diagnostic.help = "write a number followed by K, M, G or T: --memory 512M";
  status = report_option(session, std::move(diagnostic), "--memory");
  return std::nullopt;
}

// Reads a plan from a file that `tessera plan` wrote.
std::optional<RelayoutPlan> read_plan(Session& session, const std::string& path, Isa isa, int& status) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    status = report_option(session, file.error(), "--plan");
    return std::nullopt;
  }
  const std::string text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const Result<RelayoutPlan> plan = parse_plan(text, isa);
  if (plan) return *plan;
  status = status_of(plan.error());
  session.report(plan.error(), std::make_shared<const Source>(path, text));
  return std::nullopt;
}

// Reports an error of IN. An error in the header points into the header.
int report_file(Session& session, const CopyRequest& request, Diagnostic diagnostic,
                const std::shared_ptr<const Source>& header) {
  if (header == nullptr) return report_failure(session, std::move(diagnostic), request.in);
  const int status = status_of(diagnostic);
  session.report(std::move(diagnostic), header);
  return status;
}

// Reports an error at OUT, which may have the same text as IN.
int report_out(Session& session, const CopyRequest& request, Diagnostic diagnostic) {
  return report_failure(session, std::move(diagnostic), request.out, request.in == request.out ? 1 : 0);
}

// Reports an error of the copy at the argument that caused it.
int report_copy(Session& session, const CopyRequest& request, const Diagnostic& diagnostic) {
  switch (diagnostic.code) {
    case Code::broadcast:
    case Code::different_shape:
    case Code::different_type:     // also for the elements of a plan
    case Code::unsupported_width:  // width of the destination; read_fill has checked --fill
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

// Reports an error of source_tensor at the argument that caused it.
int report_source(Session& session, const CopyRequest& request, const Diagnostic& diagnostic) {
  if (diagnostic.code == Code::different_type && !request.type.empty())
    return report_option(session, diagnostic, "--type");
  if (diagnostic.code == Code::different_type && request.bytes != 0)
    return report_option(session, diagnostic, "--bytes");
  if (diagnostic.code == Code::missing_layout || (request.from.empty() && !request.has_shape))
    return report_failure(session, diagnostic, request.in);
  if (request.has_shape && diagnostic.code != Code::bad_option)
    return report_option(session, diagnostic, "--shape");
  return report_option(session, diagnostic, "--from");
}

// Refuses streams, because files are mapped and streams cannot be.
std::optional<int> refuse_streams(Session& session, const CopyRequest& request) {
  const std::string help = "write './-' for a file named '-'";
  if (request.in == "-") {
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = "standard input cannot be mapped; name a file for the data",
                           .help = help},
                          request.in);
  }
  if (request.out == "-") {
    return report_out(session, request,
                      {.code = Code::bad_option,
                       .message = "standard output carries the report; name a file for the data",
                       .help = help});
  }
  return std::nullopt;
}

// The help of --transpose for an array of this rank.
std::string axes_help(std::size_t rank) {
  std::vector<Index> reversed = descending_order(rank);
  return fmt::format("name each axis once, as in numpy.transpose; {} reverses them",
                     fmt::join(reversed, ","));
}

bool names_an_npy_array(const std::string& path) {
  const std::size_t hash = path.find('#');
  return hash != std::string::npos && format_of(path.substr(0, hash)) == FileFormat::npy;
}

// The layout of an array without padding, with the shape, type and width of the tensor.
std::optional<Layout> ordered(const Tensor& like, DenseOrder order) {
  const Result<Layout> layout = dense_layout(like.dtype, like.layout.shape(), order, like.element_bits);
  return layout ? std::optional(*layout) : std::nullopt;
}

// The layout of `--from C`, `--from F` or `--shape`: the shape comes from --shape or the header.
std::optional<Layout> ordered_source(Session& session, const CopyRequest& request, const TensorFile& file,
                                     const ElementHint& hint, int& status) {
  const FileTensor& told = file.tensor();
  const std::optional<DenseOrder> order = parse_order(request.from);
  const auto refuse = [&](Diagnostic diagnostic, const char* option) {
    status = report_option(session, std::move(diagnostic), option);
    return std::nullopt;
  };
  if (!order && !request.from.empty()) {
    return refuse({.code = Code::bad_option,
                   .message = "--shape goes with --from C or --from F; a layout has its own shape",
                   .help = "leave out --shape"},
                  "--shape");
  }
  std::vector<Index> shape;
  if (request.has_shape) {
    Result<std::vector<Index>> values = parse_point(request.shape);
    if (!values) {
      status = kBadInput;
      session.report(values.error(), std::make_shared<const Source>("--shape", request.shape));
      return std::nullopt;
    }
    shape = *std::move(values);
  } else if (told.layout) {
    shape.assign(told.layout->shape().begin(), told.layout->shape().end());
  } else {
    return refuse({.code = Code::missing_layout,
                   .message = fmt::format("'{}' has no header with a shape", file.path()),
                   .help = "add the shape: --shape 300,200 --from " + request.from},
                  "--from");
  }
  const std::optional<DType> dtype = hint.dtype ? hint.dtype : told.dtype ? told.dtype : hint.fallback_dtype;
  const Result<Layout> layout = dense_layout(dtype, shape, order.value_or(DenseOrder::c), 8);
  if (layout) return *layout;
  return refuse(layout.error(), request.has_shape ? "--shape" : "--from");
}

// The axes of --transpose, counted from 0; empty if there are none.
std::vector<Index> read_axes(Session& session, const CopyRequest& request, std::size_t rank, int& status) {
  if (request.transpose.empty()) return {};
  Result<std::vector<Index>> axes = parse_point(request.transpose);
  if (!axes) {
    status = kBadInput;
    axes.error().help = axes_help(rank);
    session.report(axes.error(), std::make_shared<const Source>("--transpose", request.transpose));
    return {};
  }
  for (Index& axis : *axes) {
    if (axis < 0 && axis >= -static_cast<Index>(rank)) axis += static_cast<Index>(rank);  // as NumPy counts
  }
  return *std::move(axes);
}

// Permutes the dimensions of the source's layout; no element moves.
int apply_axes(Session& session, const std::vector<Index>& axes, Tensor& source) {
  Result<Layout> turned = transpose(source.layout, axes);
  if (turned) {
    source.layout = *std::move(turned);
    return kDone;
  }
  turned.error().help = axes_help(source.layout.rank());
  return report_option(session, turned.error(), "--transpose");
}

int copy(Session& session, const CopyRequest& request) {
  if (request.isa == "list") return list_isas(session, "copy");
  for (const auto& [name, value] : {std::pair("IN", &request.in), std::pair("OUT", &request.out)}) {
    if (!value->empty()) continue;
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = fmt::format("{} is missing", name),
                           .help = "usage: tessera copy [options] IN OUT"},
                          "");
  }
  if (const std::optional<int> refused = refuse_streams(session, request)) return *refused;
  int status = kDone;
  const bool from_order = parse_order(request.from).has_value() || request.has_shape;
  const bool to_order = parse_order(request.to).has_value();
  std::optional<NamedOrLayout> from_side;
  if (!from_order) from_side = read_side(session, "--from", request.from, status);
  std::optional<NamedOrLayout> to_side;
  if (status == kDone && !to_order) to_side = read_side(session, "--to", request.to, status);
  if (status != kDone) return status;
  std::optional<Layout> from = from_side ? from_side->layout : std::nullopt;
  std::optional<Layout> to = to_side ? to_side->layout : std::nullopt;
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
         .message = fmt::format("--tensor names '{}', but IN names '{}'", request.tensor, in.tensor),
         .help = "leave one of them out"},
        "--tensor");
  }
  if (!request.tensor.empty()) in.tensor = request.tensor;
  const TensorPath out = parse_tensor_path(request.out);
  if (names_an_npy_array(request.out)) {
    return report_out(session, request,
                      {.code = Code::bad_option,
                       .message = "a .npy file holds one array, which has no name",
                       .help = "leave out the name after .npy, or write a .safetensors file"});
  }
  std::shared_ptr<const Source> header;
  const Result<TensorFile> file = TensorFile::open(in, &header);
  if (!file) return report_file(session, request, file.error(), header);
  if (from_order) from = ordered_source(session, request, *file, *hint, status);
  if (status != kDone) return status;
  if (is_code_copy(request, *file)) {
    if (from_order) from_side = NamedOrLayout{.named = {}, .layout = from};
    return copy_codes(session, {request, *file, in, out, from_side, to_side, *hint, *memory});
  }
  Result<Tensor> source = detail::source_tensor(*file, from, *hint, request.has_shape ? "--shape" : "--from");
  if (!source) return report_source(session, request, source.error());
  const Layout stored = source->layout;
  const std::vector<Index> axes = read_axes(session, request, source->layout.rank(), status);
  if (status == kDone && !axes.empty()) status = apply_axes(session, axes, *source);
  if (status != kDone) return status;
  if (to_order) to = ordered(*source, *parse_order(request.to));
  const Result<Tensor> destination = destination_tensor(*source, to);
  if (!destination) return report_copy(session, request, destination.error());
  const Index bits =
      destination->is_packed() ? destination->element_bits : 8 * moved_bytes(*source, *destination);
  const std::optional<PaddingFill> fill = read_fill(session, request.fill, destination->dtype, bits, status);
  if (!fill) return status;

  std::optional<RelayoutPlan> plan;
  if (!request.plan.empty()) plan = read_plan(session, request.plan, *isa, status);
  if (status != kDone) return status;

  // Open the report's file first, so that nothing is copied if that fails.
  const std::unique_ptr<Destination> answer = Destination::open(session, /*html_allowed=*/false, status);
  if (answer == nullptr) return status;
  const CopyOptions options{.padding = fill->padding,
                            .fill = fill->bytes,
                            .isa = *isa,
                            .threads = request.threads,
                            .memory_bytes = *memory,
                            .verify = request.verify,
                            .force = session.options.force,
                            .resume = request.resume,
                            .dry_run = request.dry_run,
                            .plan = plan};
  const Result<CopyReport> report = with_progress(session, [&](const CopyProgress& progress) {
    return in_memory([&] { return copy_tensor(*file, *source, *destination, out, options, progress); });
  });
  if (!report) {
    status = report_copy(session, request, report.error());
    return answer->finish(status);
  }
  source->layout = stored;
  const CopyAnswer text{in, copied_array(*source), out, copied_array(*destination), *report, axes};
  const bool json = answer->format() == Format::json;
  if (json || !session.options.quiet || !session.options.output.empty())
    answer->output().write(json ? to_json(text) + "\n" : to_text(text));
  return answer->finish(kDone);
}

}  // namespace

void add_copy(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("copy", "move a tensor between files and layouts");
  auto request = std::make_shared<CopyRequest>();
  verb->add_option("IN", request->in,
                   "the file to read: .npy, .safetensors or .gguf (FILE#TENSOR), or raw bytes")
      ->group(kNeeded);
  verb->add_option("OUT", request->out, "the file to write, in the format of its extension")->group(kNeeded);
  add_tensor_options(*verb, *request);
  verb->get_option("--from")->description(
      "the layout of IN, or one of NumPy's orders, C or F, for the shape in the header or --shape");
  verb->get_option("--to")->description("the layout of OUT, or one of NumPy's orders, C (the default) or F");
  verb->add_option("--shape", request->shape,
                   "the shape of raw data whose order is --from C (the default) or F")
      ->type_name("SHAPE");
  verb->add_option("--transpose", request->transpose,
                   "permute the axes as numpy.transpose does: axis i of OUT is axis AXES[i] of IN")
      ->type_name("AXES");
  verb->add_option("--tensor", request->tensor, "the tensor of a .safetensors or .gguf file to read")
      ->type_name("NAME");
  verb->add_option("--memory", request->memory,
                   "limit for buffers and resident pages of the files: 512M, 4G (default: 1G)")
      ->type_name("SIZE");
  verb->add_option("--plan", request->plan,
                   "run the plan in this file, from `tessera plan`, if it is proved for the layouts")
      ->type_name("FILE");
  verb->add_option("--recode", request->recode,
                   "change each code: add=C (modulo 2^bits) or xor=C; add=1 for zero points stored minus one")
      ->type_name("add=C|xor=C");
  verb->add_flag("--verify", request->verify, "compare the result with the source before the file appears");
  verb->add_flag("--dry-run", request->dry_run, "plan and check the copy; write nothing");
  verb->add_flag("--resume", request->resume, "continue a copy that was interrupted");
  add_common_options(*verb, session);
  verb->footer(
      "A header makes --from unnecessary; if given, it must agree. Without --to the result is row-major.\n"
      "OUT appears whole or not at all; --force replaces an existing file.\n"
      "\n"
      "Examples:\n"
      "  head -c 96 /dev/zero > a.raw; tessera copy a.raw b.npy --from 'f32[4,6]{1,0}' --verify\n"
      "  head -c 96 /dev/zero > c.raw; tessera copy c.raw d.raw --from 'f32[4,6]{1,0}' --to "
      "'f32[4,6]{1,0:T(2,4)}' "
      "--fill -1\n"
      "  head -c 96 /dev/zero > e.raw; tessera copy e.raw e.npy --shape 4,6 --type f32 --transpose 1,0 --to "
      "F\n"
      "  tessera copy --isa list");
  verb->callback([&session, request, verb] {
    request->has_shape = verb->get_option("--shape")->count() > 0;
    session.action = [&session, request] { return copy(session, *request); };
  });
}

}  // namespace tessera::cli
