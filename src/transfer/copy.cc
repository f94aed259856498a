// SPDX-License-Identifier: Apache-2.0
#include "tessera/transfer/copy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "base/at_fault.h"
#include "base/cancellation.h"
#include "base/plural.h"
#include "base/try.h"
#include "files/packed_elements.h"
#include "tessera/notation/layout.h"
#include "transfer/band_memory.h"
#include "transfer/band_mover.h"
#include "transfer/copy_run.h"
#include "transfer/element_reader.h"
#include "transfer/replaced_file.h"

namespace tessera {
namespace {

using transfer::Band;
using transfer::band_memory;
using transfer::BandMover;
using transfer::Job;
using transfer::NewFile;
using transfer::packing_of;
using transfer::Release;
using transfer::TensorMaker;

// The contents of padding, written before the elements are moved.
class Background {
 public:
  Background(const Job& job, Index width, std::optional<TensorFile> old)
      : job_(job),
        width_(width),
        prefix_(static_cast<std::size_t>(prefix_bytes(job.destination.layout))),
        old_(std::move(old)) {}

  // Writes the bytes before the first cell, in pieces, because they may exceed the memory.
  Result<void> write_prefix(NewFile& file) const {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const std::vector<std::byte> zeros(old_ ? 0 : std::min(prefix_, kPiece));
    for (std::size_t at = 0; at < prefix_; at += kPiece) {
      const std::size_t count = std::min(kPiece, prefix_ - at);
      const std::span<const std::byte> piece =
          old_ ? old_->data().subspan(at, count) : std::span(zeros).first(count);
      TESSERA_NEED(file.write(piece));
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
  explicit CellWriter(const Tensor& tensor) : tensor_(tensor) {
    if (tensor.is_packed()) packer_.emplace(packing_of(tensor));
  }

  // The next cell has this offset, and begins at a whole byte.
  void restart(Index offset) {
    first_ = offset;
    if (packer_) packer_.emplace(packing_of(tensor_));
  }

  Result<void> write(std::span<std::byte> cells, NewFile& file) {
    if (!packer_) return file.write(cells);
    const std::span<const std::byte> packed = packer_->pack(cells);  // in place
    if (const auto misfit = packer_->misfit()) return does_not_fit(first_ + *misfit);
    return file.write(packed);
  }

  Result<void> finish(std::byte old, NewFile& file) {
    if (!packer_) return {};
    const std::optional<std::byte> last = packer_->finish(old);
    return last ? file.write(std::span(&*last, 1)) : Result<void>();
  }

 private:
  // Names the element by its index, which is the same in the source.
  Failure does_not_fit(Index offset) const {
    const Result<Preimage> found = indices_at(tensor_.layout, offset, {.indices = 1});
    const std::string name = found && !found->indices.empty()
                                 ? fmt::format("element ({})", fmt::join(found->indices[0], ", "))
                                 : fmt::format("the element for offset {} of the destination", offset);
    return fail(detail::at_fault("in", {.code = Code::number_range,
                                        .message = fmt::format("{} does not fit in {}", name,
                                                               detail::plural(tensor_.element_bits, "bit")),
                                        .help = fmt::format("{}; without E({}) in --to an element is a byte",
                                                            range_text(), tensor_.element_bits)}));
  }

  std::string range_text() const {
    const int bits = static_cast<int>(tensor_.element_bits);
    const bool is_signed = packing_of(tensor_).is_signed;
    return fmt::format("{} hold{} {} to {}", detail::plural(bits, "bit"), bits == 1 ? "s" : "",
                       is_signed ? -(1 << (bits - 1)) : 0, (1 << (is_signed ? bits - 1 : bits)) - 1);
  }

  const Tensor& tensor_;
  Index first_ = 0;
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

// Makes a tensor from a pair of layouts.
class CopiedTensor final : public TensorMaker {
 public:
  CopiedTensor(const Job& job, const CopyProgress& progress)
      : job_(job),
        progress_(progress),
        width_(moved_bytes(job.source, job.destination)),
        prefix_(prefix_bytes(job.destination.layout)),
        out_(job.destination) {}

  // Plans the copy. Errors: those of BandMover::make.
  Result<void> open(const TensorPath& path, Index bytes) {
    bytes_ = bytes - prefix_;
    TESSERA_TRY(cells, detail::at_fault("to", job_.destination.layout.buffer_size()));
    TESSERA_NEED(detail::at_fault("fill", check_fill(job_.options, job_.destination, width_)));
    TESSERA_NEED(transfer::check_replaced(path, job_.options));
    most_cells_ =
        std::min(std::max<Index>(cells, 1), std::max<Index>(1, job_.options.memory_bytes / 2 / width_));
    TESSERA_TRY(mover, BandMover::make(job_, cells, most_cells_));
    mover_ = std::move(mover);
    background_.emplace(job_, width_, transfer::old_contents(path, job_.options, bytes));
    padded_ = job_.source.layout.size() * job_.destination.element_bits != bytes * 8;
    for (const Band& band : mover_->bands())
      separate_ = separate_ && band.begin * job_.destination.element_bits % 8 == 0;
    return {};
  }

  const BandMover& mover() const { return *mover_; }

  // The bytes before the first cell are a band of their own.
  std::vector<ByteRange> bands(Index /*piece*/) override {
    const Index bits = job_.destination.element_bits;
    std::vector<ByteRange> out;
    if (prefix_ > 0) out.push_back({0, prefix_});
    for (const Band& band : mover_->bands()) {
      const bool last = &band == &mover_->bands().back();
      out.push_back({prefix_ + band.begin * bits / 8, prefix_ + (last ? bytes_ : band.end * bits / 8)});
    }
    return out;
  }

  bool has_separate_bands() const override { return separate_; }

  // Trailing padding may exceed the memory, so a band is written in parts. All elements are in the first one.
  Result<void> make(std::size_t k, NewFile& file) override {
    if (prefix_ > 0 && k-- == 0) return background_->write_prefix(file);
    const Band& band = mover_->bands()[k];
    if (!memory_) memory_ = band_memory(most_cells_ * width_);
    if (!memory_) return transfer::not_enough_memory(most_cells_ * width_);
    if (separate_) out_.restart(band.begin);
    for (Index at = band.begin; at < band.end; at += most_cells_) {
      const Index count = std::min(most_cells_, band.end - at);
      const std::span<std::byte> part(memory_.get(), static_cast<std::size_t>(count * width_));
      const bool painted = padded_ && job_.options.padding != Padding::any;
      if (painted || (padded_ && !fresh_ && job_.destination.is_packed())) background_->paint(at, part);
      fresh_ = false;
      if (at == band.begin) TESSERA_NEED(mover_->move(band, part));
      if (detail::cancelled()) return detail::cancelled_failure();
      TESSERA_NEED(out_.write(part, file));
    }
    return k + 1 == mover_->bands().size() ? out_.finish(background_->last_byte(), file) : Result<void>();
  }

  void finish() override { memory_.reset(); }

  Result<VerifyReport> verify(std::span<const std::byte> written, const Release& release) override {
    const TensorBytes source{job_.source, job_.bytes, [this] { job_.file.mapping().drop_pages(); }};
    const TensorBytes destination{job_.destination, written.subspan(static_cast<std::size_t>(prefix_)),
                                  release};
    return verify_copy(source, destination, {.memory_bytes = job_.options.memory_bytes},
                       [this](Progress of_verify) {
                         if (progress_) progress_(CopyStage::verify, of_verify);
                       });
  }

 private:
  const Job& job_;
  const CopyProgress& progress_;
  Index width_;
  Index prefix_;
  Index bytes_ = 0;  // without the prefix
  Index most_cells_ = 1;
  bool padded_ = false;
  bool separate_ = true;
  bool fresh_ = true;  // the memory of bands is still zero
  CellWriter out_;
  std::unique_ptr<BandMover> mover_;
  std::optional<Background> background_;
  std::unique_ptr<std::byte, transfer::Unmap> memory_;
};

}  // namespace

Result<CopyReport> copy_tensor(const TensorFile& file, const Tensor& source, const Tensor& destination,
                               const TensorPath& path, const CopyOptions& options,
                               const CopyProgress& progress) {
  const auto prefix = static_cast<std::size_t>(prefix_bytes(source.layout));
  const Job job{file, source, destination, file.data().subspan(prefix), options};
  transfer::CopyWork work{.started = std::chrono::steady_clock::now()};
  TESSERA_TRY(bytes, detail::at_fault("to", file_bytes(destination.layout, destination.element_bits)));
  TESSERA_TRY(header, file_header(format_of(path.path),
                                  {.name = path.tensor.empty() ? file.tensor().name : path.tensor,
                                   .dtype = destination.dtype,
                                   .element_bits = destination.element_bits,
                                   .layout = destination.layout,
                                   .end = bytes}));
  auto maker = std::make_unique<CopiedTensor>(job, progress);
  TESSERA_NEED(maker->open(path, bytes));
  work.header = std::move(header);
  work.elements = source.layout.size();
  work.bytes = bytes;
  work.bands = std::ssize(maker->mover().bands());
  work.by_element = maker->mover().by_element();
  work.sides = fmt::format("{} {}\n{} {} {}", to_string(source.layout), source.element_bits,
                           to_string(destination.layout), destination.element_bits,
                           destination.dtype ? to_string(*destination.dtype) : "");
  work.maker = std::move(maker);
  return transfer::run_copy(file, path, std::move(work), options, progress);
}

CancelScope::CancelScope(std::function<bool()> wanted)
    : state_(std::make_unique<detail::Cancellation>(std::move(wanted))) {}

CancelScope::~CancelScope() = default;

bool CancelScope::stopped() const { return state_->cancelled(); }

}  // namespace tessera
