// SPDX-License-Identifier: Apache-2.0
#include "transfer/code_verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "base/try.h"
#include "files/dense.h"
#include "notation/to_digits.h"
#include "transfer/checksum.h"
#include "transfer/page_budget.h"
#include "transfer/pair_verifier.h"

namespace tessera::transfer {
namespace {

constexpr Index kComparedTogether = Index{1} << 16;
constexpr Index kSummedTogether = Index{1} << 20;

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

class CodeVerifier final : public PairVerifier {
 public:
  CodeVerifier(const CodeMover& mover, std::span<const std::byte> src, std::span<const std::byte> dst,
               const CodeVerifyOptions& options, std::function<void()> release,
               const std::function<void(Progress)>& progress)
      : PairVerifier(mover.from().shape(), kComparedTogether, mover.from().cell_bits + mover.to().cell_bits,
                     options.read, std::move(release), progress),
        mover_(mover),
        some_(options),
        src_(src),
        dst_(dst),
        digits_{digits_of(mover.from()), digits_of(mover.to())} {}

  // Every element, or of too many some at random, and the sums of all.
  Result<VerifyReport> run_some() {
    if (size() <= some_.all_below) return run();
    const auto start = std::chrono::steady_clock::now();
    TESSERA_NEED(compare_random(some_.random_elements));
    TESSERA_TRY(from, sum(0));
    TESSERA_TRY(to, sum(1));
    if (from != to) {
      return fail(
          Code::verify_failed,
          fmt::format("the sums over all elements differ: {:016x} in the source, {:016x} in the destination",
                      from, to));
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    return VerifyReport{.checked = some_.random_elements, .checksum = from, .seconds = seconds.count()};
  }

 private:
  std::optional<Digits> digits(int side) const override { return digits_[static_cast<std::size_t>(side)]; }

  // A side without digits mostly has its elements in row-major order, whose boxes are then ranges.
  Index touched_bytes(const IndexBox& box) const override {
    const auto of = [&](std::size_t k, const CodeSide& side, std::span<const std::byte> buffer) {
      const Index bytes = digits_[k] ? transfer::touched_bytes(*digits_[k], box, side.cell_bits)
                                     : box.size() * side.cell_bits / 8 + 2 * kPageWindow;
      return std::min<Index>(bytes, std::ssize(buffer));
    };
    return of(0, mover_.from(), src_) + of(1, mover_.to(), dst_);
  }

  bool same(std::span<const Index> index) const {
    return mover_.moved(mover_.from().code(index, src_)) == mover_.to().code(index, dst_) &&
           mover_.to().fits(index, dst_);
  }

  void compare_box(const IndexBox& box) override {
    std::vector<Index> index = box.lo;
    do {
      if (!same(index)) return differs(detail::number_of_index(index, shape()));
    } while (detail::next_index(index, box.lo, box.hi));
  }

  Result<void> compare_random(Index count) {
    constexpr Index kNumbers = Index{1} << 18;
    std::mt19937_64 random(1);  // so that every run checks the same elements
    PageBudget budget(options().memory_bytes / 4, [this] { release(); });
    std::vector<Index> numbers;
    for (Index drawn = 0; drawn < count; drawn += std::ssize(numbers)) {
      numbers.resize(static_cast<std::size_t>(std::min(kNumbers, count - drawn)));
      for (Index& number : numbers)
        number = static_cast<Index>(random() % static_cast<std::uint64_t>(size()));
      // In row-major order, so that most files are read from front to back.
      std::ranges::sort(numbers);
      for (const Index number : numbers) {
        if (!same(detail::index_with_number(shape(), number))) differs(number);
        budget.spend(2 * kPageWindow);
      }
      release();
      TESSERA_NEED(reached(drawn + std::ssize(numbers), count));
    }
    return {};
  }

  Diagnostic difference(std::span<const Index> index) const override {
    const std::uint64_t code = mover_.from().code(index, src_);
    return {.code = Code::verify_failed,
            .message = "an element of the destination differs from the source",
            .witness =
                fmt::format("index ({}): code {:#x} of the source gives {:#x}, but the destination has {:#x}",
                            fmt::join(index, ", "), code, mover_.moved(code), mover_.to().code(index, dst_))};
  }

  // Reads codes with blocks.
  Result<std::uint64_t> sum(int side) {
    TESSERA_TRY(dense, dense_side(mover_.to()));
    TESSERA_TRY(mover, side == 0 ? CodeMover::make(mover_.from(), dense, mover_.recode())
                                 : CodeMover::make(mover_.to(), dense, {}));
    const Index width = dense.cell_bits / 8;
    std::vector<std::byte> cells;
    std::uint64_t sum = 0;
    Index done = side * size();
    PageBudget budget(options().memory_bytes / 4, [this] { release(); });
    Result<void> moved;
    for_each_range([&](const IndexBox& box) {
      if (!moved) return;
      cells.resize(static_cast<std::size_t>(box.size() * width));
      const Index begin = detail::number_of_index(box.lo, shape()) * width;
      moved = mover.move(box, side == 0 ? src_ : dst_, begin, cells, executor());
      for (std::size_t at = 0; at < cells.size(); at += static_cast<std::size_t>(width))
        sum += element_hash(cells.data() + at, static_cast<std::size_t>(width));
      done += box.size();
      budget.spend(box.size() * kPageWindow);
      if (moved) moved = reached(done, 2 * size());
    });
    return moved ? Result<std::uint64_t>(sum) : fail(moved.error());
  }

  // Boxes that are ranges of the row-major order, of about kSummedTogether elements.
  template <class Visit>
  void for_each_range(const Visit& visit) const {
    std::size_t cut = 0;  // dimensions before it have one index in each box
    Index below = size();
    const std::span<const Index> extents = shape();
    while (cut < extents.size() && below / extents[cut] > kSummedTogether) below /= extents[cut++];
    IndexBox box = IndexBox::whole(extents);
    if (cut == extents.size()) return visit(box);
    const Index step = std::max<Index>(1, kSummedTogether / (below / extents[cut]));
    std::vector<Index> outer(cut, 0);
    do {
      for (std::size_t d = 0; d < cut; ++d) {
        box.lo[d] = outer[d];
        box.hi[d] = outer[d] + 1;
      }
      for (Index at = 0; at < extents[cut]; at += step) {
        box.lo[cut] = at;
        box.hi[cut] = std::min(extents[cut], at + step);
        visit(box);
      }
    } while (detail::next_index(outer, extents.first(cut)));
  }

  const CodeMover& mover_;
  const CodeVerifyOptions& some_;
  std::span<const std::byte> src_;
  std::span<const std::byte> dst_;
  std::array<std::optional<Digits>, 2> digits_;
};

}  // namespace

Result<VerifyReport> verify_codes(const CodeMover& mover, std::span<const std::byte> src,
                                  std::span<const std::byte> dst, const CodeVerifyOptions& options,
                                  const std::function<void()>& release,
                                  const std::function<void(Progress)>& progress) {
  return CodeVerifier(mover, src, dst, options, release, progress).run_some();
}

}  // namespace tessera::transfer
