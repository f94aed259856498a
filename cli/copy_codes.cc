// SPDX-License-Identifier: Apache-2.0
// The part of `tessera copy` for layouts with names and for --recode.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "cli/copy_request.h"
#include "cli/little_memory.h"
#include "cli/progress.h"
#include "files/metadata.h"
#include "report/copy_answer.h"
#include "text/point.h"
#include "transfer/code_copy.h"
#include "transfer/code_tensor.h"

namespace tessera::cli {
namespace {

// Reports an error at the argument that caused it.
int report_codes(Session& session, const CodesRequest& codes, const Diagnostic& diagnostic) {
  const CopyRequest& request = codes.request;
  switch (diagnostic.code) {
    case Code::shape_mismatch:
    case Code::missing_layout:
    case Code::buffer_too_small:
      return request.from.empty() ? report_failure(session, diagnostic, request.in)
                                  : report_option(session, diagnostic, "--from");
    case Code::different_shape:
    case Code::different_type:
    case Code::broadcast:
    case Code::undecided:
      if (!request.to.empty()) return report_option(session, diagnostic, "--to");
      return request.from.empty() ? report_failure(session, diagnostic, request.in)
                                  : report_option(session, diagnostic, "--from");
    case Code::limit:
      return report_option(session, diagnostic, "--memory");
    case Code::number_range:
    case Code::not_representable:
      return report_failure(session, diagnostic, request.in);
    default:
      return report_failure(session, diagnostic, request.out, request.in == request.out ? 1 : 0);
  }
}

int refuse_plan(Session& session) {
  return report_option(session,
                       {.code = Code::bad_option,
                        .message = "a plan is for layouts of whole bytes without names",
                        .help = "leave --plan out"},
                       "--plan");
}

// Permutes the dimensions of the source.
int apply_axes(Session& session, const std::string& text, CodeSide& source, std::vector<Index>& axes) {
  if (text.empty()) return kDone;
  if (!source.layout.layout) {
    return report_option(
        session,
        {.code = Code::not_applicable,
         .message = fmt::format("'{}' has no cells whose axes could change places", source.text()),
         .help = "write codes of whole bytes first: --to 'pack:low u8[...]'"},
        "--transpose");
  }
  Result<std::vector<Index>> read = parse_point(text);
  if (!read) {
    session.report(read.error(), std::make_shared<const Source>("--transpose", text));
    return kBadInput;
  }
  axes = *std::move(read);
  const auto rank = static_cast<Index>(source.shape().size());
  for (Index& axis : axes) {
    if (axis < 0 && axis >= -rank) axis += rank;  // as NumPy counts
  }
  Result<Layout> turned = transpose(*source.layout.layout, axes);
  if (!turned) return report_option(session, turned.error(), "--transpose");
  source.layout = {.named = {}, .layout = *std::move(turned)};
  return kDone;
}

bool is_gguf(const CodeSide& side) { return side.layout.named && side.layout.named->prefix() == "gguf"; }

// What a block of the target has next to the codes that are written: `d, dmin, sc, mn`.
std::string fields_beside_codes(const CodeSide& side) {
  if (!is_gguf(side) || !side.layout.named->field().empty()) return "";
  const std::string name = "gguf:" + side.layout.named->family();
  std::string out;
  for (const NamedFamilyInfo& family : named_families()) {
    if (family.name != name) continue;
    for (const std::string& field : family.fields) {
      if (!field.starts_with('q') && field != "hmask") out += (out.empty() ? "" : ", ") + field;
    }
  }
  return out;
}

}  // namespace

bool is_code_copy(const CopyRequest& request, const TensorFile& file) {
  return is_named_text(request.from) || is_named_text(request.to) || !request.recode.empty() ||
         named_layout_of(file.tensor()) || (file.format() == FileFormat::gguf && !file.tensor().layout);
}

std::optional<NamedOrLayout> read_side(Session& session, const char* option, const std::string& text,
                                       int& status) {
  if (!is_named_text(text)) {
    const std::optional<Layout> layout = read_layout(session, option, text, status);
    if (!layout) return std::nullopt;
    return NamedOrLayout{.named = {}, .layout = layout};
  }
  Result<NamedOrLayout> side = parse_named_or_layout(text);
  if (side) return *std::move(side);
  status = status_of(side.error());
  session.report(side.error(), std::make_shared<const Source>(option, text));
  return std::nullopt;
}

Result<CopyReport> with_progress(Session& session,
                                 const std::function<Result<CopyReport>(const CopyProgress&)>& copy) {
  std::optional<ProgressBar> bar;
  std::optional<CopyStage> shown;
  const bool visible = !session.options.quiet && !session.is_request();
  return copy([&](CopyStage stage, Progress reached) {
    if (shown != stage) {
      bar.emplace(session.err(), static_cast<std::uint64_t>(reached.total), visible,
                  stage == CopyStage::copy ? ProgressUnit::bytes : ProgressUnit::elements);
      shown = stage;
    }
    bar->advance_to(static_cast<std::uint64_t>(reached.done));
    if (session.progress) {
      session.progress(stage == CopyStage::copy ? "copy" : "verify", static_cast<std::uint64_t>(reached.done),
                       static_cast<std::uint64_t>(reached.total));
    }
  });
}

int copy_codes(Session& session, const CodesRequest& codes) {
  const CopyRequest& request = codes.request;
  if (!request.plan.empty()) return refuse_plan(session);
  std::optional<Recode> recode;
  if (!request.recode.empty()) {
    const Result<Recode> read = parse_recode(request.recode);
    if (!read) {
      session.report(read.error(), std::make_shared<const Source>("--recode", request.recode));
      return status_of(read.error());
    }
    recode = *read;
  }
  Result<CodeSide> source = source_codes(codes.file, codes.from, codes.hint);
  if (!source && source.error().code == Code::bad_option && !request.from.empty())
    return report_option(session, source.error(), "--from");
  if (!source) return report_codes(session, codes, source.error());
  const std::string note = container_note(codes.file, *source);
  if (!note.empty()) session.note(note);
  const CopiedArray stored = copied_array(*source);
  std::vector<Index> axes;
  if (const int status = apply_axes(session, request.transpose, *source, axes); status != kDone)
    return status;
  std::optional<NamedOrLayout> to = codes.to;
  if (const auto order = parse_order(request.to)) {
    const Result<Layout> dense =
        dense_layout(source->type.dtype, source->shape(), *order, source->type.dtype ? source->cell_bits : 8);
    if (!dense) return report_option(session, dense.error(), "--to");
    to = NamedOrLayout{.named = {}, .layout = *dense};
  }
  const Result<CodeSide> destination = destination_codes(*source, to);
  if (!destination) return report_codes(session, codes, destination.error());
  const bool same = source->layout.named && destination->layout.named && !recode &&
                    *source->layout.named == *destination->layout.named;
  if (const std::string lost = same ? "" : fields_beside_codes(*destination); !lost.empty()) {
    if (is_gguf(*source))
      return report_option(
          session,
          {.code = Code::not_representable,
           .message = fmt::format("'{}' names the codes alone: {} would become 0", destination->text(), lost),
           .help = "copy the codes to pack:low, and each field by its name"},
          "--to");
    session.note(fmt::format("'{}' names the codes alone: {} become 0", destination->text(), lost));
  }
  const Result<CodeMover> mover = CodeMover::make(*source, *destination, recode);
  if (!mover) {
    const bool number = mover.error().code == Code::number_range;
    return number ? report_option(session, mover.error(), "--recode")
                  : report_codes(session, codes, mover.error());
  }
  int status = kDone;
  if (!destination->layout.layout && request.fill != "keep" && request.fill != "any" && request.fill != "0") {
    return report_option(session,
                         {.code = Code::bad_option,
                          .message = fmt::format("'{}' has no cells for a fill", destination->text()),
                          .help = "its padding can be 0: leave --fill out"},
                         "--fill");
  }
  const auto fill = read_fill(session, request.fill, destination->type.dtype, destination->cell_bits, status);
  if (!fill) return status;
  const std::unique_ptr<Destination> answer = Destination::open(session, /*html_allowed=*/false, status);
  if (answer == nullptr) return status;
  const CopyOptions options{.padding = fill->padding,
                            .fill = fill->bytes,
                            .threads = request.threads,
                            .memory_bytes = codes.memory_bytes,
                            .verify = request.verify,
                            .force = session.options.force,
                            .resume = request.resume,
                            .dry_run = request.dry_run};
  const Result<CopyReport> report = with_progress(session, [&](const CopyProgress& progress) {
    return in_memory([&] { return tessera::copy_codes(codes.file, *mover, codes.out, options, progress); });
  });
  if (!report) return answer->finish(report_codes(session, codes, report.error()));
  const CopyAnswer text{codes.in,
                        stored,
                        codes.out,
                        copied_array(*destination),
                        *report,
                        axes,
                        recode ? to_string(*recode) : ""};
  const bool json = answer->format() == Format::json;
  if (json || !session.options.quiet || !session.options.output.empty())
    answer->output().write(json ? to_json(text) + "\n" : to_text(text));
  return answer->finish(kDone);
}

}  // namespace tessera::cli
