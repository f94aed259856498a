// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "base/index_walk.h"
#include "base/try.h"
#include "files/dense.h"
#include "notation/to_digits.h"
#include "tessera/relayout/relayout.h"
#include "transfer/checksum.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

constexpr Index kComparedTogether = Index{1} << 16;
constexpr Index kSummedTogether = Index{1} << 20;
constexpr Index kBatchesTogether = 64;

std::optional<Digits> digits_of(const CodeSide& side) {
  if (!side.layout.layout) return std::nullopt;
  auto digits = to_digits(*side.layout.layout);
  return digits ? std::optional(*std::move(digits)) : std::nullopt;
}

// Row-major codes, each in a cell of whole bytes.
Result<CodeSide> dense_side(const CodeSide& like) {
  CodeSide out{.layout = {}, .type = like.type, .cell_bits = 8};
  while (out.cell_bits < like.type.bits) out.cell_bits *= 2;
  TESSERA_TRY(layout, dense_layout(std::nullopt, like.shape(), DenseOrder::c, out.cell_bits));
  out.layout.layout = std::move(layout);
  return out;
}

class CodeVerifier {
 public:
  CodeVerifier(const CodeMover& mover, std::span<const std::byte> src, std::span<const std::byte> dst,
               const CodeVerifyOptions& options, const std::function<void(Progress)>& progress)
      : mover_(mover),
        src_(src),
        dst_(dst),
        options_(options),
        progress_(progress),
        shape_(mover.from().shape().begin(), mover.from().shape().end()) {}

  Result<VerifyReport> run() {
    const Index size = mover_.from().size();
    VerifyReport report{.all = size <= options_.all_below};
    report.checked = report.all ? size : std::min(size, options_.random_elements);
    if (size == 0) return report;
    if (report.all) {
      TESSERA_NEED(compare_all());
    } else {
      TESSERA_NEED(compare_random(report.checked));
      TESSERA_TRY(sum, compare_sums());
      report.checksum = sum;
    }
    return report;
  }

 private:
  // Boxes that touch no more of the files than may be resident; row-major ranges if a side has no digits.
  Result<void> compare_all() {
    const Index size = mover_.from().size();
    const auto from = digits_of(mover_.from());
    const auto to = digits_of(mover_.to());
    if (!from || !to) {
      for (Index done = 0; done < size;) {
        const Index batches = std::min(kBatchesTogether, ceil_div(size - done, kComparedTogether));
        executor_->parallel_for(batches, [&](Index i) {
          const Index begin = done + i * kComparedTogether;
          compare_range(begin, std::min(size, begin + kComparedTogether));
        });
        done = std::min(size, done + batches * kComparedTogether);
        TESSERA_NEED(reached(done, size));
      }
      return {};
    }
    const Index budget = std::max(options_.memory_bytes / 4, 8 * kPageWindow);
    const auto touched = [&](const IndexBox& box) {
      const auto of = [&](const Digits& digits, const CodeSide& side, std::span<const std::byte> buffer) {
        return std::min<Index>(touched_bytes(digits, box, side.cell_bits), std::ssize(buffer));
      };
      return of(*from, mover_.from(), src_) + of(*to, mover_.to(), dst_);
    };
    std::vector<IndexBox> batch;
    Index resident = 0;
    Index done = 0;
    Result<void> result;
    const auto flush = [&] {
      executor_->parallel_for(std::ssize(batch),
                              [&](Index i) { compare_box(batch[static_cast<std::size_t>(i)]); });
      for (const IndexBox& box : batch) done += box.size();
      batch.clear();
      resident = 0;
      result = reached(done, size);
    };
    for_each_fitting_box(
        *from, *to, IndexBox::whole(shape_),
        [&](const IndexBox& box) { return box.size() > kComparedTogether ? kIndexMax : touched(box); },
        budget,
        [&](const IndexBox& box) {
          if (!result) return;
          const Index bytes = touched(box);
          const bool full = std::ssize(batch) == kBatchesTogether || resident + bytes > 2 * budget;
          if (!batch.empty() && full) flush();
          batch.push_back(box);
          resident += bytes;
        });
    if (result && !batch.empty()) flush();
    return result;
  }

  // Elements at random, in row-major order, so that most files are read from front to back.
  Result<void> compare_random(Index count) {
    const Index size = mover_.from().size();
    std::mt19937_64 random(20261129);  // NOLINT: the same elements in every run
    std::vector<Index> elements(static_cast<std::size_t>(count));
    for (Index& at : elements) at = static_cast<Index>(random() % static_cast<std::uint64_t>(size));
    std::ranges::sort(elements);
    PageBudget budget(options_.memory_bytes / 4);
    for (const Index at : elements) {
      compare_range(at, at + 1);
      if (budget.spend(2 * kPageWindow) && options_.release) options_.release();
    }
    return reached(count, size);
  }

