// SPDX-License-Identifier: Apache-2.0
#include "relayout/interchange.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "notation/index_runs.h"
#include "notation/summands.h"
#include "tessera/notation/to_digits.h"

namespace tessera::moving {
namespace {

// Steps of the index that the source does not see, whatever the rest of the index is.
class Unseen {
 public:
  explicit Unseen(const Layout& src) : box_(src.shape()), sum_(detail::summands(src)) {}

  // Values [0, count) of x[dim] / unit, all of them wherever x is.
  bool has(std::size_t dim, Index unit, Index count) const {
    Index whole = 0;
    if (mul_overflows(unit, count, whole) || box_[dim] % whole != 0) return false;
    return detail::stride_of(sum_, {.dim = dim, .unit = unit, .count = count}, box_) == 0;
  }

 private:
  std::span<const Index> box_;
  std::vector<detail::Summand> sum_;
};

// stride * v for v in [0, ext): a digit, or several that continue each other and are free.
struct Term {
  Index stride = 0;
  Index ext = 1;
  bool free = false;  // all its values are taken by indices that the source does not see
  Digit digit = {};   // of one that is not free
  bool top = false;   // it is the last digit of its dimension
};

std::vector<Term> terms_of(const Digits& digits, const Unseen& unseen) {
  std::vector<Term> terms;
  for (std::size_t dim = 0; dim < digits.box().size(); ++dim) {
    const auto chain = digits.digits(dim);
    for (const Digit& d : chain)
      terms.push_back({d.stride, d.ext, unseen.has(dim, d.div, d.ext), d, &d == &chain.back()});
  }
  const auto join_two = [&] {
    for (Term& inner : terms) {
      const auto next = checked_mul(inner.stride, inner.ext);
      const auto outer = std::ranges::find_if(
          terms, [&](const Term& t) { return inner.free && t.free && t.stride != 0 && t.stride == next; });
      if (outer == terms.end()) continue;
      const auto ext = checked_mul(inner.ext, outer->ext);
      if (!ext) continue;
      inner.ext = *ext;
      terms.erase(outer);
      return true;
    }
    return false;
  };
  while (join_two()) {
  }
  return terms;
}

// Is the bit of all values base + (sum of terms) decided by one bit of an index that the source does not see?
// Then flipping that one flips this one, and nothing else.
bool is_free(Index bit, std::span<const Term> terms, Index base, const Unseen& unseen) {
  Index low = mod(base, 2 * bit);  // what stands below the bit at most
  bool decided = false;
  for (const Term& t : terms) {
    if (t.stride % (2 * bit) == 0) continue;
    if (t.stride < 0) return false;
    Index values = t.ext;  // that move what is below the bit
    if (!decided && bit % t.stride == 0) {
      const Index steps = bit / t.stride;
      Index unit = 0;
      const bool in_pairs = t.ext % (2 * steps) == 0 || (t.top && !t.free);
      decided = std::has_single_bit(static_cast<std::uint64_t>(steps)) && in_pairs &&
                (t.free || (!mul_overflows(t.digit.div, steps, unit) &&
                            unseen.has(static_cast<std::size_t>(t.digit.dim), unit, 2)));
      if (decided) values = steps;
    }
    Index reach = 0;
    if (mul_overflows(values - 1, t.stride, reach) || add_overflows(low, reach, low)) return false;
  }
  return decided && low < bit;
}

// Swizzles of some of the bits that `swizzle` writes.
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

std::optional<Layout> plainer_chain(const Unseen& unseen, const Layout& dst, const ComposedLayout& chain) {
  const std::span<const ComposedPart> parts(chain.part, static_cast<std::size_t>(chain.parts));
  const Digits inner = to_digits(chain.domain(), dst.shape());
  const std::vector<Term> terms = terms_of(inner, unseen);
  // From the inside: bits that one swizzle decides no more are as they are for the next.
  std::vector<ComposedPart> kept(parts.begin(), parts.end() - 1);
  Index moved = 0;  // by parts that are gone
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
      if (!is_free(bit, terms, base, unseen)) written |= bit;
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
    const auto made = Layout::make(plain.to_index_map());
    return made ? std::optional(*made) : std::nullopt;
  }
  if (add_overflows(kept.back().offset, moved, kept.back().offset)) return std::nullopt;
  ComposedLayout plainer;
  plainer.parts = static_cast<int>(kept.size()) + 1;
  std::ranges::copy(kept, plainer.part);
  plainer.part[kept.size()] = chain.last();
  const auto made = Layout::make(plainer, {dst.shape().begin(), dst.shape().end()});
  return made ? std::optional(*made) : std::nullopt;
}

// Echelon form of what index bits of no value span; all others stand for cosets of that span, as well as
// their smallest elements do.
std::optional<Layout> plainer_bases(const Unseen& unseen, const LinearLayout& linear) {
  auto bases = std::vector<std::vector<Index>>(linear.bases().begin(), linear.bases().end());
  std::vector<Index*> free;
  std::vector<Index*> others;
  for (std::size_t dim = 0; dim < bases.size(); ++dim) {
    for (std::size_t k = 0; k < bases[dim].size(); ++k)
      (unseen.has(dim, Index{1} << k, 2) ? free : others).push_back(&bases[dim][k]);
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
  const auto plainer = Layout::make(*std::move(made));
  return plainer ? std::optional(*plainer) : std::nullopt;
}

}  // namespace

std::optional<Layout> plainer_destination(const Layout& src, const Layout& dst) {
  if (src.size() == 0) return std::nullopt;
  if (const ComposedLayout* chain = dst.composed()) return plainer_chain(Unseen(src), dst, *chain);
  if (const LinearLayout* linear = dst.linear()) return plainer_bases(Unseen(src), *linear);
  return std::nullopt;
}

}  // namespace tessera::moving
