// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>

#include "notation/index_runs.h"
#include "relayout/build.h"
#include "relayout/choose.h"
#include "relayout/join_dims.h"
#include "relayout/refine.h"
#include "tessera/base/check.h"

namespace tessera::moving {
namespace {

using detail::IndexRun;

constexpr std::size_t kMaxParts = 4096;
// Entries of all tables of a plan together: 64 MB.
constexpr Index kAllTables = Index{1} << 22;

class Builder {
 public:
  Builder(State& state, const Layout& src, const Layout& dst)
      : state_(state), src_(src), dst_(dst), sums_{detail::summands(src), detail::summands(dst)} {}

  bool build() {
    runs_ = detail::cut_runs(src_.shape(), sums_);
    for (const IndexRun& run : runs_) {
      if (run.group != IndexRun::kAlone) groups_ = std::max(groups_, run.group + 1);
    }
    members_.reserve(runs_.size());
    detail::Pieces pieces(src_.shape(), runs_);
    const auto parts = pieces.number(kMaxParts);
    if (!parts) return false;
    state_.parts.reserve(*parts);
    while (pieces.next()) {
      if (add_box(pieces.corner(), pieces.counts())) continue;
      state_.parts.clear();
      state_.tables.clear();
      return false;
    }
    return true;
  }

 private:
  bool add_box(std::span<const Index> corner, std::span<const Index> counts) {
    const Index e = state_.element_bytes;
    Nest nest{.src = src_.offset(corner) * e, .dst = dst_.offset(corner) * e, .run = e};
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (runs_[k].group == IndexRun::kAlone)
        nest.add({counts[k], runs_[k].strides[0] * e, runs_[k].strides[1] * e});
    }
    for (std::size_t group = 0; group < groups_; ++group) {
      std::vector<IndexRun>& members = members_;
      members.clear();
      Index entries = 1;
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        if (runs_[k].group != group || counts[k] == 1) continue;
        members.push_back(runs_[k]);
        members.back().count = counts[k];
        if (mul_overflows(entries, counts[k], entries)) return false;
      }
      if (members.empty()) continue;
      sort_by_destination(members);
      if (entries > kMaxTable || (table_entries_ += entries) > kAllTables) return false;
      Term term = table(corner, members, entries);
      split_off_loops(nest, term, members);
      nest.add(term);
    }
    normalize(nest);
    add_part(state_, nest);
    return true;
  }

  // Small steps first, so that a table of strides is sorted as it is made.
  void sort_by_destination(std::vector<IndexRun>& members) const {
    for (IndexRun& run : members) {
      const auto stride = detail::stride_of(sums_[1], run, dst_.shape());
      run.strides[1] = stride && *stride != kIndexMin ? std::abs(*stride) : kIndexMax;
    }
    std::ranges::sort(members, {},
                      [](const IndexRun& run) { return std::tuple(run.strides[1], run.dim, run.unit); });
  }

  // The offsets of all values of the runs, the first one fastest.
  Term table(std::span<const Index> corner, std::span<const IndexRun> members, Index entries) {
    Term term = {entries, 0, 0, state_.new_table(entries), state_.new_table(entries)};
    fill(term.src_table, src_, sums_[0], corner, members, entries);
    fill(term.dst_table, dst_, sums_[1], corner, members, entries);
    return term;
  }

  void fill(Index* table, const Layout& layout, std::span<const detail::Summand> sum,
            std::span<const Index> corner, std::span<const IndexRun> members, Index entries) {
    const Index e = state_.element_bytes;
    // Runs with strides first say all; where one has none, each entry is looked at.
    Index below = 1;
    table[0] = 0;
    for (const IndexRun& run : members) {
      const auto stride = detail::stride_of(sum, run, layout.shape());
      if (!stride) return look_at_all(table, layout, corner, members, entries);
      for (Index i = below; i < below * run.count; ++i) table[i] = table[i - below] + *stride * e;
      below *= run.count;
    }
  }

  void look_at_all(Index* table, const Layout& layout, std::span<const Index> corner,
                   std::span<const IndexRun> members, Index entries) {
    std::vector<Index> index(corner.begin(), corner.end());
    const Index start = layout.offset(index);
    std::vector<Index> at(members.size(), 0);
    for (Index i = 0; i < entries; ++i) {
      table[i] = (layout.offset(index) - start) * state_.element_bytes;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const IndexRun& run = members[m];
        index[run.dim] += run.unit;
        if (++at[m] < run.count) break;
        index[run.dim] -= at[m] * run.unit;
        at[m] = 0;
      }
    }
  }

  // Runs that only might have depended on others: by the values they do not, on either side.
  static void split_off_loops(Nest& nest, Term& term, std::span<const IndexRun> members) {
    Index below = 1;  // entries of one value of the run
    for (const IndexRun& run : members) {
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
  std::vector<IndexRun> runs_;
  std::vector<IndexRun> members_;  // of the group at hand
  std::size_t groups_ = 0;
  Index table_entries_ = 0;
};

// The layout as a map of the dimensions that have more than one index.
Result<Layout> without_ones(const Layout& layout) {
  std::vector<Index> box;
  std::vector<Expr> variables;
  for (const Index extent : layout.shape()) {
    variables.push_back(extent == 1 ? Expr::constant(0) : Expr::variable(static_cast<Index>(box.size())));
    if (extent > 1) box.push_back(extent);
  }
  const Expr offset = substitute(lower(layout).results()[0], variables);
  return Layout::make(IndexMap::make_unchecked(Domain::box(box), {offset}));
}

// Tiles that are no digits take memory to evaluate, their map does not.
Layout without_memory(const Layout& layout) {
  if (layout.tiled_map() == nullptr || layout.known_digits() != nullptr) return layout;
  return Layout::make(lower(layout)).value_or(layout);
}

}  // namespace

General::General(const Layout& from, const Layout& to) : src(from), dst(to), src_map(src), dst_map(dst) {
  if (src.size() == 0) {
    rows = 0;  // the other extents may multiply to anything
    return;
  }
  if (src.rank() > kMaxTerms) {
    const auto own = without_ones(src);
    const auto other = without_ones(dst);
    TESSERA_CHECK(own && other, "a layout whose map is none");
    src_map = *own;
    dst_map = *other;
  } else {
    src_map = without_memory(src);
    dst_map = without_memory(dst);
  }
  const auto box = src_map.shape();
  for (std::size_t dim = 0; dim + 1 < box.size(); ++dim) rows *= box[dim];
}

void build_from_layouts(State& state, const Layout& src, const Layout& dst) {
  if (Builder(state, src, dst).build()) return;
  if (const auto joined = with_joined_dims(src, dst);
      joined && Builder(state, joined->first, joined->second).build())
    return;
  state.general.emplace(src, dst);
}

}  // namespace tessera::moving
