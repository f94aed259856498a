// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "access/accessed_layout.h"
#include "access/fixed_layouts.h"
#include "access/limits.h"
#include "access/linear_swizzle.h"
#include "access/offset_table.h"
#include "access/paddings.h"
#include "tessera/access/access.h"

namespace tessera {
namespace {

using detail::AccessedLayout;
using detail::BitMap;
using detail::LaneBudget;
using detail::linear_layout;
using detail::plain_layout;
using detail::RankedFix;
using detail::with_swizzle;
using detail::without_swizzle;

BitMap as_map(const Swizzle& swizzle) {
  BitMap out;
  out.size = 62;
  for (int k = 0; k < 62; ++k)
    out.image[static_cast<std::size_t>(k)] = static_cast<std::uint64_t>(swizzle(Index{1} << k));
  return out;
}

// Whether the swizzle maps the offsets below `cosize` onto themselves. It keeps each aligned block of bits
// that it writes; in the last block, which may be cut, it moves every offset by the same bits.
bool keeps_memory(const Swizzle& swizzle, std::uint64_t cosize) {
  const std::uint64_t rest = cosize % (std::uint64_t{1} << (swizzle.base + swizzle.bits));
  const auto start = static_cast<Index>(cosize - rest);
  const auto moved = static_cast<std::uint64_t>(swizzle(start) ^ start);
  return moved == 0 || rest % (2 * std::bit_floor(moved)) == 0;
}

// The bytes beyond the end of the layout's memory that the elements need if offset x moves to move(x).
template <class Move>
Index grown_bytes(const AccessedLayout& problem, const Move& move) {
  Index end = problem.cosize;
  for (const Index offset : problem.offsets) end = std::max(end, move(offset) + 1);
  return problem.byte_at(end) - problem.byte_at(problem.cosize);
}

// The swizzles that move blocks of the widest vector and change some offset of the layout.
std::vector<Swizzle> swizzles_of(const AccessedLayout& problem) {
  std::vector<Swizzle> out;
  if (problem.cosize < 2) return out;
  const int size_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(problem.cosize - 1)));
  const int least_base = std::countr_zero(static_cast<std::uint64_t>(problem.widest_vector()));
  for (int bits = 1; bits <= size_bits; ++bits)
    for (int base = least_base; base + bits <= size_bits; ++base)
      for (int shift = bits; bits + base + shift <= size_bits; ++shift)
        out.push_back(Swizzle{bits, base, shift});
  return out;
}

// The offset bits that select a word and its bank. Swizzles that write these bits alike have equal counts:
// the other bits of different words stay different.
int bank_bits(const AccessedLayout& problem) {
  const auto line = static_cast<std::uint64_t>(problem.target.most_banks() * problem.target.word() * 8);
  const auto element = static_cast<std::uint64_t>(problem.element_bits);
  if (!std::has_single_bit(element)) return 62;
  return std::max(0, static_cast<int>(std::bit_width(line)) - static_cast<int>(std::bit_width(element)));
}

// Counts swizzles, those that write the banks alike once.
class SwizzleCounts {
 public:
  SwizzleCounts(const AccessedLayout& problem, LaneBudget& budget)
      : problem_(problem), budget_(budget), bank_bits_(bank_bits(problem)) {}

  // Null if the budget does not allow another count.
  const std::vector<Index>* of(const Swizzle& swizzle) {
    const int bits = std::clamp(bank_bits_ - swizzle.base, 0, swizzle.bits);
    const Swizzle written = bits == 0 ? Swizzle{} : Swizzle{bits, swizzle.base, swizzle.shift};
    const auto [found, is_new] = counts_.try_emplace(std::tuple(written.bits, written.base, written.shift));
    if (!is_new) return &found->second;
    if (!problem_.is_linear() && !budget_.take(problem_.lanes() + std::ssize(problem_.offsets)))
      return nullptr;
    found->second = detail::count_linear(problem_, as_map(written));
    return &found->second;
  }

 private:
  const AccessedLayout& problem_;
  LaneBudget& budget_;
  int bank_bits_;
  std::map<std::tuple<int, int, int>, std::vector<Index>> counts_;
};

