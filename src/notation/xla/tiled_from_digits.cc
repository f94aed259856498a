// SPDX-License-Identifier: Apache-2.0
#include "notation/xla/tiled_from_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "notation/from_digits.h"
#include "notation/not_representable.h"
#include "notation/xla/tile_search.h"
#include "notation/xla/tile_steps.h"

namespace tessera {
namespace {

using detail::AllocatedDigit;
using detail::AllocatedDigits;
using detail::CombinedRun;
using detail::not_representable;

// The largest offset of the selected digits over the box; all strides are positive. The box may prevent
// digits from reaching their largest values at the same time.
Index reach(std::span<const Digit> selected, std::span<const Digit> all, std::span<const Index> box) {
  Index total = 0;
  std::vector<Index> dims;
  for (const Digit& d : selected) {
    if (std::ranges::find(dims, d.dim) == dims.end()) dims.push_back(d.dim);
  }
  for (const Index dim : dims) {
    const auto counts = [&](const Digit& d) {
      return d.dim == dim && std::ranges::find(selected, d) != selected.end();
    };
    const Index last = box[static_cast<std::size_t>(dim)] - 1;
    Index best = 0;
    // The best index is either the last one or, for some digit `cut`, equals the last one above `cut`, is
    // smaller by one at `cut`, and has the largest digits below it.
    for (const Digit& d : all) {
      if (counts(d)) best += d.stride * d.value(last);
    }
    for (const Digit& cut : all) {
      if (cut.dim != dim || cut.value(last) == 0) continue;
      Index value = 0;
      for (const Digit& d : all) {
        if (!counts(d)) continue;
        const Index digit = d.value(last);
        value += d.stride * (d.div > cut.div ? digit : d.div == cut.div ? digit - 1 : d.ext - 1);
      }
      best = std::max(best, value);
    }
    total += best;
  }
  return total;
}

// The memory order that a tile list must produce: coordinates whose strides are the products of the finer
// allocations, and the runs that are needed for it.
class TargetOrder {
 public:
  // Requires positive strides.
  explicit TargetOrder(const Digits& digits)
      : form_(digits), sorted_(digits.digits().begin(), digits.digits().end()) {
    std::ranges::sort(sorted_, {}, &Digit::stride);
  }

  // Errors: gap.
  Result<void> build() {
    if (!sorted_.empty() && sorted_[0].stride > 1)
      stack_.push_back({{detail::kLoose, 1, 1, sorted_[0].stride}, 1});
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      if (k > 0) {
        if (const auto closed = close(k); !closed) return closed;
      }
      const Digit& d = sorted_[k];
      stack_.push_back({{d.dim, d.div, d.ext, d.ext}, d.stride});
    }
    for (auto open = stack_.rbegin(); open != stack_.rend(); ++open) places_.push_back(open->place);
    return {};
  }

  const AllocatedDigits& places() const { return places_; }
  std::span<const CombinedRun> runs() const { return runs_; }

 private:
  // A coordinate with its stride; its allocation is not known yet.
  struct Open {
    AllocatedDigit place;
    Index stride;
  };

  // Pads the coordinates below digit `k` so that they end at its stride.
  Result<void> close(std::size_t k) {
    const Index next = sorted_[k].stride;
    const std::span<const Digit> all = sorted_;
    most_ += (sorted_[k - 1].ext - 1) * sorted_[k - 1].stride;
    if (most_ >= next) {
      const std::span<const Digit> every = sorted_;
      if (const Index below = reach(every.first(k), every, form_.box()); below >= next) {
        return not_representable(
            "gap",
            fmt::format("the digits with strides up to {} reach offset {}, which overlaps stride {}; tiles "
                        "that cut inside a digit were not tried",
                        sorted_[k - 1].stride, below, next));
      }
    }
    // Starts at the nearest open coordinate whose stride divides `next`. The finest has stride 1, so one
    // exists.
    std::size_t from = stack_.size() - 1;
    while (next % stack_[from].stride != 0) --from;
    const Index alloc = next / stack_[from].stride;
    AllocatedDigit& top = stack_.back().place;
    if (from + 1 == stack_.size()) {
      top.alloc = alloc;
      return {};
    }
    CombinedRun run;
    for (std::size_t i = stack_.size(); i-- > from;) run.members.push_back(stack_[i].place);
    const Index product = stack_.back().stride / stack_[from].stride * top.ext;
    run.crosses = alloc < product;
    const Open made{{detail::kRunOfPlaces, static_cast<Index>(runs_.size()), std::min(product, alloc), alloc},
                    stack_[from].stride};
    stack_.resize(from);
    stack_.push_back(made);
    runs_.push_back(std::move(run));
    return {};
  }

  const Digits& form_;
  std::vector<Digit> sorted_;  // by stride
  std::vector<Open> stack_;    // the finest first
  AllocatedDigits places_;
  std::vector<CombinedRun> runs_;
  Index most_ = 0;  // the largest offset of the lower digits, if all take their largest values
};

// Orders lists: fewest tiles, then fewest entries, then descending minor_to_major, then the smallest product.
auto cost(const TiledLayout& layout) {
  std::size_t entries = 0;
  double product = 1;
  for (const auto& tile : layout.tiles) {
    entries += tile.size();
    for (const Index e : tile) product *= e == kCombine ? 1 : static_cast<double>(e);
  }
  return std::tuple(layout.tiles.size(), entries,
                    !std::ranges::is_sorted(layout.minor_to_major, std::ranges::greater{}), product,
                    layout.minor_to_major, layout.tiles);
}

}  // namespace

Result<std::vector<TiledLayout>> to_tiled_layouts(const Digits& digits) {
  if (const auto sound = detail::check_dense_candidate(digits, "a tiled layout"); !sound)
    return fail(sound.error());
  TargetOrder target(digits);
  if (const auto built = target.build(); !built) return fail(built.error());
  std::vector<TiledLayout> layouts = detail::shortest_tiles(target.places(), target.runs(), digits.box());
  if (layouts.empty())
    layouts.push_back(detail::separate_and_reorder(target.places(), target.runs(), digits.box()));
  std::ranges::sort(layouts, {}, cost);
  const auto repeated = std::ranges::unique(layouts);
  layouts.erase(repeated.begin(), repeated.end());
  return layouts;
}

Result<TiledLayout> to_tiled_layout(const Digits& digits) {
  auto layouts = to_tiled_layouts(digits);
  if (!layouts) return fail(layouts.error());
  return std::move(layouts->front());
}

}  // namespace tessera
