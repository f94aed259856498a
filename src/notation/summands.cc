// SPDX-License-Identifier: Apache-2.0
#include "notation/summands.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "notation/to_digits.h"

namespace tessera::detail {
namespace {

// Groups bases that share bits, directly or through other bases: they interact.
std::vector<Summand> summands_of(const LinearLayout& linear) {
  struct BitComponent {
    Index bits = 0;
    Summand summand;
  };
  std::vector<BitComponent> components;
  for (std::size_t dim = 0; dim < linear.bases().size(); ++dim) {
    const auto& own = linear.bases()[dim];
    for (std::size_t k = 0; k < own.size(); ++k) {
      const Index unit = Index{1} << k;
      BitComponent joined{own[k], {{{.dim = dim, .from = unit, .to = 2 * unit}}, own[k]}};
      std::erase_if(components, [&](const BitComponent& other) {
        if ((other.bits & own[k]) == 0) return false;
        joined.bits |= other.bits;
        joined.summand.stride.reset();
        std::ranges::copy(other.summand.windows, std::back_inserter(joined.summand.windows));
        return true;
      });
      components.push_back(std::move(joined));
    }
  }
  std::vector<Summand> out;
  for (BitComponent& c : components) out.push_back(std::move(c.summand));
  return out;
}

// Powers of two that bound the bits that swizzles read and write: every aligned block of `high` offsets maps
// to itself, and the bits below `low` do not change.
struct SwizzledBits {
  Index low = 0;
  Index high = 0;
};
// Empty unless only swizzles precede the last layout.
std::optional<SwizzledBits> swizzled_bits(const ComposedLayout& chain) {
  Index bits = 0;
  Index low = Index{1} << 62;
  for (int i = 0; i + 1 < chain.parts; ++i) {
    const ComposedPart& part = chain.part[i];
    if (part.kind != ComposedPart::Kind::swizzle) return std::nullopt;
    bits |= part.swizzle.read_mask() | part.swizzle.write_mask();
    // An added offset below the lowest such bit may carry into it.
    if (part.offset != 0) low = std::min(low, part.offset & -part.offset);
  }
  if (bits == 0) return SwizzledBits{1, 1};
  const auto top = std::bit_width(static_cast<std::uint64_t>(bits));
  return SwizzledBits{std::min(low, bits & -bits), Index{1} << top};
}

// The digits of the last layout, and one function of all digits that reach the bits [low, high).
std::vector<Summand> summands_of(const Digits& inner, SwizzledBits bits) {
  std::vector<Summand> out = summands(inner);
  if (bits.high == 1) return out;
  Summand mixed;
  mixed.windows.reserve(inner.digits().size());
  // Whether the parts of the digits below `low` can carry into the bits above.
  Index below = inner.base() % bits.low;
  bool carries = below < 0;
  for (std::size_t dim = 0; dim < inner.box().size(); ++dim) {
    const auto chain = inner.digits(dim);
    for (const Digit& d : chain) {
      if (d.stride % bits.high == 0) continue;
      const bool top = &d == &chain.back();
      // The number of steps of the digit after which its offset is a multiple of the block. The digit is cut
      // there if that divides its extent.
      const auto steps = [&](Index block) { return block / std::gcd(d.stride, block); };
      const auto cuts = [&](Index at) { return at < d.ext && (top || d.ext % at == 0); };
      Window w{.dim = dim, .from = d.div, .to = top ? kEndless : d.div * d.ext};
      if (const Index at = steps(bits.high); cuts(at)) w.to = d.div * at;
      if (const Index at = steps(bits.low); at > 1) {
        const Index values = cuts(at) ? at : d.ext;
        Index reach = 0;
        carries = carries || d.stride < 0 || mul_overflows(values - 1, d.stride, reach) ||
                  add_overflows(below, reach, below) || below >= bits.low;
        w.from = d.div * values;
      }
      if (w.from < d.div * d.ext && w.from != w.to) mixed.windows.push_back(w);
    }
  }
  if (carries) {
    mixed.windows.clear();
    if (bits.low > 1) return summands_of(inner, SwizzledBits{1, bits.high});
  }
  if (!mixed.windows.empty()) out.push_back(std::move(mixed));
  return out;
}

}  // namespace

std::vector<Summand> summands(const Digits& digits) {
  std::vector<Summand> out;
  out.reserve(digits.digits().size() + 1);
  for (std::size_t dim = 0; dim < digits.box().size(); ++dim) {
    const auto chain = digits.digits(dim);
    for (const Digit& d : chain) {
      Window w{.dim = dim, .from = d.div, .to = d.div, .slope = d.stride};
      if (&d != &chain.back()) w = {.dim = dim, .from = d.div, .to = d.div * d.ext, .slope = 0};
      out.push_back({{w}, d.stride});
    }
  }
  return out;
}

std::vector<Summand> summands(const Layout& layout) {
  if (const Digits* known = layout.known_digits()) return summands(*known);
  if (const LinearLayout* linear = layout.linear()) return summands_of(*linear);
  if (const ComposedLayout* chain = layout.composed()) {
    // All bits that a swizzle moves depend on each other, so they form one summand if its table is small.
    constexpr Index kFewValues = 4096;
    const auto bits = swizzled_bits(*chain);
    if (!bits || bits->high / bits->low > kFewValues) {
      if (const auto linear = linear_form(layout)) return summands_of(*linear);
    }
    if (bits) return summands_of(to_digits(chain->domain(), layout.shape()), *bits);
  }
  return summands(lower(layout));
}

}  // namespace tessera::detail