// Ranks the swizzles of `plain`. `problem` has the accesses to it.
RankedFix best_swizzle(const AccessedLayout& problem, const Layout& plain, Index before,
                       std::vector<Swizzle>& equal, LaneBudget& budget) {
  RankedFix out;
  SwizzleCounts counted(problem, budget);
  for (const Swizzle& swizzle : swizzles_of(problem)) {
    const std::vector<Index>* const counts = counted.of(swizzle);
    if (counts == nullptr) break;
    ++out.tried;
    const Index sum = detail::total(*counts);
    if (sum >= before || (out.best && sum > out.best->wavefronts)) continue;
    Index bytes = 0;
    if (!keeps_memory(swizzle, static_cast<std::uint64_t>(problem.cosize))) {
      if (!budget.take(std::ssize(problem.offsets))) break;
      bytes = grown_bytes(problem, swizzle);
    }
    // Swizzles come in ascending order of bits, so that a later one has at least as many.
    const bool better =
        !out.best || std::tuple(sum, bytes) < std::tuple(out.best->wavefronts, out.best->bytes);
    if (better) {
      out.best = Fix{.family = FixFamily::swizzle,
                     .wavefronts = sum,
                     .per_access = *counts,
                     .bytes = bytes,
                     .xor_terms = 1,
                     .swizzle = swizzle,
                     .proof = FixProof::family};
      equal = {swizzle};
    } else if (bytes == out.best->bytes && swizzle.bits == out.best->swizzle->bits) {
      equal.push_back(swizzle);
    }
  }
  out.complete = !budget.exhausted();
  if (out.best) {
    out.best->layout = with_swizzle(*out.best->swizzle, plain);
    if (!out.complete) out.best->proof = FixProof::none;
  }
  return out;
}

// The number of distinct distances by which the map moves bits.
int diagonals(const BitMap& map, int size) {
  std::set<int> out;
  for (int k = 0; k < size; ++k) {
    const std::uint64_t unit = std::uint64_t{1} << k;
    for (std::uint64_t rest = map.image[static_cast<std::size_t>(k)] & ~unit; rest != 0; rest &= rest - 1)
      out.insert(std::countr_zero(rest) - k);
  }
  return static_cast<int>(out.size());
}

// The best linear map of offset bits.
std::optional<Fix> best_linear(const AccessedLayout& problem, const Layout& layout, Index floor) {
  const std::optional<detail::LinearSwizzle> found = best_linear_swizzle(problem, floor);
  if (!found) return std::nullopt;
  const int size = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(problem.cosize - 1)));
  Fix fix{.family = FixFamily::linear,
          .xor_terms = diagonals(found->map, size),
          .proof = found->optimal ? FixProof::linear : FixProof::none};
  const auto move = [&](Index x) { return static_cast<Index>(found->map(static_cast<std::uint64_t>(x))); };
  fix.per_access = detail::count_moved(problem, move);
  fix.bytes = grown_bytes(problem, move);
  fix.wavefronts = detail::total(fix.per_access);
  for (int k = 0; k < size; ++k)
    fix.images.push_back(static_cast<Index>(found->map.image[static_cast<std::size_t>(k)]));
  for (const Swizzle& swizzle : swizzles_of(problem)) {
    const BitMap one = as_map(swizzle);
    if (std::equal(one.image.begin(), one.image.begin() + size, found->map.image.begin()))
      fix.swizzle = swizzle;
  }
  fix.layout = fix.swizzle ? with_swizzle(*fix.swizzle, layout) : linear_layout(layout, fix.images);
  return fix;
}

// The strides of the layout. Empty if it has none, or if they have more indices than the array, as those of
// padded tiles do: they would not pad the array.
std::optional<StridedLayout> strides_of(const Layout& layout) {
  std::optional<StridedLayout> out = plain_layout(layout);
  if (out && out->size() != layout.size()) out.reset();
  return out;
}

// Why no padding was searched.
std::string not_strided(const Layout& plain) {
  const Digits* const digits = plain.known_digits();
  if (digits != nullptr && digits->base() != 0)
    return fmt::format("the layout starts at offset {}", digits->base());
  return "the layout is not one of strides";
}

