// SPDX-License-Identifier: Apache-2.0
// Copies of runs that are contiguous on both sides.
#if defined(TESSERA_RELAYOUT_COPY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_RELAYOUT_COPY_INL_H
#undef TESSERA_RELAYOUT_COPY_INL_H
#else
#define TESSERA_RELAYOUT_COPY_INL_H
#endif

#include "relayout/kernels/padded-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::moving {
namespace HWY_NAMESPACE {

// Copies a run of at most a line whose length is known at compile time.
template <Size N>
struct FixedRun {
  explicit FixedRun(Size) {}
  HWY_INLINE void operator()(const std::byte* from, std::byte* to) const { copy_below_line(from, to, N); }
};

struct ShortRun {
  Size bytes;
  HWY_INLINE void operator()(const std::byte* from, std::byte* to) const { copy_below_line(from, to, bytes); }
};

struct LongRun {
  Size bytes;
  HWY_INLINE void operator()(const std::byte* from, std::byte* to) const { copy_lines(from, to, bytes); }
};

template <class Run>
void copy_plain(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds,
                Run run) {
  Odometer loops = odometer(sweep, bounds);
  do {
    for (Index r = 0; r < bounds.rows; ++r) {
      const std::byte* from = src + r * sweep.rows.src;
      std::byte* to = dst + r * sweep.rows.dst;
      for (Index c = 0; c < bounds.cols; ++c, from += sweep.cols.src, to += sweep.cols.dst) run(from, to);
    }
  } while (loops.next(src, dst));
}

// True if the rows have shorter source steps than the columns and so should be the inner loop.
HWY_INLINE bool rows_are_nearer(const Sweep& sweep, const SweepBounds& bounds) {
  return bounds.cols == 1 || (bounds.rows > 1 && std::abs(sweep.rows.src) < std::abs(sweep.cols.src));
}

// Calls `run(from, to)` for every run, with the axis of shorter source steps as the inner loop.
template <class Run>
HWY_INLINE void each_run_along_source(const Sweep& sweep, const std::byte* src, std::byte* dst,
                                      const SweepBounds& bounds, Run run) {
  Odometer loops = odometer(sweep, bounds);
  Loop inner{bounds.cols, sweep.cols.src, sweep.cols.dst};
  Loop outer{bounds.rows, sweep.rows.src, sweep.rows.dst};
  if (rows_are_nearer(sweep, bounds)) std::swap(inner, outer);
  do {
    for (Index o = 0; o < outer.count; ++o) {
      const std::byte* from = src + o * outer.src;
      std::byte* to = dst + o * outer.dst;
      for (Index i = 0; i < inner.count; ++i, from += inner.src, to += inner.dst) run(from, to);
    }
  } while (loops.next(src, dst));
}

// How far ahead lines are prefetched. While stores wait for memory, later reads stall, so the prefetch must
// be early.
constexpr Size kCopyAhead = Size{4} << 10;

// The source distance from a run to the one that is copied kCopyAhead bytes later, with steps of `stride`.
HWY_INLINE Index run_ahead(Size run, Index stride) {
  return run >= kCopyAhead ? static_cast<Index>(kCopyAhead)
                           : stride * static_cast<Index>((kCopyAhead + run - 1) / run);
}

// Copies a run of whole lines to a line boundary.
struct StreamedRun {
  Size bytes;
  Index ahead;
  HWY_INLINE void operator()(const std::byte* from, std::byte* to) const {
    for (Size i = 0; i < bytes; i += kLine) {
      prefetch(from + i + ahead);
      stream_line(from + i, to + i);
    }
  }
};

// Copies a run to a line boundary. The rest of the run's last line is slack, which may be overwritten.
struct StreamedSlack {
  Size bytes;
  Index ahead;
  HWY_INLINE void operator()(const std::byte* from, std::byte* to) const {
    Size i = 0;
    for (; i + kLine <= bytes; i += kLine) {
      prefetch(from + i + ahead);
      stream_line(from + i, to + i);
    }
    prefetch(from + i + ahead);
    stream_first(from + i, bytes - i, to + i);
  }
};

struct StreamedAnywhere {
  Size bytes;
  HWY_INLINE void operator()(const std::byte* from, std::byte* to) const { stream_bytes(from, to, bytes); }
};

// A destination line that two runs share, assembled in a buffer and streamed one column later. If it were
// streamed immediately, the load of the bytes just stored would wait for all earlier streaming stores.
struct SharedLine {
  alignas(64) std::byte bytes[2][kLine];
  std::byte* to[2];
};

// Copies runs of a line or more that share lines with the next column. Takes several rows side by side, so
// that the source is read in order.
inline void copy_carried(const Sweep& sweep, const std::byte* src, std::byte* dst,
                         const SweepBounds& bounds) {
  constexpr Index kSharedLines = 64;
  constexpr Index kSideBytes = 4096;
  SharedLine shared[kSharedLines];
  const Size n = static_cast<Size>(sweep.run);
  const Index side_by_side =
      std::clamp<Index>(kSideBytes / sweep.run, 1, std::min(kSharedLines, bounds.rows));
  Odometer loops = odometer(sweep, bounds);
  do {
    for (Index first = 0; first < bounds.rows; first += side_by_side) {
      const Index height = std::min(side_by_side, bounds.rows - first);
      const Index ahead = run_ahead(n * static_cast<Size>(height), sweep.cols.src);
      const std::byte* from_rows = src + first * sweep.rows.src;
      std::byte* to_rows = dst + first * sweep.rows.dst;
      for (Index r = 0; r < height; ++r) {
        expect_ends(to_rows + r * sweep.rows.dst, n * static_cast<Size>(bounds.cols));
        shared[r].to[0] = shared[r].to[1] = nullptr;
      }
      for (Index c = 0; c < bounds.cols; ++c) {
        const int now = static_cast<int>(c % 2);
        for (Index r = 0; r < height; ++r) {
          const std::byte* from = from_rows + c * sweep.cols.src + r * sweep.rows.src;
          std::byte* to = to_rows + c * sweep.run + r * sweep.rows.dst;
          SharedLine& line = shared[r];
          const Size held = reinterpret_cast<std::uintptr_t>(to) % kLine;
          Size i = (kLine - held) % kLine;
          if constexpr (kJoinsLines) {
            if (c == 0) {
              copy_below_line(from, to, i);
            } else if (held != 0) {
              stream_joined(from - sweep.cols.src + n - held, held, from, to - held);
            }
            for (; i + kLine <= n; i += kLine) {
              prefetch(from + i + ahead);
              stream_line(from + i, to + i);
            }
            if (c + 1 == bounds.cols) copy_below_line(from + i, to + i, n - i);
            continue;
          }
          // bytes[now] holds the end of the previous run; the other line is complete.
          if (line.to[1 - now] != nullptr) stream_line(line.bytes[1 - now], line.to[1 - now]);
          line.to[1 - now] = nullptr;
          copy_below_line(from, c == 0 ? to : line.bytes[now] + held, i);
          for (; i + kLine <= n; i += kLine) {
            prefetch(from + i + ahead);
            stream_line(from + i, to + i);
          }
          if (c + 1 == bounds.cols) {
            copy_below_line(from + i, to + i, n - i);
          } else if (i < n) {
            copy_below_line(from + i, line.bytes[1 - now], n - i);
            line.to[1 - now] = to + i;
          }
        }
      }
      for (Index r = 0; r < height; ++r) {
        for (const int k : {0, 1}) {
          if (shared[r].to[k] != nullptr) stream_line(shared[r].bytes[k], shared[r].to[k]);
        }
      }
    }
  } while (loops.next(src, dst));
}

// Copies short runs that share lines with the next column: assembles blocks in a buffer, in source order, and
// writes each row as a whole.
template <class Run>
void copy_combined(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds,
                   Run run) {
  constexpr Size kBuffer = Size{32} << 10;
  constexpr Size kRowBytes = Size{4} << 10;
  constexpr Size kSourceBytes = Size{4} << 10;
  alignas(64) std::byte buffer[kBuffer];
  const Size n = static_cast<Size>(sweep.run);
  const Size row_count = static_cast<Size>(bounds.rows);
  const Size col_count = static_cast<Size>(bounds.cols);
  const Size block_cols = std::min(col_count, std::max<Size>(1, kRowBytes / n));
  const Size pitch = (block_cols * n + 2 * kLine - 1) / kLine * kLine;
  const Size block_rows = std::min({row_count, std::max<Size>(1, kSourceBytes / n), kBuffer / pitch});
  Odometer loops = odometer(sweep, bounds);
  do {
    for (Size row = 0; row < row_count; row += block_rows) {
      const Size height = std::min(block_rows, row_count - row);
      for (Size col = 0; col < col_count; col += block_cols) {
        const Size width = std::min(block_cols, col_count - col);
        const std::byte* block =
            src + static_cast<Index>(row) * sweep.rows.src + static_cast<Index>(col) * sweep.cols.src;
        for (Size c = 0; c < width; ++c) {
          const std::byte* from = block + static_cast<Index>(c) * sweep.cols.src;
          for (Size r = 0; r < height; ++r, from += sweep.rows.src) run(from, buffer + r * pitch + c * n);
        }
        std::byte* to = dst + static_cast<Index>(row) * sweep.rows.dst + static_cast<Index>(col * n);
        for (Size r = 0; r < height; ++r, to += sweep.rows.dst)
          stream_bytes(buffer + r * pitch, to, width * n);
      }
    }
  } while (loops.next(src, dst));
}

inline void copy_kernel(const Sweep& sweep, const std::byte* src, std::byte* dst, const SweepBounds& bounds) {
  if (transpose_padded(sweep, src, dst, bounds)) return;
  const Size n = static_cast<Size>(sweep.run);
  if (sweep.policy.stream) {
    const bool begin_lines =
        on_line(dst) && on_line(sweep.rows.dst) && on_line(sweep.cols.dst) && loops_on_line(sweep);
    const Index ahead = run_ahead(n, rows_are_nearer(sweep, bounds) ? sweep.rows.src : sweep.cols.src);
    if (begin_lines && n % kLine == 0) {
      each_run_along_source(sweep, src, dst, bounds, StreamedRun{n, ahead});
    } else if (kJoinsLines && begin_lines && static_cast<Index>(kLine - n % kLine) <= sweep.slack()) {
      each_run_along_source(sweep, src, dst, bounds, StreamedSlack{n, ahead});
    } else if (n >= kLine && sweep.cols.dst == sweep.run && bounds.cols > 1) {
      copy_carried(sweep, src, dst, bounds);
    } else if (n < kLine && sweep.cols.dst == sweep.run && bounds.cols > 1) {
      switch (n) {
        case 1:
          copy_combined(sweep, src, dst, bounds, FixedRun<1>(n));
          break;
        case 2:
          copy_combined(sweep, src, dst, bounds, FixedRun<2>(n));
          break;
        case 4:
          copy_combined(sweep, src, dst, bounds, FixedRun<4>(n));
          break;
        case 8:
          copy_combined(sweep, src, dst, bounds, FixedRun<8>(n));
          break;
        case 12:
          copy_combined(sweep, src, dst, bounds, FixedRun<12>(n));
          break;
        case 16:
          copy_combined(sweep, src, dst, bounds, FixedRun<16>(n));
          break;
        case 32:
          copy_combined(sweep, src, dst, bounds, FixedRun<32>(n));
          break;
        default:
          copy_combined(sweep, src, dst, bounds, ShortRun{n});
      }
    } else {
      each_run_along_source(sweep, src, dst, bounds, StreamedAnywhere{n});
    }
    return fence();
  }
  switch (n) {
    case 1:
      return copy_plain(sweep, src, dst, bounds, FixedRun<1>(n));
    case 2:
      return copy_plain(sweep, src, dst, bounds, FixedRun<2>(n));
    case 4:
      return copy_plain(sweep, src, dst, bounds, FixedRun<4>(n));
    case 8:
      return copy_plain(sweep, src, dst, bounds, FixedRun<8>(n));
    case 12:
      return copy_plain(sweep, src, dst, bounds, FixedRun<12>(n));
    case 16:
      return copy_plain(sweep, src, dst, bounds, FixedRun<16>(n));
    case 32:
      return copy_plain(sweep, src, dst, bounds, FixedRun<32>(n));
    default:
      break;
  }
  if (n < kLine) return copy_plain(sweep, src, dst, bounds, ShortRun{n});
  copy_plain(sweep, src, dst, bounds, LongRun{n});
}

}  // namespace HWY_NAMESPACE
}  // namespace tessera::moving
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
