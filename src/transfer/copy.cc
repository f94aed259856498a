// SPDX-License-Identifier: Apache-2.0
#include "tessera/transfer/copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "base/cancellation.h"
#include "base/plural.h"
#include "files/file_writer.h"
#include "files/packed_elements.h"
#include "tessera/notation/layout.h"
#include "transfer/band_memory.h"
#include "transfer/band_mover.h"
#include "transfer/element_reader.h"
#include "transfer/replaced_file.h"

namespace tessera {
namespace {

using transfer::Band;
using transfer::band_memory;
using transfer::BandMover;
using transfer::Job;
using transfer::packing_of;

// The contents of padding, written before the elements are moved.
class Background {
 public:
  Background(const Job& job, Index width, std::optional<TensorFile> old)
      : job_(job),
        width_(width),
        prefix_(static_cast<std::size_t>(prefix_bytes(job.destination.layout))),
        old_(std::move(old)) {}

  // Writes the bytes before the first cell, in pieces, because they may exceed the memory.
  Result<void> write_prefix(FileWriter& file) const {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const std::vector<std::byte> zeros(old_ ? 0 : std::min(prefix_, kPiece));
    for (std::size_t at = 0; at < prefix_; at += kPiece) {
      const std::size_t count = std::min(kPiece, prefix_ - at);
      const std::span<const std::byte> piece =
          old_ ? old_->data().subspan(at, count) : std::span(zeros).first(count);
      if (Result<void> written = file.write(piece); !written) return written;
      if (old_) old_->mapping().drop_pages();
    }
    return {};
  }

  // The last byte of the old file. In a packed file its unused high bits belong to no cell, so they are kept.
  std::byte last_byte() const { return old_ && !old_->data().empty() ? old_->data().back() : std::byte{}; }

  // Writes the padding of cells [begin, begin + memory.size() / width) of the destination.
  void paint(Index begin, std::span<std::byte> memory) const {
    const auto width = static_cast<std::size_t>(width_);
    if (old_ && job_.destination.is_packed()) {
      unpack(packing_of(job_.destination), old_->data().subspan(prefix_), begin, memory);
    } else if (old_) {
      std::memcpy(memory.data(), old_->data().data() + prefix_ + begin * width_, memory.size());
    } else if (job_.options.padding != Padding::value) {
      std::memset(memory.data(), 0, memory.size());
    } else if (width == 1) {
      std::memset(memory.data(), std::to_integer<int>(job_.options.fill[0]), memory.size());
    } else {
      for (std::size_t i = 0; i < memory.size(); i += width) {
        std::memcpy(memory.data() + i, job_.options.fill.data(), width);  // width <= 16: check_fill
      }
    }
    if (old_) old_->mapping().drop_pages();
  }

 private:
  const Job& job_;
  Index width_;
  std::size_t prefix_;
  std::optional<TensorFile> old_;
};

// Writes cells as the bytes of the destination, packed if the destination is packed.
class CellWriter {
 public:
  CellWriter(const Tensor& tensor, FileWriter& file) : tensor_(tensor), file_(file) {
    if (tensor.is_packed()) packer_.emplace(packing_of(tensor));
  }

  Result<void> write(std::span<std::byte> cells) {
    if (!packer_) return file_.write(cells);
    const std::span<const std::byte> packed = packer_->pack(cells);  // in place
    if (const auto misfit = packer_->misfit()) return does_not_fit(*misfit);
    return file_.write(packed);
  }

  Result<void> finish(std::byte old) {
    if (!packer_) return {};
    const std::optional<std::byte> last = packer_->finish(old);
    return last ? file_.write(std::span(&*last, 1)) : Result<void>();
  }

 private:
  // Names the element by its index, which is the same in the source.
  Failure does_not_fit(Index offset) const {
    const Result<Preimage> found = indices_at(tensor_.layout, offset, {.indices = 1});
    const std::string name = found && !found->indices.empty()
                                 ? fmt::format("element ({})", fmt::join(found->indices[0], ", "))
                                 : fmt::format("the element for offset {} of the destination", offset);
    return fail(
        Code::number_range,
        fmt::format("{} does not fit in {}", name, detail::plural(tensor_.element_bits, "bit")), {},
        fmt::format("{}; without E({}) in --to an element is a byte", range_text(), tensor_.element_bits));
  }

  std::string range_text() const {
    const int bits = static_cast<int>(tensor_.element_bits);
    const bool is_signed = packing_of(tensor_).is_signed;
    return fmt::format("{} hold{} {} to {}", detail::plural(bits, "bit"), bits == 1 ? "s" : "",
                       is_signed ? -(1 << (bits - 1)) : 0, (1 << (is_signed ? bits - 1 : bits)) - 1);
  }

  const Tensor& tensor_;
  FileWriter& file_;
  std::optional<Packer> packer_;
};

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

class Copier {
 public:
  Copier(const Job& job, const CopyProgress& progress) : job_(job), progress_(progress) {}

