// SPDX-License-Identifier: Apache-2.0
#include "notation/index_runs.h"

#include <algorithm>
#include <numeric>

#include "notation/limits.h"

namespace tessera::detail {
namespace {

// Whether a cut of the dimension at `unit` leaves the window whole.
bool is_clean(const Window& w, Index unit, Index extent) {
  if (w.from >= extent) return true;
  if (unit <= w.from) return w.from % unit == 0;
  if (w.to != kEndless && unit >= w.to) return unit % w.to == 0;
  return unit % w.from == 0 && (w.to == kEndless || w.to >= extent || w.to % unit == 0);
}

class RunCutter {
 public:
  RunCutter(std::span<const Index> box, std::span<const std::vector<Summand>> sides)
      : box_(box), sides_(sides) {
    runs_.reserve(kFew);
    units_.reserve(kFew);
    cuts_.reserve(kFew);
  }

  std::vector<DimRun> run() {
    for (std::size_t dim = 0; dim < box_.size(); ++dim) {
      if (box_[dim] > 1) cut(dim);
    }
    for (const auto& side : sides_) {
      for (const Summand& summand : side) group(summand);
    }
    for (DimRun& run : runs_) {
      for (std::size_t side = 0; side < sides_.size() && run.group == DimRun::kAlone; ++side) {
        const auto stride = stride_of(sides_[side], run, box_);
        if (!stride) run.group = next_group_++;
        run.strides[side] = stride.value_or(0);
      }
    }
    return std::move(runs_);
  }

 private:
  template <class F>
  void for_each_window(std::size_t dim, const F& f) const {
    for (const auto& side : sides_) {
      for (const Summand& summand : side) {
        for (const Window& w : summand.windows) {
          if (w.dim == dim) f(w);
        }
      }
    }
  }

  bool is_clean_on_all(std::size_t dim, Index unit) const {
    bool clean = true;
    for_each_window(dim, [&](const Window& w) { clean = clean && detail::is_clean(w, unit, box_[dim]); });
    return clean;
  }

  bool is_seen(const DimRun& run) const {
    return std::ranges::any_of(sides_, [&](const auto& side) { return !stride_of(side, run, box_); });
  }

  void cut(std::size_t dim) {
    const Index extent = box_[dim];
    std::vector<Index>& units = units_;
    std::vector<Index>& cuts = cuts_;
    units.assign({1});
    cuts.clear();
    for_each_window(dim, [&](const Window& w) {
      units.push_back(w.from);
      if (w.to != kEndless) units.push_back(w.to);
    });
    sort_unique(units);
    const std::size_t own = std::min(units.size(), kNotationLimits.paired_cuts);
    for (std::size_t a = 0; a < own; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (units[a] % units[b] == 0) continue;
        if (const auto both = checked_mul(units[a] / std::gcd(units[a], units[b]), units[b]))
          units.push_back(*both);
      }
    }
    sort_unique(units);
    for (const Index unit : units) {
      if (unit >= extent || (unit > 1 && !is_clean_on_all(dim, unit))) continue;
      if (cuts.empty() || unit % cuts.back() == 0) cuts.push_back(unit);
    }
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      const bool top = k + 1 == cuts.size();
      const Index whole = top ? extent : cuts[k + 1];
      DimRun run{.dim = dim, .unit = cuts[k], .count = ceil_div(whole, cuts[k])};
      // A window may depend on only some bits of a run, so factors of 2 become runs of their own.
      if (whole % run.unit == 0 && is_seen(run)) {
        while (run.count % 2 == 0 && run.count > 2) {
          runs_.push_back({.dim = dim, .unit = run.unit, .count = 2});
          run = {.dim = dim, .unit = run.unit * 2, .count = run.count / 2};
        }
      }
      runs_.push_back(run);
    }
  }

  static void sort_unique(std::vector<Index>& values) {
    std::ranges::sort(values);
    const auto rest = std::ranges::unique(values);
    values.erase(rest.begin(), rest.end());
  }

  void group(const Summand& summand) {
    std::size_t first = runs_.size();
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (!sees(summand, runs_[k], box_)) continue;
      if (runs_[k].group == DimRun::kAlone) runs_[k].group = next_group_++;
      if (first == runs_.size()) first = k;
      const std::size_t from = runs_[k].group;
      for (DimRun& run : runs_) {
        if (run.group == from) run.group = runs_[first].group;
      }
    }
  }

  // Entries to reserve, because growing short lists would take most of the time.
  static constexpr std::size_t kFew = 16;

  std::span<const Index> box_;
  std::span<const std::vector<Summand>> sides_;
  std::vector<DimRun> runs_;
  std::vector<Index> units_;  // the units of the current dimension
  std::vector<Index> cuts_;
  std::size_t next_group_ = 0;
};

}  // namespace

