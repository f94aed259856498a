// SPDX-License-Identifier: Apache-2.0
#include "transfer/index_box.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "base/index_walk.h"
#include "base/saturating.h"
#include "notation/digit_bounds.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {
namespace {

using detail::saturating_add;
using detail::saturating_mul;

// The largest `end` for which the layout, restricted to indices [begin, end) of this dimension, has digits.
// It is the next multiple of the first divisor that does not divide `begin`, or kIndexMax if all divisors
// divide `begin`.
Index chain_limit(std::span<const Digit> chain, Index begin) {
  for (const Digit& digit : chain) {
    if (begin % digit.div != 0) return (begin / digit.div + 1) * digit.div;
  }
  return kIndexMax;
}

// A cut position near the middle of the box: a multiple of the largest possible divisor.
Index aligned_middle(const Digits& a, const Digits& b, const IndexBox& box, std::size_t dim) {
  const Index middle = box.lo[dim] + (box.hi[dim] - box.lo[dim]) / 2;
  std::vector<Index> steps = {alignment(a, b, dim)};
  for (const Digits* layout : {&a, &b}) {
    for (const Digit& digit : layout->digits(dim)) steps.push_back(digit.div);
  }
  std::ranges::sort(steps, std::greater<>());
  for (const Index multiple : steps) {
    if (multiple > 0 && middle / multiple * multiple > box.lo[dim]) return middle / multiple * multiple;
  }
  return middle;
}

// The largest stride of a digit of this dimension that is not constant in the box.
Index longest_step(const Digits& layout, const IndexBox& box, std::size_t dim) {
  Index step = 0;
  for (const Digit& digit : layout.digits(dim)) {
    if (value_count(digit, box) > 1) step = std::max(step, std::abs(digit.stride));
  }
  return step;
}

}  // namespace

IndexBox IndexBox::whole(std::span<const Index> shape) {
  return {std::vector<Index>(shape.size(), 0), {shape.begin(), shape.end()}};
}

bool IndexBox::empty() const {
  for (std::size_t i = 0; i < lo.size(); ++i) {
    if (lo[i] >= hi[i]) return true;
  }
  return false;
}

Index IndexBox::size() const {
  Index count = 1;
  for (std::size_t i = 0; i < lo.size(); ++i) count *= hi[i] - lo[i];
  return count;
}

Index value_count(const Digit& digit, const IndexBox& box) {
  const auto i = static_cast<std::size_t>(digit.dim);
  return std::min(digit.ext, (box.hi[i] - 1) / digit.div - box.lo[i] / digit.div + 1);
}

Interval offset_range(const Digits& digits, const IndexBox& box) {
  std::vector<Index> last = box.hi;
  for (Index& index : last) --index;
  return detail::offset_bounds(digits, box.lo, last);
}

Index touched_bytes(const Digits& digits, const IndexBox& box, Index element_bits) {
  if (box.empty()) return 0;
  const auto bytes = [&](Index elements) { return saturating_mul(elements, element_bits) / 8 + 1; };
  Index pieces = 1;  // memory ranges that are more than a page window apart
  Index inner = 0;   // offset of a range's last element from its first
  for (const Digit& digit : digits.digits()) {
    const Index count = value_count(digit, box);
    const Index step = std::abs(digit.stride);
    if (bytes(step) > kPageWindow) {
      pieces = saturating_mul(pieces, count);
    } else {
      inner += step * (count - 1);
    }
  }
  const Interval range = offset_range(digits, box);
  const Index apart = saturating_mul(pieces, bytes(inner + 1) + 2 * kPageWindow);
  return std::min(apart, saturating_add(bytes(range.upper - range.lower + 1), 2 * kPageWindow));
}