  Result<CopyReport> run(const TensorPath& path) {
    const auto start = std::chrono::steady_clock::now();
    const Result<Index> cells = job_.destination.layout.buffer_size();
    if (!cells) return fail(cells.error());
    const Result<Index> data_bytes = file_bytes(job_.destination.layout, job_.destination.element_bits);
    if (!data_bytes) return fail(data_bytes.error());
    report_.format = format_of(path.path);
    report_.elements = job_.source.layout.size();
    report_.source_bytes = job_.file.tensor().end - job_.file.tensor().begin;
    report_.destination_bytes = *data_bytes;
    FileTensor described{.name = path.tensor.empty() ? job_.file.tensor().name : path.tensor,
                         .dtype = job_.destination.dtype,
                         .element_bits = job_.destination.element_bits,
                         .layout = job_.destination.layout,
                         .end = *data_bytes};
    Result<std::string> header = file_header(report_.format, described);
    if (!header) return fail(header.error());

    const Index width = moved_bytes(job_.source, job_.destination);
    if (Result<void> fill = check_fill(job_.options, job_.destination, width); !fill)
      return fail(fill.error());
    if (Result<void> kept = transfer::check_replaced(path, job_.options); !kept) return fail(kept.error());
    const Index most_cells =
        std::min(std::max<Index>(*cells, 1), std::max<Index>(1, job_.options.memory_bytes / 2 / width));
    Result<std::unique_ptr<BandMover>> mover = BandMover::make(job_, *cells, most_cells);
    if (!mover) return fail(mover.error());
    report_.by_element = (*mover)->by_element();
    report_.bands = std::ssize((*mover)->bands());

    Result<std::unique_ptr<FileWriter>> file = FileWriter::create(path.path, job_.options.force);
    if (!file) return fail(file.error());
    if (job_.options.verify && !(*file)->is_pending()) {
      return fail(Code::bad_option, "a copy to a device or a pipe cannot be verified", {}, "write to a file");
    }
    if (Result<void> room = (*file)->check_room(*data_bytes); !room) return fail(room.error());
    const Background background(job_, width, transfer::old_contents(path, job_.options, *data_bytes));
    if (Result<void> written = (*file)->write(std::as_bytes(std::span(*header))); !written)
      return fail(written.error());
    if (Result<void> written = background.write_prefix(**file); !written) return fail(written.error());
    if (Result<void> written = write_bands(**mover, background, **file, most_cells, width); !written) {
      return fail(written.error());
    }
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (job_.options.verify) {
      const auto data_begin =
          header->size() + static_cast<std::size_t>(prefix_bytes(job_.destination.layout));
      if (Result<void> same = verify(**file, data_begin); !same) return fail(same.error());
    }
    if (Result<void> named = (*file)->commit(); !named) return fail(named.error());
    return report_;
  }

 private:
  Result<void> write_bands(BandMover& mover, const Background& background, FileWriter& file, Index most_cells,
                           Index width) {
    CellWriter out(job_.destination, file);
    const auto memory = band_memory(most_cells * width);
    if (!memory) return transfer::not_enough_memory(most_cells * width);
    const bool padded = report_.elements * job_.destination.element_bits != report_.destination_bytes * 8;
    const Index cells = mover.bands().empty() ? 0 : mover.bands().back().end;
    bool fresh = true;
    for (const Band& band : mover.bands()) {
      // A band's trailing padding may exceed the memory, so write the band in parts. All elements are in the
      // first part.
      for (Index at = band.begin; at < band.end; at += most_cells) {
        const Index count = std::min(most_cells, band.end - at);
        const std::span<std::byte> part(memory.get(), static_cast<std::size_t>(count * width));
        const bool painted = padded && job_.options.padding != Padding::any;
        if (painted || (padded && !fresh && job_.destination.is_packed())) background.paint(at, part);
        fresh = false;
        if (at == band.begin) {
          if (Result<void> moved = mover.move(band, part); !moved) return moved;
        }
        if (Result<void> written = out.write(part); !written) return written;
        if (progress_) progress_(CopyStage::copy, {.done = (at + count) * width, .total = cells * width});
        if (detail::cancelled()) return detail::cancelled_failure();
      }
    }
    return out.finish(background.last_byte());
  }

  Result<void> verify(const FileWriter& file, std::size_t data_begin) {
    const Result<MappedFile> written = MappedFile::map(file.descriptor(), "the new file");
    if (!written) return fail(written.error());
    const TensorBytes source{job_.source, job_.bytes, [this] { job_.file.mapping().drop_pages(); }};
    const TensorBytes destination{job_.destination, written->bytes().subspan(data_begin),
                                  [&written] { written->drop_pages(); }};
    const auto progress = [this](Progress of_verify) {
      if (progress_) progress_(CopyStage::verify, of_verify);
    };
    Result<VerifyReport> same =
        verify_copy(source, destination, {.memory_bytes = job_.options.memory_bytes}, progress);
    if (!same) return fail(same.error());
    report_.verified = *same;
    return {};
  }

  const Job& job_;
  const CopyProgress& progress_;
  CopyReport report_;
};

}  // namespace

Result<CopyReport> copy_tensor(const TensorFile& file, const Tensor& source, const Tensor& destination,
                               const TensorPath& path, const CopyOptions& options,
                               const CopyProgress& progress) {
  const auto prefix = static_cast<std::size_t>(prefix_bytes(source.layout));
  const Job job{file, source, destination, file.data().subspan(prefix), options};
  return Copier(job, progress).run(path);
}

CancelScope::CancelScope(std::function<bool()> wanted)
    : state_(std::make_unique<detail::Cancellation>(std::move(wanted))) {}

CancelScope::~CancelScope() = default;

bool CancelScope::stopped() const { return state_->cancelled(); }

}  // namespace tessera
