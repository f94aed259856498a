// SPDX-License-Identifier: Apache-2.0
#include "access/paddings.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "access/limits.h"
#include "access/offset_table.h"

namespace tessera::detail {
namespace {

// A mode of a strided layout.
struct StridedMode {
  int leaf;
  Index extent;
  Index stride;  // its absolute value
};

std::vector<StridedMode> modes_by_stride(const StridedLayout& layout) {
  std::vector<StridedMode> out;
  for (int i = 0; i < layout.leaves(); ++i)
    if (layout.extent[i] > 1 && layout.stride[i] != 0)
      out.push_back({i, layout.extent[i], std::abs(layout.stride[i])});
  std::ranges::stable_sort(out, {}, &StridedMode::stride);
  return out;
}

// What a padding changes: the stride of one mode, and in proportion the strides above it.
struct Padding {
  std::size_t cut;  // the mode, in order of strides
  std::size_t end;  // the modes from here on stay as they are
  Index add;        // elements
};

std::optional<Layout> padded(const StridedLayout& layout, const std::vector<StridedMode>& modes,
                             const Padding& padding) {
  StridedLayout out = layout;
  for (std::size_t i = padding.cut; i < padding.end; ++i) {
    Index grown = 0;
    if (mul_overflows(ceil_div(modes[i].stride, modes[padding.cut].stride), padding.add, grown) ||
        add_overflows(modes[i].stride, grown, grown))
      return std::nullopt;
    Index& stride = out.stride[modes[i].leaf];
    stride = stride < 0 ? -grown : grown;
  }
  Result<Layout> made = Layout::make(out);
  if (!made) return std::nullopt;
  return *std::move(made);
}

bool all_differ(std::vector<Index> offsets) {
  std::ranges::sort(offsets);
  return std::ranges::adjacent_find(offsets) == offsets.end();
}

class PaddingSearch {
 public:
  PaddingSearch(const AccessedLayout& problem, const StridedLayout& plain, Index before, LaneBudget& budget)
      : problem_(problem), plain_(plain), modes_(modes_by_stride(plain)), before_(before), budget_(budget) {
    const auto [least, most] = std::ranges::minmax_element(problem.offsets);
    if (least != problem.offsets.end()) span_ = *most - *least + 1;
  }

  // Tries paddings by multiples of `step` bytes, but not of `tried` bytes.
  void run(Index step, Index tried = 0) {
    const Index line = problem_.target.most_banks() * problem_.target.word();
    const Index elements = in_elements(step);
    const Index skipped = tried == 0 ? 0 : in_elements(tried);
    for (std::size_t cut = 0; cut < modes_.size(); ++cut) {
      for (const std::size_t end : {modes_.size(), cut + 1}) {
        for (Index add = elements; problem_.byte_at(add) < line; add += elements) {
          if (skipped != 0 && add % skipped == 0) continue;
          if (!one({cut, end, add})) return;
        }
        if (end == cut + 1) break;  // both ends are the same
      }
    }
  }

  RankedFix result() && {
    ranked_.complete = !budget_.exhausted();
    if (ranked_.best && !ranked_.complete) ranked_.best->proof = FixProof::none;
    return std::move(ranked_);
  }
  Index least() const { return ranked_.best ? ranked_.best->wavefronts : before_; }

 private:
  Index in_elements(Index bytes) const { return 8 * bytes / std::gcd(8 * bytes, problem_.element_bits); }

  // The padding with the same banks that makes the mode the outermost.
  std::optional<Padding> outermost(Padding padding) const {
    const Index line = in_elements(problem_.target.most_banks() * problem_.target.word());
    const Index missing = span_ - modes_[padding.cut].stride - padding.add;
    Index more = 0;
    if (missing <= 0 || mul_overflows(ceil_div(missing, line), line, more)) return std::nullopt;
    padding.add += more;
    return padding;
  }

  // Counts one padding. If one larger stride makes elements collide, counts that of the outermost mode
  // instead. Returns false if the budget does not allow that.
  bool one(const Padding& padding, bool moved = false) {
    const std::optional<Layout> layout = padded(plain_, modes_, padding);
    if (!layout) return true;
    const Result<std::vector<Index>> offsets = offset_table(*layout, kAccessLimits.indices);
    if (!offsets || offsets->size() != problem_.offsets.size()) return true;
    if (!budget_.take(problem_.lanes() + std::ssize(problem_.offsets))) return false;
    ++ranked_.tried;
    std::vector<Index> counts = count_at(problem_, *offsets);
    const Index sum = total(counts);
    Index rows = 1;
    for (std::size_t i = padding.cut; i < padding.end; ++i) rows *= modes_[i].extent;
    const Index bytes = problem_.byte_at(padding.add) * rows;
    if (sum >= before_ || (ranked_.best && sum > ranked_.best->wavefronts)) return true;
    if (!all_differ(*offsets)) {
      const auto other = moved || padding.end != padding.cut + 1 ? std::nullopt : outermost(padding);
      return !other || one(*other, true);
    }
    if (ranked_.best && std::tuple(sum, bytes, padding.add) >=
                            std::tuple(ranked_.best->wavefronts, ranked_.best->bytes, ranked_.best->pad))
      return true;
    if (!problem_.runs_at(*offsets)) return true;
    ranked_.best = Fix{.family = FixFamily::pad,
                       .wavefronts = sum,
                       .per_access = std::move(counts),
                       .bytes = bytes,
                       .pad = padding.add,
                       .proof = FixProof::family,
                       .layout = *layout};
    return true;
  }

  const AccessedLayout& problem_;
  const StridedLayout& plain_;
  std::vector<StridedMode> modes_;
  Index before_;
  LaneBudget& budget_;
  Index span_ = 0;  // from the first to the last offset
  RankedFix ranked_ = {};
};

}  // namespace

RankedFix best_padding(const AccessedLayout& problem, const StridedLayout& plain, Index before, Index floor,
                       LaneBudget& budget) {
  PaddingSearch search(problem, plain, before, budget);
  search.run(problem.block_bytes());
  const Index widest = problem.widest_bytes();
  if (search.least() > floor && widest < problem.block_bytes()) search.run(widest, problem.block_bytes());
  return std::move(search).result();
}

}  // namespace tessera::detail
