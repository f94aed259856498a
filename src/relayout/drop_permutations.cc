// SPDX-License-Identifier: Apache-2.0
#include "relayout/drop_permutations.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "notation/index_runs.h"
#include "notation/summands.h"
#include "notation/to_digits.h"

namespace tessera::moving {
namespace {

using IndexBlock = UnpermutedLayouts::IndexBlock;

// Tells which digits of the index do not change the source offset, whatever the values of the other digits.
class Unseen {
 public:
  static Unseen by(const Layout& src) { return Unseen(src.shape(), detail::summands(src)); }
  static Unseen all(const Layout& layout) { return Unseen(layout.shape(), {}); }

  // True if the source ignores the digit floor(x[dim] / unit) mod count.
  bool has(std::size_t dim, Index unit, Index count) const {
    return detail::stride_of(sum_, {.dim = dim, .unit = unit, .count = count}, box_) == 0;
  }

 private:
  Unseen(std::span<const Index> box, std::vector<detail::Summand> sum) : box_(box), sum_(std::move(sum)) {}

  std::span<const Index> box_;
  std::vector<detail::Summand> sum_;
};

// A term stride * v of the offset, with v in [0, ext). It is a digit, or several digits that the source
// ignores and whose strides continue each other.
struct OffsetTerm {
  Index stride = 0;
  Index ext = 1;
  std::optional<Digit> digit = {};
  bool top = false;                    // true if `digit` is the highest digit of its dimension
  std::vector<IndexBlock> whole = {};  // if there is no `digit`: the blocks in which all values of v occur
};

std::vector<OffsetTerm> terms_of(const Digits& digits) {
  std::vector<OffsetTerm> terms;
  for (std::size_t dim = 0; dim < digits.box().size(); ++dim) {
    const auto chain = digits.digits(dim);
    for (const Digit& d : chain) terms.push_back({d.stride, d.ext, d, &d == &chain.back()});
  }
  return terms;
}

// Like terms_of, but merges digits that the source ignores if their strides continue each other.
std::vector<OffsetTerm> joined_terms_of(const Digits& digits, const Unseen& unseen) {
  std::vector<OffsetTerm> terms = terms_of(digits);
  for (OffsetTerm& t : terms) {
    const auto dim = static_cast<std::size_t>(t.digit->dim);
    const auto block = checked_mul(t.digit->div, t.ext);
    if (!block || digits.box()[dim] % *block != 0 || !unseen.has(dim, t.digit->div, t.ext)) continue;
    t.whole = {{dim, *block}};
    t.digit.reset();
  }
  const auto join_two = [&] {
    for (OffsetTerm& inner : terms) {
      const auto next = checked_mul(inner.stride, inner.ext);
      const auto outer = std::ranges::find_if(terms, [&](const OffsetTerm& t) {
        return !inner.digit && !t.digit && t.stride != 0 && t.stride == next;
      });
      if (outer == terms.end()) continue;
      const auto ext = checked_mul(inner.ext, outer->ext);
      if (!ext) continue;
      inner.ext = *ext;
      inner.whole.insert(inner.whole.end(), outer->whole.begin(), outer->whole.end());
      terms.erase(outer);
      return true;
    }
    return false;
  };
  while (join_two()) {
  }
  return terms;
}

// The index blocks in which the term takes v if and only if it takes v with bit `steps` flipped. The source
// must ignore the flip. Empty if there are none.
std::optional<std::vector<IndexBlock>> pairs_of(const OffsetTerm& t, Index steps, const Unseen& unseen) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(steps))) return std::nullopt;
  const bool even = t.ext % (2 * steps) == 0;
  if (!t.digit) return even ? std::optional(t.whole) : std::nullopt;
  const auto dim = static_cast<std::size_t>(t.digit->dim);
  const auto unit = checked_mul(t.digit->div, steps);
  const auto block = unit ? checked_mul(*unit, 2) : std::nullopt;
  if (!block || !(even || t.top) || !unseen.has(dim, *unit, 2)) return std::nullopt;
  return std::vector{IndexBlock{dim, *block}};
}

