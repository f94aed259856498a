// SPDX-License-Identifier: Apache-2.0
#include "notation/from_digits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/index_walk.h"
#include "notation/first_repeat.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "notation/offset_spread.h"

namespace tessera {
namespace {

using detail::not_representable;
using detail::point_text;

// Searches for digit differences delta[k] in [-(ext - 1), ext - 1], not all 0, with sum stride * delta = 0.
// Goes from the largest stride down and prunes partial sums that the remaining digits cannot compensate.
class CollisionSearch {
 public:
  explicit CollisionSearch(const Digits& digits)
      : form_(digits), sorted_(digits.digits().begin(), digits.digits().end()) {
    std::ranges::sort(sorted_, std::ranges::greater{}, [](const Digit& d) { return std::abs(d.stride); });
    reach_.resize(sorted_.size() + 1, 0);
    delta_.resize(sorted_.size());
    for (std::size_t k = sorted_.size(); k-- > 0;) {
      Index own = 0;
      if (sorted_[k].stride == kIndexMin ||
          mul_overflows(std::abs(sorted_[k].stride), sorted_[k].ext - 1, own) ||
          add_overflows(reach_[k + 1], own, reach_[k])) {
        steps_ = detail::kNotationLimits.collisions.steps + 1;  // arithmetic might overflow: gives up
        return;
      }
    }
  }

  bool run() { return !gave_up() && descend(0, 0, false); }
  bool gave_up() const { return steps_ > detail::kNotationLimits.collisions.steps; }

  // The smallest pair of indices with these differences. If any such pair is inside the box, this pair is.
  std::pair<std::vector<Index>, std::vector<Index>> indices() const {
    std::vector<Index> x(form_.box().size(), 0);
    std::vector<Index> y = x;
    for (std::size_t k = 0; k < sorted_.size(); ++k) {
      const auto d = static_cast<std::size_t>(sorted_[k].dim);
      (delta_[k] > 0 ? x : y)[d] += sorted_[k].div * std::abs(delta_[k]);
    }
    return {std::min(x, y), std::max(x, y)};
  }

 private:
  bool inside() const {
    const auto [x, y] = indices();
    for (std::size_t d = 0; d < x.size(); ++d) {
      if (x[d] >= form_.box()[d] || y[d] >= form_.box()[d]) return false;
    }
    return true;
  }

  bool descend(std::size_t k, Index sum, bool nonzero) {
    if (++steps_ > detail::kNotationLimits.collisions.steps) return false;
    if (k == sorted_.size()) return sum == 0 && nonzero && inside();
    const Digit& digit = sorted_[k];
    const Index most = digit.ext - 1;
    Index low = nonzero ? -most : 0;  // the order of the pair is free, so the first difference is positive
    Index high = most;
    if (digit.stride != 0) {
      // |sum + stride * delta| must be within the reach of the remaining digits.
      const Index step = std::abs(digit.stride);
      const Index from = ceil_div(-reach_[k + 1] - sum, step);
      const Index to = floor_div(reach_[k + 1] - sum, step);
      low = std::max(low, digit.stride > 0 ? from : -to);
      high = std::min(high, digit.stride > 0 ? to : -from);
    }
    for (Index delta = low; delta <= high; ++delta) {
      delta_[k] = delta;
      if (descend(k + 1, sum + digit.stride * delta, nonzero || delta != 0)) return true;
      if (gave_up()) return false;
    }
    return false;
  }

  const Digits& form_;
  std::vector<Digit> sorted_;
  std::vector<Index> reach_;
  std::vector<Index> delta_;
  int steps_ = 0;
};

}  // namespace

Result<std::optional<std::pair<std::vector<Index>, std::vector<Index>>>> collision(const Digits& digits) {
  using Pair = std::optional<std::pair<std::vector<Index>, std::vector<Index>>>;
  if (detail::is_nested(digits)) return Pair();
  CollisionSearch search(digits);
  if (search.run()) return Pair(search.indices());
  if (search.gave_up())
    return fail(Code::undecided, "could not decide in 10^6 steps whether two indices share an offset");
  return Pair();
}

namespace detail {

Result<void> check_dense_candidate(const Digits& digits, std::string_view target) {
  if (digits.empty_box())
    return not_representable("empty",
                             fmt::format("the box is empty, but {} cannot have an extent of 0", target));
  if (digits.base() != 0) {
    return not_representable(
        "offset", fmt::format("index 0 is at offset {}, but {} starts at 0", digits.base(), target));
  }
  for (const Digit& d : digits.digits()) {
    if (d.stride < 0) {
      return not_representable(
          "negative_stride",
          fmt::format("digit {} of dimension {} has the negative stride {}", d.div, d.dim, d.stride));
    }
  }
  const auto shared = collision(digits);
  if (!shared) return fail(shared.error());
  if (*shared) {
    const auto& [x, y] = **shared;
    return not_representable("broadcast", fmt::format("two indices share offset {}", digits.offset(x)),
                             fmt::format("{} and {}", point_text(x), point_text(y)));
  }
  return {};
}

}  // namespace detail

}  // namespace tessera
