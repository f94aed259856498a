// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/choose.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "relayout/caches.h"
#include "relayout/limits.h"

namespace tessera::moving {
namespace {

// A block grows until it is contiguous over this many bytes on each side.
constexpr Index kSourceChain = 256;
constexpr Index kDestinationChain = 512;
// Like kSourceChain, for rows that end inside a line. It is larger because each end costs a partial store.
constexpr Index kUnevenChain = 8192;
// Transposes move 16-byte vectors. If a side is shorter than this, moving single elements is faster.
constexpr Index kTilePiece = 16;
// With this many entries in a gathered row, the overhead per row does not matter.
constexpr Index kGatherEntries = 64;

bool is_vector_element(Index bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; }

// Chooses the mover of a sweep and takes its axes from the dims of a nest; the other dims become loops.
class Chooser {
 public:
  Chooser(State& state, Nest& nest, Sweep& sweep) : state_(state), nest_(nest), sweep_(sweep), e_(nest.run) {}

  void choose() {
    sweep_.run = e_;
    if (std::ranges::any_of(nest_.dims, &NestDim::has_table)) {
      choose_table();
    } else if (!is_vector_element(e_) || !choose_vector()) {
      choose_copy();
    }
    take_loops();
  }

  void choose_fill(const mover::Fill& fill) {
    sweep_.run = e_;
    choose_copy();
    take_loops();
    // A fill does not read the source.
    sweep_.mover = fill;
    sweep_.rows.src = sweep_.cols.src = 0;
    for (Loop& loop : sweep_.loop) loop.src = 0;
  }

 private:
  static constexpr std::size_t kNone = kRelayoutLimits.nest_dims;

  template <class Predicate>
  std::size_t find(const Predicate& predicate) const {
    for (std::size_t k = 0; k < nest_.dims.size(); ++k) {
      if (predicate(nest_.dims[k])) return k;
    }
    return kNone;
  }
  NestDim take(std::size_t k) { return nest_.dims.take(k); }
  static SweepAxis axis(const NestDim& t) {
    return {.count = t.ext, .src = t.src, .dst = t.dst, .src_table = t.src_table, .dst_table = t.dst_table};
  }

  // Columns run along the destination if some dim is contiguous there; rows run along the source.
  void choose_copy() {
    sweep_.mover = mover::Copy{};
    if (nest_.dims.empty()) return;
    std::size_t cols = find([&](const NestDim& t) { return t.dst == e_; });
    if (cols == kNone) cols = 0;
    sweep_.cols = axis(take(cols));
    if (nest_.dims.empty()) return;
    std::size_t rows = find([&](const NestDim& t) { return t.src == e_; });
    if (rows == kNone) rows = 0;
    sweep_.rows = axis(take(rows));
  }

  // Chooses a kind that needs a unit stride on at least one side. Returns false if there is none.
  bool choose_vector() {
    const std::size_t a = find([&](const NestDim& t) { return t.src == e_; });
    const std::size_t b = find([&](const NestDim& t) { return t.dst == e_; });
    if (a == kNone && b == kNone) return false;
    if (a == kNone || b == kNone) {
      if (a == kNone) {
        sweep_.mover = mover::Gather{};
      } else {
        sweep_.mover = mover::Scatter{};
      }
      sweep_.cols = axis(take(a == kNone ? b : a));
      if (!nest_.dims.empty()) sweep_.rows = axis(take(0));
      return true;
    }
    NestDim cols = nest_.dims[a];
    NestDim rows = nest_.dims[b];
    take(std::max(a, b));
    take(std::min(a, b));
    sweep_.rows = axis(rows);
    sweep_.cols = axis(cols);
    if (rows.ext <= 4 && cols.dst == rows.ext * e_ && cols.ext * e_ >= kLine) {
      sweep_.mover = mover::Interleave{};
    } else if (cols.ext <= 4 && rows.src == cols.ext * e_ && rows.ext * e_ >= kLine) {
      sweep_.mover = mover::Deinterleave{};
    } else {
      sweep_.mover = mover::Transpose{};
      grow_block();
      if (std::min(sweep_.rows.count, sweep_.cols.count) * e_ < kTilePiece) gather_instead();
    }
    return true;
  }

  struct JoinedDims {
    detail::InlineVector<NestDim, kRelayoutLimits.nest_dims> dims;
    Index entries = 1;
    void add(const NestDim& dim) {
      dims.push_back(dim);
      entries *= dim.ext;
    }
  };

