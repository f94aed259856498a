// SPDX-License-Identifier: Apache-2.0
// The order in which a transposition visits blocks of regions that do not fit in a buffer, and its
// prefetching.
#if defined(TESSERA_RELAYOUT_VISITS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_VISITS_INL_H
#undef TESSERA_RELAYOUT_VISITS_INL_H
#else
#define TESSERA_RELAYOUT_VISITS_INL_H
#endif

#include "relayout/kernels/regions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// The block of one visit: `width` columns by `height` rows of a region, in `passes` passes of an inner loop.
struct Visit {
  const std::byte* src;
  std::byte* dst;
  Size row;
  Size height;
  Size col;
  Size width;
  Size passes;
};

// Iterates over the visits. Rows are split into heights that overlap by a line, so that each destination line
// is whole in one visit. Within a height, visits go along the source rows; then come the passes of `next`,
// the loop that continues a region in the destination, so that partial lines can be passed on. If columns are
// not contiguous in the destination (not `dense`), the passes of `next` come before the next columns. One
// visit takes several passes of `inner`.
class Visits {
 public:
  HWY_INLINE Visits(const Odometer& others, const Loop& next, const Loop& inner, const std::byte* src,
                    std::byte* dst, const SweepBounds& bounds, Size height, Size width, Size overlap,
                    Size passes, bool dense)
      : others_(others),
        next_(next),
        inner_(inner),
        rows_(static_cast<Size>(bounds.rows)),
        cols_(static_cast<Size>(bounds.cols)),
        height_(height),
        width_(width),
        overlap_(overlap),
        passes_(static_cast<Index>(passes)),
        dense_(dense),
        src_(src),
        dst_(dst) {}

  HWY_INLINE Visit now() const {
    return {src_ + at_next_ * next_.src + at_inner_ * inner_.src,
            dst_ + at_next_ * next_.dst + at_inner_ * inner_.dst,
            row_ - std::min(row_, overlap_),
            std::min(height_, rows_ - row_) + std::min(row_, overlap_),
            col_,
            std::min(width_, cols_ - col_),
            static_cast<Size>(std::min(passes_, inner_.count - at_inner_))};
  }

  // Moves to the next visit. Returns false after the last one, with the first visit as the current one again.
  HWY_INLINE bool advance() {
    const bool inside = dense_ || height_ < rows_;
    if (inside && advance_columns()) return true;
    row_ += height_;
    if (row_ < rows_) return true;
    row_ = 0;
    if (++at_next_ < next_.count) return true;
    at_next_ = 0;
    if (!inside && advance_columns()) return true;
    at_inner_ += passes_;
    if (at_inner_ < inner_.count) return true;
    at_inner_ = 0;
    return others_.next(src_, dst_);
  }

 private:
  HWY_INLINE bool advance_columns() {
    col_ += width_;
    if (col_ < cols_) return true;
    col_ = 0;
    return false;
  }

  Odometer others_;
  Loop next_;
  Loop inner_;
  Size rows_;
  Size cols_;
  Size height_;
  Size width_;
  Size overlap_;
  Index passes_;
  bool dense_;
  const std::byte* src_;
  std::byte* dst_;
  Size row_ = 0;
  Size col_ = 0;
  Index at_next_ = 0;
  Index at_inner_ = 0;
};

// Prefetches `bytes` of each row, a few lines per call, then does the same `stride` bytes further, for
// `passes` passes in all.
class VisitHint {
 public:
  HWY_INLINE VisitHint(const std::byte* const* rows, Size row_count, Size shift, Size bytes, Size passes,
                       Index stride)
      : rows_(rows),
        last_(rows + row_count),
        first_(static_cast<Index>(shift)),
        end_(first_ + static_cast<Index>(bytes)),
        passes_(passes),
        stride_(stride),
        row_(rows),
        at_(first_) {}

  HWY_INLINE void step(Size lines) {
    if (passes_ == 0) return;
    lines = std::min(lines, Size{1} << 32);
    // Local copies stay in registers. If each prefetch updated the members in memory, it would wait for the
    // previous one.
    const std::byte* const* row = row_;
    Index at = at_;
    while (lines > 0) {
      const Index stop = std::min(end_, at + static_cast<Index>(lines * kLine));
      const std::byte* const base = *row;
      for (; at < stop; at += kLine, --lines) prefetch(base + at);
      if (at < end_) break;
      at = first_;
      if (++row != last_) continue;
      row = rows_;
      at = first_ += stride_;
      end_ += stride_;
      if (--passes_ == 0) break;
    }
    row_ = row;
    at_ = at;
  }

 private:
  const std::byte* const* rows_;
  const std::byte* const* last_;
  Index first_;
  Index end_;
  Size passes_;
  Index stride_;
  const std::byte* const* row_;
  Index at_;
};

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
