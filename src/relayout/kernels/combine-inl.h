// SPDX-License-Identifier: Apache-2.0
// Streaming transposition for destination columns that end within cache lines.
#if defined(TESSERA_RELAYOUT_COMBINE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_COMBINE_INL_H
#undef TESSERA_RELAYOUT_COMBINE_INL_H
#else
#define TESSERA_RELAYOUT_COMBINE_INL_H
#endif

#include "relayout/kernels/sequence-inl.h"
#include "relayout/kernels/visits-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Each visit transposes a block, which is a source line wide if columns are long: about kCombineHeight bytes
// of each column, at most kCombineRows rows. If columns are shorter, the block has at least kCombineWidth
// bytes of each row and half an L1 cache in all. Visits are prefetched up to an L1 cache ahead. At these
// sizes the partial lines at the ends of columns cost little.
constexpr Size kCombineHeight = 1024;
constexpr Size kCombineRows = 256;
constexpr Size kCombineWidth = 512;
constexpr Size kHighest = 8192;
// Regions with adjacent sources are visited together, up to this many source bytes.
constexpr Size kNear = Size{4} << 10;
constexpr Size kVisitsAhead = 4;

// Splits `count` into equal parts near `target` and rounds them up to a multiple of `unit`.
HWY_INLINE Size even_part(Size count, Size target, Size unit) {
  const Size parts = std::max<Size>(1, (count + target / 2) / target);
  return std::min(count, ((count + parts - 1) / parts + unit - 1) / unit * unit);
}

// Rows or columns at arbitrary addresses. The list of rows repeats the last row so that it fills a square.
// Columns lie in a buffer and are written in order, so up to a line after each may be overwritten.
template <class Byte>
struct Listed {
  static constexpr bool kRoomy = true;
  Byte* const* entries;
  HWY_INLINE Byte* at(Size i) const { return entries[i]; }
  HWY_INLINE Listed from(Size i) const { return {entries + i}; }
};

// Entries for the rows of a visit, including the overlap, and for its columns.
constexpr Size kRowEntries = 768 + kLine;
constexpr Size kColumnEntries = 256;
constexpr Size kCombineBuffer = Size{80} << 10;

HWY_INLINE Size within_line(const std::byte* p) { return reinterpret_cast<std::uintptr_t>(p) % kLine; }

// A contiguous stretch of the destination that one visit writes. It is assembled at `slot`, at the same
// offset within a cache line as its destination. If it continues a stretch of the previous visit, it begins
// with the partial last line of that stretch.
struct Stretch {
  std::byte* to;
  std::byte* slot;
  Size bytes;
  bool continued;
};

// Groups columns [first, first + width) into runs that are contiguous in the destination.
struct ColumnRuns {
  struct Run {
    Size first;  // counted from the first column of the visit
    Size count;
  };
  Size first = 0;
  Size width = 0;
  Size height = 0;  // height of a column, in bytes
  Size count = 0;
  std::array<Run, kColumnEntries> run;

  // Keeps the result if the columns are the same as last time.
  template <class Cols>
  HWY_INLINE void find(const Cols& cols, Size from, Size columns, Size bytes) {
    if (from == first && columns == width && bytes == height) return;
    first = from;
    width = columns;
    height = bytes;
    count = 0;
    const std::byte* end = nullptr;
    for (Size c = 0; c < width; ++c) {
      std::byte* const to = cols.at(c);
      if (to != end || count == 0) run[count++] = {c, 0};
      ++run[count - 1].count;
      end = to + bytes;
    }
  }
};

struct Stretches {
  Size count = 0;
  Size leaving = 0;        // the stretch being written
  Size at = 0;             // bytes of it that are already written
  bool skip_head = false;  // another visit writes the partial first (last) line
  bool skip_tail = false;
  std::array<Stretch, kColumnEntries> stretch;
  std::array<std::byte*, kColumnEntries> columns;
  alignas(64) std::array<std::byte, kCombineBuffer> buffer;

