// SPDX-License-Identifier: Apache-2.0
#include "placement/digit_sums.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/index_walk.h"

namespace tessera::detail {

std::vector<AxisDigit> axis_chain(std::span<const PlacementDigit> digits, std::size_t axis) {
  std::vector<AxisDigit> out;
  for (const PlacementDigit& digit : digits) {
    if (digit.extent == 1) continue;
    const Index stride = digit.step[axis];
    // Values fit in 62 bits, so a product that overflows is not a stride of a digit.
    Index counted = 0;
    if (!out.empty() && !mul_overflows(digit.extent, stride, counted) && out.back().stride == counted) {
      out.back() = {out.back().extent * digit.extent, stride};
    } else {
      out.push_back({digit.extent, stride});
    }
  }
  return out;
}

std::optional<Index> first_unequal(std::span<const AxisDigit> a, std::span<const AxisDigit> b) {
  Index weight = 1;
  while (!a.empty() && !b.empty()) {
    const AxisDigit& x = a.back();
    const AxisDigit& y = b.back();
    // All digits below are equal, and so is every index below `weight`.
    if (x.stride != y.stride) return weight;
    // The shorter digit ends: there the longer one counts on, and the next digit of the other, whose stride
    // is not the one that would join it, does not.
    if (x.extent != y.extent) return weight * std::min(x.extent, y.extent);
    weight *= x.extent;
    a = a.first(a.size() - 1);
    b = b.first(b.size() - 1);
  }
  return std::nullopt;
}

std::vector<PlacementDigit> joined_digits(std::span<const PlacementDigit> digits) {
  std::vector<PlacementDigit> out;
  const auto counts_on = [](const PlacementDigit& slow, const PlacementDigit& fast) {
    for (std::size_t a = 0; a < fast.step.size(); ++a) {
      Index counted = 0;
      if (mul_overflows(fast.extent, fast.step[a], counted) || slow.step[a] != counted) return false;
    }
    return true;
  };
  for (const PlacementDigit& digit : digits) {
    if (digit.extent == 1) continue;
    if (!out.empty() && counts_on(out.back(), digit)) {
      out.back() = {out.back().extent * digit.extent, digit.step};
    } else {
      out.push_back(digit);
    }
  }
  return out;
}

ReplicaSet replica_set(std::span<const PlacementDigit> replicas, std::size_t axes) {
  ReplicaSet out{{}, std::vector<Index>(axes, 0)};
  for (const PlacementDigit& replica : replicas) {
    const auto first = std::ranges::find_if(replica.step, [](Index s) { return s != 0; });
    if (replica.extent == 1 || first == replica.step.end()) continue;
    PlacementDigit digit = replica;
    if (*first < 0) {
      for (std::size_t a = 0; a < axes; ++a) {
        out.lowest[a] += (digit.extent - 1) * digit.step[a];
        digit.step[a] = -digit.step[a];
      }
    }
    out.digits.push_back(std::move(digit));
  }
  std::ranges::sort(out.digits, [](const PlacementDigit& a, const PlacementDigit& b) {
    return std::pair(b.step, b.extent) < std::pair(a.step, a.extent);
  });
  out.digits = joined_digits(out.digits);
  return out;
}

std::optional<std::vector<Place>> all_sums(std::span<const PlacementDigit> digits, std::size_t axes) {
  Index count = 1;
  for (const PlacementDigit& digit : digits) {
    if (mul_overflows(count, digit.extent, count) || count > kMaxReplicas) return std::nullopt;
  }
  std::vector<Place> out;
  out.reserve(static_cast<std::size_t>(count));
  std::vector<Index> value(digits.size(), 0);
  Place place(axes, 0);
  do {
    out.push_back(place);
  } while (advance_last(digits.size(), [&](std::size_t d) {
    const bool moved = next_value(value[d], 0, digits[d].extent);
    const Index factor = moved ? 1 : 1 - digits[d].extent;
    for (std::size_t a = 0; a < axes; ++a) place[a] += factor * digits[d].step[a];
    return moved;
  }));
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

namespace {

// Splits a digit into bits, the slowest first. False if its numbers are not powers of two.
bool append_bits(const PlacementDigit& digit, std::vector<PlacementDigit>& out) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(digit.extent))) return false;
  for (const Index step : digit.step) {
    if (step < 0 || (step != 0 && digit.extent > 2 && !std::has_single_bit(static_cast<std::uint64_t>(step))))
      return false;
  }
  for (Index factor = digit.extent / 2; factor >= 1; factor /= 2) {
    PlacementDigit bit{2, digit.step};
    for (Index& step : bit.step) step *= factor;
    out.push_back(std::move(bit));
  }
  return true;
}

}  // namespace

std::optional<PlacementDigits> exclusive_or_form(const PlacementDigits& digits) {
  PlacementDigits out = digits;
  out.swizzle.reset();
  if (digits.combination == DigitCombination::sum) {
    out.combination = DigitCombination::exclusive_or;
    out.index.clear();
    out.replicas.clear();
    for (const PlacementDigit& digit : digits.index) {
      if (!append_bits(digit, out.index)) return std::nullopt;
    }
    for (const PlacementDigit& digit : digits.replicas) {
      if (!append_bits(digit, out.replicas)) return std::nullopt;
    }
    for (std::size_t a = 0; a < digits.offset.size(); ++a) {
      Index used = digits.offset[a];
      if (used < 0) return std::nullopt;
      for (const auto* list : {&out.index, &out.replicas}) {
        for (const PlacementDigit& bit : *list) {
          if ((used & bit.step[a]) != 0) return std::nullopt;
          used |= bit.step[a];
        }
      }
    }
  }
  if (digits.swizzle) {
    const auto apply = [&](std::vector<Index>& values) {
      Index& value = values[digits.swizzle->axis];
      value = digits.swizzle->swizzle(value);
    };
    apply(out.offset);
    for (auto* list : {&out.index, &out.replicas}) {
      for (PlacementDigit& bit : *list) apply(bit.step);
    }
  }
  return out;
}

}  // namespace tessera::detail