// If a single bit of one term determines `bit` of base + (sum of terms), returns the index blocks in which
// flipping that term's bit flips `bit` and no other bit of the sum.
std::optional<std::vector<IndexBlock>> blocks_of(Index bit, std::span<const OffsetTerm> terms, Index base,
                                                 const Unseen& unseen) {
  Index low = mod(base, 2 * bit);  // upper bound on the sum of the bits below
  std::optional<std::vector<IndexBlock>> found;
  for (const OffsetTerm& t : terms) {
    if (t.stride % (2 * bit) == 0) continue;
    if (t.stride < 0) return std::nullopt;
    Index values = t.ext;  // values of the term that change the bits below
    if (!found && bit % t.stride == 0) {
      const Index steps = bit / t.stride;
      found = pairs_of(t, steps, unseen);
      if (found) values = steps;
    }
    Index reach = 0;
    if (mul_overflows(values - 1, t.stride, reach) || add_overflows(low, reach, low)) return std::nullopt;
  }
  return low < bit ? found : std::nullopt;
}

// `swizzle` restricted to the output bits in `written`, as one swizzle per run of adjacent bits.
std::vector<Swizzle> swizzles_of(const Swizzle& swizzle, Index written) {
  std::vector<Swizzle> out;
  const int up = swizzle.shift < 0 ? -swizzle.shift : 0;
  for (int k = 0; k < swizzle.bits; ++k) {
    if ((written >> (swizzle.base + up + k) & 1) == 0) continue;
    if (!out.empty() && out.back().base + out.back().bits == swizzle.base + k) {
      ++out.back().bits;
    } else {
      out.push_back({1, swizzle.base + k, swizzle.shift});
    }
  }
  return out;
}

// A simplified layout and the index blocks within which it permutes the original's offsets.
struct Unpermuted {
  Layout layout;
  std::vector<IndexBlock> blocks;
};

std::optional<Unpermuted> with_blocks(const Result<Layout>& layout, std::vector<IndexBlock> blocks) {
  if (!layout) return std::nullopt;
  return Unpermuted{*layout, std::move(blocks)};
}

std::optional<Unpermuted> unpermuted_chain(const Unseen& unseen, const Layout& dst,
                                           const ComposedLayout& chain) {
  const std::span<const ComposedPart> parts(chain.part, static_cast<std::size_t>(chain.parts));
  const Digits inner = to_digits(chain.domain(), dst.shape());
  const std::vector<OffsetTerm> terms = terms_of(inner);
  const std::vector<OffsetTerm> joined = joined_terms_of(inner, unseen);
  std::vector<IndexBlock> blocks;
  // Goes from the innermost swizzle outward. Stops at the first one that keeps a bit, because the swizzles
  // around it read bits that it changed.
  std::vector<ComposedPart> kept(parts.begin(), parts.end() - 1);
  Index moved = 0;  // sum of the offsets of removed parts
  bool changed = false;
  while (!kept.empty() && kept.back().kind == ComposedPart::Kind::swizzle) {
    const ComposedPart last = kept.back();
    Index all_moved = 0;
    Index base = 0;
    if (add_overflows(moved, last.offset, all_moved) || add_overflows(all_moved, inner.base(), base))
      return std::nullopt;
    Index written = 0;
    for (Index rest = last.swizzle.write_mask(); rest != 0; rest &= rest - 1) {
      const Index bit = rest & -rest;
      auto own = blocks_of(bit, terms, base, unseen);
      if (!own) own = blocks_of(bit, joined, base, unseen);
      if (own) {
        blocks.insert(blocks.end(), own->begin(), own->end());
      } else {
        written |= bit;
      }
    }
    if (written == last.swizzle.write_mask()) break;
    changed = true;
    moved = all_moved;
    kept.pop_back();
    const auto rest = swizzles_of(last.swizzle, written);
    for (const Swizzle& swizzle : rest) {
      ComposedPart part = last;
      part.swizzle = swizzle;
      part.offset = 0;
      kept.push_back(part);
    }
    if (!rest.empty()) break;
  }
  if (!changed || kept.size() + 1 > ComposedLayout::kMaxParts) return std::nullopt;
  if (kept.empty()) {
    Index base = 0;
    if (add_overflows(inner.base(), moved, base)) return std::nullopt;
    const std::vector<Index> box(dst.shape().begin(), dst.shape().end());
    const auto plain = Digits::normalized(box, base, {inner.digits().begin(), inner.digits().end()});
    return with_blocks(Layout::make(plain), std::move(blocks));
  }
  if (add_overflows(kept.back().offset, moved, kept.back().offset)) return std::nullopt;
  ComposedLayout simpler;
  simpler.parts = static_cast<int>(kept.size()) + 1;
  std::ranges::copy(kept, simpler.part);
  simpler.part[kept.size()] = chain.last();
  return with_blocks(Layout::make(simpler, {dst.shape().begin(), dst.shape().end()}), std::move(blocks));
}

