// SPDX-License-Identifier: Apache-2.0
#include "verbs/copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "report/exit_status.h"
#include "tessera/notation/conversion.h"
#include "transfer/tensor.h"
#include "verbs/column_major.h"
#include "verbs/copy_codes.h"
#include "verbs/program.h"
#include "verbs/register_plan.h"

namespace tessera::verbs {
namespace {

// Reads a plan from a file that `tessera plan` wrote.
Result<RelayoutPlan> read_plan(const std::string& path, Isa isa, Observer& observer) {
  auto file = MappedFile::open(path);
  if (!file) return refuse("plan", std::move(file.error()));
  std::string text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  auto plan = parse_plan(text, isa);
  if (plan) return plan;
  return in_file(observer, std::move(plan.error()), std::make_shared<const Source>(path, std::move(text)));
}

// Refuses streams, because files are mapped and streams cannot be.
Result<void> check_files(const CopyRequest& request) {
  constexpr const char* kUsage = "usage: tessera copy [options] IN OUT";
  constexpr const char* kHelp = "write './-' for a file named '-'";
  if (request.in.empty()) return refuse("in", Code::bad_option, "IN is missing", kUsage);
  if (request.out.empty()) return refuse("out", Code::bad_option, "OUT is missing", kUsage);
  if (request.in == "-")
    return refuse("in", Code::bad_option, "standard input cannot be mapped; name a file for the data", kHelp);
  if (request.out == "-")
    return refuse("out", Code::bad_option, "standard output carries the report; name a file for the data",
                  kHelp);
  return {};
}

// The help of --transpose for an array of this rank.
std::string axes_help(std::size_t rank) {
  return fmt::format("name each axis once, as in numpy.transpose; {} reverses them",
                     fmt::join(descending_order(rank), ","));
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
Result<Layout> ordered_source(const CopyRequest& request, const TensorFile& file, const ElementHint& hint) {
  const FileTensor& told = file.tensor();
  const std::optional<DenseOrder> order = order_of(request.from);
  if (!order && request.from)
    return refuse("shape", Code::bad_option,
                  "--shape goes with --from C or --from F; a layout has its own shape", "leave out --shape");
  std::vector<Index> shape;
  if (request.shape) {
    shape = request.shape->values;
  } else if (told.layout) {
    shape.assign(told.layout->shape().begin(), told.layout->shape().end());
  } else {
    return refuse("from", Code::missing_layout, fmt::format("'{}' has no header with a shape", file.path()),
                  "add the shape: --shape 300,200 --from " + request.from->text);
  }
  const std::optional<DType> dtype = hint.dtype ? hint.dtype : told.dtype ? told.dtype : hint.fallback_dtype;
  Result<Layout> layout = dense_layout(dtype, shape, order.value_or(DenseOrder::c), 8);
  if (layout) return layout;
  return refuse(request.shape ? "shape" : "from", std::move(layout.error()));
}

// Copies an array of whole elements.
Result<CopyResult> copy_array(const CopyRequest& request, const TensorFile& file, const TensorPath& in,
                              const TensorPath& out, const std::optional<Layout>& from,
                              const ElementHint& hint, Isa isa, Observer& observer) {
  auto source = detail::source_tensor(file, from, hint, request.shape ? "shape" : "from");
  if (!source) return refuse_copy(request, std::move(source.error()));
  const Layout stored = source->layout;
  std::vector<Index> axes;
  if (request.transpose) {
    axes = axes_of(*request.transpose, source->layout.rank());
    auto turned = transpose(source->layout, axes);
    if (!turned) {
      turned.error().help = axes_help(source->layout.rank());
      return refuse("transpose", std::move(turned.error()));
    }
    source->layout = *std::move(turned);
  }
  const std::optional<DenseOrder> order = order_of(request.to);
  const std::optional<NamedOrLayout> side = layout_of(request.to);
  const std::optional<Layout> to = order ? ordered(*source, *order) : side ? side->layout : std::nullopt;
  if (to && are_registers(source->layout) && are_registers(*to)) return no_copy_of_registers("to");
  auto destination = destination_tensor(*source, to);
  if (!destination) return refuse_copy(request, std::move(destination.error()));
  const Index bits =
      destination->is_packed() ? destination->element_bits : 8 * moved_bytes(*source, *destination);
  auto fill = read_fill(request.fill, destination->dtype, bits);
  if (!fill) return fail(std::move(fill.error()));
  std::optional<RelayoutPlan> plan;
  if (!request.plan.empty()) {
    auto read = read_plan(request.plan, isa, observer);
    if (!read) return fail(std::move(read.error()));
    plan = *std::move(read);
  }
  const CopyOptions options{.padding = fill->padding,
                            .fill = fill->bytes,
                            .isa = isa,
                            .threads = static_cast<int>(request.threads),
                            .memory_bytes = request.memory.bytes,
                            .verify = request.verify,
                            .force = request.force,
                            .resume = request.resume,
                            .dry_run = request.dry_run,
                            .plan = std::move(plan)};
  auto report = copy_tensor(file, *source, *destination, out, options, progress_of(observer));
  if (!report) return refuse_copy(request, std::move(report.error()));
  source->layout = stored;
  return CopyResult(
      {in, copied_array(*source), out, copied_array(*destination), *std::move(report), std::move(axes)});
}

}  // namespace

int CopyResult::status() const { return kDone; }

Result<std::string> CopyResult::to_text(const Terminal& /*terminal*/) const {
  return answer_ ? tessera::to_text(*answer_) : isas_text();
}

Result<std::string> CopyResult::to_json() const {
  return answer_ ? tessera::to_json(*answer_) : isas_to_json("copy");
}

Result<CopyResult> copy(const CopyRequest& request, Observer& observer) {
  if (request.isa.list) return CopyResult();
  if (auto checked = check_files(request); !checked) return fail(std::move(checked.error()));
  for (const auto* const side : {&request.from, &request.to})
    if (*side)
      if (const std::string note = column_major_note((*side)->text); !note.empty()) observer.noted(note);
  const bool from_order = order_of(request.from).has_value() || request.shape.has_value();
  std::optional<NamedOrLayout> from_side = from_order ? std::nullopt : layout_of(request.from);
  const std::optional<NamedOrLayout> to_side = layout_of(request.to);
  const ElementHint hint = request.hint(to_side ? to_side->layout : std::nullopt);
  auto isa = chosen_isa(request.isa);
  if (!isa) return fail(std::move(isa.error()));

  TensorPath in = parse_tensor_path(request.in);
  if (!request.tensor.empty() && !in.tensor.empty() && in.tensor != request.tensor)
    return refuse("tensor", Code::bad_option,
                  fmt::format("--tensor names '{}', but IN names '{}'", request.tensor, in.tensor),
                  "leave one of them out");
  if (!request.tensor.empty()) in.tensor = request.tensor;
  const TensorPath out = parse_tensor_path(request.out);
  if (names_an_npy_array(request.out))
    return refuse("out", Code::bad_option, "a .npy file holds one array, which has no name",
                  "leave out the name after .npy, or write a .safetensors file");
  std::shared_ptr<const Source> header;
  auto file = TensorFile::open(in, &header);
  if (!file && header != nullptr) return in_file(observer, std::move(file.error()), header);
  if (!file) return refuse("in", std::move(file.error()));
  std::optional<Layout> from = from_side ? from_side->layout : std::nullopt;
  if (from_order) {
    auto ordered = ordered_source(request, *file, hint);
    if (!ordered) return fail(std::move(ordered.error()));
    from = *std::move(ordered);
  }
  if (!is_code_copy(request, *file)) return copy_array(request, *file, in, out, from, hint, *isa, observer);
  if (from_order) from_side = NamedOrLayout{.named = {}, .layout = from};
  return copy_codes({request, *file, in, out, std::move(from_side)}, observer);
}

}  // namespace tessera::verbs