  // For regions narrower than a vector, gathering destination rows element by element is faster.
  void gather_instead() {
    if (sweep_.rows.count >= kGatherEntries) {
      sweep_.mover = mover::Gather{};
      std::swap(sweep_.rows, sweep_.cols);
    } else if (sweep_.is<mover::Transpose>()) {
      gather_chain();
    }
  }

  // Joins the dims that are contiguous in the destination into one table of columns.
  void gather_chain() {
    JoinedDims chain;
    chain.add({sweep_.rows.count, sweep_.rows.src, sweep_.rows.dst});
    nest_.add({sweep_.cols.count, sweep_.cols.src, sweep_.cols.dst});
    const auto next = [&](const NestDim& t) { return t.dst == chain.entries * e_; };
    while (chain.entries < kGatherEntries && extend(chain, next)) {
    }
    if (const std::size_t k = find(next); k != kNone && chain.entries < kGatherEntries) {
      // The dim does not fit as a whole: split off a factor.
      NestDim& dim = nest_.dims[k];
      const Index least = ceil_div(kGatherEntries, chain.entries);
      for (Index part = least; part < 4 * least; ++part) {
        if (dim.ext % part != 0) continue;
        chain.add({part, dim.src, dim.dst});
        dim = {dim.ext / part, dim.src * part, dim.dst * part};
        break;
      }
    }
    sweep_.mover = mover::Gather{};
    sweep_.cols = {.count = chain.entries, .src = sweep_.rows.src, .dst = e_};
    if (chain.dims.size() > 1) sweep_.cols.src_table = spread(chain, &NestDim::src);
    std::sort(nest_.dims.begin(), nest_.dims.end(),
              [](const NestDim& x, const NestDim& y) { return x.dst < y.dst; });
    sweep_.rows = nest_.dims.empty() ? SweepAxis{} : axis(take(0));
  }

  // Extends short axes by the dims that come next in memory, so that whole cache lines are used while
  // cached.
  void grow_block() {
    JoinedDims rows;
    JoinedDims cols;
    rows.add({sweep_.rows.count, sweep_.rows.src, sweep_.rows.dst});
    cols.add({sweep_.cols.count, sweep_.cols.src, sweep_.cols.dst});
    const Index row_bytes = rows.entries * e_;
    // Rows of two or more whole lines need not grow, so the loops can follow the source.
    const bool whole_rows = row_bytes % kLine == 0 && row_bytes >= 2 * kLine;
    for (bool grown = true; grown;) {
      grown = false;
      const Index row_target = rows.entries * e_ % kLine == 0 ? kDestinationChain : kUnevenChain;
      if (!whole_rows && rows.entries * e_ < row_target)
        grown |= extend(rows, [&](const NestDim& t) { return t.dst == rows.entries * e_; });
      if (cols.entries * e_ < kSourceChain)
        grown |= extend(cols, [&](const NestDim& t) { return t.src == cols.entries * e_; });
    }
    if (rows.dims.size() == 1 && cols.dims.size() == 1) return;
    sweep_.mover = mover::Block{};
    if (rows.dims.size() > 1) {
      sweep_.rows = {.count = rows.entries, .dst = e_, .src_table = spread(rows, &NestDim::src)};
    }
    if (cols.dims.size() > 1) {
      sweep_.cols = {.count = cols.entries, .src = e_, .dst_table = spread(cols, &NestDim::dst)};
    }
    sweep_.policy.prefetch = true;
  }

  template <class Predicate>
  bool extend(JoinedDims& chain, const Predicate& next) {
    const std::size_t k = find(next);
    if (k == kNone || nest_.dims[k].ext > kRelayoutLimits.plan.gathered_entries / chain.entries) return false;
    chain.add(take(k));
    return true;
  }

  // A table of the offsets of all combinations, the first dim fastest.
  const Index* spread(const JoinedDims& chain, Index NestDim::* stride) {
    Index* table = state_.new_table(chain.entries);
    table[0] = 0;
    Index filled = 1;
    for (const NestDim& dim : chain.dims) {
      for (Index i = 1; i < dim.ext; ++i) {
        for (Index j = 0; j < filled; ++j) table[i * filled + j] = table[j] + i * (dim.*stride);
      }
      filled *= dim.ext;
    }
    return table;
  }

