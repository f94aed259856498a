// SPDX-License-Identifier: Apache-2.0
#include "notation/from_digits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <ranges>

#include "base/index_walk.h"
#include "notation/layout_form.h"
#include "notation/not_representable.h"
#include "notation/offset_spread.h"
#include "tessera/algebra/detail/strided_layout.h"

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
        steps_ = kMaxSteps + 1;  // arithmetic might overflow: gives up
        return;
      }
    }
  }

  bool run() { return !gave_up() && descend(0, 0, false); }
  bool gave_up() const { return steps_ > kMaxSteps; }

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
  static constexpr int kMaxSteps = 1'000'000;

  bool inside() const {
    const auto [x, y] = indices();
    for (std::size_t d = 0; d < x.size(); ++d) {
      if (x[d] >= form_.box()[d] || y[d] >= form_.box()[d]) return false;
    }
    return true;
  }

  bool descend(std::size_t k, Index sum, bool nonzero) {
    if (++steps_ > kMaxSteps) return false;
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

Result<StridedLayout> to_strided_layout(const Digits& digits, std::span<const Index> unit) {
  if (digits.empty_box())
    return not_representable("empty", "the box is empty, but CuTe's extents are at least 1");
  if (digits.base() != 0) {
    return not_representable(
        "offset", fmt::format("index 0 is at offset {}, but a CuTe layout starts at 0", digits.base()));
  }
  const std::size_t rank = digits.box().size();
  if (const auto some = detail::check_rank(rank, "a CuTe layout"); !some) return fail(some.error());
  StridedLayout layout;
  LayoutBuilder build(layout);
  // A single dimension with several digits needs its own parentheses; without them each digit would be a
  // mode.
  const bool flat = rank == 1 && digits.digits().size() < 2;
  if (!flat) build.tuple(static_cast<int>(std::min<std::size_t>(rank, kMaxLeaves)));
  for (std::size_t d = 0; d < rank; ++d) {
    const auto own = digits.digits(d);
    if (own.empty()) build.leaf(1, unit.empty() ? 0 : unit[d]);
    if (own.size() > 1) build.tuple(static_cast<int>(std::min<std::size_t>(own.size(), kMaxLeaves)));
    for (const Digit& digit : own) build.leaf(digit.ext, digit.stride);
  }
  const detail::AlgebraError error = build.finish();
  if (error.code == Code::capacity) {
    return fail(
        Code::capacity,
        fmt::format("the layout needs more than {} leaves, the maximum of a CuTe layout here", kMaxLeaves));
  }
  if (error.failed)
    return fail(Code::overflow, "the size or an offset of the uncropped modes exceeds 63 bits");
  return layout;
}

namespace {

// Describes the view with the shape and strides of all digits, the highest digit of each dimension first: a
// reshape and a crop turn it into the layout.
std::string expanded_view(const Digits& digits) {
  std::vector<Index> shape;
  std::vector<Index> strides;
  bool cropped = false;
  for (std::size_t d = 0; d < digits.box().size(); ++d) {
    const auto own = digits.digits(d);
    if (own.empty()) {
      shape.push_back(digits.box()[d]);
      strides.push_back(0);
    }
    for (std::size_t k = own.size(); k-- > 0;) {
      shape.push_back(own[k].ext);
      strides.push_back(own[k].stride);
    }
    cropped = cropped || digits.digit_extent(d) != digits.box()[d];
  }
  std::string text =
      fmt::format("the expanded view np:({}):({})", fmt::join(shape, ","), fmt::join(strides, ","));
  if (digits.base() > 0) text += fmt::format(" + {}", digits.base());
  if (digits.base() < 0) text += fmt::format(" - {}", -digits.base());
  std::vector<Index> whole;
  for (std::size_t d = 0; d < digits.box().size(); ++d) whole.push_back(digits.digit_extent(d));
  text += fmt::format(", reshaped to ({})", fmt::join(whole, ","));
  if (cropped) text += fmt::format(" and cut to ({})", fmt::join(digits.box(), ","));
  return text + ", is the same array";
}

}  // namespace

Result<Strides> to_strides(const Digits& digits, std::span<const Index> unit) {
  Strides result{
      {digits.box().begin(), digits.box().end()}, std::vector<Index>(digits.box().size(), 0), digits.base()};
  for (std::size_t d = 0; d < digits.box().size(); ++d) {
    const auto own = digits.digits(d);
    if (own.size() > 1) {
      Diagnostic no{.code = Code::not_representable,
                    .message = fmt::format("dimension {} needs {} strides (multi_digit)", d, own.size()),
                    .reason = "multi_digit"};
      no.help = expanded_view(digits);
      return fail(std::move(no));
    }
    if (own.size() == 1) result.strides[d] = own[0].stride;
    if (own.empty() && !unit.empty()) result.strides[d] = unit[d];
  }
  return result;
}

Result<PackedLayout> to_packed_layout(const Digits& digits) {
  if (const auto sound = detail::check_dense_candidate(digits, "a packed layout"); !sound)
    return fail(sound.error());
  std::vector<Digit> sorted(digits.digits().begin(), digits.digits().end());
  std::ranges::sort(sorted, {}, &Digit::stride);
  Index filled = 1;
  for (const Digit& d : sorted) {
    if (d.stride != filled) {
      return not_representable("padding",
                               fmt::format("a packed layout has no padding: offset {} is unused", filled),
                               fmt::format("offset {}", filled));
    }
    filled *= d.ext;
  }
  for (std::size_t d = 0; d < digits.box().size(); ++d) {
    if (digits.digit_extent(d) != digits.box()[d]) {
      return not_representable(
          "padding", fmt::format("a packed layout has no padding: dimension {} needs size {} > {}", d,
                                 digits.digit_extent(d), digits.box()[d]));
    }
  }
  std::vector<PackedDim> entries;
  std::vector<Index> last_div(digits.box().size(), kIndexMax);
  for (std::size_t k = sorted.size(); k-- > 0;) {
    const Digit& d = sorted[k];
    PackedDim entry{d.dim, PackedDim::Kind::packed, d.ext};
    Index covered = d.ext;
    const bool strip = d.ext == 2 && k > 0 && sorted[k - 1].dim == d.dim && sorted[k - 1].div == 2 * d.div;
    if (strip) {
      covered = 2 * sorted[k - 1].ext;
      entry = {d.dim, PackedDim::Kind::odd_even, covered};
      --k;
    } else if (d.div * d.ext == digits.box()[static_cast<std::size_t>(d.dim)]) {
      entry = {d.dim, PackedDim::Kind::dynamic, 0};
    }
    Index& above = last_div[static_cast<std::size_t>(d.dim)];
    if (d.div >= above) {
      return not_representable(
          "order", fmt::format("a higher part of dimension {} is faster than a lower part", d.dim));
    }
    above = d.div;
    entries.push_back(entry);
  }
  return PackedLayout::make(std::move(entries));
}

namespace {

Result<void> check_powers_of_two(std::span<const Index> box) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (box[d] < 1 || !std::has_single_bit(static_cast<std::uint64_t>(box[d]))) {
      return not_representable(
          "not_power_of_two", fmt::format("the extent of dimension {} is {}, not a power of two", d, box[d]));
    }
  }
  return {};
}

