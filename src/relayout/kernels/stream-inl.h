// SPDX-License-Identifier: Apache-2.0
// Transposition to whole lines with streaming stores.
#if defined(TESSERA_RELAYOUT_STREAM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_STREAM_INL_H
#undef TESSERA_RELAYOUT_STREAM_INL_H
#else
#define TESSERA_RELAYOUT_STREAM_INL_H
#endif

#include "relayout/kernels/ahead-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Transposes and streams one line of each of K columns, at byte `to` of each. Calls `before(k)` before it
// writes the line of column k.
template <int E, class Rows, class Cols, class Before = Nothing>
HWY_INLINE void stream_columns(const Rows& rows, const Cols& cols, Size to, const Before& before = {}) {
  constexpr Size K = 16 / E;
  if constexpr (kLanes == 4) {
    Vector<kLanes> v[K];
    gather_rows<E, kLanes>(rows, 0, v);
    transpose_pieces<E, kLanes>(v);
    HWY_UNROLL(16)
    for (Size k = 0; k < K; ++k) {
      before(k);
      hn::Stream(v[k], Line(), bytes(cols.at(k) + to));
    }
  } else {
    // Assemble whole lines first, so that each is streamed without interruption.
    alignas(64) std::byte lines[K * kLine];
    const Strided<std::byte> block{lines, kLine};
    HWY_UNROLL(4)
    for (Size lane = 0; lane < 4; lane += kLanes) {
      transpose_tile<E, kLanes>(rows.from(lane * K), 0, block, lane * kPiece);
    }
    for (Size k = 0; k < K; ++k) {
      before(k);
      stream_line(lines + k * kLine, cols.at(k) + to);
    }
  }
}

