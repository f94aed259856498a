// SPDX-License-Identifier: Apache-2.0
// The order in which whole lines are streamed, and how they are prefetched.
#if defined(TESSERA_RELAYOUT_AHEAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_AHEAD_INL_H
#undef TESSERA_RELAYOUT_AHEAD_INL_H
#else
#define TESSERA_RELAYOUT_AHEAD_INL_H
#endif

#include "relayout/kernels/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Prefetches one line of each row. Needed because a band has more rows than hardware prefetchers follow.
template <class Rows>
struct Hint {
  Rows rows;
  Size last;  // the last valid row
  Size at;    // byte offset within each row

  HWY_INLINE void operator()(Size r) const { prefetch(rows.at(std::min(r, last)) + at); }
};

// Selects the lines to prefetch while a band is transposed: its own rows, `bytes` ahead, and near their end,
// the start of the rows that are read next.
template <class Rows>
struct Ahead {
  Size bytes;
  Rows next;
  Size next_count;

  // The hint for the square that starts at `row` of the band, `at` bytes into its rows.
  HWY_INLINE Hint<Rows> hint(const Rows& band, Size row, Size at, Size width) const {
    const Size there = at + bytes;
    if (there < width) return {band.from(row), kLine, there};
    const Size first = std::min(row, next_count - 1);
    return {next.from(first), next_count - 1 - first, there - width};
  }
};

// A part of a region: `cols` columns of `rows` rows.
struct RegionBlock {
  const std::byte* src;
  std::byte* dst;
  Size row;
  Size rows;
  Size col;
  Size cols;
};

// Iterates over the blocks of a sweep. From the outside in: loops with longer source steps than a row, bands
// of rows, loops with shorter source steps, blocks along the rows, and the loop with the destination step
// `next`, if there is one, so that its passes are written in turn.
class Blocks {
 public:
  HWY_INLINE Blocks(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds,
                    Size rows, Size cols, Index next = 0)
      : src_(src),
        dst_(dst),
        row_count_(static_cast<Size>(bounds.rows)),
        col_count_(static_cast<Size>(bounds.cols)),
        rows_(rows),
        cols_(cols) {
    const Index* const table = sweep.rows.count > 1 ? sweep.rows.src_table : nullptr;
    const Index row_step = std::abs(table != nullptr ? table[1] - table[0] : sweep.rows.src);
    for (Size i = 0; i < sweep.loops; ++i) {
      Loop loop = sweep.loop[i];
      if (i == 0) loop.count = bounds.loop;
      if (next != 0 && loop.dst == next && next_.count == 1) {
        next_ = loop;
      } else {
        (std::abs(loop.src) < row_step ? inner_ : outer_).add(loop);
      }
    }
  }

  HWY_INLINE RegionBlock now() const {
    return {src_ + at_next_ * next_.src,
            dst_ + at_next_ * next_.dst,
            row_,
            std::min(rows_, row_count_ - row_),
            col_,
            std::min(cols_, col_count_ - col_)};
  }

  // Moves to the next block. Returns false after the last one, with the first block as the current one again.
  HWY_INLINE bool advance() {
    if (++at_next_ < next_.count) return true;
    at_next_ = 0;
    col_ += cols_;
    if (col_ < col_count_) return true;
    col_ = 0;
    if (inner_.next(src_, dst_)) return true;
    row_ += rows_;
    if (row_ < row_count_) return true;
    row_ = 0;
    return outer_.next(src_, dst_);
  }

 private:
  Odometer outer_;
  Odometer inner_;
  Loop next_;
  Index at_next_ = 0;
  const std::byte* src_;
  std::byte* dst_;
  Size row_count_;
  Size col_count_;
  Size rows_;
  Size cols_;
  Size row_ = 0;
  Size col_ = 0;
};

// Iterates over strips of blocks: a source line wide, `height` rows high; within a block, down the rows
// first.
template <int E>
class Strips {
 public:
  explicit HWY_INLINE Strips(const Blocks& blocks, Size height = kSide)
      : blocks_(blocks), block_(blocks.now()), height_(height) {}

  HWY_INLINE std::byte* dst() const { return block_.dst; }
  HWY_INLINE Size row() const { return block_.row + row_; }
  HWY_INLINE Size col() const { return block_.col + col_; }
  template <class Rows>
  HWY_INLINE Shifted<Rows> of(Rows rows) const {
    rows.base = block_.src;
    return {rows.from(row()), col() * E};
  }
  HWY_INLINE Size rows() const { return std::min(height_, block_.rows - row_); }
  // The columns of the strip; at the end of the region, fewer than fill a line.
  HWY_INLINE Size cols() const { return std::min(kSide, block_.cols - col_); }

