// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_copy.h"

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
#include "notation/to_digits.h"
#include "tessera/relayout/relayout.h"
#include "transfer/band_memory.h"
#include "transfer/bands.h"
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
using transfer::NewFile;
using transfer::Release;
using transfer::TensorMaker;

constexpr Index kZeros = Index{1} << 20;  // bytes of a prefix that are written at once

// Bits [begin, end) of a destination.
struct Part {
  Index begin = 0;
  Index end = 0;
  std::optional<IndexBox> box;
};

// Makes a tensor of codes.
class CodedTensor final : public TensorMaker {
 public:
  CodedTensor(const TensorFile& file, const CodeMover& mover, const CopyOptions& options,
              const CopyProgress& progress)
      : file_(file),
        mover_(mover),
        options_(options),
        progress_(progress),
        source_(file.data().subspan(static_cast<std::size_t>(prefix_of(mover.from())))),
        executor_(parallel_executor(executor_threads(options.threads))),
        prefix_(prefix_of(mover.to())) {}

  // Cuts the destination. Errors: those of copy_codes.
  Result<void> open(const TensorPath& path, Index bytes) {
    bytes_ = bytes;
    TESSERA_NEED(transfer::check_replaced(path, options_));
    TESSERA_TRY(pattern, detail::at_fault("fill", fill_pattern()));
    pattern_ = std::move(pattern);
    TESSERA_TRY(parts, detail::at_fault("memory", parts_of_destination()));
    parts_ = std::move(parts);
    old_ = transfer::old_contents(path, options_, prefix_ + bytes);
    return {};
  }

  Index parts() const { return std::ssize(parts_); }

  // The bytes before the first cell are a band of their own.
  std::vector<ByteRange> bands(Index /*piece*/) override {
    std::vector<ByteRange> out;
    if (prefix_ > 0) out.push_back({0, prefix_});
    for (const Part& part : parts_)
      out.push_back({prefix_ + part.begin / 8, prefix_ + ceil_div(part.end, Index{8})});
    return out;
  }