// Why no linear map was searched.
std::string nonlinear_reason(const AccessedLayout& problem) {
  for (const detail::CountedAccess& access : problem.accesses)
    if (!access.linear) return fmt::format("{}: {}", access.access->name, problem.nonlinear_reason(access));
  return "the memory is too small or too large";
}

// Replaces the wavefronts by those of the fixed layout, so that the answer does not rely on the algebra that
// found it.
void recount(Fix& fix, const AccessedLayout& problem) {
  if (!fix.layout) return;
  const Result<std::vector<Index>> offsets = offset_table(*fix.layout, detail::kAccessLimits.indices);
  if (!offsets || offsets->size() != problem.offsets.size()) {
    fix.layout.reset();
    return;
  }
  if (fix.family != FixFamily::pad) {
    const Index end = offsets->empty() ? 0 : 1 + *std::ranges::max_element(*offsets);
    fix.bytes = std::max<Index>(0, problem.byte_at(end) - problem.byte_at(problem.cosize));
  }
  fix.per_access = detail::count_at(problem, *offsets);
  fix.wavefronts = detail::total(fix.per_access);
}

// The least offset, if it is negative: swizzles and linear maps move the bits of offsets from 0 on.
std::optional<Index> negative_offset(const AccessedLayout& problem) {
  const auto least = std::ranges::min_element(problem.offsets);
  return least != problem.offsets.end() && *least < 0 ? std::optional(*least) : std::nullopt;
}

Failure refuse_negative(Index offset) {
  return fail(
      Code::not_applicable,
      fmt::format("the layout has the negative offset {}, which no swizzle moves", offset), {},
      offset == kIndexMin
          ? "start at a higher offset"
          : fmt::format("start at a higher offset, np:(...):(...) + {}, or ask for paddings: --fix pad",
                        -offset));
}

// Checks that the elements of the layout can be moved.
Result<void> check_movable(const AccessedLayout& problem) {
  std::vector<Index> ascending = problem.offsets;
  std::sort(ascending.begin(), ascending.end());
  if (const auto twice = std::adjacent_find(ascending.begin(), ascending.end()); twice != ascending.end()) {
    return fail(
        Code::non_injective,
        fmt::format("two elements share offset {}, so no fix can move them to different banks", *twice), {},
        "leave out the mode that only repeats: an access may read an element many times");
  }
  for (const detail::CountedAccess& access : problem.accesses) {
    const auto at = problem.misaligned(access);
    if (!at) continue;
    const Index byte =
        problem.bytes_of(access, access.instructions[at->first])[static_cast<std::size_t>(at->second)];
    // Elements whose bytes divide this offset.
    const Index vector = std::max<Index>(1, access.access->vector);
    const Index aligned = std::gcd(byte, Index{access.width}) / std::max<Index>(1, access.width / vector);
    return fail(Code::misaligned,
                fmt::format("{}: lane {} touches byte {}, which is not a multiple of {}", access.access->name,
                            at->second, byte, access.width),
                {},
                aligned > 0 ? fmt::format("use a narrower vector: vector={}", aligned)
                            : std::string("use a narrower vector"));
  }
  return {};
}

}  // namespace

std::string_view to_string(FixFamily family) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "swizzle", "pad", "linear"};
  return kNames[static_cast<std::size_t>(family)];
}

std::string_view to_string(FixProof proof) {
  constexpr std::array<std::string_view, 4> kNames = {"floor", "linear", "family", "none"};
  return kNames[static_cast<std::size_t>(proof)];
}

