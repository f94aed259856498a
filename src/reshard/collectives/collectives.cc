// SPDX-License-Identifier: Apache-2.0
#include "reshard/collectives/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "reshard/collectives/collective_search.h"
#include "reshard/distribution_traits.h"

namespace tessera {
namespace {

using detail::CutDigits;
using detail::PlaceDigit;

// One side of an array: the mesh with its place numbers, and the axes that cut each dimension.
struct MeshSide {
  std::string_view which;
  std::vector<Index> places;  // of each coordinate, row-major
  std::vector<MeshAxis> axes;
  bool named = false;
  std::vector<std::vector<std::size_t>> dims;
  std::string problem = {};  // why there is no chain of equal runs
};

// Requires a side whose cuts make equal runs in the order of its axes; otherwise names the problem.
std::string unequal_parts(const BoundDistribution& bound, std::string_view which) {
  for (std::size_t d = 0; d < bound.shape().size(); ++d) {
    const auto parts = bound.parts(d);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].extent != parts[0].extent || parts[p].extent == 0)
        return fmt::format("dimension {} of the {} is cut into unequal parts", d, which);
      const bool run = parts[p].runs.size() == 1 && parts[p].runs[0].count == 1;
      if (!run || parts[p].runs[0].lower != static_cast<Index>(p) * parts[p].extent)
        return fmt::format("dimension {} of the {} is cut into parts that are not runs in order", d, which);
    }
  }
  return {};
}

MeshSide mesh_side(const BoundDistribution& bound, std::string_view which) {
  const Distribution& distribution = bound.distribution();
  MeshSide side{which, distribution.mesh.places, distribution.mesh.axes,
                detail::distribution_traits(distribution.notation).names_axes,
                std::vector<std::vector<std::size_t>>(bound.shape().size())};
  if (distribution.everywhere) {
    const Index count = distribution.on.empty() ? bound.places() : std::ssize(distribution.on);
    side.places.resize(static_cast<std::size_t>(count));
    std::iota(side.places.begin(), side.places.end(), Index{0});
    side.axes = {{"", count}};
    side.named = false;
  }
  for (Index& place : side.places) {
    if (!distribution.on.empty()) place = distribution.on[static_cast<std::size_t>(place)];
  }
  if (std::ssize(side.places) != bound.places()) {
    side.problem = fmt::format("the {} uses {} of {} places", which, side.places.size(), bound.places());
    return side;
  }
  side.problem = unequal_parts(bound, which);
  std::vector<DimCut> cuts = distribution.cuts;
  std::ranges::stable_sort(cuts, {}, [](const DimCut& cut) { return cut.order.value_or(0); });
  for (const DimCut& cut : cuts) {
    const Index dim = cut.dim < 0 ? cut.dim + std::ssize(side.dims) : cut.dim;
    auto& axes = side.dims[static_cast<std::size_t>(dim)];
    axes.insert(axes.end(), cut.axes.begin(), cut.axes.end());
  }
  return side;
}

// The digit of each axis if place p has number numbers[p]. Empty if some axis is not a digit.
std::optional<std::vector<PlaceDigit>> axis_digits(const MeshSide& side, const std::vector<Index>& numbers) {
  const auto number_at = [&](std::size_t i) { return numbers[static_cast<std::size_t>(side.places[i])]; };
  std::vector<PlaceDigit> digits;
  std::size_t block = side.places.size();
  for (const MeshAxis& axis : side.axes) {
    block /= static_cast<std::size_t>(axis.size);
    const Index low = axis.size > 1 ? number_at(block) : 1;
    if (low < 1) return {};
    digits.push_back({low, low * axis.size});
  }
  for (std::size_t i = 0; i < side.places.size(); ++i) {
    Index number = 0;
    std::size_t rest = i;
    for (std::size_t a = side.axes.size(); a-- > 0;) {
      number += static_cast<Index>(rest) % side.axes[a].size * digits[a].low;
      rest /= static_cast<std::size_t>(side.axes[a].size);
    }
    if (number != number_at(i)) return {};
  }
  std::vector<PlaceDigit> sorted = digits;
  std::erase_if(sorted, [](const PlaceDigit& digit) { return digit.size() == 1; });
  std::ranges::sort(sorted);
  Index next = 1;
  for (const PlaceDigit& digit : sorted) {
    if (digit.low != next) return {};
    next = digit.high;
  }
  return digits;
}

// Both sides in digits of one numbering of the places.
struct CommonDigits {
  std::vector<PlaceDigit> from;  // of each axis
  std::vector<PlaceDigit> to;
  std::string_view list;  // whose device list numbers the places; empty: they are numbered as they are

  // The name of a digit without a mesh axis.
  std::string apart(Index stride) const {
    return list.empty() ? fmt::format("places {} apart", stride)
                        : fmt::format("positions {} apart in the device list of the {}", stride, list);
  }
};

