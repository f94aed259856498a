// SPDX-License-Identifier: Apache-2.0
// Small regions that are contiguous in the destination, written together in whole lines.
#if defined(TESSERA_RELAYOUT_SEQUENCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_SEQUENCE_INL_H
#undef TESSERA_RELAYOUT_SEQUENCE_INL_H
#else
#define TESSERA_RELAYOUT_SEQUENCE_INL_H
#endif

#include <bit>

#include "relayout/kernels/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

constexpr Size kSequenceRegion = Size{4} << 10;
constexpr Size kSequenceRows = 512;

// Rows or columns at listed offsets from a base.
template <class Byte>
struct Placed {
  static constexpr bool kRoomy = true;
  Byte* base;
  const Index* offsets;

  HWY_INLINE Byte* at(Size i) const { return base + offsets[i]; }
  HWY_INLINE Placed from(Size i) const { return {base, offsets + i}; }
};

// Adjacent columns in a buffer. Writing past the end of one is harmless, because the next one overwrites it.
struct Joined {
  static constexpr bool kRoomy = true;
  std::byte* base;
  Size bytes;

  HWY_INLINE std::byte* at(Size i) const { return base + i * bytes; }
  HWY_INLINE Joined from(Size i) const { return {at(i), bytes}; }
};

// Assembles contiguous stretches of the destination in one buffer, from pieces of up to kMost bytes, while
// another buffer is written in whole lines.
template <Size kMost>
class Sequence {
 public:
  // Hints that the next stretches are `stretch` bytes long.
  HWY_INLINE void expect(Size stretch) { stretch_ = stretch; }

  // Where in the buffer to put destination bytes [to, to + bytes). Up to a line after them may be
  // overwritten.
  HWY_INLINE std::byte* place(std::byte* to, Size bytes) {
    if (to != end_ || fill_ + bytes > kBytes) turn(to);
    std::byte* const here = buffers_[now_] + fill_;
    fill_ += bytes;
    end_ = to + bytes;
    return here;
  }

  // Writes up to `lines` lines.
  HWY_INLINE void step(Size lines) {
    const Size last = std::min(lines, lines_);
    for (Size i = 0; i < last; ++i) stream_line(from_ + i * kLine, to_ + i * kLine);
    from_ += last * kLine;
    to_ += last * kLine;
    lines_ -= last;
  }

  HWY_INLINE void finish() {
    turn(nullptr);
    step(lines_);
  }

 private:
  static constexpr Size kBytes = 2 * kMost;

  // Starts writing the full buffer and switches to the other one for the bytes at `to`. If they continue the
  // stretch, its partial last line moves to the other buffer; otherwise the line is written now.
  HWY_NOINLINE void turn(std::byte* to) {
    step(lines_);
    std::byte* const buffer = buffers_[now_];
    const Size held = fill_ % kLine;
    // If the stretch starts at a line boundary, it has no partial first line.
    const Size first = head_ == 0 ? 0 : std::min(kLine, fill_);
    copy_below_line(buffer + head_, end_ - (fill_ - head_), first - head_);
    from_ = buffer + first;
    to_ = end_ - (fill_ - first);
    lines_ = (fill_ - first) / kLine;
    now_ = 1 - now_;
    head_ = 0;
    if (to == end_ && first != fill_) {
      copy_below_line(buffer + fill_ - held, buffers_[now_], held);
      fill_ = held;
      return;
    }
    if (first != fill_) copy_below_line(buffer + fill_ - held, end_ - held, held);
    head_ = fill_ = reinterpret_cast<std::uintptr_t>(to) % kLine;
    if (to != nullptr) expect_ends(to, stretch_);
  }

  std::byte* end_ = nullptr;  // destination address after the last placed byte
  Size fill_ = 0;
  Size head_ = 0;  // offset of the stretch within its first line
  const std::byte* from_ = nullptr;
  std::byte* to_ = nullptr;
  Size lines_ = 0;
  int now_ = 0;
  Size stretch_ = 0;
  alignas(64) std::byte buffers_[2][kBytes + 2 * kLine];
};

// Called between the tiles of a region: writes lines of the previous buffer.
struct SequenceStep {
  Sequence<kSequenceRegion>& sequence;
  HWY_INLINE void operator()(Size lines) const { sequence.step(lines + 1); }
};

// Transposes one region, for elements of 1, 2, 4, 8 and 16 bytes.
using SequenceTiles = void (*)(const Placed<const std::byte>& rows, Size row_count, const Joined& cols,
                               Size col_count, const SequenceStep& between);
constexpr SequenceTiles kSequenceTiles[] = {
    transpose_plain<1, Placed<const std::byte>, Joined, SequenceStep>,
    transpose_plain<2, Placed<const std::byte>, Joined, SequenceStep>,
    transpose_plain<4, Placed<const std::byte>, Joined, SequenceStep>,
    transpose_plain<8, Placed<const std::byte>, Joined, SequenceStep>,
    transpose_plain<16, Placed<const std::byte>, Joined, SequenceStep>};

// Transposes regions of at most kSequenceRegion bytes and kSequenceRows rows whose columns are contiguous in
// the destination. The regions of the innermost loop are contiguous in the destination too; in the source
// they are `step` apart.
inline void sequence_sweep(Size element, const Scattered<const std::byte>& rows, Size row_count,
                           Size col_count, Odometer loops, Index step, const std::byte* src, std::byte* dst) {
  const SequenceTiles transpose = kSequenceTiles[std::countr_zero(element)];
  const Size side = kLine / element;
  const Size region = row_count * col_count * element;
  std::array<Index, kSequenceRows + kLine> offsets;
  for (Size r = 0; r < row_count; ++r) offsets[r] = rows.at(r) - rows.base;
  for (Size r = row_count; r < side; ++r) offsets[r] = offsets[row_count - 1];
  // If consecutive regions are contiguous in the source too, prefetch them as one stretch.
  const bool flat = step == static_cast<Index>(region);
  Odometer later = loops;
  const std::byte* ahead = src;
  std::byte* nowhere = dst;
  // A quarter of L1, because the two buffers take half of the smallest L1.
  const Size ahead_bytes = static_cast<Size>(caches().l1) / 4;
  for (Size i = 0; i * region < ahead_bytes; ++i) later.next(ahead, nowhere);
  Sequence<kSequenceRegion> sequence;
  do {
    if (flat) {
      for (Size i = 0; i < region; i += kLine) prefetch(ahead + i);
    } else {
      for (Size r = 0; r < row_count; ++r) {
        for (Size i = 0; i < col_count * element; i += kLine) prefetch(ahead + offsets[r] + i);
      }
    }
    later.next(ahead, nowhere);
    const Joined columns{sequence.place(dst, region), row_count * element};
    transpose(Placed<const std::byte>{src, offsets.data()}, row_count, columns, col_count,
              SequenceStep{sequence});
  } while (loops.next(src, dst));
  sequence.finish();
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