  Result<void> make(std::size_t k, NewFile& file) override {
    if (prefix_ == 0 || k-- > 0) return write_part(parts_[k], file);
    const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min(prefix_, kZeros)));
    for (Index at = 0; at < prefix_; at += kZeros) {
      const auto count = static_cast<std::size_t>(std::min(prefix_ - at, kZeros));
      TESSERA_NEED(file.write(std::span(zeros).first(count)));
    }
    return {};
  }

  Result<VerifyReport> verify(std::span<const std::byte> written, const Release& release) override {
    written = written.subspan(static_cast<std::size_t>(prefix_));
    if (mover_.moves_blocks()) return verify_blocks(written, release);
    return transfer::verify_codes(mover_, source_, written, {.memory_bytes = options_.memory_bytes}, release,
                                  [this](Progress of_verify) {
                                    if (progress_) progress_(CopyStage::verify, of_verify);
                                  });
  }

  static Index prefix_of(const CodeSide& side) {
    return side.layout.layout ? prefix_bytes(*side.layout.layout) : 0;
  }

 private:
  // The bytes to which padding is set, repeated: one cell, or a byte of narrower cells. Empty for zeros.
  Result<std::vector<std::byte>> fill_pattern() const {
    std::vector<std::byte> out;
    if (options_.padding != Padding::value) return out;
    const CodeSide& to = mover_.to();
    if (!to.layout.layout) {
      return fail(Code::bad_option, fmt::format("'{}' has no cells for a fill", to.text()), {},
                  "its padding can be 0: leave --fill out");
    }
    if (to.cell_bits >= 8) {
      out.assign(options_.fill.begin(), options_.fill.begin() + to.cell_bits / 8);
      return out;
    }
    if (8 % to.cell_bits != 0)
      return fail(Code::not_applicable, fmt::format("padding of '{}' can only be 0", to.text()), {},
                  "leave --fill out");
    unsigned byte = 0;
    const unsigned code = std::to_integer<unsigned>(options_.fill[0]) & ((1u << to.cell_bits) - 1);
    for (Index bit = 0; bit < 8; bit += to.cell_bits) byte |= code << bit;
    out.push_back(static_cast<std::byte>(byte));
    return out;
  }

  // Parts of at most half the memory.
  Result<std::vector<Part>> parts_of_destination() const {
    if (mover_.moves_blocks()) {
      std::vector<Part> parts;
      for (Index at = 0; at < bytes_; at += options_.memory_bytes / 2)
        parts.push_back({at * 8, std::min(bytes_, at + options_.memory_bytes / 2) * 8, std::nullopt});
      return parts;
    }
    const IndexBox whole = IndexBox::whole(mover_.to().shape());
    const std::optional<IndexBox> all = whole.empty() ? std::nullopt : std::optional(whole);
    if (bytes_ <= options_.memory_bytes / 2) return std::vector<Part>{{0, bytes_ * 8, all}};
    const CodeSide& to = mover_.to();
    if (all && to.layout.layout && mover_.from().layout.layout) {
      const auto from_digits = to_digits(*mover_.from().layout.layout);
      const auto digits = to_digits(*to.layout.layout);
      if (from_digits && digits) {
        const Index cells = bytes_ * 8 / to.cell_bits;
        const auto bands = transfer::cut_into_bands(*from_digits, *digits, cells,
                                                    options_.memory_bytes / 2 * 8 / to.cell_bits);
        std::vector<Part> parts;
        bool whole_bytes = bands.has_value();
        for (std::size_t i = 0; whole_bytes && i < bands->size(); ++i) {
          const Band& band = (*bands)[i];
          whole_bytes = band.begin * to.cell_bits % 8 == 0 &&
                        (band.end - band.begin) * to.cell_bits / 8 <= options_.memory_bytes / 2 + 8;
          const bool last = i + 1 == bands->size();
          parts.push_back({band.begin * to.cell_bits, last ? bytes_ * 8 : band.end * to.cell_bits, band.box});
        }
        if (whole_bytes) return parts;
      }
    }
    if (auto bands = transfer::cut_into_byte_bands(mover_.to_forms(), to.shape(), buffer_bits(),
                                                   options_.memory_bytes / 2 * 8)) {
      std::vector<Part> parts;
      for (const Band& band : *bands) parts.push_back({band.begin, band.end, band.box});
      parts.back().end = bytes_ * 8;
      return parts;
    }
    return fail(
        Code::limit,
        fmt::format("the destination has {}, but half of --memory is {}, and no cut into parts was found",
                    detail::plural(bytes_, "byte"), options_.memory_bytes / 2),
        {}, fmt::format("give memory for it as a whole: --memory {}M", (2 * bytes_ >> 20) + 1));
  }

  void paint(const Part& part, std::span<std::byte> memory) const {
    if (old_) {
      const auto from = static_cast<std::size_t>(prefix_ + part.begin / 8);
      std::memcpy(memory.data(), old_->data().data() + from, memory.size());
      old_->mapping().drop_pages();
      return;
    }
    // Parts begin at whole cells, and cells of several bytes at multiples of the pattern.
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = pattern_[i % pattern_.size()];
    // Bits after the last cell belong to no element.
    const auto used = buffer_bits() - part.begin;
    if (used < std::ssize(memory) * 8)
      memory.back() &= static_cast<std::byte>((1u << (8 - (std::ssize(memory) * 8 - used))) - 1);
  }

  Index buffer_bits() const {
    const CodeSide& to = mover_.to();
    if (to.layout.named) return to.layout.named->buffer_bits();
    return to.layout.layout->buffer_size().value_or(0) * to.cell_bits;
  }

  Result<void> write_part(const Part& part, NewFile& file) {
    const Index bytes = ceil_div(part.end, Index{8}) - part.begin / 8;
    if (bytes == 0) return {};
    if (mover_.moves_blocks()) {
      TESSERA_NEED(file.write(
          source_.subspan(static_cast<std::size_t>(part.begin / 8), static_cast<std::size_t>(bytes))));
      file_.mapping().drop_pages();
      return {};
    }
    const auto memory = transfer::band_memory(bytes);
    if (!memory) return transfer::not_enough_memory(bytes);
    const std::span<std::byte> out(memory.get(), static_cast<std::size_t>(bytes));
    // New memory is zero.
    if (old_ || !pattern_.empty()) paint(part, out);
    if (part.box) TESSERA_NEED(move_box(*part.box, part.begin / 8, out));
    if (detail::cancelled()) return detail::cancelled_failure();
    return file.write(out);
  }

  // Equal bytes are equal elements, scales and minima.
  Result<VerifyReport> verify_blocks(std::span<const std::byte> written, const Release& release) const {
    const auto start = std::chrono::steady_clock::now();
    const Index piece = std::max<Index>(1, options_.memory_bytes / 4);  // pages of both files are resident
    for (Index at = 0; at < bytes_; at += piece) {
      const auto begin = static_cast<std::size_t>(at);
      const auto count = static_cast<std::size_t>(std::min(piece, bytes_ - at));
      if (!std::ranges::equal(written.subspan(begin, count), source_.subspan(begin, count)))
        return fail(Code::verify_failed, "a block of the destination differs from the source");
      release();
      if (progress_) progress_(CopyStage::verify, {.done = at + static_cast<Index>(count), .total = bytes_});
      if (detail::cancelled()) return detail::cancelled_failure();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return VerifyReport{.checked = mover_.from().size(), .all = true, .seconds = seconds.count()};
  }

  // Moves a box in pieces that read no more of the source than may be resident.
  Result<void> move_box(const IndexBox& box, Index begin, std::span<std::byte> out) {
    const Index budget = std::max(options_.memory_bytes / 4, 8 * transfer::kPageWindow);
    const auto from = mover_.from().layout.layout ? to_digits(*mover_.from().layout.layout)
                                                  : Result<Digits>(fail(Code::not_representable, ""));
    const auto to = mover_.to().layout.layout ? to_digits(*mover_.to().layout.layout)
                                              : Result<Digits>(fail(Code::not_representable, ""));
    if (std::ssize(source_) <= budget) return mover_.move(box, source_, begin, out, *executor_);
    if (!from || !to) return move_halves(box, begin, out, budget);
    const auto cost = [&](const IndexBox& piece) {
      return std::min<Index>(std::ssize(source_),
                             transfer::touched_bytes(*from, piece, mover_.from().cell_bits));
    };
    Result<void> moved;
    transfer::for_each_fitting_box(*from, *to, box, cost, budget, [&](const IndexBox& piece) {
      if (!moved) return;
      resident_ += cost(piece);
      if (resident_ > budget) {
        file_.mapping().drop_pages();
        resident_ = cost(piece);
      }
      moved = mover_.move(piece, source_, begin, out, *executor_);
    });
    return moved;
  }

  // As above, for sides whose elements are not cells: halves the longest dimension.
  Result<void> move_halves(const IndexBox& box, Index begin, std::span<std::byte> out, Index budget) {
    if (detail::cancelled()) return detail::cancelled_failure();
    Index most = 0;
    for (const moving::FormPiece& piece : mover_.from_forms()) {
      const transfer::BitSpan bits = transfer::bits_of(piece.form, box);
      most = std::max(most, (bits.end - bits.begin) / 8);
    }
    const bool fits = mover_.from_forms().size() == 1 && most <= budget;
    if (fits || box.size() <= transfer::kTransferLimits.least_piece) {
      TESSERA_NEED(mover_.move(box, source_, begin, out, *executor_));
      file_.mapping().drop_pages();
      return {};
    }
    IndexBox half = box;
    const std::size_t dim = transfer::longest_dim(box);
    const Index middle = transfer::round_middle(box, dim);
    half.hi[dim] = middle;
    TESSERA_NEED(move_halves(half, begin, out, budget));
    half.hi[dim] = box.hi[dim];
    half.lo[dim] = middle;
    return move_halves(half, begin, out, budget);
  }

  const TensorFile& file_;
  const CodeMover& mover_;
  const CopyOptions& options_;
  const CopyProgress& progress_;
  std::span<const std::byte> source_;
  std::unique_ptr<Executor> executor_;
  Index prefix_;
  Index bytes_ = 0;  // without the prefix
  std::vector<std::byte> pattern_;
  std::vector<Part> parts_;
  std::optional<TensorFile> old_;  // the file whose padding is kept
  Index resident_ = 0;             // bytes of the source that may have been touched since pages were dropped
};

}  // namespace