// Bases of index bits that the source ignores may be replaced by any other basis of their span. Each other
// base may be replaced by any element of its coset of that span. Chooses the reduced echelon form and the
// smallest elements, which are unique.
std::optional<Unpermuted> unpermuted_bases(const Unseen& unseen, const LinearLayout& linear) {
  auto bases = std::vector<std::vector<Index>>(linear.bases().begin(), linear.bases().end());
  std::vector<Index*> free;
  std::vector<Index*> others;
  std::vector<IndexBlock> blocks;
  for (std::size_t dim = 0; dim < bases.size(); ++dim) {
    for (std::size_t k = 0; k < bases[dim].size(); ++k) {
      const bool is_free = unseen.has(dim, Index{1} << k, 2);
      (is_free ? free : others).push_back(&bases[dim][k]);
      if (is_free) blocks.push_back({dim, Index{2} << k});
    }
  }
  const auto reduce = [](Index& value, Index by) { value = std::min(value, value ^ by); };
  for (std::size_t k = 0; k < free.size(); ++k) {
    std::ranges::sort(free.begin() + static_cast<std::ptrdiff_t>(k), free.end(), std::ranges::greater(),
                      [](const Index* basis) { return *basis; });
    for (std::size_t j = 0; j < free.size(); ++j) {
      if (j != k) reduce(*free[j], *free[k]);
    }
  }
  for (Index* basis : others) {
    for (const Index* by : free) reduce(*basis, *by);
  }
  auto made = LinearLayout::make(std::move(bases));
  if (!made || *made == linear) return std::nullopt;
  return with_blocks(Layout::make(*std::move(made)), std::move(blocks));
}

std::optional<Unpermuted> unpermuted(const Unseen& unseen, const Layout& layout) {
  if (const ComposedLayout* chain = layout.composed()) return unpermuted_chain(unseen, layout, *chain);
  if (const LinearLayout* linear = layout.linear()) return unpermuted_bases(unseen, *linear);
  return std::nullopt;
}

}  // namespace

bool UnpermutedLayouts::holds_in(std::span<const DimRange> box) const {
  return std::ranges::all_of(blocks, [&](const IndexBlock& block) {
    const DimRange& range = box[block.dim];
    return range.first % block.size == 0 && range.last % block.size == 0;
  });
}

bool UnpermutedLayouts::holds_everywhere() const {
  return std::ranges::all_of(
      blocks, [&](const IndexBlock& block) { return dst.shape()[block.dim] % block.size == 0; });
}

std::optional<UnpermutedLayouts> without_permutations(const Layout& src, const Layout& dst) {
  if (src.size() == 0 || (dst.composed() == nullptr && dst.linear() == nullptr)) return std::nullopt;
  // Equal layouts copy each offset to itself, so every index is interchangeable.
  const bool same = src == dst;
  auto found = unpermuted(same ? Unseen::all(dst) : Unseen::by(src), dst);
  if (!found) return std::nullopt;
  return UnpermutedLayouts{same ? found->layout : src, found->layout, std::move(found->blocks)};
}

}  // namespace tessera::moving
