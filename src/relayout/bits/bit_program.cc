// SPDX-License-Identifier: Apache-2.0
#include "relayout/bits/bit_program.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "relayout/limits.h"

namespace tessera::moving {
namespace {

constexpr Index kWordBits = 32;

// Bits of a block: `count` bits from src to dst, `more` after them, as in BitRange.
struct BlockBits {
  Index src = 0;
  Index dst = 0;
  const BitRange* range = nullptr;
};

// True for a step of less than a word, in which the bits of several iterations may share one.
bool is_near(Index src, Index dst) {
  return (src != 0 && std::abs(src) < kWordBits) || std::abs(dst) < kWordBits;
}

// The least factor f of the extent for which f steps are whole bytes on both sides, and words too; else a
// factor up to kWordBits of whole bytes; the extent if there is none.
Index block_factor(Index extent, Index src, Index dst) {
  Index best = extent;
  for (Index f = 1; f < std::min(extent, kBlockBits); ++f) {
    if (extent % f != 0 || f * src % 8 != 0 || f * dst % 8 != 0) continue;
    if (!is_near(f * src, f * dst)) return f;
    if (f <= kWordBits) best = f;
  }
  return extent <= kWordBits ? extent : best;
}

// The same for steps that never are whole bytes within the extent: how many of its iterations can be cut.
Index byte_factor(Index src, Index dst) {
  Index f = 1;
  while (f * src % 8 != 0 || f * dst % 8 != 0) ++f;
  return f;
}

bool has_one_step(const BitLoop& loop) {
  return std::ranges::all_of(loop.steps, [&](const BitSteps& steps) {
    return !steps.is_table() && steps.src == loop.steps[0].src && steps.dst == loop.steps[0].dst;
  });
}

// A nest with only some of its ranges.
BitNest single_range(const BitNest& nest, std::size_t r) {
  BitNest out{{nest.ranges[r]}, {nest.src[r]}, {nest.dst[r]}, {}};
  for (const BitLoop& loop : nest.loops) out.loops.push_back({loop.extent, {loop.steps[r]}});
  return out;
}

class ProgramMaker {
 public:
  // `words`: group what shares words, not only what shares bytes.
  ProgramMaker(const BitNest& nest, bool words) : nest_(nest), words_(words) {}

  // Returns false if the block is too large.
  bool make(std::vector<BitProgram>& out) {
    split_loops();
    if (inner_bits() > kBlockBits) return false;
    list_bits();
    BitProgram program;
    place_block(program);
    make_slots(program);
    if (program.in.size() > kRelayoutLimits.bit_words || program.out.size() > kRelayoutLimits.bit_words)
      return false;
    make_ops(program);
    make_lanes(program);
    out.push_back(std::move(program));
    return true;
  }

 private:
  Index inner_bits() const {
    Index bits = 0;
    for (const BitRange& range : nest_.ranges) bits += range.count + range.more;
    for (const BitLoop& loop : inner_) {
      if (mul_overflows(bits, loop.extent, bits)) return kIndexMax;
    }
    return bits;
  }

  void split_loops() {
    for (const BitLoop& loop : nest_.loops) {
      if (!has_one_step(loop)) {
        inner_.push_back(loop);
        continue;
      }
      const BitSteps& step = loop.steps[0];
      const bool odd = step.src % 8 != 0 || step.dst % 8 != 0;
      const Index factor =
          (words_ && is_near(step.src, step.dst)) || odd ? block_factor(loop.extent, step.src, step.dst) : 1;
      if (factor > 1) inner_.push_back({factor, loop.steps});
      if (factor < loop.extent)
        outer_.push_back({loop.extent / factor, step.src * factor / 8, step.dst * factor / 8});
    }
  }

