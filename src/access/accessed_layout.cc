// SPDX-License-Identifier: Apache-2.0
#include "access/accessed_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "access/limits.h"
#include "access/offset_table.h"
#include "tessera/access/memory_target.h"

namespace tessera::detail {
namespace {

// The differences between the words of a phase as a linear space. Empty unless all instructions of the access
// share that space.
std::optional<LinearAccess> linear_access(const AccessedLayout& layout, const CountedAccess& access) {
  LinearAccess out;
  if (access.instructions.empty() || !is_power_of_two(layout.element_bits)) return std::nullopt;
  Index served_phases = 0;
  for (std::size_t k = 0; k < access.instructions.size(); ++k) {
    const AccessInstruction& one = access.instructions[k];
    const std::vector<Index> bytes = layout.bytes_of(access, one);
    const BankBitsAnswer answer = bank_bits({.bytes = bytes, .active = one.active, .width = access.width},
                                            access.access->kind, layout.target);
    if (!answer.bits) return std::nullopt;
    BitMap difference;
    for (std::size_t b = 0; b < answer.bits->lane_bytes.size(); ++b)
      difference.image[b] = static_cast<std::uint64_t>(answer.bits->lane_bytes[b]);
    BitSpace served;
    const auto lanes = static_cast<unsigned>(one.indices.size());
    for (const unsigned mask : access.rule.lane_masks)
      if (mask < lanes) served.add(difference(mask));
    if (k > 0 && !(served == out.served)) return std::nullopt;
    out.served = served;
    served_phases = 0;
    for (const std::uint64_t phase : access.rule.phases) served_phases += (phase & one.active) != 0;
  }
  out.vector_bits = static_cast<std::uint64_t>(std::max<Index>(access.width, layout.target.word())) - 1;
  out.bank_bits = log2_of(access.rule.banks * layout.target.word());
  out.cost = access.access->weight * std::ssize(access.instructions) * served_phases;
  return out;
}

Index count_access(const AccessedLayout& layout, const CountedAccess& access,
                   std::span<const Index> offsets) {
  std::array<Index, 64> bytes;
  Index sum = 0;
  for (const AccessInstruction& one : access.instructions) {
    for (std::size_t l = 0; l < one.indices.size(); ++l)
      bytes[l] = layout.byte_at(offsets[static_cast<std::size_t>(one.indices[l])]) + access.access->base;
    sum += count_wavefronts(
        {.bytes = std::span(bytes).first(one.indices.size()), .active = one.active, .width = access.width},
        access.rule, layout.target.word());
  }
  return sum * access.access->weight;
}

// Stores the offsets of the touched indices only, and replaces the indices in the tables by their positions
// in that list.
void keep_touched(AccessedLayout& out, const Layout& layout) {
  std::vector<Index> touched;
  for (const CountedAccess& access : out.accesses)
    for (const Index i : access.table.index)
      if (i >= 0) touched.push_back(i);
  std::ranges::sort(touched);
  touched.erase(std::ranges::unique(touched).begin(), touched.end());
  for (CountedAccess& access : out.accesses)
    for (Index& i : access.table.index)
      if (i >= 0) i = std::ranges::lower_bound(touched, i) - touched.begin();
  out.whole_box = false;
  for (const Index i : touched) out.offsets.push_back(offset_at(layout, i));
}

}  // namespace

Result<AccessedLayout> AccessedLayout::make(const Layout& layout, std::span<const Access> accesses,
                                            const AccessOptions& options, LargeAccess large) {
  AccessedLayout out{.offsets = {}, .element_bits = options.element_bits, .target = options.target};
  for (const Access& access : accesses) {
    CountedAccess counted{.access = &access};
    Result<ThreadTable> table =
        thread_table(access, layout.shape(), options.target.lanes(), large, options.most_pairs);
    if (!table) return fail(table.error());
    counted.table = *std::move(table);
    out.accesses.push_back(std::move(counted));
  }
  if (large == LargeAccess::sample && layout.size() > options.most_pairs) {
    keep_touched(out, layout);
  } else {
    Result<std::vector<Index>> offsets = offset_table(layout, kAccessLimits.indices);
    if (!offsets) return fail(offsets.error());
    out.offsets = *std::move(offsets);
  }
  for (const Index offset : out.offsets) out.cosize = std::max(out.cosize, offset + 1);
  for (CountedAccess& counted : out.accesses) {
    Result<std::vector<AccessInstruction>> instructions =
        access_instructions(*counted.access, counted.table, out.offsets, options);
    if (!instructions) return fail(instructions.error());
    counted.instructions = *std::move(instructions);
    counted.width = static_cast<int>(counted.access->vector * options.element_bits / 8);
    if (options.shared) counted.rule = out.target.rule(counted.access->kind, counted.width);
  }
  return out;
}

std::vector<Index> AccessedLayout::bytes_of(const CountedAccess& access, const AccessInstruction& one) const {
  std::vector<Index> out;
  out.reserve(one.indices.size());
  for (const Index i : one.indices)
    out.push_back(byte_at(offsets[static_cast<std::size_t>(i)]) + access.access->base);
  return out;
}

std::optional<std::pair<std::size_t, int>> AccessedLayout::misaligned(const CountedAccess& access) const {
  for (std::size_t i = 0; i < access.instructions.size(); ++i) {
    const AccessInstruction& one = access.instructions[i];
    for (std::uint64_t rest = one.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const Index index = one.indices[static_cast<std::size_t>(lane)];
      if (mod(byte_at(offsets[static_cast<std::size_t>(index)]) + access.access->base, access.width) != 0)
        return std::pair{i, lane};
    }
  }
  return std::nullopt;
}

void AccessedLayout::find_linear_accesses() {
  for (CountedAccess& access : accesses) access.linear = linear_access(*this, access);
}

bool AccessedLayout::is_linear() const {
  return std::all_of(accesses.begin(), accesses.end(),
                     [](const CountedAccess& a) { return a.linear.has_value(); });
}

std::string AccessedLayout::nonlinear_reason(const CountedAccess& access) const {
  if (access.instructions.empty()) return "no lane takes part";
  for (const AccessInstruction& one : access.instructions) {
    const std::vector<Index> bytes = bytes_of(access, one);
    BankBitsAnswer answer =
        bank_bits({.bytes = bytes, .active = one.active, .width = access.width}, access.access->kind, target);
    if (!answer.bits) return std::move(answer.no_bits);
  }
  return "its instructions do not move the same address bits";
}

bool AccessedLayout::runs_at(std::span<const Index> moved) const {
  const AccessOptions options{.element_bits = element_bits, .target = target, .global = false};
  return std::ranges::all_of(accesses, [&](const CountedAccess& counted) {
    if (!access_instructions(*counted.access, counted.table, moved, options)) return false;
    return std::ranges::all_of(counted.instructions, [&](const AccessInstruction& one) {
      for (std::uint64_t rest = one.active; rest != 0; rest &= rest - 1) {
        const Index index = one.indices[static_cast<std::size_t>(std::countr_zero(rest))];
        if (mod(byte_at(moved[static_cast<std::size_t>(index)]) + counted.access->base, counted.width) != 0)
          return false;
      }
      return true;
    });
  });
}

Index AccessedLayout::widest_bytes() const {
  Index out = 1;
  for (const CountedAccess& a : accesses) out = std::max<Index>(out, a.width);
  return out;
}

Index AccessedLayout::block_bytes() const { return std::max<Index>(target.word(), widest_bytes()); }

Index AccessedLayout::widest_vector() const {
  Index out = 1;
  for (const CountedAccess& a : accesses) out = std::max(out, a.access->vector);
  return out;
}

Index AccessedLayout::lanes() const {
  Index out = 0;
  for (const CountedAccess& a : accesses) out += std::ssize(a.table.index);
  return out;
}

std::vector<Index> count_at(const AccessedLayout& layout, std::span<const Index> offsets) {
  std::vector<Index> out;
  for (const CountedAccess& access : layout.accesses) out.push_back(count_access(layout, access, offsets));
  return out;
}

std::vector<Index> count_moved(const AccessedLayout& layout, const std::function<Index(Index)>& move) {
  std::vector<Index> offsets = layout.offsets;
  for (Index& offset : offsets) offset = move(offset);
  return count_at(layout, offsets);
}

std::vector<Index> count_linear(const AccessedLayout& layout, const BitMap& map) {
  std::vector<Index> out;
  std::vector<Index> moved;  // only if some access is not linear
  const ElementShift element(layout.element_bits);
  const int word_bits = log2_of(layout.target.word());
  for (const CountedAccess& access : layout.accesses) {
    if (!access.linear) {
      if (moved.empty()) {
        moved = layout.offsets;
        for (Index& offset : moved) offset = static_cast<Index>(map(static_cast<std::uint64_t>(offset)));
      }
      out.push_back(count_access(layout, access, moved));
      continue;
    }
    const LinearAccess& linear = *access.linear;
    BitSpace words;
    for (const std::uint64_t v : linear.served.basis()) {
      const std::uint64_t low = v & element.byte_mask();
      words.add((element.to_bytes(map(element.to_elements(v))) | low) >> word_bits);
    }
    words.add(BitSpace::of_bits(linear.vector_bits >> word_bits));
    BitSpace banks;
    const auto mask = static_cast<std::uint64_t>(access.rule.banks) - 1;
    for (const std::uint64_t v : words.basis()) banks.add(v & mask);
    out.push_back(linear.cost << (words.dim() - banks.dim()));
  }
  return out;
}

Index total(std::span<const Index> wavefronts) {
  return std::accumulate(wavefronts.begin(), wavefronts.end(), Index{0});
}

Index wavefront_floor(const AccessedLayout& layout, const CountedAccess& access, Index block_bytes) {
  const Index word = layout.target.word();
  const Index block = std::max<Index>(1, block_bytes / word);  // in words
  const Index banks_of_class = std::max<Index>(1, access.rule.banks / block);
  const bool aligned = !layout.misaligned(access);
  Index sum = 0;
  std::vector<Index> words;
  std::vector<Index> in_class(static_cast<std::size_t>(block));
  for (const AccessInstruction& one : access.instructions) {
    const std::vector<Index> bytes = layout.bytes_of(access, one);
    for (const std::uint64_t phase : access.rule.phases) {
      words.clear();
      for (std::uint64_t rest = phase & one.active; rest != 0; rest &= rest - 1) {
        const Index at = bytes[static_cast<std::size_t>(std::countr_zero(rest))];
        for (Index w = floor_div(at, word); w <= floor_div(at + access.width - 1, word); ++w)
          words.push_back(w);
      }
      if (words.empty()) continue;
      std::sort(words.begin(), words.end());
      words.erase(std::unique(words.begin(), words.end()), words.end());
      std::fill(in_class.begin(), in_class.end(), 0);
      for (const Index w : words) ++in_class[static_cast<std::size_t>(mod(w, block))];
      sum += aligned ? ceil_div(*std::max_element(in_class.begin(), in_class.end()), banks_of_class) : 1;
    }
  }
  return sum;
}

std::vector<Index> wavefront_floors(const AccessedLayout& layout) {
  std::vector<Index> out;
  for (const CountedAccess& access : layout.accesses)
    out.push_back(access.access->weight * wavefront_floor(layout, access, layout.block_bytes()));
  return out;
}

}  // namespace tessera::detail
