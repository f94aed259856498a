// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "algebra/xor_rows.h"
#include "base/index_walk.h"
#include "placement/digit_sums.h"
#include "placement/limits.h"
#include "tessera/placement/placement.h"

namespace tessera {
namespace {

// Where the axes of a placement are in the common list; memory axes that it does not have are 0.
struct Common {
  std::vector<PlacementAxis> axes;
  std::vector<std::size_t> of_a;
  std::vector<std::size_t> of_b;
};

std::optional<Common> common_axes(const Placement& a, const Placement& b) {
  Common out;
  for (const PlacementAxis& axis : a.axes()) {
    out.of_a.push_back(out.axes.size());
    out.axes.push_back(axis);
  }
  for (const PlacementAxis& axis : b.axes()) {
    const auto same = a.axis(axis.name);
    if (!same && axis.role == AxisRole::place) return std::nullopt;
    out.of_b.push_back(same.value_or(out.axes.size()));
    if (!same) out.axes.push_back(axis);
  }
  for (const PlacementAxis& axis : a.axes()) {
    if (axis.role == AxisRole::place && !b.axis(axis.name)) return std::nullopt;
  }
  return out;
}

Place spread(const Place& place, std::span<const std::size_t> to, std::size_t axes) {
  Place out(axes, 0);
  for (std::size_t k = 0; k < place.size(); ++k) out[to[k]] = place[k];
  return out;
}

PlacementDigits spread(const PlacementDigits& digits, std::span<const std::size_t> to, std::size_t axes) {
  PlacementDigits out = digits;
  for (auto* list : {&out.index, &out.replicas}) {
    for (PlacementDigit& digit : *list) digit.step = spread(digit.step, to, axes);
  }
  out.offset = spread(digits.offset, to, axes);
  if (out.swizzle) out.swizzle->axis = to[digits.swizzle->axis];
  return out;
}

// The answer of a decision: the first flat index that differs, or none.
struct Decision {
  bool decided = true;
  std::optional<Index> at = {};
};

Decision compare_sums(const PlacementDigits& a, const PlacementDigits& b, std::size_t axes) {
  const detail::ReplicaSet of_a = detail::replica_set(a.replicas, axes);
  const detail::ReplicaSet of_b = detail::replica_set(b.replicas, axes);
  for (std::size_t k = 0; k < axes; ++k) {
    if (a.offset[k] + of_a.lowest[k] != b.offset[k] + of_b.lowest[k]) return {true, 0};
  }
  if (of_a.digits != of_b.digits) {
    const auto sums_a = detail::all_sums(of_a.digits, axes);
    const auto sums_b = detail::all_sums(of_b.digits, axes);
    if (!sums_a || !sums_b) return {false, {}};
    if (*sums_a != *sums_b) return {true, 0};
  }
  Decision out;
  for (std::size_t k = 0; k < axes; ++k) {
    const auto differs =
        detail::first_unequal(detail::axis_chain(a.index, k), detail::axis_chain(b.index, k));
    if (differs && (!out.at || *differs < *out.at)) out.at = differs;
  }
  return out;
}

// The numbers of a place one after another in one number, if they fit.
class PackedPlaces {
 public:
  PackedPlaces(const PlacementDigits& a, const PlacementDigits& b, std::size_t axes) {
    for (std::size_t k = 0; k < axes; ++k) {
      Index all = a.offset[k] | b.offset[k];
      for (const auto* list : {&a.index, &a.replicas, &b.index, &b.replicas}) {
        for (const PlacementDigit& digit : *list) all |= digit.step[k];
      }
      shifts_.push_back(bits_);
      bits_ += static_cast<int>(std::bit_width(static_cast<std::uint64_t>(all)));
    }
  }
  bool fit() const { return bits_ <= 62; }
  Index operator()(const Place& place) const {
    Index out = 0;
    for (std::size_t k = 0; k < place.size(); ++k) out |= place[k] == 0 ? 0 : place[k] << shifts_[k];
    return out;
  }

