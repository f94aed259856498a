// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "notation/axe/axe_canonical.h"
#include "notation/axe/axe_chain.h"
#include "notation/axe/axes.h"
#include "notation/axe/make_axe.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "tessera/notation/axe.h"

namespace tessera {
namespace {

using Vector = std::vector<Index>;  // a value for each axis

// A digit of the slice, which may move several axes.
struct VectorDigit {
  Index extent = 1;
  Vector step;
};

// The digits of the whole layout on the numbered axes.
std::vector<VectorDigit> vector_digits(std::span<const AxeIterator> iterators,
                                       std::span<const std::string> axes) {
  std::vector<VectorDigit> out;
  for (const AxeIterator& iterator : iterators) {
    VectorDigit digit{iterator.extent, Vector(axes.size(), 0)};
    digit.step[static_cast<std::size_t>(std::ranges::find(axes, iterator.axis) - axes.begin())] =
        iterator.stride;
    out.push_back(std::move(digit));
  }
  return out;
}

Vector value_at(std::span<const VectorDigit> digits, Index flat, std::size_t axes) {
  Vector out(axes, 0);
  for (std::size_t k = digits.size(); k-- > 0;) {
    const Index digit = flat % digits[k].extent;
    flat /= digits[k].extent;
    for (std::size_t a = 0; a < axes; ++a) out[a] += digit * digits[k].step[a];
  }
  return out;
}

Vector difference(const Vector& a, const Vector& b) {
  Vector out = a;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] -= b[k];
  return out;
}

// Whether the digits have these values at a number; a sum beyond 64 bits is none of them.
bool has_value(std::span<const VectorDigit> digits, Index flat, const Vector& value) {
  Vector left = value;
  for (std::size_t k = digits.size(); k-- > 0;) {
    const Index digit = flat % digits[k].extent;
    flat /= digits[k].extent;
    for (std::size_t a = 0; a < left.size(); ++a) {
      Index moved = 0;
      if (mul_overflows(digit, digits[k].step[a], moved) || sub_overflows(left[a], moved, left[a]))
        return false;
    }
  }
  return std::ranges::all_of(left, [](Index v) { return v == 0; });
}

// The chain of digits of `count` values, the slowest first. Errors: not_representable.
template <class ValueOf>
Result<std::vector<VectorDigit>> chain_of(Index count, const ValueOf& value) {
  const Vector zero = value(0);
  const std::size_t axes = zero.size();
  std::vector<VectorDigit> out;  // the fastest first
  Index weight = 1;
  while (weight < count) {
    const Vector step = difference(value(weight), zero);
    Index extent = 1;
    while (extent * weight < count) {
      const Vector here = difference(value(extent * weight), zero);
      bool same = true;
      for (std::size_t a = 0; a < axes; ++a) {
        Index expected = 0;
        same = same && !mul_overflows(extent, step[a], expected) && here[a] == expected;
      }
      if (!same) break;
      ++extent;
    }
    out.push_back({extent, step});
    weight *= extent;
  }
  std::ranges::reverse(out);
  for (Index y = 0; y < count; ++y) {
    if (has_value(out, y, difference(value(y), zero))) continue;
    return detail::not_representable("irregular",
                                     "the slice has no chain of digits, because its values follow no pattern",
                                     fmt::format("element {} of the slice, counted row-major", y));
  }
  if (weight != count) {
    return detail::not_representable(
        "padding", fmt::format("the digits of the slice have {} values, but it has {}", weight,
                               detail::plural(count, "element")));
  }
  return out;
}

// The slice [begin, end) of one dimension with these digits: its chain and the value at `begin`.
struct SlicedDim {
  std::vector<VectorDigit> digits;
  Vector base;
};

Result<SlicedDim> slice_dim(std::vector<VectorDigit> digits, AxeRange range, std::size_t axes) {
  SlicedDim out{{}, value_at(digits, range.first, axes)};
  // Low digits that the slice takes whole stay as they are.
  Index whole = std::gcd(range.first, range.second - range.first);
  std::vector<VectorDigit> low;
  while (!digits.empty() && whole > 1) {
    VectorDigit& last = digits.back();
    const Index part = std::gcd(whole, last.extent);
    if (part == 1) break;
    low.insert(low.begin(), {part, last.step});
    range.first /= part;
    range.second /= part;
    if (part == last.extent) {
      digits.pop_back();
      whole /= part;
      continue;
    }
    last.extent /= part;
    for (Index& step : last.step) step *= part;
    break;
  }
  // High digits that have one value over the slice move nothing, and a single digit is a chain at any size.
  Index below = 1;
  for (const VectorDigit& digit : digits) below *= digit.extent;
  std::size_t first = 0;
  for (; first + 1 < digits.size(); ++first) {
    below /= digits[first].extent;
    if (range.first / below != (range.second - 1) / below) break;
    range = {range.first % below, (range.second - 1) % below + 1};
  }
  digits.erase(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(first));
  if (digits.size() == 1) {
    out.digits.push_back({range.second - range.first, digits.front().step});
    out.digits.insert(out.digits.end(), low.begin(), low.end());
    return out;
  }
  if (range.second - range.first > detail::kNotationLimits.axe.chain_steps) {
    return fail(Code::undecided,
                fmt::format("the slice takes {} values across the border of a digit that it does "
                            "not take whole; up to {} are compared",
                            range.second - range.first, detail::kNotationLimits.axe.chain_steps));
  }
  TESSERA_TRY(high, chain_of(range.second - range.first,
                             [&](Index y) { return value_at(digits, range.first + y, axes); }));
  out.digits = std::move(high);
  out.digits.insert(out.digits.end(), low.begin(), low.end());
  return out;
}

Result<void> check_region(const AxeLayout& layout, std::span<const AxeRange> region) {
  if (region.size() != layout.shape.size()) {
    return fail(Code::rank_mismatch, fmt::format("the region has {}, but the layout has {}",
                                                 detail::plural(region.size(), "range"),
                                                 detail::plural(layout.shape.size(), "dimension")));
  }
  for (std::size_t d = 0; d < region.size(); ++d) {
    const auto [begin, end] = region[d];
    if (begin >= 0 && begin < end && end <= layout.shape[d]) continue;
    return fail(Code::index_out_of_range,
                fmt::format("the range {} to {} is empty or not inside dimension {}, which has {}", begin,
                            end, d, detail::plural(layout.shape[d], "index")));
  }
  return {};
}

// A slice takes some dimensions whole: together with the one before them they are one dimension.
struct JoinedDims {
  std::vector<Index> shape;
  std::vector<AxeRange> region;
};

JoinedDims joined_dims(std::span<const Index> shape, std::span<const AxeRange> region) {
  JoinedDims out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool whole = region[d].first == 0 && region[d].second == shape[d];
    if (!whole || out.shape.empty()) {
      out.shape.push_back(shape[d]);
      out.region.push_back(region[d]);
      continue;
    }
    out.shape.back() *= shape[d];
    out.region.back().first *= shape[d];
    out.region.back().second *= shape[d];
  }
  return out;
}