Effect effect(const Summand& summand, const Window& w, const DimRun& run, RunPlace place) {
  if (w.from >= place.extent) return {};
  Index end = 0;
  if (mul_overflows(run.unit, run.count, end)) end = kIndexMax;
  // Whether index steps of the run stay inside a block, without a carry into the next block.
  const auto divides = [](Index block, Index n) { return n == 0 || (n >= block && n % block == 0); };
  const auto stays_in = [&](Index block) {
    if (block < end) return false;
    return (block % end == 0 && divides(end, place.first)) ||
           (divides(block, place.above) && place.first % block <= block - end);
  };
  if (stays_in(w.from)) return {};
  Effect out{.depends = true};
  if (w.to != kEndless && run.unit % w.to == 0) {
    out.depends = mul_overflows(w.slope, run.unit / w.to, out.stride);
  } else if (summand.stride && w.to != kEndless && run.unit % w.from == 0 &&
             (w.to >= place.extent || stays_in(w.to))) {
    out.depends = mul_overflows(*summand.stride, run.unit / w.from, out.stride);
  }
  return out;
}

std::optional<Index> stride_of(std::span<const Summand> sum, const DimRun& run, std::span<const Index> box) {
  Index stride = 0;
  for (const Summand& summand : sum) {
    for (const Window& w : summand.windows) {
      if (w.dim != run.dim) continue;
      const Effect own = effect(summand, w, run, {.extent = box[run.dim]});
      if (own.depends || add_overflows(stride, own.stride, stride)) return std::nullopt;
    }
  }
  return stride;
}

bool sees(const Summand& summand, const DimRun& run, std::span<const Index> box) {
  return std::ranges::any_of(summand.windows, [&](const Window& w) {
    return w.dim == run.dim && effect(summand, w, run, {.extent = box[run.dim]}).depends;
  });
}

std::vector<DimRun> cut_runs(std::span<const Index> box, std::span<const std::vector<Summand>> sides) {
  return RunCutter(box, sides).run();
}

Pieces::Pieces(std::span<const Index> box, std::span<const DimRun> runs)
    : box_(box), runs_(runs), corner_(box.size(), 0), end_(box.size(), 0), counts_(runs.size(), 1) {
  std::size_t k = 0;
  for (std::size_t dim = 0; dim < box.size(); ++dim) {
    first_.push_back(k);
    while (k < runs.size() && runs[k].dim == dim) ++k;
  }
  first_.push_back(k);
}

void Pieces::cut(std::size_t dim) {
  const Index rest = box_[dim] - corner_[dim];
  end_[dim] = box_[dim];
  if (first_[dim] == first_[dim + 1]) return;
  std::size_t top = first_[dim + 1] - 1;
  while (runs_[top].unit > rest) --top;
  for (std::size_t k = first_[dim]; k < first_[dim + 1]; ++k) counts_[k] = k < top ? runs_[k].count : 1;
  counts_[top] = rest / runs_[top].unit;
  end_[dim] = corner_[dim] + counts_[top] * runs_[top].unit;
}

bool Pieces::next() {
  if (!started_) {
    started_ = true;
    for (std::size_t dim = 0; dim < box_.size(); ++dim) cut(dim);
    return true;
  }
  return advance_last(box_.size(), [&](std::size_t dim) {
    const bool more = end_[dim] < box_[dim];
    corner_[dim] = more ? end_[dim] : 0;
    cut(dim);
    return more;
  });
}

std::optional<std::size_t> Pieces::number(std::size_t most) const {
  std::size_t pieces = 1;
  for (std::size_t dim = 0; dim < box_.size(); ++dim) {
    std::size_t own = 0;
    Index rest = box_[dim];
    for (std::size_t k = first_[dim + 1]; k-- > first_[dim];) {
      own += rest >= runs_[k].unit ? 1 : 0;
      rest %= runs_[k].unit;
    }
    pieces *= std::max<std::size_t>(own, 1);
    if (pieces > most) return std::nullopt;
  }
  return pieces;
}

}  // namespace tessera::detail