  void list_bits() {
    for (std::size_t r = 0; r < nest_.ranges.size(); ++r) {
      std::vector<std::pair<Index, Index>> at = {{nest_.src[r], nest_.dst[r]}};
      for (const BitLoop& loop : inner_) {
        std::vector<std::pair<Index, Index>> next;
        for (Index i = 0; i < loop.extent; ++i) {
          for (const auto& [src, dst] : at)
            next.emplace_back(src + loop.steps[r].src_at(i), dst + loop.steps[r].dst_at(i));
        }
        at = std::move(next);
      }
      for (const auto& [src, dst] : at) bits_.push_back({src, dst, &nest_.ranges[r]});
    }
  }

  // Sets the first byte of the block on both sides, and makes the bits relative to it.
  void place_block(BitProgram& program) {
    Index src = kIndexMax;
    Index dst = kIndexMax;
    for (const BlockBits& bits : bits_) {
      src = std::min(src, bits.src);
      dst = std::min(dst, bits.dst);
    }
    program.src = floor_div(src, Index{8});
    program.dst = floor_div(dst, Index{8});
    for (BlockBits& bits : bits_) {
      bits.src -= 8 * program.src;
      bits.dst -= 8 * program.dst;
    }
  }

  // Covers the sorted bytes, and no byte between them, with slots.
  static std::vector<BitSlot> slots_of(std::vector<Index> bytes) {
    std::ranges::sort(bytes);
    bytes.erase(std::ranges::unique(bytes).begin(), bytes.end());
    std::vector<BitSlot> out;
    for (std::size_t i = 0; i < bytes.size();) {
      std::size_t run = 1;
      while (run < 4 && i + run < bytes.size() && bytes[i + run] == bytes[i] + static_cast<Index>(run)) ++run;
      const int size = run == 3 ? 2 : static_cast<int>(run);
      out.push_back({.at = bytes[i], .bytes = size});
      i += static_cast<std::size_t>(size);
    }
    return out;
  }

  void make_slots(BitProgram& program) const {
    std::vector<Index> in;
    std::vector<Index> out;
    for (const BlockBits& bits : bits_) {
      const int read = std::max(bits.range->count, bits.range->repeats ? 1 : 0);
      for (int i = 0; i < read; ++i) in.push_back((bits.src + i) / 8);
      for (int i = 0; i < bits.range->count + bits.range->more; ++i) out.push_back((bits.dst + i) / 8);
    }
    program.in = slots_of(std::move(in));
    program.out = slots_of(std::move(out));
  }

  static std::size_t slot_of(const std::vector<BitSlot>& slots, Index byte) {
    const auto after = std::ranges::upper_bound(slots, byte, {}, &BitSlot::at);
    return static_cast<std::size_t>(after - slots.begin()) - 1;
  }

  void make_ops(BitProgram& program) const {
    // For each slot of the destination: the masks by slot of the source and shift.
    std::vector<std::map<std::pair<std::size_t, Index>, std::uint32_t>> masks(program.out.size());
    for (const BlockBits& bits : bits_) {
      for (int i = 0; i < bits.range->count + bits.range->more; ++i) {
        const Index to = bits.dst + i;
        const std::size_t o = slot_of(program.out, to / 8);
        BitSlot& slot = program.out[o];
        const std::uint32_t bit = std::uint32_t{1} << (to - 8 * slot.at);
        slot.mask |= bit;
        if ((bits.range->flip >> i & 1) != 0) slot.flip |= bit;
        const bool copied = i < bits.range->count;
        if (!copied && !bits.range->repeats) continue;
        const Index from = bits.src + (copied ? i : std::max(bits.range->count - 1, 0));
        const std::size_t s = slot_of(program.in, from / 8);
        const Index shift = (to - 8 * slot.at) - (from - 8 * program.in[s].at);
        masks[o][{s, shift}] |= bit;
      }
    }
    for (std::size_t o = 0; o < masks.size(); ++o) {
      for (const auto& [key, mask] : masks[o]) {
        program.ops.push_back(
            {static_cast<std::uint16_t>(key.first), static_cast<std::int16_t>(key.second), mask});
      }
      program.out[o].ops = static_cast<std::uint32_t>(program.ops.size());
    }
  }

