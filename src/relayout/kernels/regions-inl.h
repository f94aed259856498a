// SPDX-License-Identifier: Apache-2.0
// The loops around a region, and its axes: strided or with a table.
#if defined(TESSERA_RELAYOUT_REGIONS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_REGIONS_INL_H
#undef TESSERA_RELAYOUT_REGIONS_INL_H
#else
#define TESSERA_RELAYOUT_REGIONS_INL_H
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "relayout/caches.h"
#include "relayout/element_sizes.h"
#include "relayout/kernels/vectors-inl.h"
#include "relayout/limits.h"
#include "relayout/sweep.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

using Size = std::size_t;

// An axis with a stride.
template <class Byte>
struct Strided {
  static constexpr bool kRoomy = false;
  Byte* base;
  std::ptrdiff_t stride;

  HWY_INLINE Byte* at(Size i) const { return base + static_cast<std::ptrdiff_t>(i) * stride; }
  HWY_INLINE Strided from(Size i) const { return {at(i), stride}; }
  // True if entries of `bytes` bytes are known to be contiguous.
  HWY_INLINE bool follow_each_other(Size bytes) const { return stride == static_cast<std::ptrdiff_t>(bytes); }
};

// An axis with a table, or with a stride if the table is null.
template <class Byte>
struct Scattered {
  static constexpr bool kRoomy = false;
  Byte* base;
  std::ptrdiff_t stride;
  const Index* table;

  HWY_INLINE Byte* at(Size i) const {
    return base + (table != nullptr ? table[i] : static_cast<std::ptrdiff_t>(i) * stride);
  }
  HWY_INLINE Scattered from(Size i) const {
    return table != nullptr ? Scattered{base, stride, table + i} : Scattered{at(i), stride, nullptr};
  }
  HWY_INLINE bool follow_each_other(Size bytes) const {
    return table == nullptr && stride == static_cast<std::ptrdiff_t>(bytes);
  }
};

// Iterates over all passes of nested loops; the loop added last is the innermost.
class Odometer {
 public:
  HWY_INLINE void add(const Loop& loop) {
    if (loop.count == 1) return;
    loops_[size_] = loop;
    at_[size_++] = 0;
  }

  HWY_INLINE bool empty() const { return size_ == 0; }

  // Moves both pointers to the next pass. After the last pass returns false, with the pointers back at the
  // start.
  HWY_INLINE bool next(const std::byte*& src, std::byte*& dst) {
    for (Size i = size_; i-- > 0;) {
      const Loop& loop = loops_[i];
      if (++at_[i] < loop.count) {
        src += loop.src;
        dst += loop.dst;
        return true;
      }
      at_[i] = 0;
      src -= loop.src * (loop.count - 1);
      dst -= loop.dst * (loop.count - 1);
    }
    return false;
  }

  // The source position after next(). Does not change the state.
  HWY_INLINE const std::byte* peek(const std::byte* src) const {
    for (Size i = size_; i-- > 0;) {
      if (at_[i] + 1 < loops_[i].count) return src + loops_[i].src;
      src -= loops_[i].src * (loops_[i].count - 1);
    }
    return src;
  }

 private:
  std::array<Loop, kRelayoutLimits.loops + 2> loops_;
  std::array<Index, kRelayoutLimits.loops + 2> at_;
  Size size_ = 0;
};

// All loops of a sweep, the outermost one within the bounds.
HWY_INLINE Odometer odometer(const Sweep& sweep, const SweepBounds& bounds) {
  Odometer all;
  for (Size i = 0; i < sweep.loops; ++i) {
    Loop loop = sweep.loop[i];
    if (i == 0) loop.count = bounds.loop;
    all.add(loop);
  }
  return all;
}

// The loops of a sweep without `next`, the loop whose destination step is `bytes`, so that its passes are
// contiguous there. If the sweep has no such loop, `next` is a loop of one pass.
struct Following {
  Odometer others;
  Loop next;
};
HWY_INLINE Following following(const Sweep& sweep, const SweepBounds& bounds, Size bytes) {
  Following result;
  for (Size i = 0; i < sweep.loops; ++i) {
    Loop loop = sweep.loop[i];
    if (i == 0) loop.count = bounds.loop;
    if (loop.count > 1 && loop.dst == static_cast<Index>(bytes)) {
      result.next = loop;
    } else {
      result.others.add(loop);
    }
  }
  return result;
}

// Rows of a buffer that are streamed to the destination only when the next buffer is full. If they were
// streamed immediately, the loads of the bytes just stored would wait for all earlier streaming stores.
class Departing {
 public:
  HWY_INLINE void push(const Strided<const std::byte>& from, const Strided<std::byte>& to, Size rows,
                       Size bytes) {
    flush();
    from_ = from;
    to_ = to;
    rows_ = rows;
    bytes_ = bytes;
  }
  HWY_INLINE void flush() {
    for (Size r = 0; r < rows_; ++r) stream_bytes(from_.at(r), to_.at(r), bytes_);
    rows_ = 0;
  }

 private:
  Strided<const std::byte> from_ = {};
  Strided<std::byte> to_ = {};
  Size rows_ = 0;
  Size bytes_ = 0;
};

HWY_INLINE bool on_line(std::ptrdiff_t offset) { return offset % static_cast<std::ptrdiff_t>(kLine) == 0; }
HWY_INLINE bool on_line(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p) % kLine == 0; }

// True if every pass of the loops starts at the same offset within a line as the first.
HWY_INLINE bool loops_on_line(const Sweep& sweep) {
  for (Size i = 0; i < sweep.loops; ++i) {
    if (!on_line(sweep.loop[i].dst)) return false;
  }
  return true;
}

// True if all columns of a transposition or block consist of whole lines, in every pass.
inline bool leaves_whole_lines(const Sweep& sweep, const std::byte* dst, const SweepBounds& bounds) {
  if (!on_line(static_cast<std::ptrdiff_t>(bounds.rows * sweep.run)) || !on_line(dst) ||
      !loops_on_line(sweep))
    return false;
  const Index* const table = sweep.cols.dst_table;
  if (table == nullptr) return on_line(sweep.cols.dst);
  return std::all_of(table, table + sweep.cols.count, [](Index offset) HWY_ATTR { return on_line(offset); });
}

// The number of columns, from the first on, that are contiguous in the destination, `bytes` each.
HWY_INLINE Size joined_columns(const Scattered<std::byte>& cols, Size col_count, Size bytes) {
  Size joined = 1;
  while (joined < col_count && cols.at(joined) == cols.at(0) + joined * bytes) ++joined;
  return joined;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