  // Allots space in the buffer for the columns of a visit, `bytes` each. Those of the first pass begin at
  // `cols`, those of each later pass `stride` bytes further.
  template <class Cols>
  HWY_INLINE void begin(Cols cols, const ColumnRuns& runs, Size passes, Index stride, Size bytes) {
    count = leaving = at = 0;
    std::byte** column = columns.data();
    std::byte* slot = buffer.data();
    std::byte* place = slot;
    const std::byte* end = nullptr;
    for (; passes > 0; --passes, cols.base += stride) {
      for (Size i = 0; i < runs.count; ++i) {
        const Size columns_here = runs.run[i].count;
        std::byte* const to = cols.at(runs.run[i].first);
        if (to != end || count == 0) {
          if (count > 0) {
            finish(end);
            // Leave at least one line free and start at a line boundary, so that stretches of equal length do
            // not share cache sets.
            slot += (static_cast<Size>(place - slot) + 2 * kLine - 1) / kLine * kLine;
          }
          stretch[count++] = {to, slot, 0, false};
          place = slot + within_line(to);
        }
        for (Size c = 0; c < columns_here; ++c) column[c] = place + c * bytes;
        column += columns_here;
        place += columns_here * bytes;
        end = to + columns_here * bytes;
      }
    }
    finish(end);
  }

 private:
  HWY_INLINE void finish(const std::byte* end) {
    stretch[count - 1].bytes = static_cast<Size>(end - stretch[count - 1].to);
  }
};

// Writes about `lines` lines to the destination. Partial last lines move to the next visit's stretches.
inline HWY_NOINLINE void depart(Stretches& stretches, Stretches& next, Size lines) {
  while (lines > 0 && stretches.leaving < stretches.count) {
    const Stretch& stretch = stretches.stretch[stretches.leaving];
    const Size held = within_line(stretch.to);
    std::byte* const line = stretch.to - held;
    const Size end = held + stretch.bytes;
    Size at = stretches.at;
    if (at == 0 && held != 0 && !stretch.continued) {
      at = std::min(kLine, end);
      if (!stretches.skip_head) copy_below_line(stretch.slot + held, stretch.to, at - held);
    }
    for (; lines > 0 && at + kLine <= end; at += kLine, --lines) stream_line(stretch.slot + at, line + at);
    stretches.at = at;
    if (at + kLine <= end) return;
    if (at < end && !stretches.skip_tail) {
      Stretch& after = next.stretch[stretches.leaving];
      // If the next visit skips its tail, the stretch that would take the partial line may be too short for
      // it.
      if (stretches.leaving < next.count && !next.skip_tail && after.to == line + end) {
        copy_below_line(stretch.slot + at, after.slot, end - at);
        after.continued = true;
      } else {
        copy_below_line(stretch.slot + at, line + at, end - at);
      }
    }
    stretches.at = 0;
    ++stretches.leaving;
  }
}

// Called between the tiles of a visit: writes lines of the previous visit and prefetches the next one.
struct Leaving {
  Stretches& before;
  Stretches& now;
  VisitHint& hint;

  HWY_NOINLINE void operator()(Size lines) const {
    depart(before, now, lines + 1);
    hint.step(lines + 1);
  }
};

// Transposes the block of one visit, for elements of 1, 2, 4, 8 and 16 bytes. The loop around it is compiled
// once.
using CombineTiles = void (*)(const Shifted<Listed<const std::byte>>& rows, Size row_count,
                              const Listed<std::byte>& cols, Size col_count, const Leaving& between);
constexpr CombineTiles kCombineTiles[] = {
    transpose_plain<1, Shifted<Listed<const std::byte>>, Listed<std::byte>, Leaving>,
    transpose_plain<2, Shifted<Listed<const std::byte>>, Listed<std::byte>, Leaving>,
    transpose_plain<4, Shifted<Listed<const std::byte>>, Listed<std::byte>, Leaving>,
    transpose_plain<8, Shifted<Listed<const std::byte>>, Listed<std::byte>, Leaving>,
    transpose_plain<16, Shifted<Listed<const std::byte>>, Listed<std::byte>, Leaving>};