  // Moves to the next strip. Returns false after the last one, with the first strip as the current one again.
  HWY_INLINE bool advance() {
    row_ += height_;
    if (row_ < block_.rows) return true;
    row_ = 0;
    col_ += kSide;
    if (col_ < block_.cols) return true;
    col_ = 0;
    const bool more = blocks_.advance();
    block_ = blocks_.now();
    return more;
  }

 private:
  static constexpr Size kSide = kLine / E;
  Blocks blocks_;
  RegionBlock block_;
  Size height_;
  Size row_ = 0;
  Size col_ = 0;
};

// Prefetches squares in the order in which they are read, `lead` lines ahead. Best for bands of few rows,
// which hardware prefetchers can follow.
template <int E, class Rows>
class AskSquares {
 public:
  static constexpr bool kOneByOne = true;

  HWY_INLINE AskSquares(const Rows& rows, const Blocks& blocks, Size lead)
      : rows_(rows), squares_(blocks), square_(rows, 0) {
    for (Size lines = 0; more_ && lines < lead; lines += kLine / E) more_ = squares_.advance();
    square_ = squares_.of(rows_);
  }

  // Prefetches lines [first, first + count) of the square.
  HWY_INLINE void operator()(Size first, Size count) const {
    for (Size r = first; r < first + count; ++r) prefetch(square_.at(r));
  }

  // Goes to the next square. At the end it stays at the last one: prefetching cached lines is cheap.
  HWY_INLINE void advance() {
    if (!more_) return;
    more_ = squares_.advance();
    if (more_) square_ = squares_.of(rows_);
  }

 private:
  Rows rows_;
  Strips<E> squares_;
  bool more_ = true;
  Shifted<Rows> square_;
};

// Prefetches the coming blocks row by row. Memory delivers consecutive lines faster than lines of many rows
// in turn, up to three times as fast if rows are a power of two apart.
template <int E, class Rows>
class AskRuns {
 public:
  // Saving the position costs a store, so callers request several lines at a time.
  static constexpr bool kOneByOne = false;

  // Begins with the first block that is at least `lead` lines ahead.
  HWY_INLINE AskRuns(const Rows& rows, const Blocks& blocks, Size lead) : rows_(rows), blocks_(blocks) {
    for (Size lines = 0; more_ && lines < lead; more_ = blocks_.advance()) {
      const RegionBlock block = blocks_.now();
      lines += block.rows * ((block.cols * E + kLine - 1) / kLine);
    }
    begin_block();
  }

  HWY_INLINE void operator()(Size, Size count) {
    // Local copies stay in registers. If each prefetch updated the position in memory, it would wait for the
    // previous one, and rows of one line would take twice as long.
    const std::byte* at = at_;
    const std::byte* end = end_;
    Size row = row_;
    for (; count > 0; --count) {
      prefetch(at);
      at += kLine;
      if (at < end) continue;
      if (++row < end_row_) {
        at = rows_.at(row);
        end = at + bytes_;
      } else {
        next_block();
        at = at_;
        end = end_;
        row = row_;
      }
    }
    at_ = at;
    end_ = end;
    row_ = row;
  }

  HWY_INLINE void advance() const {}

 private:
  HWY_NOINLINE void next_block() {
    more_ = more_ && blocks_.advance();
    begin_block();
  }

  HWY_INLINE void begin_block() {
    const RegionBlock block = blocks_.now();
    rows_.base = block.src + block.col * E;
    row_ = block.row;
    end_row_ = block.row + block.rows;
    bytes_ = block.cols * E;
    // Only rows of whole lines are joined, because a caller asks for as many lines as it reads.
    if (bytes_ % kLine == 0 && rows_.follow_each_other(bytes_)) {
      bytes_ *= block.rows;
      end_row_ = block.row + 1;
    }
    // After the last block, keep prefetching the same line.
    if (!more_) end_row_ = bytes_ = 0;
    at_ = rows_.at(row_);
    end_ = at_ + bytes_;
  }

  Rows rows_;
  Blocks blocks_;
  bool more_ = true;
  Size row_ = 0;
  Size end_row_ = 0;
  Size bytes_ = 0;
  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
};

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