 private:
  int bits_ = 0;
  std::vector<int> shifts_;
};

detail::XorRows rows_of(std::span<const PlacementDigit> replicas, const PackedPlaces& packed) {
  detail::XorRows rows;
  for (const PlacementDigit& replica : replicas) rows.add(packed(replica.step));
  return rows;
}

// The places of x are A(x) + c + span(R). The spans must be equal; then x differs iff the difference of A(x)
// + c is outside the span, and the smallest such x is 0 or one bit.
Decision compare_xors(const PlacementDigits& a, const PlacementDigits& b, std::size_t axes) {
  const PackedPlaces packed(a, b, axes);
  if (!packed.fit() || a.replicas.size() > 62 || b.replicas.size() > 62 || a.index.size() != b.index.size())
    return {false, {}};
  const detail::XorRows span_a = rows_of(a.replicas, packed);
  const detail::XorRows span_b = rows_of(b.replicas, packed);
  if (span_a.rank() != span_b.rank()) return {true, 0};
  const auto in_a = [&](Index value) { return span_a.reduced({value, 0}).value == 0; };
  for (const PlacementDigit& replica : b.replicas) {
    if (!in_a(packed(replica.step))) return {true, 0};
  }
  if (!in_a(packed(a.offset) ^ packed(b.offset))) return {true, 0};
  Index weight = 1;
  for (std::size_t d = a.index.size(); d-- > 0; weight *= 2) {
    if (!in_a(packed(a.index[d].step) ^ packed(b.index[d].step))) return {true, weight};
  }
  return {};
}

Decision compare_digits(const PlacementDigits& a, const PlacementDigits& b, std::size_t axes) {
  // A swizzle is a bijection of the values, so equal ones change no answer.
  if (a.combination == b.combination && a.swizzle == b.swizzle)
    return a.combination == DigitCombination::sum ? compare_sums(a, b, axes) : compare_xors(a, b, axes);
  const auto bits_a = detail::exclusive_or_form(a);
  const auto bits_b = detail::exclusive_or_form(b);
  if (!bits_a || !bits_b) return {false, {}};
  return compare_xors(*bits_a, *bits_b, axes);
}

Index cost_of_index(const Placement& placement) {
  const auto replicas = placement.replicas();
  if (!replicas || *replicas > kMaxReplicas) return kIndexMax;
  return placement.digits() != nullptr ? *replicas
                                       : *replicas + static_cast<Index>(placement.given_maps()->size());
}

}  // namespace

PlacementEquality equal(const Placement& a, const Placement& b) {
  if (!std::ranges::equal(a.shape(), b.shape())) return {.verdict = Verdict::no, .reason = "shape"};
  const auto common = common_axes(a, b);
  if (!common) return {.verdict = Verdict::no, .reason = "axes"};
  if (a.size() == 0) return {};
  const std::size_t axes = common->axes.size();
  const auto differ_at = [&](std::vector<Index> index) {
    PlacementEquality out{.verdict = Verdict::no, .at = std::move(index)};
    // Places of more replicas than can be listed stay empty.
    if (auto found = places(a, out.at)) out.a = *std::move(found);
    if (auto found = places(b, out.at)) out.b = *std::move(found);
    return out;
  };
  if (a.digits() != nullptr && b.digits() != nullptr) {
    const Decision decision = compare_digits(spread(*a.digits(), common->of_a, axes),
                                             spread(*b.digits(), common->of_b, axes), axes);
    if (decision.decided) {
      if (!decision.at) return {};
      return differ_at(detail::index_with_number(a.shape(), *decision.at));
    }
  } else if (a == b) {
    return {};
  }
  Index cost = 0;
  if (add_overflows(cost_of_index(a), cost_of_index(b), cost) || mul_overflows(cost, a.size(), cost) ||
      cost > detail::kPlacementLimits.enumerated)
    return {.verdict = Verdict::undecided, .reason = "the sets have more than 2^24 places to compare"};
  std::vector<Index> index(a.rank(), 0);
  do {
    const auto of_a = places(a, index);
    const auto of_b = places(b, index);
    if (!of_a || !of_b)
      return {.verdict = Verdict::undecided, .reason = (of_a ? of_b : of_a).error().message, .at = index};
    const auto spread_all = [&](const std::vector<Place>& all, std::span<const std::size_t> to) {
      std::vector<Place> out;
      for (const Place& place : all) out.push_back(spread(place, to, axes));
      std::ranges::sort(out);
      return out;
    };
    if (spread_all(*of_a, common->of_a) != spread_all(*of_b, common->of_b)) return differ_at(index);
  } while (detail::next_index(index, a.shape()));
  return {};
}

}  // namespace tessera