// Each visit is transposed into a buffer while the previous one is written from a second buffer and the next
// one is prefetched. So reads and writes overlap, and each line is written once.
inline void combine_sweep(const Sweep& sweep, const std::byte* src, std::byte* dst,
                          const SweepBounds& bounds) {
  const Size element = static_cast<Size>(sweep.run);
  const CombineTiles transpose = kCombineTiles[std::countr_zero(element)];
  const Size side = kLine / element;
  const auto l1 = static_cast<Size>(caches().l1);
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
  Scattered<const std::byte> rows{src, sweep.rows.src, sweep.rows.src_table};
  Scattered<std::byte> cols{dst, sweep.cols.dst, sweep.cols.dst_table};
  const Size joined = joined_columns(cols, col_count, row_count * element);
  const auto given = [](std::int32_t hint, Size count)
                         HWY_ATTR { return hint > 0 ? std::min(static_cast<Size>(hint), count) : Size{0}; };
  Size height = given(sweep.policy.block_rows, std::min({row_count, kRowEntries - side, kHighest / element}));
  if (height == 0)
    height = even_part(row_count, std::min({row_count, kCombineHeight / element, kCombineRows}), side);
  const Size overlap = height < row_count ? side : 0;
  // A slot is up to three lines longer than what it holds.
  const Size room = std::min(kColumnEntries, kCombineBuffer / ((height + overlap) * element + 3 * kLine));
  const Size most = std::min(col_count, room);
  Size width = given(sweep.policy.block_cols, most);
  if (width == 0) {
    const Size target =
        height < row_count ? side : std::max(kCombineWidth / element, l1 / 2 / (height * element));
    width = std::min(most, even_part(col_count, std::min(most, target), side));
    if (width < col_count && width > side) width -= width % side;
  }
  const Following loops = following(sweep, bounds, joined * row_count * element);
  const Size region = row_count * col_count * element;
  const bool whole = height == row_count && width == col_count && joined == col_count;
  if (whole && region <= kSequenceRegion && row_count <= kSequenceRows && loops.next.count > 1) {
    Odometer all = loops.others;
    all.add(loops.next);
    return sequence_sweep(element, rows, row_count, col_count, all, loops.next.src, src, dst);
  }
  Odometer others;
  const Loop next = loops.next;
  Loop inner;
  Size passes = 1;
  for (Size i = 0; i < sweep.loops; ++i) {
    Loop loop = sweep.loop[i];
    if (i == 0) loop.count = bounds.loop;
    if (loop.dst == next.dst && loop.src == next.src) continue;
    const Size step = static_cast<Size>(std::abs(loop.src));
    if (whole && step > 0 && 2 * step <= kNear && inner.count == 1) {
      inner = loop;
      passes = std::clamp<Size>(kNear / step, 1, room / width);
    } else {
      others.add(loop);
    }
  }
  const Visits order(others, next, inner, src, dst, bounds, height, width, overlap, passes,
                     joined == col_count);
  // The number of visits by which prefetching is ahead.
  const Size depth = std::clamp<Size>(l1 / (height * width * passes * element), 1, kVisitsAhead);
  Visits visits = order;
  Visits ahead = order;
  Stretches sets[2];
  ColumnRuns runs;
  std::array<const std::byte*, kRowEntries> row_lists[kVisitsAhead + 1];
  Size first = 0;  // the current entry of row_lists
  const auto list_rows = [&](const Visit& visit, const std::byte** list) HWY_ATTR {
    rows.base = visit.src;
    for (Size r = 0; r < visit.height; ++r) list[r] = rows.at(visit.row + r);
    for (Size r = visit.height; r < side; ++r) list[r] = list[visit.height - 1];
  };
  list_rows(ahead.now(), row_lists[0].data());
  for (Size i = 1; i < depth; ++i) {
    ahead.advance();
    list_rows(ahead.now(), row_lists[i].data());
  }
  Size now = 0;
  do {
    const Visit visit = visits.now();
    ahead.advance();
    const Visit later = ahead.now();
    const std::byte* const* const here = row_lists[first].data();
    const std::byte** const there = row_lists[(first + depth) % (kVisitsAhead + 1)].data();
    first = (first + 1) % (kVisitsAhead + 1);
    list_rows(later, there);
    Stretches& stretches = sets[now];
    Stretches& before = sets[1 - now];
    cols.base = visit.dst;
    stretches.skip_head = visit.row > 0;
    stretches.skip_tail = visit.row + visit.height < row_count;
    Scattered<std::byte> columns = cols.from(visit.col);
    columns.base += visit.row * element;
    runs.find(columns, visit.col, visit.width, visit.height * element);
    stretches.begin(columns, runs, visit.passes, inner.dst, visit.height * element);
    VisitHint hint(there, later.height, later.col * element, later.width * element, later.passes, inner.src);
    for (Size pass = 0; pass < visit.passes; ++pass) {
      const Size shift = visit.col * element + pass * static_cast<Size>(inner.src);
      transpose(Shifted<Listed<const std::byte>>{{here}, shift}, visit.height,
                Listed<std::byte>{stretches.columns.data() + pass * visit.width}, visit.width,
                Leaving{before, stretches, hint});
    }
    depart(before, stretches, ~Size{0});
    hint.step(~Size{0});
    now = 1 - now;
  } while (visits.advance());
  sets[now].count = 0;
  depart(sets[1 - now], sets[now], ~Size{0});
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
