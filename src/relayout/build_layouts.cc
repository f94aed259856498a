// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <numeric>

#include "relayout/build.h"
#include "relayout/choose.h"

namespace tessera::relayout {
namespace {

constexpr std::size_t kMaxParts = 4096;
// Entries of all tables of a plan together: 64 MB.
constexpr Index kAllTables = Index{1} << 22;

// What is known of one side's structure.
struct Side {
  explicit Side(const Layout& l) : layout(l) {
    if (const Digits* known = l.known_digits()) {
      digits = *known;
    } else if (auto found = to_digits(l)) {
      digits = std::move(*found);
    } else {
      linear = linear_form(l);
    }
  }
  bool opaque() const { return !digits && !linear; }
  bool is_clean(std::size_t dim, Index unit) const {
    if (digits) return relayout::is_clean(digits->digits(dim), unit);
    return linear ? std::has_single_bit(static_cast<std::uint64_t>(unit)) : unit == 1;
  }
  // The bases of the index bits [unit, unit * count) of a dimension.
  std::span<const Index> bases(std::size_t dim, Index unit, Index count) const {
    const auto& all = linear->bases()[dim];
    const auto first = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(unit)));
    const auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(count - 1)));
    return std::span(all).subspan(first, std::min(bits, all.size() - first));
  }
  // The stride of index steps of `unit` inside [0, unit * count), where it is one.
  std::optional<Index> stride(std::size_t dim, Index unit, Index count, Index extent) const {
    if (digits) {
      const auto own = digits->digits(dim);
      const Digit* d = digit_at(own, unit);
      if (d == nullptr) return 0;
      if (d != digit_at(own, std::min(unit * count, extent) - 1)) return std::nullopt;
      return d->stride * (unit / d->div);
    }
    if (!linear) return std::nullopt;
    const auto bits = bases(dim, unit, count);
    Index seen = 0;
    for (std::size_t k = 0; k < bits.size(); ++k) {
      if (bits[k] != bits[0] << k || (bits[k] & seen) != 0) return std::nullopt;
      seen |= bits[k];
    }
    return bits.empty() ? 0 : bits[0];
  }

  const Layout& layout;
  std::optional<Digits> digits;
  std::optional<LinearLayout> linear;
};

// A run of digit values of one dimension, and the set of runs whose offsets do not add up without each other.
struct Run {
  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  std::size_t group = 0;
};

class Builder {
 public:
  Builder(State& state, const Layout& src, const Layout& dst) : state_(state), src_(src), dst_(dst) {}

  bool build() {
    if (!find_runs()) return false;
    group_runs(src_);
    group_runs(dst_);
    const std::size_t rank = src_.layout.rank();
    std::size_t parts = 1;
    for (std::size_t dim = 0; dim < rank; ++dim) {
      std::size_t pieces = 0;
      for (Piece p = piece_at(chains_[dim], 0); p.count > 0; ++pieces)
        p = piece_at(chains_[dim], end_of(chains_[dim], p));
      parts *= pieces;
      if (parts > kMaxParts) return false;
    }
    std::vector<Piece> piece;
    for (const Chain& chain : chains_) piece.push_back(piece_at(chain, 0));
    for (std::size_t part = 0; part < parts; ++part) {
      if (!add_box(piece)) {
        state_.parts.clear();
        state_.tables.clear();
        return false;
      }
      for (std::size_t dim = rank; dim-- > 0;) {
        piece[dim] = piece_at(chains_[dim], end_of(chains_[dim], piece[dim]));
        if (piece[dim].count > 0) break;
        piece[dim] = piece_at(chains_[dim], 0);
      }
    }
    return true;
  }

 private:
  // Runs between the places where both sides can be cut. False when there are too many.
  bool find_runs() {
    const auto box = src_.layout.shape();
    chains_.resize(box.size());
    for (std::size_t dim = 0; dim < box.size(); ++dim) {
      std::vector<Index> cuts = {1};
      if (!src_.opaque() && !dst_.opaque()) {
        add_candidates(src_, dim, box[dim], cuts);
        add_candidates(dst_, dim, box[dim], cuts);
        const std::vector<Index> single = cuts;
        for (const Index a : single) {
          for (const Index b : single) {
            Index both = 0;
            if (!mul_overflows(a / std::gcd(a, b), b, both)) cuts.push_back(both);
          }
        }
      }
      std::ranges::sort(cuts);
      Chain& chain = chains_[dim];
      chain.extent = box[dim];
      for (const Index cut : cuts) {
        if (cut >= box[dim] || !src_.is_clean(dim, cut) || !dst_.is_clean(dim, cut)) continue;
        if (!chain.segments.empty()) {
          Segment& last = chain.segments.back();
          if (cut == last.unit || cut % last.unit != 0) continue;
          last.count = cut / last.unit;
        }
        if (chain.segments.size() == kMaxTerms) return false;
        chain.segments.push_back({.unit = cut, .count = ceil_div(box[dim], cut)});
      }
      for (const Segment& segment : chain.segments)
        runs_.push_back({dim, segment.unit, segment.count, runs_.size()});
    }
    return true;
  }

