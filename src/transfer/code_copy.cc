// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/at_fault.h"
#include "base/cancellation.h"
#include "base/plural.h"
#include "base/try.h"
#include "notation/to_digits.h"
#include "tessera/relayout/relayout.h"
#include "transfer/banded_tensor.h"
#include "transfer/bit_bands.h"
#include "transfer/code_verify.h"
#include "transfer/copy_run.h"
#include "transfer/limits.h"
#include "transfer/page_budget.h"
#include "transfer/replaced_file.h"

namespace tessera {
namespace {

using transfer::Band;
using transfer::IndexBox;
using transfer::Release;

Index prefix_of(const CodeSide& side) { return side.layout.layout ? prefix_bytes(*side.layout.layout) : 0; }

std::optional<Digits> cells_of(const CodeSide& side) {
  if (!side.layout.layout) return std::nullopt;
  auto digits = to_digits(*side.layout.layout);
  return digits ? std::optional(*std::move(digits)) : std::nullopt;
}

Index buffer_bits(const CodeSide& side) {
  if (side.layout.named) return side.layout.named->buffer_bits();
  return side.layout.layout->buffer_size().value_or(0) * side.cell_bits;
}

// The bytes to which padding is set: one cell, or a byte of narrower cells. Empty for zeros.
Result<std::vector<std::byte>> fill_of(const CodeSide& to, const CopyOptions& options) {
  std::vector<std::byte> out;
  if (options.padding != Padding::value) return out;
  if (!to.layout.layout) {
    return fail(Code::bad_option, fmt::format("'{}' has no cells for a fill", to.text()), {},
                "its padding can be 0: leave --fill out");
  }
  if (to.cell_bits >= 8) {
    out.assign(options.fill.begin(), options.fill.begin() + to.cell_bits / 8);
    return out;
  }
  if (8 % to.cell_bits != 0)
    return fail(Code::not_applicable, fmt::format("padding of '{}' can only be 0", to.text()), {},
                "leave --fill out");
  unsigned byte = 0;
  const unsigned code = std::to_integer<unsigned>(options.fill[0]) & ((1u << to.cell_bits) - 1);
  for (Index bit = 0; bit < 8; bit += to.cell_bits) byte |= code << bit;
  out.push_back(static_cast<std::byte>(byte));
  return out;
}

// Moves codes. Bands are in bits.
class CodeBands final : public transfer::BandMover {
 public:
  CodeBands(const TensorFile& file, const CodeMover& mover, const CopyOptions& options)
      : mover_(mover),
        memory_bytes_(options.memory_bytes),
        source_(file.data().subspan(static_cast<std::size_t>(prefix_of(mover.from())))),
        executor_(parallel_executor(executor_threads(options.threads))),
        pages_(
            options.memory_bytes / 4, [&file] { file.mapping().drop_pages(); }, std::ssize(source_)),
        from_(cells_of(mover.from())),
        to_(cells_of(mover.to())) {}

  // Cuts the destination of this many bytes. Errors: those of copy_codes.
  Result<void> make_bands(Index bytes) {
    TESSERA_TRY(bands, detail::at_fault("memory", bands_of(bytes)));
    bands_ = std::move(bands);
    return {};
  }

  std::span<const Band> bands() const override { return bands_; }

  std::vector<std::span<const std::byte>> stored(const Band& band) override {
    if (!mover_.moves_blocks()) return {};
    pages_.spend((band.end - band.begin) / 8);
    return {source_.subspan(static_cast<std::size_t>(band.begin / 8),
                            static_cast<std::size_t>((band.end - band.begin) / 8))};
  }

  Result<void> move(const Band& band, std::span<std::byte> memory) override {
    if (!band.box) return {};
    const transfer::CutBox whole{from_ && to_ ? &*from_ : nullptr, to_ ? &*to_ : nullptr, *band.box};
    const auto cost = [this](const IndexBox& box) { return touched(box); };
    return transfer::move_within(pages_, whole, cost, [&](const IndexBox& box) {
      return mover_.move(box, source_, band.begin / 8, memory, *executor_);
    });
  }

  Result<VerifyReport> verify(std::span<const std::byte> written, const Release& release,
                              const std::function<void(Progress)>& progress) override {
    if (mover_.moves_blocks()) return verify_blocks(written, release, progress);
    return transfer::verify_codes(mover_.from(), mover_.to(), mover_.recode(), source_, written,
                                  {.memory_bytes = memory_bytes_}, release, progress);
  }