std::vector<std::vector<Index>> bases_of(std::span<const Index> box, const OffsetFunction& offset) {
  std::vector<std::vector<Index>> bases(box.size());
  std::vector<Index> index(box.size(), 0);
  for (std::size_t d = 0; d < box.size(); ++d) {
    for (Index x = 1; x < box[d]; x *= 2) {
      index[d] = x;
      bases[d].push_back(offset(index));
    }
    index[d] = 0;
  }
  return bases;
}

// An index with two bits set whose bases share a bit, so that their sum carries. Requires that there is such
// a pair in dimensions that `relevant` allows.
template <class Relevant>
std::vector<Index> clashing_index(const std::vector<std::vector<Index>>& bases, const Relevant& relevant) {
  std::vector<Index> index(bases.size(), 0);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    for (std::size_t k = 0; k < bases[i].size(); ++k) {
      for (std::size_t j = 0; j < bases.size(); ++j) {
        for (std::size_t l = 0; l < bases[j].size(); ++l) {
          if ((i == j && k == l) || !relevant(i, j) || (bases[i][k] & bases[j][l]) == 0) continue;
          index[i] += Index{1} << k;
          index[j] += Index{1} << l;
          return index;
        }
      }
    }
  }
  return index;
}

Failure carry(std::span<const Index> index, Index value, Index sum) {
  return not_representable(
      "carry",
      fmt::format("the offset of {} is {}, but the XOR of its bases is {}", point_text(index), value, sum),
      point_text(index));
}

}  // namespace