  static void add_candidates(const Side& side, std::size_t dim, Index extent, std::vector<Index>& cuts) {
    if (side.digits) {
      for (const Digit& d : side.digits->digits(dim)) cuts.push_back(d.div);
    } else {
      for (Index unit = 2; unit < extent && unit < kIndexMax / 2; unit *= 2) cuts.push_back(unit);
    }
  }

  void join(std::size_t a, std::size_t b) {
    const std::size_t from = runs_[a].group;
    const std::size_t to = runs_[b].group;
    for (Run& run : runs_) {
      if (run.group == from) run.group = to;
    }
  }

  void group_runs(const Side& side) {
    if (side.digits) return;
    if (side.linear) {
      const auto mask = [&](const Run& run) {
        Index bits = 0;
        for (const Index b : side.bases(run.dim, run.unit, run.count)) bits |= b;
        return bits;
      };
      for (std::size_t a = 0; a < runs_.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          if ((mask(runs_[a]) & mask(runs_[b])) != 0) join(a, b);
        }
      }
      return;
    }
    for (const auto& dims : interacting_dims(side.layout)) {
      std::size_t first = runs_.size();
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        if (std::ranges::find(dims, runs_[k].dim) == dims.end()) continue;
        if (first < runs_.size()) join(k, first);
        first = k;
      }
    }
  }

  // One choice of piece in each dimension.
  bool add_box(const std::vector<Piece>& piece) {
    const Index e = state_.element_bytes;
    const auto box = src_.layout.shape();
    std::vector<Index> corner(box.size(), 0);
    // How many values each run takes in this box.
    std::vector<Index> counts;
    for (std::size_t dim = 0; dim < box.size(); ++dim) {
      const Piece& p = piece[dim];
      corner[dim] = p.corner;
      for (std::size_t k = 0; k < chains_[dim].segments.size(); ++k)
        counts.push_back(k < p.segment ? chains_[dim].segments[k].count : k == p.segment ? p.count : 1);
    }
    Nest nest{.src = src_.layout.offset(corner) * e, .dst = dst_.layout.offset(corner) * e, .run = e};
    for (std::size_t group = 0; group < runs_.size(); ++group) {
      std::vector<std::size_t> members;
      Index entries = 1;
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        if (runs_[k].group != group || counts[k] == 1) continue;
        members.push_back(k);
        if (mul_overflows(entries, counts[k], entries)) return false;
      }
      if (members.empty()) continue;
      if (members.size() == 1) {
        const Run& run = runs_[members[0]];
        const auto s = src_.stride(run.dim, run.unit, run.count, box[run.dim]);
        const auto d = dst_.stride(run.dim, run.unit, run.count, box[run.dim]);
        // Alone in its group by construction, not because the others have one value here: strides of runs
        // that mix with others hold for some values of those only.
        const bool alone = std::ranges::count_if(runs_, [&](const Run& r) { return r.group == group; }) == 1;
        if (s && d && alone) {
          nest.add({entries, *s * e, *d * e});
          continue;
        }
      }
      if (entries > kMaxTable || (table_entries_ += entries) > kAllTables) return false;
      nest.add(table(corner, members, counts, entries));
    }
    normalize(nest);
    add_part(state_, nest);
    return true;
  }

  Term table(std::vector<Index> index, const std::vector<std::size_t>& members,
             const std::vector<Index>& counts, Index entries) {
    const Index e = state_.element_bytes;
    Term term = {entries, 0, 0, state_.new_table(entries), state_.new_table(entries)};
    const Index src = src_.layout.offset(index);
    const Index dst = dst_.layout.offset(index);
    std::vector<Index> at(members.size(), 0);
    for (Index i = 0; i < entries; ++i) {
      term.src_table[i] = (src_.layout.offset(index) - src) * e;
      term.dst_table[i] = (dst_.layout.offset(index) - dst) * e;
      for (std::size_t m = 0; m < members.size(); ++m) {
        const Run& run = runs_[members[m]];
        index[run.dim] += run.unit;
        if (++at[m] < counts[members[m]]) break;
        index[run.dim] -= at[m] * run.unit;
        at[m] = 0;
      }
    }
    return term;
  }

  State& state_;
  Side src_;
  Side dst_;
  std::vector<Chain> chains_;
  std::vector<Run> runs_;
  Index table_entries_ = 0;
};

}  // namespace

void build_from_layouts(State& state, const Layout& src, const Layout& dst) {
  if (Builder(state, src, dst).build()) return;
  General general{src, dst, 1};
  const auto box = src.shape();
  for (std::size_t dim = 0; dim + 1 < box.size(); ++dim) general.rows *= box[dim];
  state.general = general;
}

}  // namespace tessera::relayout
