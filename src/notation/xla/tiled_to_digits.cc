// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "notation/structure.h"
#include "notation/to_digits.h"
#include "tessera/notation/tiled_map.h"

namespace tessera {
namespace {

struct Coordinate;

// The value of a coordinate: always 0 (Unit), a digit of one index, or a sequence of coordinates combined
// row-major.
struct Unit {};
struct DigitPart {
  Index dim;
  Index div;
  Index ext;
};
using CoordinateList = std::vector<Coordinate>;

// A coordinate in memory order with `bound` positions, which may exceed its values (padding).
struct Coordinate {
  std::variant<Unit, DigitPart, CoordinateList> content;
  Index bound = 1;
};

using PartContent = std::variant<Unit, DigitPart, CoordinateList>;

// Drops leading units, and replaces a sequence of one member by that member.
PartContent simplified(CoordinateList members) {
  std::size_t first = 0;
  while (first < members.size() && std::holds_alternative<Unit>(members[first].content)) ++first;
  members.erase(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(first));
  if (members.empty()) return Unit{};
  if (members.size() == 1) return std::move(members[0].content);
  return members;
}

// The largest value, if all digits take their largest values.
Index most(const PartContent& content) {
  if (const auto* part = std::get_if<DigitPart>(&content)) return part->ext - 1;
  Index value = 0;
  if (const auto* members = std::get_if<CoordinateList>(&content)) {
    for (const Coordinate& m : *members) value = value * m.bound + most(m.content);
  }
  return value;
}

struct SplitParts {
  PartContent outer;
  PartContent inner;
};

// Splits `coordinate` by `size`; empty if the parts are not digits (then enumeration decides).
std::optional<SplitParts> split(const Coordinate& coordinate, Index size, std::span<const Index> box) {
  if (std::holds_alternative<Unit>(coordinate.content)) return SplitParts{Unit{}, Unit{}};
  if (const auto* part = std::get_if<DigitPart>(&coordinate.content)) {
    if (part->ext <= size) return SplitParts{Unit{}, *part};
    const bool top = part->div >= ceil_div(box[static_cast<std::size_t>(part->dim)], part->ext);
    if (part->ext % size != 0 && !top) return std::nullopt;
    return SplitParts{DigitPart{part->dim, part->div * size, ceil_div(part->ext, size)},
                      DigitPart{part->dim, part->div, size}};
  }
  if (most(coordinate.content) < size) return SplitParts{Unit{}, coordinate.content};
  CoordinateList members = std::get<CoordinateList>(coordinate.content);
  Coordinate last = std::move(members.back());
  members.pop_back();
  if (size % last.bound == 0) {
    Coordinate rest{simplified(members), 1};
    for (const Coordinate& m : members) rest.bound *= m.bound;
    auto cut = split(rest, size / last.bound, box);
    if (!cut) return std::nullopt;
    CoordinateList inner;
    inner.push_back({std::move(cut->inner), size / last.bound});
    inner.push_back(std::move(last));
    return SplitParts{std::move(cut->outer), simplified(std::move(inner))};
  }
  if (last.bound % size == 0) {
    auto cut = split(last, size, box);
    if (!cut) return std::nullopt;
    members.push_back({std::move(cut->outer), last.bound / size});
    return SplitParts{simplified(std::move(members)), std::move(cut->inner)};
  }
  return std::nullopt;
}

void collect(const PartContent& content, Index stride, std::vector<Digit>& digits) {
  if (const auto* part = std::get_if<DigitPart>(&content)) {
    digits.push_back({part->dim, part->div, part->ext, stride});
  } else if (const auto* members = std::get_if<CoordinateList>(&content)) {
    for (std::size_t i = members->size(); i-- > 0;) {
      collect((*members)[i].content, stride, digits);
      stride *= (*members)[i].bound;
    }
  }
}

// Applies the tiles to digits instead of numbers; empty if a cut splits a digit.
std::optional<std::vector<Digit>> symbolic(const TensorType& type) {
  std::vector<Coordinate> current;
  std::vector<Index> order = type.minor_to_major();
  std::ranges::reverse(order);
  for (const Index d : order) {
    const Index extent = type.dims[static_cast<std::size_t>(d)];
    current.push_back({extent == 1 ? PartContent(Unit{}) : PartContent(DigitPart{d, 1, extent}), extent});
  }
  if (type.layout) {
    for (const std::vector<Index>& tile : type.layout->tiles) {
      if (tile.size() > current.size())
        current.insert(current.begin(), tile.size() - current.size(), Coordinate{});
      const std::size_t prefix = current.size() - tile.size();
      std::vector<Coordinate> outer;
      std::vector<Coordinate> inner;
      CoordinateList run;
      for (std::size_t i = 0; i < tile.size(); ++i) {
        run.push_back(std::move(current[prefix + i]));
        if (tile[i] == kCombine) continue;
        Coordinate whole{{}, 1};
        for (const Coordinate& m : run) whole.bound *= m.bound;
        whole.content = simplified(std::exchange(run, {}));
        auto cut = split(whole, tile[i], type.dims);
        if (!cut) return std::nullopt;
        outer.push_back({std::move(cut->outer), ceil_div(whole.bound, tile[i])});
        inner.push_back({std::move(cut->inner), tile[i]});
      }
      current.resize(prefix);
      std::ranges::move(outer, std::back_inserter(current));
      std::ranges::move(inner, std::back_inserter(current));
    }
  }
  std::vector<Digit> digits;
  Index stride = 1;
  for (std::size_t i = current.size(); i-- > 0;) {
    collect(current[i].content, stride, digits);
    stride *= current[i].bound;
  }
  return digits;
}

}  // namespace

namespace detail {

std::optional<Digits> structural_digits(const TensorType& type) {
  if (std::ranges::find(type.dims, 0) != type.dims.end()) return Digits::normalized(type.dims, 0, {});
  auto digits = symbolic(type);
  if (!digits) return std::nullopt;
  return Digits::normalized(type.dims, 0, std::move(*digits));
}

// Sets of dimensions that a `*` combines, directly or through further tiles: only these can interact.
DimGroups interacting_dims(const TensorType& type) {
  std::vector<std::size_t> parent = all_dims(type.dims.size());
  const auto root = [&](std::size_t d) {
    while (parent[d] != d) d = parent[d];
    return d;
  };
  // One dimension of each coordinate (all its dimensions are joined), or none.
  std::vector<std::optional<std::size_t>> current;
  std::vector<Index> order = type.minor_to_major();
  std::ranges::reverse(order);
  for (const Index d : order) {
    const auto dim = static_cast<std::size_t>(d);
    current.push_back(type.dims[dim] > 1 ? std::optional(dim) : std::nullopt);
  }
  for (const std::vector<Index>& tile :
       type.layout ? type.layout->tiles : std::vector<std::vector<Index>>{}) {
    if (tile.size() > current.size())
      current.insert(current.begin(), tile.size() - current.size(), std::nullopt);
    const std::size_t prefix = current.size() - tile.size();
    std::vector<std::optional<std::size_t>> cuts;
    std::optional<std::size_t> run;
    for (std::size_t i = 0; i < tile.size(); ++i) {
      const auto member = current[prefix + i];
      if (run && member) parent[root(*member)] = root(*run);
      if (!run) run = member;
      if (tile[i] == kCombine) continue;
      cuts.push_back(std::exchange(run, std::nullopt));
    }
    current.resize(prefix);
    for (int half = 0; half < 2; ++half) current.insert(current.end(), cuts.begin(), cuts.end());
  }
  DimGroups groups(type.dims.size());
  for (std::size_t d = 0; d < type.dims.size(); ++d) groups[root(d)].push_back(d);
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

}  // namespace detail

Result<Digits> to_digits(const TensorType& type) {
  const auto map = TiledMap::make(type);  // also proves that no size overflows
  if (!map) return fail(map.error());
  if (auto digits = detail::structural_digits(type)) return *std::move(digits);
  const auto groups = detail::interacting_dims(type);
  return digits_by_tables(
      type.dims, [&](std::span<const Index> x) { return map->offset_unchecked(x); }, groups);
}

}  // namespace tessera