  // The loops with the shortest steps in the destination become lanes.
  void make_lanes(BitProgram& program) {
    std::ranges::stable_sort(outer_, {}, [](const BlockLoop& loop) { return std::abs(loop.dst); });
    std::size_t used = 0;
    while (used < outer_.size()) {
      BlockLoop& loop = outer_[used];
      const Index room = static_cast<Index>(kLanes / program.lanes);
      Index take = std::min(loop.extent, room);
      while (loop.extent % take != 0) --take;
      if (program.lanes == 1 && take < static_cast<Index>(kLanes) && loop.extent > 4 * room) {
        // A long loop without a fitting divisor: strips of lanes, the last one shorter.
        for (std::size_t i = 0; i < kLanes; ++i) {
          program.lane_src[i] = static_cast<Index>(i) * loop.src;
          program.lane_dst[i] = static_cast<Index>(i) * loop.dst;
        }
        program.lanes = kLanes;
        program.strip = loop;
        ++used;
        break;
      }
      const std::size_t old = program.lanes;
      for (Index i = 1; i < take; ++i) {
        for (std::size_t lane = 0; lane < old; ++lane) {
          const std::size_t at = static_cast<std::size_t>(i) * old + lane;
          program.lane_src[at] = program.lane_src[lane] + i * loop.src;
          program.lane_dst[at] = program.lane_dst[lane] + i * loop.dst;
        }
      }
      program.lanes = old * static_cast<std::size_t>(take);
      if (take < loop.extent) {
        loop = {loop.extent / take, loop.src * take, loop.dst * take};
        break;
      }
      ++used;
    }
    program.loops.assign(outer_.rbegin(), outer_.rend() - static_cast<std::ptrdiff_t>(used));
  }

  const BitNest& nest_;
  bool words_;
  std::vector<BitLoop> inner_;
  std::vector<BlockLoop> outer_;
  std::vector<BlockBits> bits_;
};

// Cuts the first loop whose steps are not whole bytes and whose extent is not a multiple of what shares
// bytes.
std::optional<std::pair<BitNest, BitNest>> cut_odd_loop(const BitNest& nest) {
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    const BitLoop& loop = nest.loops[l];
    if (!has_one_step(loop)) continue;
    const Index factor = byte_factor(loop.steps[0].src, loop.steps[0].dst);
    const Index rest = loop.extent % factor;
    if (factor == 1 || rest == 0 || loop.extent < 2 * factor) continue;
    std::pair<BitNest, BitNest> out(nest, nest);
    out.first.loops[l].extent = loop.extent - rest;
    out.second.loops[l].extent = rest;
    for (std::size_t r = 0; r < nest.ranges.size(); ++r) {
      out.second.src[r] += (loop.extent - rest) * loop.steps[r].src;
      out.second.dst[r] += (loop.extent - rest) * loop.steps[r].dst;
    }
    return out;
  }
  return std::nullopt;
}

bool add_programs(const BitNest& nest, std::vector<BitProgram>& out) {
  if (const auto cut = cut_odd_loop(nest))
    return add_programs(cut->first, out) && add_programs(cut->second, out);
  if (ProgramMaker(nest, true).make(out)) return true;
  if (nest.ranges.size() == 1) return ProgramMaker(nest, false).make(out);
  for (std::size_t r = 0; r < nest.ranges.size(); ++r) {
    if (!add_programs(single_range(nest, r), out)) return false;
  }
  return true;
}

}  // namespace

bool BitProgram::writes_whole_slots() const {
  return std::ranges::all_of(out, [](const BitSlot& slot) { return slot.is_whole(); });
}

std::optional<std::vector<BitProgram>> bit_programs(const BitNest& nest) {
  std::vector<BitProgram> out;
  if (!add_programs(nest, out)) return std::nullopt;
  return out;
}

}  // namespace tessera::moving
