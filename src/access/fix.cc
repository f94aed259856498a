// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <set>
#include <tuple>

#include "access/accessed_layout.h"
#include "access/fixed_layouts.h"
#include "access/linear_swizzle.h"
#include "access/offset_table.h"
#include "tessera/access/access.h"

namespace tessera {
namespace {

using detail::AccessedLayout;
using detail::BitMap;
using detail::linear_layout;
using detail::plain_layout;
using detail::swizzled;
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

// The swizzles that move blocks of the widest vector within the tile.
std::vector<Swizzle> swizzles_of(const AccessedLayout& problem) {
  std::vector<Swizzle> out;
  const auto cosize = static_cast<std::uint64_t>(problem.cosize);
  const int size_bits = static_cast<int>(std::bit_width(cosize - 1));
  const int least_base = std::countr_zero(static_cast<std::uint64_t>(problem.widest_vector()));
  for (int bits = 1; bits <= size_bits; ++bits)
    for (int base = least_base; base + bits <= size_bits; ++base)
      for (int shift = bits; bits + base + shift <= size_bits; ++shift)
        if (keeps_memory({bits, base, shift}, cosize)) out.push_back(Swizzle{bits, base, shift});
  return out;
}

// The searches count at most this many lanes together.
constexpr Index kMostCountedLanes = Index{1} << 28;

// How many lanes the searches may still count.
class LaneBudget {
 public:
  // Returns false if one more count would exceed the limit; all later calls return false too.
  bool take(Index lanes) { return (left_ -= lanes) >= 0; }
  bool exhausted() const { return left_ < 0; }

