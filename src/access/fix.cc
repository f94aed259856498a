// SPDX-License-Identifier: Apache-2.0
#include "tessera/access/fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <set>
#include <tuple>

#include "access/fix_problem.h"
#include "access/linear_swizzle.h"
#include "access/offset_table.h"
#include "tessera/notation/conversion.h"

namespace tessera {
namespace {

using detail::BitMap;
using detail::FixProblem;

BitMap as_map(const Swizzle& swizzle) {
  BitMap out;
  out.size = 62;
  for (int k = 0; k < 62; ++k)
    out.image[static_cast<std::size_t>(k)] = static_cast<std::uint64_t>(swizzle(Index{1} << k));
  return out;
}

// The swizzles that move blocks of the widest vector within the tile.
std::vector<Swizzle> swizzles_of(const FixProblem& problem) {
  std::vector<Swizzle> out;
  const auto cosize = static_cast<std::uint64_t>(problem.cosize);
  const int size_bits = static_cast<int>(std::bit_width(cosize - 1));
  const int least_base = std::countr_zero(static_cast<std::uint64_t>(problem.widest_vector()));
  for (int bits = 1; bits <= size_bits; ++bits)
    for (int base = least_base; base + bits <= size_bits; ++base)
      for (int shift = bits; bits + base + shift <= size_bits; ++shift)
        if (cosize % (std::uint64_t{1} << (base + bits)) == 0) out.push_back(Swizzle{bits, base, shift});
  return out;
}

std::optional<Fix> best_swizzle(const FixProblem& problem, Index before, std::vector<Swizzle>& equal) {
  std::optional<Fix> best;
  for (const Swizzle& swizzle : swizzles_of(problem)) {
    // The swizzles ascend by bits, so a later one is better only with fewer wavefronts.
    std::vector<Index> counts = detail::count_linear(problem, as_map(swizzle));
    const Index sum = detail::total(counts);
    if (sum >= before) continue;
    if (!best || sum < best->wavefronts) {
      best = Fix{.family = FixFamily::swizzle,
                 .wavefronts = sum,
                 .per_access = std::move(counts),
                 .xor_terms = 1,
                 .swizzle = swizzle,
                 .proof = FixProof::family};
      equal = {swizzle};
    } else if (sum == best->wavefronts && swizzle.bits == best->swizzle->bits) {
      equal.push_back(swizzle);
    }
  }
  return best;
}

// A mode of a strided layout.
struct Mode {
  int leaf;
  Index extent;
  Index stride;
};

std::vector<Mode> modes_by_stride(const StridedLayout& layout) {
  std::vector<Mode> out;
  for (int i = 0; i < layout.leaves(); ++i)
    if (layout.extent[i] > 1 && layout.stride[i] > 0) out.push_back({i, layout.extent[i], layout.stride[i]});
  std::stable_sort(out.begin(), out.end(), [](const Mode& a, const Mode& b) { return a.stride < b.stride; });
  return out;
}

// The layout with the stride of mode `cut` increased by `add`, and higher strides in proportion; empty if a
// higher stride is not a multiple.
std::optional<StridedLayout> padded(const StridedLayout& layout, const std::vector<Mode>& modes,
                                    std::size_t cut, Index add) {
  StridedLayout out = layout;
  for (std::size_t i = cut; i < modes.size(); ++i) {
    if (modes[i].stride % modes[cut].stride != 0) return std::nullopt;
    out.stride[modes[i].leaf] = modes[i].stride / modes[cut].stride * (modes[cut].stride + add);
  }
  return out;
}

std::optional<Fix> best_padding(const FixProblem& problem, const StridedLayout& plain, Index before,
                                std::span<const Index> before_counts) {
  Fix best{.family = FixFamily::none,
           .wavefronts = before,
           .per_access = {before_counts.begin(), before_counts.end()}};
  const std::vector<Mode> modes = modes_by_stride(plain);
  const Index line = problem.target.most_banks() * problem.target.word();
  const Index block = problem.block_bytes();
  const Index step = block / std::gcd(block, problem.element_bytes);
  for (std::size_t cut = 1; cut < modes.size(); ++cut) {
    Index above = 1;
    for (std::size_t i = cut; i < modes.size(); ++i) above *= modes[i].extent;
    for (Index add = step; add * problem.element_bytes < line; add += step) {
      const std::optional<StridedLayout> layout = padded(plain, modes, cut, add);
      if (!layout) break;
      const Result<Layout> whole = Layout::make(*layout);
      if (!whole) break;
      const Result<std::vector<Index>> offsets = offset_table(*whole, kMostBoxIndices);
      if (!offsets) break;
      std::vector<Index> counts = detail::count_at(problem, *offsets);
      const Index sum = detail::total(counts);
      const Index bytes = add * problem.element_bytes * above;
      if (std::tuple(sum, bytes, add) >= std::tuple(best.wavefronts, best.bytes, best.pad)) continue;
      best = Fix{.family = FixFamily::pad,
                 .wavefronts = sum,
                 .per_access = std::move(counts),
                 .bytes = bytes,
                 .padded = *layout,
                 .pad = add,
                 .proof = FixProof::family};
    }
  }
  if (best.family == FixFamily::none) return std::nullopt;
  return best;
}

// The number of different distances by which the map moves bits.
int diagonals(const BitMap& map, int size) {
  std::set<int> out;
  for (int k = 0; k < size; ++k) {
    const std::uint64_t unit = std::uint64_t{1} << k;
    for (std::uint64_t rest = map.image[static_cast<std::size_t>(k)] & ~unit; rest != 0; rest &= rest - 1)
      out.insert(std::countr_zero(rest) - k);
  }
  return static_cast<int>(out.size());
}

Result<StridedLayout> plain_layout(const Layout& layout) {
  if (layout.strided() != nullptr && !layout.is_cropped()) return *layout.strided();
  const Result<Conversion> converted = convert(layout, Notation::cute);
  if (converted && converted->layout.strided() != nullptr && !converted->layout.is_cropped())
    return *converted->layout.strided();
  return fail(Code::not_applicable, "only a layout with plain strides can be padded");
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

Result<FixSet> find_fixes(const Layout& layout, std::span<const Access> accesses, Index element_bytes,
                          const MemoryTarget& target, FixFamilies families) {
  Result<std::vector<Index>> offsets = offset_table(layout, kMostBoxIndices);
  if (!offsets) return fail(offsets.error());
  for (const Index offset : *offsets) {
    if (offset < 0) return fail(Code::not_applicable, "the layout has a negative offset");
  }
  std::vector<Index> ascending = *offsets;
  std::sort(ascending.begin(), ascending.end());
  if (const auto twice = std::adjacent_find(ascending.begin(), ascending.end()); twice != ascending.end()) {
    return fail(
        Code::non_injective,
        fmt::format("two elements share offset {}, so no fix can move them to different banks", *twice));
  }
  Result<FixProblem> made = FixProblem::make(std::move(*offsets), element_bytes, target, accesses);
  if (!made) return fail(made.error());
  const FixProblem& problem = *made;

  FixSet out;
  out.before_per_access = detail::count_at(problem, problem.offsets);
  out.before = detail::total(out.before_per_access);
  out.floor_per_access = detail::wavefront_floor(problem);
  out.floor = detail::total(out.floor_per_access);
  out.linear = problem.is_linear();
  out.candidates.push_back(
      {.family = FixFamily::none, .wavefronts = out.before, .per_access = out.before_per_access});
  if (families.swizzle)
    if (std::optional<Fix> fix = best_swizzle(problem, out.before, out.equal_swizzles))
      out.candidates.push_back(*fix);
  if (families.pad) {
    if (const Result<StridedLayout> plain = plain_layout(layout))
      if (std::optional<Fix> fix = best_padding(problem, *plain, out.before, out.before_per_access))
        out.candidates.push_back(*fix);
  }
  bool linear_is_best = false;
  if (families.linear) {
    if (const std::optional<detail::LinearSwizzle> found = best_linear_swizzle(problem, out.floor)) {
      const int size = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(problem.cosize - 1)));
      Fix fix{.family = FixFamily::linear, .xor_terms = diagonals(found->map, size)};
      // Recounted by enumeration, so that the reported wavefronts do not rely on the algebra that found the
      // map.
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
      fix.proof = found->optimal ? FixProof::linear : FixProof::none;
      linear_is_best = found->optimal;
      const Index least = fix.wavefronts;
      out.candidates.push_back(std::move(fix));
      // Swizzles and the unchanged layout are linear maps too, so the proof covers them.
      for (Fix& candidate : out.candidates)
        if (linear_is_best && candidate.wavefronts == least &&
            (candidate.family == FixFamily::swizzle || candidate.family == FixFamily::none))
          candidate.proof = FixProof::linear;
    }
  }
  for (Fix& candidate : out.candidates)
    if (candidate.wavefronts == out.floor) candidate.proof = FixProof::floor;
  const auto rank = [](const Fix& fix) {
    return std::tuple(fix.wavefronts, fix.bytes, fix.xor_terms, fix.swizzle ? fix.swizzle->bits : 0,
                      static_cast<int>(fix.family));
  };
  for (std::size_t i = 1; i < out.candidates.size(); ++i)
    if (rank(out.candidates[i]) < rank(out.candidates[out.best])) out.best = i;
  return out;
}

Result<Index> least_wavefronts(const Layout& layout, std::span<const Access> accesses, Index element_bytes,
                               const MemoryTarget& target) {
  Result<std::vector<Index>> offsets = offset_table(layout, kMostBoxIndices);
  if (!offsets) return fail(offsets.error());
  const Result<FixProblem> problem = FixProblem::make(*std::move(offsets), element_bytes, target, accesses);
  if (!problem) return fail(problem.error());
  return detail::total(detail::wavefront_floor(*problem));
}

}  // namespace tessera
