// SPDX-License-Identifier: Apache-2.0
#include "tessera/transfer/copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/at_fault.h"
#include "base/cancellation.h"
#include "base/plural.h"
#include "base/try.h"
#include "files/packed_elements.h"
#include "tessera/notation/layout.h"
#include "transfer/banded_tensor.h"
#include "transfer/cell_mover.h"
#include "transfer/code_side.h"
#include "transfer/copy_run.h"
#include "transfer/replaced_file.h"

namespace tessera {
namespace {

// Names the element of a cell by its index, which is the same in the source.
Failure does_not_fit(const Tensor& tensor, Index offset) {
  const Result<Preimage> found = indices_at(tensor.layout, offset, {.indices = 1});
  const std::string name = found && !found->indices.empty()
                               ? fmt::format("element ({})", fmt::join(found->indices[0], ", "))
                               : fmt::format("the element for offset {} of the destination", offset);
  const int bits = static_cast<int>(tensor.element_bits);
  const bool is_signed = packing_of(tensor).is_signed;
  return fail(detail::at_fault(
      "in", {.code = Code::number_range,
             .message = fmt::format("{} does not fit in {}", name, detail::plural(bits, "bit")),
             .help = fmt::format("{} hold{} {} to {}; without E({}) in --to an element is a byte",
                                 detail::plural(bits, "bit"), bits == 1 ? "s" : "",
                                 is_signed ? -(1 << (bits - 1)) : 0, (1 << (is_signed ? bits - 1 : bits)) - 1,
                                 bits)}));
}

Result<void> check_fill(const CopyOptions& options, const Tensor& destination, Index width) {
  if (options.padding != Padding::value) return {};
  // make_plan refuses this too: the rest of a wider element would be undefined.
  if (width > std::ssize(options.fill)) {
    return fail(Code::unsupported_width,
                fmt::format("padding can be set only for elements of at most 16 bytes, not {}", width), {},
                "keep the padding, or set it to 0");
  }
  if (!destination.is_packed()) return {};
  Packer packer(packing_of(destination));
  std::byte cell[] = {options.fill[0]};
  packer.pack(cell);
  if (!packer.misfit()) return {};
  return fail(Code::number_range, fmt::format("the fill 0x{:02x} does not fit in an element of {}",
                                              std::to_integer<unsigned>(options.fill[0]),
                                              detail::plural(destination.element_bits, "bit")));
}

}  // namespace

Result<CopyReport> copy_tensor(const TensorFile& file, const Tensor& source, const Tensor& destination,
                               const TensorPath& path, const CopyOptions& options,
                               const CopyProgress& progress) {
  transfer::CopyWork work{.started = std::chrono::steady_clock::now()};
  TESSERA_TRY(bytes, detail::at_fault("to", file_bytes(destination.layout, destination.element_bits)));
  TESSERA_TRY(header, file_header(format_of(path.path),
                                  {.name = path.tensor.empty() ? file.tensor().name : path.tensor,
                                   .dtype = destination.dtype,
                                   .element_bits = destination.element_bits,
                                   .layout = destination.layout,
                                   .end = bytes}));
  TESSERA_TRY(offsets, detail::at_fault("to", destination.layout.buffer_size()));
  const Index width = moved_bytes(source, destination);
  TESSERA_NEED(detail::at_fault("fill", check_fill(options, destination, width)));
  TESSERA_NEED(transfer::check_replaced(path, options));
  transfer::BandedCells cells{.count = offsets,
                              .bits = destination.element_bits,
                              .memory_bits = width * 8,
                              .prefix = prefix_bytes(destination.layout),
                              .any = options.padding == Padding::any};
  cells.bytes = bytes - cells.prefix;
  cells.most = std::min(std::max<Index>(offsets, 1), std::max<Index>(1, options.memory_bytes / 2 / width));
  const auto prefix = static_cast<std::size_t>(prefix_bytes(source.layout));
  TESSERA_TRY(mover,
              transfer::CellMover::make({file, source, destination, file.data().subspan(prefix), options},
                                        offsets, cells.most));
  cells.padded = source.layout.size() * destination.element_bits != cells.bytes * 8;
  if (options.padding == Padding::value)
    cells.fill.assign(options.fill.begin(), options.fill.begin() + width);
  cells.old = transfer::old_contents(path, options, bytes);
  if (destination.is_packed()) cells.packing = packing_of(destination);
  cells.misfit = [&destination](Index offset) { return does_not_fit(destination, offset); };
  work.header = std::move(header);
  work.elements = source.layout.size();
  work.bytes = bytes;
  work.bands = std::ssize(mover->bands());
  work.by_element = mover->by_element();
  work.sides = fmt::format("{} {}\n{} {} {}", to_string(source.layout), source.element_bits,
                           to_string(destination.layout), destination.element_bits,
                           destination.dtype ? to_string(*destination.dtype) : "");
  work.maker = std::make_unique<transfer::BandedTensor>(std::move(cells), std::move(mover),
                                                        transfer::verify_stage(progress));
  return transfer::run_copy(file, path, std::move(work), options, progress);
}

CancelScope::CancelScope(std::function<bool()> wanted)
    : state_(std::make_unique<detail::Cancellation>(std::move(wanted))) {}

CancelScope::~CancelScope() = default;

bool CancelScope::stopped() const { return state_->cancelled(); }

}  // namespace tessera