// For iterators that cross dimensions: all values are compared.
Result<SlicedDim> slice_whole(const AxeLayout& layout, const JoinedDims& joined,
                              std::span<const std::string> axes) {
  std::vector<Index> extents;
  for (const auto& [begin, end] : joined.region) extents.push_back(end - begin);
  const auto count = detail::element_count(extents);
  if (!count || *count > detail::kNotationLimits.axe.chain_steps) {
    return fail(Code::undecided,
                fmt::format("an iterator crosses a dimension that the slice does not take whole; such slices "
                            "are decided by comparing their values, up to {}",
                            detail::kNotationLimits.axe.chain_steps));
  }
  const std::vector<VectorDigit> digits = vector_digits(layout.sharded, axes);
  const auto value = [&](Index y) {
    Index flat = 0;
    Index weight = 1;
    for (std::size_t d = extents.size(); d-- > 0; y /= extents[d], weight *= joined.shape[d])
      flat += (joined.region[d].first + y % extents[d]) * weight;
    return value_at(digits, flat, axes.size());
  };
  TESSERA_TRY(chain, chain_of(*count, value));
  return SlicedDim{std::move(chain), value(0)};
}

// The digits of the slice, and the value at its first index.
Result<SlicedDim> sliced_digits(const AxeLayout& layout, std::span<const AxeRange> region,
                                std::span<const std::string> axes) {
  const JoinedDims joined = joined_dims(layout.shape, region);
  const auto dims = detail::split_at_dims(layout.sharded, joined.shape);
  if (!dims) return slice_whole(layout, joined, axes);
  SlicedDim out{{}, Vector(axes.size(), 0)};
  for (std::size_t d = 0; d < joined.region.size(); ++d) {
    TESSERA_TRY(one,
                slice_dim(vector_digits(detail::joined((*dims)[d]), axes), joined.region[d], axes.size()));
    out.digits.insert(out.digits.end(), one.digits.begin(), one.digits.end());
    for (std::size_t a = 0; a < axes.size(); ++a) out.base[a] += one.base[a];
  }
  return out;
}

}  // namespace

Result<AxeLayout> slice(const AxeLayout& layout, std::span<const AxeRange> region) {
  TESSERA_NEED(check_region(layout, region));
  AxeLayout out = layout;
  out.sharded.clear();
  out.shape.clear();
  for (const auto& [begin, end] : region) out.shape.push_back(end - begin);
  const std::vector<std::string> axes = detail::axis_names(layout);
  TESSERA_TRY(sliced, sliced_digits(layout, region, axes));
  for (std::size_t a = 0; a < axes.size(); ++a) out.offsets.push_back({sliced.base[a], axes[a]});
  for (const VectorDigit& digit : sliced.digits) {
    if (digit.extent == 1) continue;
    std::optional<std::size_t> moves;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (digit.step[a] == 0) continue;
      if (moves) {
        return detail::not_representable(
            "axes", fmt::format("a digit of the slice moves {} and {} at once", axes[*moves], axes[a]));
      }
      moves = a;
    }
    // A digit that moves nothing keeps a memory axis, or any axis if there is none.
    const std::size_t at = moves.value_or(0);
    out.sharded.push_back({digit.extent, moves ? digit.step[at] : 0, axes[at]});
  }
  if (out.sharded.empty()) out.sharded.push_back({1, 1, axes.front()});
  TESSERA_TRY(made, detail::make_result(std::move(out)));
  return detail::canonical_of_shape(made);
}

}  // namespace tessera
