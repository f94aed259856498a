// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/build_layouts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>

#include "base/check.h"
#include "notation/index_runs.h"
#include "relayout/join_dims.h"
#include "relayout/limits.h"
#include "relayout/plan/add_part.h"
#include "relayout/plan/refine.h"

namespace tessera::moving {
namespace {

using detail::DimRun;

// With at most this many entries, joining dimensions is not tried, because it would save less than it costs.
constexpr Index kFewEntries = 256;

class LayoutsBuilder {
 public:
  LayoutsBuilder(State& state, const Layout& src, const Layout& dst)
      : state_(state),
        src_(src),
        dst_(dst),
        sums_{detail::summands(src), detail::summands(dst)},
        same_(src == dst) {}

  // The number of entries of all tables; empty if a table is too long or there are too many parts.
  std::optional<Index> table_entries() {
    runs_ = detail::cut_runs(src_.shape(), sums_);
    for (const DimRun& run : runs_) {
      if (run.group != DimRun::kAlone) groups_ = std::max(groups_, run.group + 1);
    }
    detail::Pieces pieces(src_.shape(), runs_);
    if (!pieces.number(kRelayoutLimits.plan.layout_parts)) return std::nullopt;
    Index all = 0;
    members_.reserve(runs_.size());
    std::vector<Index> entries(groups_);
    while (pieces.next()) {
      std::ranges::fill(entries, 1);
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        if (runs_[k].group == DimRun::kAlone) continue;
        Index& own = entries[runs_[k].group];
        if (mul_overflows(own, pieces.counts()[k], own) || own > kRelayoutLimits.plan.table_entries)
          return std::nullopt;
      }
      for (const Index own : entries) all += own > 1 ? own : 0;
      if (all > kRelayoutLimits.plan.all_entries) return std::nullopt;
    }
    return all;
  }

  // Adds the parts. Requires that table_entries() returned a number.
  void build() {
    detail::Pieces pieces(src_.shape(), runs_);
    state_.parts.reserve(*pieces.number(kRelayoutLimits.plan.layout_parts));
    while (pieces.next()) add_box(pieces.corner(), pieces.counts());
  }

 private:
  void add_box(std::span<const Index> corner, std::span<const Index> counts) {
    const Index e = state_.element_bytes;
    Nest nest{.src = src_.offset(corner) * e, .dst = dst_.offset(corner) * e, .run = e};
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (runs_[k].group == DimRun::kAlone)
        nest.add({counts[k], runs_[k].strides[0] * e, runs_[k].strides[1] * e});
    }
    for (std::size_t group = 0; group < groups_; ++group) {
      std::vector<DimRun>& members = members_;
      members.clear();
      Index entries = 1;
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        if (runs_[k].group != group || counts[k] == 1) continue;
        members.push_back(runs_[k]);
        members.back().count = counts[k];
        entries *= counts[k];
      }
      if (members.empty()) continue;
      sort_by_destination(members);
      NestDim term = table(corner, members, entries);
      term.repeats = same_ || std::ranges::any_of(members, [&](const DimRun& run) {
                       return detail::stride_of(sums_[0], run, src_.shape()) == 0;
                     });
      split_off_loops(nest, term, members);
      nest.add(term);
    }
    normalize(nest);
    add_part(state_, nest);
  }

  // Sorts runs by destination stride, so that the table built from runs with strides is sorted by
  // destination. Runs without a stride come last.
  void sort_by_destination(std::vector<DimRun>& members) const {
    for (DimRun& run : members) {
      const auto stride = detail::stride_of(sums_[1], run, dst_.shape());
      run.strides[1] = stride && *stride != kIndexMin ? std::abs(*stride) : kIndexMax;
    }
    std::ranges::sort(members, {},
                      [](const DimRun& run) { return std::tuple(run.strides[1], run.dim, run.unit); });
  }

  // The table of all combinations of the runs' values, the first run fastest.
  NestDim table(std::span<const Index> corner, std::span<const DimRun> members, Index entries) {
    NestDim term = {entries, 0, 0, state_.new_table(entries), state_.new_table(entries)};
    fill(term.src_table, src_, sums_[0], corner, members);
    fill(term.dst_table, dst_, sums_[1], corner, members);
    return term;
  }

  void fill(Index* table, const Layout& layout, std::span<const detail::Summand> sum,
            std::span<const Index> corner, std::span<const DimRun> members) {
    const Index e = state_.element_bytes;
    // If every run has a stride, the entries are sums of multiples of strides. Otherwise evaluate the layout
    // at each entry.
    Index below = 1;
    table[0] = 0;
    for (const DimRun& run : members) {
      const auto stride = detail::stride_of(sum, run, layout.shape());
      if (!stride) return look_at_all(table, layout, corner, members);
      for (Index i = below; i < below * run.count; ++i) table[i] = table[i - below] + *stride * e;
      below *= run.count;
    }
  }

  void look_at_all(Index* table, const Layout& layout, std::span<const Index> corner,
                   std::span<const DimRun> members) {
    const Index start = layout.offset(corner);
    detail::for_each_value(members, {corner.begin(), corner.end()}, [&](std::span<const Index> index) {
      *table++ = (layout.offset(index) - start) * state_.element_bytes;
    });
  }

  // If the entries of a run have constant steps on both sides, makes the run a loop of its own.
  static void split_off_loops(Nest& nest, NestDim& term, std::span<const DimRun> members) {
    Index below = 1;  // table entries for one value of the run
    for (const DimRun& run : members) {
      const Index src = term.src_table[below];
      const Index dst = term.dst_table[below];
      const Index block = below * run.count;
      bool loop = true;
      for (Index start = 0; start < term.ext && loop; start += block) {
        for (Index i = start + below; i < start + block && loop; ++i) {
          loop = term.src_table[i] == term.src_table[i - below] + src &&
                 term.dst_table[i] == term.dst_table[i - below] + dst;
        }
      }
      if (!loop) {
        below = block;
        continue;
      }
      nest.add({run.count, src, dst});
      Index kept = 0;
      for (Index start = 0; start < term.ext; start += block) {
        for (Index i = start; i < start + below; ++i, ++kept) {
          term.src_table[kept] = term.src_table[i];
          term.dst_table[kept] = term.dst_table[i];
        }
      }
      term.ext = kept;
    }
  }

  State& state_;
  const Layout& src_;
  const Layout& dst_;
  std::array<std::vector<detail::Summand>, 2> sums_;
  std::vector<DimRun> runs_;
  std::vector<DimRun> members_;  // runs of the current group
  std::size_t groups_ = 0;
  bool same_ = false;  // each offset is copied to itself
};

}  // namespace

void build_from_layouts(State& state, const Layout& src, const Layout& dst) {
  LayoutsBuilder plain(state, src, dst);
  const auto entries = plain.table_entries();
  if (entries && *entries <= kFewEntries) return plain.build();
  // The blocks of a swizzle often cross rows. If the rows are contiguous, joining them makes smaller tables.
  if (const auto joined = with_joined_dims(src, dst)) {
    LayoutsBuilder builder(state, joined->first, joined->second);
    const auto own = builder.table_entries();
    if (own && (!entries || *own <= *entries)) return builder.build();
  }
  if (entries) return plain.build();
  state.elementwise.emplace(src, dst);
}

}  // namespace tessera::moving