  void choose_table() {
    const auto is_table = [](const NestDim& t) { return t.has_table(); };
    std::array<NestDim, 2> axes;
    std::size_t taken = 0;
    while (find(is_table) != kNone) {
      const NestDim next = take(find(is_table));
      if (taken < 2) {
        axes[taken++] = next;
      } else {
        axes[1] = product(axes[1], next);
      }
    }
    sweep_.mover = mover::Table{};
    sweep_.cols = axis(axes[0]);
    if (taken == 2) {
      sweep_.rows = axis(axes[1]);
    } else if (!nest_.dims.empty()) {
      sweep_.rows = axis(take(0));
    }
    flatten(sweep_.cols.src_table, sweep_.cols.src, sweep_.cols.count);
    flatten(sweep_.cols.dst_table, sweep_.cols.dst, sweep_.cols.count);
    flatten(sweep_.rows.src_table, sweep_.rows.src, sweep_.rows.count);
    flatten(sweep_.rows.dst_table, sweep_.rows.dst, sweep_.rows.count);
    if (!is_vector_element(e_)) return;
    if (sweep_.cols.dst_table == nullptr && sweep_.cols.dst == e_) {
      sweep_.mover = mover::Gather{};
    } else if (sweep_.cols.src_table == nullptr && sweep_.cols.src == e_) {
      sweep_.mover = mover::Scatter{};
    }
  }

  // Replaces a table with constant steps by a stride.
  static void flatten(const Index*& table, Index& stride, Index count) {
    if (table == nullptr) return;
    const Index step = table[1];
    for (Index i = 0; i < count; ++i) {
      if (table[i] != i * step) {
        stride = 0;
        return;
      }
    }
    stride = step;
    table = nullptr;
  }

  Index src_entry(const NestDim& t, Index i) const { return t.has_table() ? t.src_table[i] : i * t.src; }
  Index dst_entry(const NestDim& t, Index i) const { return t.has_table() ? t.dst_table[i] : i * t.dst; }

  NestDim product(const NestDim& inner, const NestDim& outer) {
    NestDim both = {inner.ext * outer.ext, 0, 0, state_.new_table(inner.ext * outer.ext),
                    state_.new_table(inner.ext * outer.ext)};
    for (Index o = 0; o < outer.ext; ++o) {
      for (Index i = 0; i < inner.ext; ++i) {
        both.src_table[o * inner.ext + i] = src_entry(outer, o) + src_entry(inner, i);
        both.dst_table[o * inner.ext + i] = dst_entry(outer, o) + dst_entry(inner, i);
      }
    }
    return both;
  }

  // Streaming plans follow the source, because the hardware prefetches reads; cached plans follow the
  // destination.
  void take_loops() {
    if (nest_.dims.size() > kRelayoutLimits.loops) merge_into_rows();
    const bool stream = state_.stream;
    std::sort(nest_.dims.begin(), nest_.dims.end(), [stream](const NestDim& a, const NestDim& b) {
      const Index a_src = std::abs(a.src);
      const Index b_src = std::abs(b.src);
      return stream ? std::pair(a_src, a.dst) > std::pair(b_src, b.dst)
                    : std::pair(a.dst, a_src) > std::pair(b.dst, b_src);
    });
    for (std::size_t k = 0; k < nest_.dims.size(); ++k)
      sweep_.loop[k] = {nest_.dims[k].ext, nest_.dims[k].src, nest_.dims[k].dst};
    sweep_.loops = static_cast<std::uint32_t>(nest_.dims.size());
  }

  // If there are more loops than a sweep can have, makes the innermost ones a table of rows.
  void merge_into_rows() {
    NestDim rows = {sweep_.rows.count, sweep_.rows.src, sweep_.rows.dst};
    if (sweep_.rows.src_table != nullptr || sweep_.rows.dst_table != nullptr) {
      rows.src_table = state_.new_table(rows.ext);
      rows.dst_table = state_.new_table(rows.ext);
      for (Index i = 0; i < rows.ext; ++i) {
        rows.src_table[i] = sweep_.rows.src_table != nullptr ? sweep_.rows.src_table[i] : i * sweep_.rows.src;
        rows.dst_table[i] = sweep_.rows.dst_table != nullptr ? sweep_.rows.dst_table[i] : i * sweep_.rows.dst;
      }
    }
    while (nest_.dims.size() > kRelayoutLimits.loops) rows = product(rows, take(0));
    sweep_.rows = {.count = rows.ext, .src_table = rows.src_table, .dst_table = rows.dst_table};
    sweep_.mover = mover::Table{};
  }

  State& state_;
  Nest& nest_;
  Sweep& sweep_;
  Index e_;
};

}  // namespace

void choose_sweep(State& state, Nest& nest, Sweep& sweep) { Chooser(state, nest, sweep).choose(); }
void choose_fill(State& state, Nest& nest, const mover::Fill& fill, Sweep& sweep) {
  Chooser(state, nest, sweep).choose_fill(fill);
}

}  // namespace tessera::moving