  // The sum of hashes of all codes, of both sides.
  Result<std::uint64_t> compare_sums() {
    TESSERA_TRY(dense, dense_side(mover_.to()));
    TESSERA_TRY(from, CodeMover::make(mover_.from(), dense, mover_.recode()));
    TESSERA_TRY(to, CodeMover::make(mover_.to(), dense, {}));
    const Index width = dense.cell_bits / 8;
    std::vector<std::byte> cells;
    std::uint64_t sums[2] = {};
    Index done = 0;
    const Index all = 2 * mover_.from().size();
    for (int side = 0; side < 2; ++side) {
      PageBudget budget(options_.memory_bytes / 4);
      Result<void> moved;
      for_each_range([&](const IndexBox& box) {
        if (!moved) return;
        cells.resize(static_cast<std::size_t>(box.size() * width));
        const Index begin = detail::number_of_index(box.lo, shape_) * width;
        moved = (side == 0 ? from : to).move(box, side == 0 ? src_ : dst_, begin, cells, *executor_);
        for (std::size_t at = 0; at < cells.size(); at += static_cast<std::size_t>(width))
          sums[side] += element_hash(cells.data() + at, static_cast<std::size_t>(width));
        done += box.size();
        if (progress_) progress_({.done = done, .total = all});
        if (budget.spend(box.size() * kPageWindow) && options_.release) options_.release();
        if (moved && detail::cancelled()) moved = detail::cancelled_failure();
      });
      if (!moved) return fail(moved.error());
    }
    if (sums[0] == sums[1]) return sums[0];
    return fail(
        Code::verify_failed,
        fmt::format("the sums over all codes differ: {:016x} in the source, {:016x} in the destination",
                    sums[0], sums[1]));
  }

  // Boxes that are ranges of the row-major order, of about kSummedTogether elements.
  template <class Visit>
  void for_each_range(const Visit& visit) const {
    std::size_t cut = 0;  // dimensions before it have one index in each box
    Index below = mover_.from().size();
    while (cut < shape_.size() && below / shape_[cut] > kSummedTogether) below /= shape_[cut++];
    IndexBox box = IndexBox::whole(shape_);
    if (cut == shape_.size()) return visit(box);
    const Index step = std::max<Index>(1, kSummedTogether / (below / shape_[cut]));
    std::vector<Index> outer(cut, 0);
    const std::span<const Index> extents = std::span<const Index>(shape_).first(cut);
    do {
      for (std::size_t d = 0; d < cut; ++d) {
        box.lo[d] = outer[d];
        box.hi[d] = outer[d] + 1;
      }
      for (Index at = 0; at < shape_[cut]; at += step) {
        box.lo[cut] = at;
        box.hi[cut] = std::min(shape_[cut], at + step);
        visit(box);
      }
    } while (detail::next_index(outer, extents));
  }

  void compare_range(Index begin, Index end) {
    std::vector<Index> index = detail::index_with_number(shape_, begin);
    for (Index at = begin; at < end && at < wrong_.load(std::memory_order_relaxed); ++at) {
      if (!same(index)) return report(at);
      detail::next_index(index, shape_);
    }
  }

  void compare_box(const IndexBox& box) {
    std::vector<Index> index = box.lo;
    do {
      if (!same(index)) return report(detail::number_of_index(index, shape_));
    } while (detail::next_index(index, box.lo, box.hi));
  }

  bool same(std::span<const Index> index) const {
    return mover_.moved(mover_.from().code(index, src_)) == mover_.to().code(index, dst_) &&
           mover_.to().fits(index, dst_);
  }

  void report(Index at) {
    Index known = wrong_.load();
    while (at < known && !wrong_.compare_exchange_weak(known, at)) continue;
  }

  // Reports progress, and what was wrong so far.
  Result<void> reached(Index done, Index total) const {
    if (options_.release) options_.release();
    if (progress_) progress_({.done = done, .total = total});
    if (detail::cancelled()) return detail::cancelled_failure();
    const Index at = wrong_.load();
    if (at == kIndexMax) return {};
    const std::vector<Index> index = detail::index_with_number(shape_, at);
    Diagnostic diagnostic{.code = Code::verify_failed,
                          .message = "an element of the destination differs from the source"};
    diagnostic.witness =
        fmt::format("index ({}): code {:#x} of the source gives {:#x}, but the destination has {:#x}",
                    fmt::join(index, ", "), mover_.from().code(index, src_),
                    mover_.moved(mover_.from().code(index, src_)), mover_.to().code(index, dst_));
    return fail(std::move(diagnostic));
  }

  const CodeMover& mover_;
  std::span<const std::byte> src_;
  std::span<const std::byte> dst_;
  const CodeVerifyOptions& options_;
  const std::function<void(Progress)>& progress_;
  std::vector<Index> shape_;
  const std::unique_ptr<Executor> executor_ = parallel_executor(0);
  std::atomic<Index> wrong_ = kIndexMax;
};

}  // namespace

Result<VerifyReport> verify_codes(const CodeMover& mover, std::span<const std::byte> src,
                                  std::span<const std::byte> dst, const CodeVerifyOptions& options,
                                  const std::function<void(Progress)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  auto report = CodeVerifier(mover, src, dst, options, progress).run();
  if (report)
    report->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace tessera::transfer