// Streams one square of 64 x 64 bytes to whole lines, K columns at a time. Between the stores it calls
// `between(r, K)`, which prefetches for rows r to r + K - 1. If prefetches came in bursts, reads and writes
// would alternate instead of overlapping.
template <int E, class Rows, class Cols, class Between>
HWY_INLINE void stream_pieces(const Rows& rows, const Cols& cols, Size to, Between& between) {
  constexpr Size K = 16 / E;
  for (Size c = 0; c < kLine / E; c += K) {
    between(c, K);
    stream_columns<E>(Shifted<Rows>{rows, c * E}, cols.from(c), to);
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
template <int E, int kHalf, class Rows, class Cols, class Between>
HWY_INLINE void stream_half(const Rows& rows, const Cols& cols, Size to, Between& between) {
  constexpr Size kCount = kLine / E / 2;
  Vector<4> v[kCount];
  transpose_half<E>(rows, kHalf * kLine / 2, v);
  HWY_UNROLL(32)
  for (Size c = kHalf * kCount; c < (kHalf + 1) * kCount; ++c) {
    constexpr Size kStep = std::remove_reference_t<Between>::kOneByOne ? 1 : 16 / E;
    if (c % kStep == 0) between(c, kStep);
    hn::Stream(v[c - kHalf * kCount], Line(), bytes(cols.at(c) + to));
  }
}
#endif

// Like stream_pieces, but half a source line at a time if the registers hold a square. For narrower elements,
// half a source line would write to 16 or 32 columns in turn, which stalls the reads: NHWC to NCHW took twice
// as long.
template <int E, class Rows, class Cols, class Between>
HWY_INLINE void stream_square(const Rows& rows, const Cols& cols, Size to, Between& between) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (kHasSquares<E>) {
    stream_half<E, 0>(rows, cols, to, between);
    stream_half<E, 1>(rows, cols, to, between);
    return;
  }
#endif
  stream_pieces<E>(rows, cols, to, between);
}

// Streams the last `width` columns, fewer than a source line holds.
template <int E, class Rows, class Cols, class Between>
HWY_INLINE void stream_last_columns(const Rows& rows, const Cols& cols, Size width, Size to,
                                    Between& between) {
  constexpr Size K = 16 / E;
  between(Size{0}, kLine / E);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if constexpr (kHasSquares<E>) {
    Vector<4> v[kLine / E];
    load_part<E>(rows, 0, kLine / E, width, v);
    transpose_square<E>(v);
    HWY_UNROLL(16)
    for (Size c = 0; c < kLine / E; ++c) {
      if (c < width) hn::Stream(v[c], Line(), bytes(cols.at(c) + to));
    }
    return;
  }
#endif
  alignas(64) std::byte stage[kLine / E * kLine];
  for (Size r = 0; r < kLine / E; ++r) copy_below_line(rows.at(r), stage + r * kLine, width * E);
  alignas(64) std::byte lines[K * kLine];
  const Strided<const std::byte> square{stage, kLine};
  for (Size c = 0; c < width; c += K) {
    HWY_UNROLL(4)
    for (Size lane = 0; lane < 4; lane += kLanes) {
      transpose_tile<E, kLanes>(square.from(lane * K), c * E, Strided<std::byte>{lines, kLine},
                                lane * kPiece);
    }
    for (Size k = 0; k < std::min(K, width - c); ++k) stream_line(lines + k * kLine, cols.at(c + k) + to);
  }
}

// Streams all squares of the blocks directly from the source.
template <int E, class Rows, class Cols, class Ask>
HWY_NOINLINE void stream_direct(const Blocks& blocks, const Rows& rows, Cols cols, Ask ask) {
  Strips<E> squares(blocks);
  do {
    cols.base = squares.dst();
    const Cols columns = cols.from(squares.col());
    if (squares.cols() == kLine / E) {
      stream_square<E>(squares.of(rows), columns, squares.row() * E, ask);
    } else {
      stream_last_columns<E>(squares.of(rows), columns, squares.cols(), squares.row() * E, ask);
    }
    ask.advance();
  } while (squares.advance());
}

// Reads a strip of the source into a buffer, some lines at a time.
template <class Rows>
struct Entering {
  Rows rows;
  Size left;
  std::byte* stage;

  HWY_INLINE void enter(Size count) {
    for (; count > 0 && left > 0; --count, --left) {
      copy_line(rows.at(0), stage);
      rows = rows.from(1);
      stage += kLine;
    }
  }
};

// For narrow elements a square has many columns. Their strips in a buffer are as tall as a band, up to
// kStripRows rows.
template <int E>
constexpr bool kHighStrips = E <= 2;
constexpr Size kStripRows = 256;

// Like stream_direct, for rows a large power of two apart, whose lines would evict each other from L1 before
// all of their pieces are used. Reads one strip into a buffer, a line at a time, while the previous one is
// written from another buffer. Tall strips are written a few whole columns at a time: memory controllers
// combine writes to adjacent lines, but not writes that cycle through 64 columns.
template <int E, class Rows, class Cols, class Ask>
HWY_NOINLINE void stream_staged(const Blocks& blocks, const Rows& rows, Cols cols, Ask ask) {
  constexpr Size K = 16 / E;
  constexpr Size kSide = kLine / E;
  constexpr Size kHeight = kHighStrips<E> ? kStripRows : kSide;
  // The two buffers start at different offsets within a page, so that they do not share cache sets.
  constexpr Size kStage = kHeight * kLine + 2048 + kLine;
  alignas(64) std::byte stages[2 * kStage];
  Strips<E> strip(blocks, kHeight);
  Strips<E> next = strip;
  const auto entering = [&](std::byte* stage) HWY_ATTR {
    return Entering<Shifted<Rows>>{next.of(rows), next.cols() == kSide ? next.rows() : 0, stage};
  };
  entering(stages).enter(kHeight);
  Size now = 0;
  do {
    // After the last strip, this reads the first one again, which is harmless.
    next.advance();
    Entering<Shifted<Rows>> coming = entering(stages + (kStage - now));
    cols.base = strip.dst();
    const Cols columns = cols.from(strip.col());
    const Strided<const std::byte> stage{stages + now, kLine};
    if (strip.cols() == kSide) {
      for (Size c = 0; c < kSide; c += K) {
        for (Size r = 0; r < strip.rows(); r += kSide) {
          ask(Size{0}, K);
          stream_columns<E>(Shifted<Strided<const std::byte>>{stage.from(r), c * E}, columns.from(c),
                            (strip.row() + r) * E, [&](Size) HWY_ATTR { coming.enter(1); });
        }
      }
    } else {
      for (Size r = 0; r < strip.rows(); r += kSide) {
        stream_last_columns<E>(strip.of(rows).from(r), columns, strip.cols(), (strip.row() + r) * E, ask);
      }
    }
    coming.enter(kHeight);
    now = kStage - now;
  } while (strip.advance());
}

// Columns a multiple of kSameChannel bytes apart map to few memory channels. Columns more than kNearColumns
// apart each open another DRAM page, and so do columns of at least kPage bytes.
constexpr Index kSameChannel = 512;
constexpr Index kNearColumns = Index{256} << 10;
constexpr Size kPage = 4096;

// True if writing single lines to neighboring columns of `column` bytes is fast, because they map to
// different channels, and the columns are close or short. Then bands can have few rows, which is best for
// reading. Otherwise bands have more rows, and several lines of a column are written in a row. Targets with
// 16-byte vectors never gain from short bands.
HWY_INLINE bool spreads(Index column_stride, Size column) {
  return column_stride % kSameChannel != 0 && (std::abs(column_stride) < kNearColumns || column < kPage);
}

// Hardware prefetchers follow about this many rows. Zen 3 follows 16 and reads 32 at a third of the speed; it
// has 32-byte vectors. Bands of at most so many rows are prefetched in the order in which they are read,
// kRowLead lines of each row ahead.
constexpr Size kFewRows = kLanes == 2 ? 16 : 32;
// Elements of 16 bytes need no shuffle, and targets that follow few rows read a band of them directly, which
// is faster than staging, if it fills the lines of its columns.
template <int E>
constexpr bool kStages = E < 16 && (kLanes != 2 || kLine / E > kFewRows);
constexpr Size kRowLead = 8;
// True if such elements are read directly on machines whose loads and stores share fill buffers: in bands of
// few rows, even if the rows share cache sets. Narrower elements do not fill the lines of their columns.
template <int E>
HWY_INLINE bool reads_directly() {
  return (E == 4 || E == 8) && kLanes >= 2 && caches().shares_fill_buffers;
}
// True if L1 has room for the buffers of stream_staged next to the lines that are prefetched. Then they also
// help if the rows do not share cache sets. On Zen 4, with 32 KB, blocks are faster without them, and
// elements of 16 bytes, which need no shuffle, always are.
template <int E>
HWY_INLINE bool has_room_to_stage() {
  constexpr Index kLargeL1 = Index{48} << 10;
  return kStages<E> && kLanes >= 2 && !reads_directly<E>() && caches().l1 >= kLargeL1;
}
// The rows of a band that is read directly: what is prefetched ahead of it takes at most three eighths of L1,
// because the lines in use and those of other rows in the same cache sets need the rest.
HWY_INLINE Size direct_rows(Size l1) {
  return kFewRows * kRowLead * kLine <= l1 / 8 * 3 ? kFewRows : Size{16};
}
// Taller bands are prefetched in runs of kRun lines of a row (half as many for tall strips), at least an L1
// cache ahead.
constexpr Size kRun = 16;
// The bytes of a column that a tall band writes.
constexpr Size kBandBytes = 256;
// Columns of a block up to this many bytes are written whole before the next ones.
constexpr Size kWholeColumn = 512;
// Rows of at most this many bytes are close enough to each other to be read together.
constexpr Size kNarrow = 8 * kLine;

// How a transposition walks the source: in bands of rows, read through a buffer or directly.
struct SourceWalk {
  Size band;
  bool stage;
};

template <int E>
HWY_INLINE SourceWalk choose_walk(const Sweep& sweep, const SweepBounds& bounds) {
  constexpr Size kTall = std::max<Size>(64, kBandBytes / E);
  const auto l1 = static_cast<Size>(caches().l1);
  const Size rows = static_cast<Size>(bounds.rows);
  const Size apart = static_cast<Size>(std::abs(sweep.rows.src));
  const bool direct = reads_directly<E>();
  // The lines of long columns are on different pages, so it pays to write several lines of a column in a row,
  // although that reads more rows at a time than the hardware prefetches. Rows that are close together need
  // no buffer, except for bytes, whose squares have 64 rows.
  const bool far = rows * E >= kPage && (E == 1 || apart >= kRun * kLine);
  const bool stage = kStages<E> && !direct && (sweep.policy.stage || (far && has_room_to_stage<E>()));
  if (sweep.policy.band > 0) return {static_cast<Size>(sweep.policy.band), stage};
  if (stage && far && has_room_to_stage<E>()) return {kTall, stage};
  // For short rows, a band is a contiguous stretch of the source.
  if (apart != 0 && apart <= kNarrow) return {l1 / apart, stage};
  if (direct) return {direct_rows(l1), stage};
  if (!kStages<E> && sweep.policy.stage) return {kLanes == 2 ? kFewRows : kTall, stage};
  if (kLanes >= 2 && (bounds.cols == 1 || spreads(sweep.cols.dst, rows * E))) return {16, stage};
  if (rows <= 64) return {rows, stage};
  // Two lines of each column, if the hardware prefetches so many rows.
  if (kLanes == 4 && E >= 4 && !stage && rows * E < kPage && apart >= kRun * kLine)
    return {std::max(2 * kLine / E, Size{16}), stage};
  return {kTall, stage};
}

// Streams a transposition to whole lines, in bands of rows.
template <int E>
void stream_sweep(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  using Rows = Strided<const std::byte>;
  constexpr Size kSide = kLine / E;
  const Rows rows{src, sweep.rows.src};
  const Strided<std::byte> cols{dst, sweep.cols.dst};
  auto [band, stage] = choose_walk<E>(sweep, bounds);
  band = std::max(kSide, (band + kSide - 1) / kSide * kSide);
  if (band <= kFewRows && !stage) {
    const Blocks blocks(sweep, src, dst, bounds, band, static_cast<Size>(bounds.cols));
    stream_direct<E>(blocks, rows, cols, AskSquares<E, Rows>(rows, blocks, band * kRowLead));
    return;
  }
  const Size run = stage && kHighStrips<E> ? kRun / 2 : kRun;
  const Blocks blocks(sweep, src, dst, bounds, band, run * kSide);
  const AskRuns<E, Rows> ask(rows, blocks, static_cast<Size>(caches().l1) / kLine);
  if constexpr (kStages<E>) {
    if (stage) return stream_staged<E>(blocks, rows, cols, ask);
  }
  stream_direct<E>(blocks, rows, cols, ask);
}

// Streams a block to whole lines. Returns false without copying if columns are not whole lines, or if several
// narrow regions that are neighbors in the source should be read together.
template <int E>
bool stream_block_sweep(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  using Rows = Scattered<const std::byte>;
  constexpr Size kSide = kLine / E;
  const Rows rows{src, sweep.rows.src, sweep.rows.src_table};
  const Scattered<std::byte> cols{dst, sweep.cols.dst, sweep.cols.dst_table};
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
  if (col_count * E < 2 * kLine || !leaves_whole_lines(sweep, dst, bounds)) return false;
  const Size column = row_count * E;
  const bool whole = column <= kWholeColumn;
  const Blocks blocks(sweep, src, dst, bounds, whole ? row_count : kBandBytes / E, kRun * kSide,
                      whole ? static_cast<Index>(joined_columns(cols, col_count, column) * column) : 0);
  const AskRuns<E, Rows> ask(rows, blocks, static_cast<Size>(caches().l1) / kLine);
  if constexpr (kStages<E>) {
    if (has_room_to_stage<E>() && (sweep.policy.stage || col_count * E > kNarrow)) {
      stream_staged<E>(blocks, rows, cols, ask);
      return true;
    }
  }
  stream_direct<E>(blocks, rows, cols, ask);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