 private:
  // Bands of at most half the memory.
  Result<std::vector<Band>> bands_of(Index bytes) const {
    const Index most = memory_bytes_ / 2;
    if (mover_.moves_blocks()) {
      std::vector<Band> bands;
      for (Index at = 0; at < bytes; at += most)
        bands.push_back({at * 8, std::min(bytes, at + most) * 8, std::nullopt});
      return bands;
    }
    const CodeSide& to = mover_.to();
    const IndexBox whole = IndexBox::whole(to.shape());
    const std::optional<IndexBox> all = whole.empty() ? std::nullopt : std::optional(whole);
    if (bytes <= most) return std::vector<Band>{{0, bytes * 8, all}};
    if (all && from_ && to_) {
      auto bands = transfer::cut_into_bands(*from_, *to_, bytes * 8 / to.cell_bits, most * 8 / to.cell_bits);
      bool whole_bytes = bands.has_value();
      for (std::size_t i = 0; whole_bytes && i < bands->size(); ++i) {
        Band& band = (*bands)[i];
        band.begin *= to.cell_bits;
        band.end = i + 1 == bands->size() ? bytes * 8 : band.end * to.cell_bits;
        whole_bytes = band.begin % 8 == 0 && (band.end - band.begin) / 8 <= most + 8;
      }
      if (whole_bytes) return *std::move(bands);
    }
    if (auto bands =
            transfer::cut_into_byte_bands(mover_.to_forms(), to.shape(), buffer_bits(to), most * 8)) {
      bands->back().end = bytes * 8;
      return *std::move(bands);
    }
    return fail(
        Code::limit,
        fmt::format("the destination has {}, but half of --memory is {}, and no cut into parts was found",
                    detail::plural(bytes, "byte"), most),
        {}, fmt::format("give memory for it as a whole: --memory {}M", (2 * bytes >> 20) + 1));
  }

  // Bytes of the source that become resident if a box is moved.
  Index touched(const IndexBox& box) const {
    if (from_ && to_) {
      return std::min<Index>(std::ssize(source_),
                             transfer::touched_bytes(*from_, box, mover_.from().cell_bits));
    }
    Index most = mover_.from_forms().size() == 1 ? 0 : kIndexMax;
    for (const moving::FormPiece& piece : mover_.from_forms()) {
      const transfer::BitSpan bits = transfer::bits_of(piece.form, box);
      most = std::max(most, (bits.end - bits.begin) / 8 + transfer::kPageWindow);
    }
    if (box.size() <= transfer::kTransferLimits.least_piece) most = std::min(most, pages_.bytes());
    return std::min<Index>(std::ssize(source_), most);
  }

  // Equal bytes are equal elements, scales and minima.
  Result<VerifyReport> verify_blocks(std::span<const std::byte> written, const Release& release,
                                     const std::function<void(Progress)>& progress) const {
    const auto start = std::chrono::steady_clock::now();
    const Index piece = std::max<Index>(1, memory_bytes_ / 4);  // pages of both files are resident
    const Index bytes = std::ssize(written);
    for (Index at = 0; at < bytes; at += piece) {
      const auto begin = static_cast<std::size_t>(at);
      const auto count = static_cast<std::size_t>(std::min(piece, bytes - at));
      if (!std::ranges::equal(written.subspan(begin, count), source_.subspan(begin, count)))
        return fail(Code::verify_failed, "a block of the destination differs from the source");
      release();
      progress({.done = at + static_cast<Index>(count), .total = bytes});
      if (detail::cancelled()) return detail::cancelled_failure();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return VerifyReport{.checked = mover_.from().size(), .seconds = seconds.count()};
  }

  const CodeMover& mover_;
  Index memory_bytes_;
  std::span<const std::byte> source_;
  std::unique_ptr<Executor> executor_;
  transfer::PageBudget pages_;
  std::optional<Digits> from_;
  std::optional<Digits> to_;
  std::vector<Band> bands_;
};

}  // namespace

Result<CopyReport> copy_codes(const TensorFile& file, const CodeMover& mover, const TensorPath& path,
                              const CopyOptions& options, const CopyProgress& progress) {
  transfer::CopyWork work{.started = std::chrono::steady_clock::now()};
  const CodeSide& to = mover.to();
  TESSERA_TRY(bytes, to.bytes());
  transfer::BandedCells cells{
      .count = buffer_bits(to), .bits = 1, .memory_bits = 1, .prefix = prefix_of(to), .bytes = bytes};
  work.bytes = bytes + cells.prefix;
  TESSERA_TRY(header, file_header(format_of(path.path),
                                  {.name = path.tensor.empty() ? file.tensor().name : path.tensor,
                                   .dtype = to.type.dtype,
                                   .element_bits = to.cell_bits,
                                   .layout = to.layout.layout,
                                   .named = to.layout.named,
                                   .end = work.bytes}));
  TESSERA_NEED(transfer::check_replaced(path, options));
  TESSERA_TRY(fill, detail::at_fault("fill", fill_of(to, options)));
  cells.fill = std::move(fill);
  auto bands = std::make_unique<CodeBands>(file, mover, options);
  TESSERA_NEED(bands->make_bands(bytes));
  cells.padded = to.size() * (to.layout.layout ? to.cell_bits : to.type.bits) != bytes * 8;
  cells.old = transfer::old_contents(path, options, work.bytes);
  work.header = std::move(header);
  work.elements = mover.from().size();
  work.bands = std::ssize(bands->bands());
  work.by_element = mover.by_element();
  work.sides =
      fmt::format("{} {}\n{} {} {}\n{}", mover.from().text(), mover.from().cell_bits, to.text(), to.cell_bits,
                  to_string(to.type), mover.recode() ? to_string(*mover.recode()) : "");
  work.maker = std::make_unique<transfer::BandedTensor>(std::move(cells), std::move(bands),
                                                        transfer::verify_stage(progress));
  return transfer::run_copy(file, path, std::move(work), options, progress);
}

}  // namespace tessera
