// SPDX-License-Identifier: Apache-2.0
#include "verbs/copy_codes.h"

#include <fmt/format.h>

#include <utility>

#include "files/metadata.h"
#include "files/packed_elements.h"
#include "notation/named/block_fields.h"
#include "transfer/code_copy.h"
#include "transfer/code_tensor.h"

namespace tessera::verbs {
namespace {

// Permutes the dimensions of the source.
Result<std::vector<Index>> apply_axes(const std::optional<PointList>& given, CodeSide& source) {
  if (!given) return std::vector<Index>();
  if (!source.layout.layout)
    return refuse("transpose", Code::not_applicable,
                  fmt::format("'{}' has no cells whose axes could change places", source.text()),
                  "write codes of whole bytes first: --to 'pack:low u8[...]'");
  std::vector<Index> axes = axes_of(*given, source.shape().size());
  auto turned = transpose(*source.layout.layout, axes);
  if (!turned) return refuse("transpose", std::move(turned.error()));
  source.layout = {.named = {}, .layout = *std::move(turned)};
  return axes;
}

bool is_gguf(const CodeSide& side) { return side.layout.named && side.layout.named->prefix() == "gguf"; }

std::string fields_beside_codes(const CodeSide& side) {
  return side.layout.named ? detail::fields_beside_codes(*side.layout.named) : "";
}

bool is_cell_width(Index bits) { return bits >= 8 || bits == 0 || Packing::valid(bits); }

// The side to write.
Result<CodeSide> destination_of(const CopyRequest& request, const CodeSide& source, Observer& observer) {
  std::optional<NamedOrLayout> to = layout_of(request.to);
  if (const auto order = order_of(request.to)) {
    auto dense =
        dense_layout(source.type.dtype, source.shape(), *order, source.type.dtype ? source.cell_bits : 8);
    if (!dense) return refuse("to", std::move(dense.error()));
    to = NamedOrLayout{.named = {}, .layout = *std::move(dense)};
  }
  auto destination = destination_codes(source, to);
  if (!destination) return refuse_copy(request, std::move(destination.error()));
  // A copy to the same layout keeps whole blocks.
  const bool same = source.layout.named && destination->layout.named && !request.recode &&
                    *source.layout.named == *destination->layout.named;
  const std::string lost = same ? "" : fields_beside_codes(*destination);
  if (lost.empty()) return destination;
  if (is_gguf(source))
    return refuse("to", Code::not_representable,
                  fmt::format("'{}' names the codes alone: {} would become 0", destination->text(), lost),
                  "copy the codes to pack:low, and each field by its name");
  observer.noted(fmt::format("'{}' names the codes alone: {} become 0", destination->text(), lost));
  return destination;
}

}  // namespace

Failure refuse_copy(const CopyRequest& request, Diagnostic error) {
  std::string_view field = error.field.empty() ? "out" : error.field;
  // A side that is not given follows from the source.
  if (field == "to" && !request.to) field = "from";
  if (field == "from" && !request.from) field = request.shape ? "shape" : "in";
  return refuse(field, std::move(error));
}

CopyProgress progress_of(Observer& observer) {
  return [&observer](CopyStage stage, Progress reached) {
    observer.advanced(stage == CopyStage::copy ? "copy" : "verify", static_cast<std::uint64_t>(reached.done),
                      static_cast<std::uint64_t>(reached.total));
  };
}

std::optional<DenseOrder> order_of(const std::optional<Given<NamedOrOrder>>& side) {
  const auto* const order = side ? std::get_if<DenseOrder>(&side->value) : nullptr;
  return order != nullptr ? std::optional(*order) : std::nullopt;
}

std::optional<NamedOrLayout> layout_of(const std::optional<Given<NamedOrOrder>>& side) {
  const auto* const layout = side ? std::get_if<NamedOrLayout>(&side->value) : nullptr;
  return layout != nullptr ? std::optional(*layout) : std::nullopt;
}

std::vector<Index> axes_of(const PointList& axes, std::size_t rank) {
  std::vector<Index> out = axes.values;
  const auto count = static_cast<Index>(rank);
  for (Index& axis : out) {
    if (axis < 0 && axis >= -count) axis += count;  // as NumPy counts
  }
  return out;
}

bool is_code_copy(const CopyRequest& request, const TensorFile& file) {
  const auto named = [](const std::optional<Given<NamedOrOrder>>& side) {
    return side && is_named_text(side->text);
  };
  // Elements of 3, 5, 6 and 7 bits move as codes.
  const auto splits_bytes = [](const std::optional<Given<NamedOrOrder>>& side) {
    const auto given = layout_of(side);
    const std::optional<Layout> layout = given ? given->layout : std::nullopt;
    return layout && layout->dtype() && !is_cell_width(memory_bits(*layout, *layout->dtype()));
  };
  return named(request.from) || named(request.to) || request.recode || splits_bytes(request.from) ||
         splits_bytes(request.to) || !is_cell_width(file.tensor().element_bits) ||
         named_layout_of(file.tensor()) || (file.format() == FileFormat::gguf && !file.tensor().layout);
}

Result<CopyResult> copy_codes(const CodesCopy& codes, Observer& observer) {
  const CopyRequest& request = codes.request;
  if (!request.plan.empty())
    return refuse("plan", Code::bad_option, "a plan is for layouts of whole bytes without names",
                  "leave --plan out");
  const std::optional<Recode> recode = request.recode ? std::optional(request.recode->value) : std::nullopt;
  const std::optional<NamedOrLayout> to = layout_of(request.to);
  auto source = source_codes(codes.file, codes.from, request.hint(to ? to->layout : std::nullopt));
  if (!source) return refuse_copy(request, std::move(source.error()));
  if (const std::string note = container_note(codes.file, *source); !note.empty()) observer.noted(note);
  const CopiedArray stored = copied_array(*source);
  auto axes = apply_axes(request.transpose, *source);
  if (!axes) return fail(std::move(axes.error()));
  auto destination = destination_of(request, *source, observer);
  if (!destination) return fail(std::move(destination.error()));
  auto mover = CodeMover::make(*source, *destination, recode);
  if (!mover) return refuse_copy(request, std::move(mover.error()));
  if (!destination->layout.layout && request.fill != "keep" && request.fill != "any" && request.fill != "0")
    return refuse("fill", Code::bad_option, fmt::format("'{}' has no cells for a fill", destination->text()),
                  "its padding can be 0: leave --fill out");
  auto fill = read_fill(request.fill, destination->type.dtype, destination->cell_bits);
  if (!fill) return fail(std::move(fill.error()));
  // A name says where codes are, so the bits between them in a replaced file do not belong to the array.
  const bool zero = fill->padding == Padding::keep && destination->layout.named;
  const CopyOptions options{.padding = zero ? Padding::zero : fill->padding,
                            .fill = fill->bytes,
                            .threads = static_cast<int>(request.threads),
                            .memory_bytes = request.memory.bytes,
                            .verify = request.verify,
                            .force = request.force,
                            .resume = request.resume,
                            .dry_run = request.dry_run};
  auto report = tessera::copy_codes(codes.file, *mover, codes.out, options, progress_of(observer));
  if (!report) return refuse_copy(request, std::move(report.error()));
  return CopyResult({codes.in, stored, codes.out, copied_array(*destination), *std::move(report),
                     *std::move(axes), recode ? to_string(*recode) : ""});
}

}  // namespace tessera::verbs