Digits restricted(const Digits& digits, const IndexBox& box) {
  std::vector<Index> extents(box.lo.size());
  Index base = digits.base();
  std::vector<Digit> kept;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    extents[i] = box.hi[i] - box.lo[i];
    for (const Digit& digit : digits.digits(i)) {
      base += digit.stride * digit.value(box.lo[i]);
      // A digit whose divisor is at least the extent is constant in the box.
      if (extents[i] > digit.div) {
        kept.push_back(
            {digit.dim, digit.div, std::min(digit.ext, ceil_div(extents[i], digit.div)), digit.stride});
      }
    }
  }
  return Digits::normalized(std::move(extents), base, std::move(kept));
}

void for_each_aligned_piece(const Digits& a, const Digits& b, const IndexBox& box,
                            const std::function<void(const IndexBox&)>& visit) {
  if (box.empty()) return;
  const std::size_t rank = box.lo.size();
  std::vector<std::vector<Index>> cuts(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    for (Index at = box.lo[i]; at < box.hi[i];) {
      cuts[i].push_back(at);
      at = std::min({box.hi[i], chain_limit(a.digits(i), at), chain_limit(b.digits(i), at)});
    }
    cuts[i].push_back(box.hi[i]);
  }
  std::vector<std::size_t> number(rank, 0);
  IndexBox piece = box;
  do {
    for (std::size_t i = 0; i < rank; ++i) {
      piece.lo[i] = cuts[i][number[i]];
      piece.hi[i] = cuts[i][number[i] + 1];
    }
    visit(piece);
  } while (detail::advance_last(
      rank, [&](std::size_t i) { return detail::next_value(number[i], 0, cuts[i].size() - 1); }));
}

Index alignment(const Digits& a, const Digits& b, std::size_t dim) {
  Index common = 1;
  for (const Digits* layout : {&a, &b}) {
    if (layout->digits(dim).empty()) continue;
    const Index div = layout->digits(dim).back().div;
    if (mul_overflows(common / std::gcd(common, div), div, common)) return 0;
  }
  return common;
}

std::pair<IndexBox, IndexBox> halves(const IndexBox& box, const CutAt& cut_at, const CutRank& rank) {
  std::optional<std::pair<Index, Index>> least;
  IndexBox best;
  std::size_t best_dim = 0;
  for (std::size_t dim = 0; dim < box.lo.size(); ++dim) {
    if (box.hi[dim] - box.lo[dim] < 2) continue;
    IndexBox half = box;
    half.hi[dim] = cut_at(box, dim);
    const std::pair<Index, Index> here = rank(half, dim);
    if (least && here >= *least) continue;
    least = here;
    best = std::move(half);
    best_dim = dim;
  }
  IndexBox rest = box;
  rest.lo[best_dim] = best.hi[best_dim];
  return {std::move(best), std::move(rest)};
}

Index round_middle(const IndexBox& box, std::size_t dim) {
  const auto first = static_cast<std::uint64_t>(box.lo[dim]);
  const auto last = static_cast<std::uint64_t>(box.hi[dim] - 1);
  return static_cast<Index>(last & ~(std::bit_floor(first ^ last) - 1));
}

void for_each_fitting_box(const Digits* a, const Digits* b, const IndexBox& box,
                          const std::function<Index(const IndexBox&)>& cost, Index most,
                          const std::function<void(const IndexBox&)>& visit) {
  if (box.empty()) return;
  if (cost(box) <= most || box.size() == 1) return visit(box);
  const auto cut_at = [&](const IndexBox& whole, std::size_t dim) {
    return a != nullptr && b != nullptr ? aligned_middle(*a, *b, whole, dim) : round_middle(whole, dim);
  };
  const auto [first, second] = halves(box, cut_at, [&](const IndexBox& half, std::size_t dim) {
    return std::pair(cost(half), a != nullptr ? -longest_step(*a, box, dim) : 0);
  });
  for_each_fitting_box(a, b, first, cost, most, visit);
  for_each_fitting_box(a, b, second, cost, most, visit);
}

}  // namespace tessera::transfer