// Numbers the places as they are, or by their position in one of the meshes, so that all axes are digits.
std::optional<CommonDigits> common_digits(const MeshSide& from, const MeshSide& to) {
  std::vector<Index> numbers(from.places.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  for (const MeshSide* side : {static_cast<const MeshSide*>(nullptr), &from, &to}) {
    for (std::size_t i = 0; side != nullptr && i < side->places.size(); ++i)
      numbers[static_cast<std::size_t>(side->places[i])] = static_cast<Index>(i);
    auto a = axis_digits(from, numbers);
    auto b = axis_digits(to, numbers);
    if (a && b) return CommonDigits{std::move(*a), std::move(*b), side == nullptr ? "" : side->which};
  }
  return {};
}

CutDigits cut_digits(const MeshSide& side, const std::vector<PlaceDigit>& digits) {
  CutDigits out(side.dims.size());
  for (std::size_t d = 0; d < side.dims.size(); ++d) {
    for (const std::size_t axis : side.dims[d]) detail::append_digit(out[d], digits[axis]);
  }
  return out;
}

// The name of a digit as axes of a mesh, or factors of them: `x*y`, `x:(2)4`. Empty if it is none.
std::string axes_name(const MeshSide& side, const std::vector<PlaceDigit>& digits, PlaceDigit wanted) {
  if (!side.named) return {};
  std::vector<std::string> names;
  while (wanted.low < wanted.high) {
    const auto found = std::ranges::find_if(digits, [&](const PlaceDigit& axis) {
      const Index low = std::max(axis.low, wanted.low);
      return axis.low < wanted.high && wanted.high <= axis.high && axis.high % wanted.high == 0 &&
             low % axis.low == 0 && wanted.high % low == 0;
    });
    if (found == digits.end()) return {};
    const std::string& name = side.axes[static_cast<std::size_t>(found - digits.begin())].name;
    const Index low = std::max(found->low, wanted.low);
    names.push_back(low == found->low && wanted.high == found->high
                        ? name
                        : fmt::format("{}:({}){}", name, found->high / wanted.high, wanted.high / low));
    wanted.high = low;
  }
  return fmt::format("{}", fmt::join(names, "*"));
}

std::string name_of(std::span<const PlaceDigit> digits, const MeshSide& from, const MeshSide& to,
                    const CommonDigits& common) {
  std::vector<std::string> names;
  bool named = true;
  for (const PlaceDigit& digit : digits) {
    std::string name = axes_name(from, common.from, digit);
    if (name.empty()) name = axes_name(to, common.to, digit);
    named = named && !name.empty();
    names.push_back(name.empty() ? common.apart(digit.low) : std::move(name));
  }
  return fmt::format("{}", fmt::join(names, named ? "*" : " and "));
}

// The source in the dimensions of the target: itself, or the distribution of the view. Local layouts do not
// matter here.
Result<BoundDistribution> source_of(const ReshardArray& array) {
  Distribution from = array.from.distribution();
  from.local = {};
  auto bound =
      bind_distribution(from, {array.from.shape().begin(), array.from.shape().end()}, array.from.places());
  if (!bound || std::ranges::equal(array.from.shape(), array.to.shape())) return bound;
  const std::vector<Index> view(array.to.shape().begin(), array.to.shape().end());
  const auto viewed = view_distribution(*bound, view);
  if (!viewed) return fail(viewed.error());
  return bind_distribution(*viewed, view, array.from.places());
}

CollectiveAnswer search(const ReshardArray& array) {
  const auto source = source_of(array);
  if (!source) return {.not_searched = source.error().message};
  const MeshSide from = mesh_side(*source, "source");
  const MeshSide to = mesh_side(array.to, "target");
  for (const MeshSide* side : {&from, &to}) {
    if (!side->problem.empty()) return {.not_searched = side->problem};
  }
  const auto common = common_digits(from, to);
  if (!common) return {.not_searched = "the axes of the two meshes are not digits of one place number"};
  detail::CollectiveTask task{{array.to.shape().begin(), array.to.shape().end()},
                              array.element_bits,
                              array.to.places(),
                              cut_digits(from, common->from),
                              cut_digits(to, common->to),
                              {}};
  task.name = [&](std::span<const PlaceDigit> digits) { return name_of(digits, from, to, *common); };
  return {.chain = detail::search_collectives(task)};
}

}  // namespace

std::string_view to_string(CollectiveStep::Kind kind) {
  switch (kind) {
    case CollectiveStep::Kind::all_gather:
      return "all-gather";
    case CollectiveStep::Kind::slice:
      return "slice";
    case CollectiveStep::Kind::all_to_all:
      return "all-to-all";
    case CollectiveStep::Kind::permute:
      break;
  }
  return "permute";
}

CollectiveAnswer cheapest_collectives(const ReshardPlan& plan) {
  CollectiveAnswer answer = search(plan.arrays()[0]);
  // Every place has what the target gives it.
  if (!answer.chain && plan.total() == 0) answer.chain = CollectiveChain{};
  return answer;
}

}  // namespace tessera