 private:
  Index left_ = kMostCountedLanes;
};

// The best member of a family, and whether all members were counted.
struct Ranked {
  std::optional<Fix> best;
  bool complete = true;
};

// Ranks the swizzles of `plain`. `problem` has the accesses to it.
Ranked best_swizzle(const AccessedLayout& problem, const Layout& plain, Index before,
                    std::vector<Swizzle>& equal, LaneBudget& budget) {
  Ranked out;
  for (const Swizzle& swizzle : swizzles_of(problem)) {
    if (!problem.is_linear() && !budget.take(problem.lanes() + std::ssize(problem.offsets))) break;
    // Swizzles come in ascending order of bits, so a later one is better only with fewer wavefronts.
    std::vector<Index> counts = detail::count_linear(problem, as_map(swizzle));
    const Index sum = detail::total(counts);
    if (sum >= before) continue;
    if (!out.best || sum < out.best->wavefronts) {
      out.best = Fix{.family = FixFamily::swizzle,
                     .wavefronts = sum,
                     .per_access = std::move(counts),
                     .xor_terms = 1,
                     .swizzle = swizzle,
                     .proof = FixProof::family};
      equal = {swizzle};
    } else if (sum == out.best->wavefronts && swizzle.bits == out.best->swizzle->bits) {
      equal.push_back(swizzle);
    }
  }
  out.complete = !budget.exhausted();
  if (out.best) {
    out.best->layout = swizzled(*out.best->swizzle, plain);
    if (!out.complete) out.best->proof = FixProof::none;
  }
  return out;
}

// A mode of a strided layout.
struct StridedMode {
  int leaf;
  Index extent;
  Index stride;
};

std::vector<StridedMode> modes_by_stride(const StridedLayout& layout) {
  std::vector<StridedMode> out;
  for (int i = 0; i < layout.leaves(); ++i)
    if (layout.extent[i] > 1 && layout.stride[i] > 0) out.push_back({i, layout.extent[i], layout.stride[i]});
  std::stable_sort(out.begin(), out.end(),
                   [](const StridedMode& a, const StridedMode& b) { return a.stride < b.stride; });
  return out;
}

// The layout with the stride of mode `cut` increased by `add`, and higher strides in proportion. Empty if a
// higher stride is not a multiple of that stride.
std::optional<StridedLayout> padded(const StridedLayout& layout, const std::vector<StridedMode>& modes,
                                    std::size_t cut, Index add) {
  StridedLayout out = layout;
  for (std::size_t i = cut; i < modes.size(); ++i) {
    if (modes[i].stride % modes[cut].stride != 0) return std::nullopt;
    out.stride[modes[i].leaf] = modes[i].stride / modes[cut].stride * (modes[cut].stride + add);
  }
  return out;
}

// Ranks the paddings of `plain`. `problem` has the accesses to it.
Ranked best_padding(const AccessedLayout& problem, const StridedLayout& plain, Index before,
                    LaneBudget& budget) {
  Ranked out;
  const std::vector<StridedMode> modes = modes_by_stride(plain);
  const Index line = problem.target.most_banks() * problem.target.word();
  const Index block = problem.block_bytes();
  const Index step = 8 * block / std::gcd(8 * block, problem.element_bits);
  for (std::size_t cut = 1; cut < modes.size(); ++cut) {
    Index above = 1;
    for (std::size_t i = cut; i < modes.size(); ++i) above *= modes[i].extent;
    for (Index add = step; problem.byte_at(add) < line; add += step) {
      const std::optional<StridedLayout> layout = padded(plain, modes, cut, add);
      if (!layout) break;
      const Result<Layout> whole = Layout::make(*layout);
      if (!whole) break;
      if (!budget.take(problem.lanes() + std::ssize(problem.offsets))) {
        out.complete = false;
        if (out.best) out.best->proof = FixProof::none;
        return out;
      }
      const Result<std::vector<Index>> offsets = offset_table(*whole, kMostBoxIndices);
      if (!offsets) break;
      std::vector<Index> counts = detail::count_at(problem, *offsets);
      const Index sum = detail::total(counts);
      const Index bytes = problem.byte_at(add) * above;
      if (sum >= before) continue;
      if (out.best &&
          std::tuple(sum, bytes, add) >= std::tuple(out.best->wavefronts, out.best->bytes, out.best->pad))
        continue;
      out.best = Fix{.family = FixFamily::pad,
                     .wavefronts = sum,
                     .per_access = std::move(counts),
                     .bytes = bytes,
                     .pad = add,
                     .proof = FixProof::family,
                     .layout = *whole};
    }
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
  fix.per_access = detail::count_moved(
      problem, [&](Index x) { return static_cast<Index>(found->map(static_cast<std::uint64_t>(x))); });
  fix.wavefronts = detail::total(fix.per_access);
  for (int k = 0; k < size; ++k)
    fix.images.push_back(static_cast<Index>(found->map.image[static_cast<std::size_t>(k)]));
  for (const Swizzle& swizzle : swizzles_of(problem)) {
    const BitMap one = as_map(swizzle);
    if (std::equal(one.image.begin(), one.image.begin() + size, found->map.image.begin()))
      fix.swizzle = swizzle;
  }
  fix.layout = fix.swizzle ? swizzled(*fix.swizzle, layout) : linear_layout(layout, fix.images);
  return fix;
}

// Replaces the wavefronts by those of the fixed layout, so that the answer does not rely on the algebra that
// found it.
void recount(Fix& fix, const AccessedLayout& problem) {
  if (!fix.layout) return;
  const Result<std::vector<Index>> offsets = offset_table(*fix.layout, kMostBoxIndices);
  if (!offsets || offsets->size() != problem.offsets.size()) {
    fix.layout.reset();
    return;
  }
  fix.per_access = detail::count_at(problem, *offsets);
  fix.wavefronts = detail::total(fix.per_access);
}

// Checks that the elements of the layout can be moved.
Result<void> check_movable(const AccessedLayout& problem) {
  for (const Index offset : problem.offsets) {
    if (offset < 0) return fail(Code::not_applicable, "the layout has a negative offset");
  }
  std::vector<Index> ascending = problem.offsets;
  std::sort(ascending.begin(), ascending.end());
  if (const auto twice = std::adjacent_find(ascending.begin(), ascending.end()); twice != ascending.end()) {
    return fail(
        Code::non_injective,
        fmt::format("two elements share offset {}, so no fix can move them to different banks", *twice));
  }
  for (const detail::CountedAccess& access : problem.accesses) {
    const auto at = problem.misaligned(access);
    if (!at) continue;
    const Index byte =
        problem.bytes_of(access, access.instructions[at->first])[static_cast<std::size_t>(at->second)];
    return fail(Code::misaligned,
                fmt::format("{}: lane {} touches byte {}, which is not a multiple of {}", access.access->name,
                            at->second, byte, access.width),
                {}, "use a narrower vector");
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
  made->find_linear_accesses();
  const AccessedLayout& problem = *made;
  // Swizzles and paddings are applied to the layout without the swizzle that it may already have.
  const Layout plain = without_swizzle(layout);
  const bool was_swizzled = layout.composed() != nullptr && plain.strided() != nullptr;
  Result<AccessedLayout> stripped = AccessedLayout::make(plain, accesses, options);
  if (!stripped || !check_movable(*stripped)) stripped = problem;
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
  if (families.swizzle) {
    Ranked ranked = best_swizzle(*stripped, plain, out.before, out.equal_swizzles, budget);
    if (ranked.best) out.candidates.push_back(*std::move(ranked.best));
  }
  if (const std::optional<StridedLayout> strides = plain_layout(plain); families.pad && strides) {
    Ranked ranked = best_padding(*stripped, *strides, out.before, budget);
    if (ranked.best) out.candidates.push_back(*std::move(ranked.best));
  }
  if (families.linear) {
    if (std::optional<Fix> fix = best_linear(problem, layout, out.floor))
      out.candidates.push_back(*std::move(fix));
  }
  for (Fix& candidate : out.candidates) recount(candidate, problem);
  // The strides of a layout whose tiles are padded have more indices than the array: they do not pad the
  // array.
  std::erase_if(out.candidates, [](const Fix& fix) { return fix.family == FixFamily::pad && !fix.layout; });
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