Result<FixSet> find_fixes(const Layout& layout, std::span<const Access> accesses, Index element_bits,
                          const MemoryTarget& target, FixFamilies families) {
  const AccessOptions options{.element_bits = element_bits, .target = target, .global = false};
  Result<AccessedLayout> made = AccessedLayout::make(layout, accesses, options);
  if (!made) return fail(made.error());
  if (Result<void> movable = check_movable(*made); !movable) return fail(movable.error());
  const std::optional<Index> negative = negative_offset(*made);
  if (negative && !families.pad) return refuse_negative(*negative);
  made->find_linear_accesses();
  const AccessedLayout& problem = *made;
  // Swizzles and paddings are applied to the layout without the swizzle that it may already have.
  const Layout plain = without_swizzle(layout);
  const bool was_swizzled = layout.composed() != nullptr && plain.shape_stride() != nullptr;
  Result<AccessedLayout> stripped = AccessedLayout::make(plain, accesses, options);
  if (!stripped || !check_movable(*stripped) || (!negative && negative_offset(*stripped))) stripped = problem;
  stripped->find_linear_accesses();

  FixSet out;
  out.before_per_access = detail::count_at(problem, problem.offsets);
  out.before = detail::total(out.before_per_access);
  out.floor_per_access = detail::wavefront_floors(problem);
  out.floor = detail::total(out.floor_per_access);
  out.block_bytes = problem.block_bytes();
  out.linear = problem.is_linear();
  out.candidates.push_back({.family = FixFamily::none,
                            .wavefronts = out.before,
                            .per_access = out.before_per_access,
                            .layout = layout});
  LaneBudget budget;
  if (was_swizzled && (families.swizzle || families.pad)) {
    Fix removed{.family = FixFamily::swizzle, .swizzle = Swizzle{}, .proof = FixProof::none, .layout = plain};
    recount(removed, problem);
    if (removed.wavefronts < out.before) out.candidates.push_back(std::move(removed));
  }
  const auto searched = [&](FixFamily family, RankedFix ranked) {
    out.searches.push_back({.family = family, .tried = ranked.tried, .complete = ranked.complete});
    if (ranked.best) out.candidates.push_back(*std::move(ranked.best));
  };
  const auto at_floor = [&](FixFamily family) {
    if (out.before > out.floor) return false;
    out.searches.push_back({.family = family, .not_searched = "no layout has fewer wavefronts"});
    return true;
  };
  const std::string unmoved = negative ? fmt::format("offset {} is negative", *negative) : "";
  if (families.swizzle && negative)
    out.searches.push_back({.family = FixFamily::swizzle, .not_searched = unmoved});
  else if (families.swizzle && !at_floor(FixFamily::swizzle))
    searched(FixFamily::swizzle, best_swizzle(*stripped, plain, out.before, out.equal_swizzles, budget));
  if (families.pad && !at_floor(FixFamily::pad)) {
    if (const std::optional<StridedLayout> strides = strides_of(plain)) {
      searched(FixFamily::pad, best_padding(*stripped, *strides, out.before, out.floor, budget));
    } else {
      out.searches.push_back({.family = FixFamily::pad, .not_searched = not_strided(plain)});
    }
  }
  if (families.linear) {
    FixSearch search{.family = FixFamily::linear,
                     .not_searched = negative ? unmoved : nonlinear_reason(problem)};
    std::optional<Fix> fix = negative ? std::nullopt : best_linear(problem, layout, out.floor);
    if (fix) {
      search.complete = fix->proof == FixProof::linear;
      search.not_searched.clear();
      out.candidates.push_back(*std::move(fix));
    }
    out.searches.push_back(std::move(search));
  }
  for (Fix& candidate : out.candidates) recount(candidate, problem);
  // Swizzles and the unchanged layout are linear maps too, so the proof covers them.
  const Fix linear = out.candidates.back();
  for (Fix& candidate : out.candidates) {
    if (linear.family == FixFamily::linear && linear.proof == FixProof::linear &&
        candidate.family != FixFamily::pad && candidate.wavefronts == linear.wavefronts)
      candidate.proof = FixProof::linear;
    if (candidate.wavefronts == out.floor) candidate.proof = FixProof::floor;
  }
  const auto rank = [](const Fix& fix) {
    return std::tuple(fix.wavefronts, fix.bytes, fix.xor_terms, fix.swizzle ? fix.swizzle->bits : 0,
                      static_cast<int>(fix.family));
  };
  for (std::size_t i = 1; i < out.candidates.size(); ++i)
    if (rank(out.candidates[i]) < rank(out.candidates[out.best])) out.best = i;
  return out;
}

}  // namespace tessera