Result<CopyReport> copy_codes(const TensorFile& file, const CodeMover& mover, const TensorPath& path,
                              const CopyOptions& options, const CopyProgress& progress) {
  transfer::CopyWork work{.started = std::chrono::steady_clock::now()};
  TESSERA_TRY(bytes, mover.to().bytes());
  const CodeSide& to = mover.to();
  work.bytes = bytes + CodedTensor::prefix_of(to);
  TESSERA_TRY(header, file_header(format_of(path.path),
                                  {.name = path.tensor.empty() ? file.tensor().name : path.tensor,
                                   .dtype = to.type.dtype,
                                   .element_bits = to.cell_bits,
                                   .layout = to.layout.layout,
                                   .named = to.layout.named,
                                   .end = work.bytes}));
  auto maker = std::make_unique<CodedTensor>(file, mover, options, progress);
  TESSERA_NEED(maker->open(path, bytes));
  work.header = std::move(header);
  work.elements = mover.from().size();
  work.bands = maker->parts();
  work.by_element = mover.by_element();
  work.sides =
      fmt::format("{} {}\n{} {} {}\n{}", mover.from().text(), mover.from().cell_bits, to.text(), to.cell_bits,
                  to_string(to.type), mover.recode() ? to_string(*mover.recode()) : "");
  work.maker = std::move(maker);
  return transfer::run_copy(file, path, std::move(work), options, progress);
}

}  // namespace tessera