Result<LinearLayout> to_linear_layout(std::span<const Index> box, const OffsetFunction& offset,
                                      std::span<const std::vector<std::size_t>> groups) {
  std::vector<Index> index(box.size(), 0);
  if (std::ranges::find(box, 0) == box.end() && offset(index) != 0) {
    return not_representable(
        "offset", fmt::format("index 0 is at offset {}, but a linear layout starts at 0", offset(index)));
  }
  if (const auto sound = check_powers_of_two(box); !sound) return fail(sound.error());
  const auto bases = bases_of(box, offset);
  for (std::size_t d = 0; d < bases.size(); ++d) {
    for (const Index basis : bases[d]) {
      if (basis < 0)
        return not_representable("negative_stride",
                                 fmt::format("dimension {} has the negative offset {}", d, basis));
    }
  }
  auto layout = LinearLayout::make(bases);
  if (!layout) return layout;
  // Enumerates groups of interacting dimensions. The offsets of different groups add up, which is an XOR if
  // and only if they share no bit.
  std::vector<std::vector<std::size_t>> all(groups.begin(), groups.end());
  for (std::size_t d = 0; d < box.size(); ++d) {
    const bool grouped =
        std::ranges::any_of(all, [&](const auto& g) { return std::ranges::find(g, d) != g.end(); });
    if (!grouped) all.push_back({d});
  }
  Index seen = 0;
  for (const auto& group : all) {
    Index points = 1;
    Index bits = 0;
    for (const std::size_t d : group) {
      if (mul_overflows(points, box[d], points) || points > kTableLimit) {
        return fail(Code::undecided,
                    fmt::format("dimensions {{{}}} have more than {} indices, too many to enumerate",
                                fmt::join(group, ", "), kTableLimit));
      }
      for (const Index basis : bases[d]) bits |= basis;
    }
    do {
      if (const Index value = offset(index), sum = layout->offset(index); value != sum)
        return carry(index, value, sum);
    } while (detail::next_index_of(group, index, box));
    if ((seen & bits) != 0) {
      const auto apart = [&](std::size_t i, std::size_t j) {
        return (std::ranges::find(group, i) == group.end()) != (std::ranges::find(group, j) == group.end());
      };
      const auto clash = clashing_index(bases, apart);
      return carry(clash, offset(clash), layout->offset(clash));
    }
    seen |= bits;
  }
  return layout;
}

Result<LinearLayout> to_linear_layout(const Digits& digits) {
  if (!digits.empty_box() && digits.base() != 0) {
    return not_representable(
        "offset", fmt::format("index 0 is at offset {}, but a linear layout starts at 0", digits.base()));
  }
  if (const auto sound = check_powers_of_two(digits.box()); !sound) return fail(sound.error());
  const OffsetFunction offset = [&](std::span<const Index> x) { return digits.offset(x); };
  const bool binary = std::ranges::all_of(digits.digits(), [](const Digit& d) {
    return d.stride >= 0 && std::has_single_bit(static_cast<std::uint64_t>(d.ext));
  });
  if (!binary) return to_linear_layout(digits.box(), offset, {});
  const auto bases = bases_of(digits.box(), offset);
  auto layout = LinearLayout::make(bases);
  if (!layout) return layout;
  // Sums of disjoint bits never carry; the sum of two bases that share a bit does.
  Index seen = 0;
  for (const Index basis : bases | std::views::join) {
    if ((seen & basis) != 0) {
      const auto clash = clashing_index(bases, [](std::size_t, std::size_t) { return true; });
      return carry(clash, digits.offset(clash), layout->offset(clash));
    }
    seen |= basis;
  }
  return layout;
}

}  // namespace tessera
