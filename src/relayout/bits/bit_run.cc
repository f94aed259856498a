// SPDX-License-Identifier: Apache-2.0
#include "relayout/bits/bit_run.h"

#include <array>
#include <bit>
#include <cstring>

#include "relayout/limits.h"

namespace tessera::moving {
namespace {

template <class T>
std::uint32_t load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  if constexpr (sizeof(T) > 1 && std::endian::native == std::endian::big) {
    T turned = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      turned = static_cast<T>(turned << 8 | (value >> (8 * i) & 0xff));
    value = turned;
  }
  return value;
}

template <class T>
void store(std::byte* at, std::uint32_t word) {
  auto value = static_cast<T>(word);
  if constexpr (sizeof(T) > 1 && std::endian::native == std::endian::big) {
    T turned = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      turned = static_cast<T>(turned << 8 | (value >> (8 * i) & 0xff));
    value = turned;
  }
  std::memcpy(at, &value, sizeof(T));
}

// A block for each lane. kCount is the number of lanes, or 0 if only `count` says it.
template <std::size_t kCount>
class Blocks {
 public:
  Blocks(const BitProgram& program, std::size_t count) : program_(program), count_(count) {}

  void move(const std::byte* src, std::byte* dst) const {
    std::array<std::array<std::uint32_t, kLanes>, kRelayoutLimits.bit_words>
        in;  // NOLINT: set before it is read
    for (std::size_t s = 0; s < program_.in.size(); ++s) {
      const BitSlot& slot = program_.in[s];
      const std::byte* const at = src + slot.at;
      if (slot.bytes == 4) {
        read<std::uint32_t>(at, in[s]);
      } else if (slot.bytes == 2) {
        read<std::uint16_t>(at, in[s]);
      } else {
        read<std::uint8_t>(at, in[s]);
      }
    }
    std::uint32_t op = 0;
    for (const BitSlot& slot : program_.out) {
      std::array<std::uint32_t, kLanes> word = {};
      for (; op < slot.ops; ++op) add(program_.ops[op], in[program_.ops[op].slot], word);
      if (slot.flip != 0) {
        for (std::size_t i = 0; i < lanes(); ++i) word[i] ^= slot.flip;
      }
      std::byte* const at = dst + slot.at;
      if (slot.bytes == 4) {
        write<std::uint32_t>(at, slot, word);
      } else if (slot.bytes == 2) {
        write<std::uint16_t>(at, slot, word);
      } else {
        write<std::uint8_t>(at, slot, word);
      }
    }
  }

 private:
  using Words = std::array<std::uint32_t, kLanes>;

  std::size_t lanes() const { return kCount == 0 ? count_ : kCount; }

  template <class T>
  void read(const std::byte* at, Words& in) const {
    for (std::size_t i = 0; i < lanes(); ++i) in[i] = load<T>(at + program_.lane_src[i]);
  }

  void add(const BitOp& op, const Words& in, Words& word) const {
    if (op.shift >= 0) {
      for (std::size_t i = 0; i < lanes(); ++i) word[i] |= in[i] << op.shift & op.mask;
    } else {
      const int shift = -op.shift;
      for (std::size_t i = 0; i < lanes(); ++i) word[i] |= in[i] >> shift & op.mask;
    }
  }

  template <class T>
  void write(std::byte* at, const BitSlot& slot, const Words& word) const {
    if (slot.is_whole()) {
      for (std::size_t i = 0; i < lanes(); ++i) store<T>(at + program_.lane_dst[i], word[i]);
      return;
    }
    for (std::size_t i = 0; i < lanes(); ++i) {
      std::byte* const to = at + program_.lane_dst[i];
      store<T>(to, (load<T>(to) & ~slot.mask) | word[i]);
    }
  }

  const BitProgram& program_;
  std::size_t count_;
};

class ProgramRunner {
 public:
  explicit ProgramRunner(const BitProgram& program) : program_(program) {}

  void loop(std::size_t level, Index begin, Index end, const std::byte* src, std::byte* dst) const {
    if (level == program_.loops.size()) return strip(src, dst);
    const BlockLoop& loop_here = program_.loops[level];
    for (Index i = begin; i < end; ++i) {
      const Index next = level + 1 < program_.loops.size() ? program_.loops[level + 1].extent : 0;
      loop(level + 1, 0, next, src + i * loop_here.src, dst + i * loop_here.dst);
    }
  }

 private:
  void strip(const std::byte* src, std::byte* dst) const {
    const BlockLoop& around = program_.strip;
    if (around.extent == 1) return block(program_.lanes, src, dst);
    constexpr auto kStep = static_cast<Index>(kLanes);
    Index i = 0;
    for (; i + kStep <= around.extent; i += kStep) block(kLanes, src + i * around.src, dst + i * around.dst);
    if (i < around.extent)
      block(static_cast<std::size_t>(around.extent - i), src + i * around.src, dst + i * around.dst);
  }

  void block(std::size_t count, const std::byte* src, std::byte* dst) const {
    switch (count) {
      case 16:
        return Blocks<16>(program_, count).move(src, dst);
      case 8:
        return Blocks<8>(program_, count).move(src, dst);
      case 4:
        return Blocks<4>(program_, count).move(src, dst);
      case 1:
        return Blocks<1>(program_, count).move(src, dst);
      default:
        return Blocks<0>(program_, count).move(src, dst);
    }
  }

  const BitProgram& program_;
};

}  // namespace

void run(const BitProgram& program, Index begin, Index end, const std::byte* src, std::byte* dst) {
  ProgramRunner(program).loop(0, begin, end, src + program.src, dst + program.dst);
}

}  // namespace tessera::moving
