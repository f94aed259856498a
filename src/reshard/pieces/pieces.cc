// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/index_walk.h"
#include "base/nearest.h"
#include "base/try.h"
#include "reshard/pieces/axis_mismatch.h"
#include "reshard/pieces/name_holes.h"

namespace tessera {
namespace {

// The axes in braces in a tensor's name. Fails if a brace is not closed.
Result<std::vector<std::string>> name_axes(const std::string& name, const AxisSizes& sizes) {
  std::vector<std::string> out;
  for (detail::NameHole& hole : detail::name_holes(name)) {
    if (hole.end == std::string::npos)
      return fail(Code::syntax, fmt::format("'{}' has a brace that is not closed", name));
    const AxisSize* size = sizes.find(hole.axis);
    if (size == nullptr || !size->parts.empty()) {
      return fail(Code::unknown_name,
                  fmt::format("'{}' in the name '{}' is not an elementary axis", hole.axis, name));
    }
    out.push_back(std::move(hole.axis));
  }
  return out;
}

std::size_t axis_number(const std::vector<PieceMap::Axis>& axes, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(axes, name, &PieceMap::Axis::name) - axes.begin());
}

// Adds an axis to a map, whose axes are sorted by name.
void insert_axis(PieceMap& map, const PieceMap::Axis& axis) {
  const auto at = std::ranges::lower_bound(map.axes, axis.name, {}, &PieceMap::Axis::name);
  const auto number = static_cast<std::size_t>(at - map.axes.begin());
  map.axes.insert(at, axis);
  const auto shift = [number](AxisSum& sum) {
    for (auto& [term, scale] : sum.terms) term += term >= number ? 1 : 0;
  };
  shift(map.place);
  for (AxisSum& sum : map.index) shift(sum);
  for (PieceMap::Crop& crop : map.crops) shift(crop.value);
}

struct PieceOfTensor {
  std::size_t tensor = 0;
  PieceMap map;
};

using PiecesByName = std::map<std::string, PieceOfTensor, std::less<>>;

Result<PiecesByName> side_of(const std::vector<PieceTensor>& tensors, const AxisSizes& sizes) {
  PiecesByName side;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const PieceTensor& tensor = tensors[t];
    if (tensor.on && !tensor.axes.places.empty()) {
      return fail(Code::bad_option, fmt::format("'{}' has both place axes and a distribution", tensor.name),
                  {}, "use only one of them");
    }
    if (tensor.on && !std::ranges::equal(tensor.on->shape(), tensor.axes.shape())) {
      return fail(Code::shape_mismatch,
                  fmt::format("'{}' has shape [{}], but its distribution is for shape [{}]", tensor.name,
                              fmt::join(tensor.axes.shape(), ","), fmt::join(tensor.on->shape(), ",")));
    }
    TESSERA_TRY(in_name, name_axes(tensor.name, sizes));
    TESSERA_TRY(maps, lower(tensor.axes, sizes));
    for (PieceMap& map : maps) {
      for (const std::string& axis : in_name) {
        if (axis_number(map.axes, axis) < map.axes.size()) {
          return fail(Code::duplicate_name,
                      fmt::format("axis '{}' occurs both in the name and in the expression of '{}'", axis,
                                  tensor.name));
        }
        insert_axis(map, {axis, sizes.find(axis)->size});
      }
      if (!in_name.empty()) add_crops(map, sizes);
      const std::string name = map.piece;
      if (!side.emplace(name, PieceOfTensor{t, std::move(map)}).second) {
        return fail(Code::duplicate_name, fmt::format("piece '{}' occurs twice on the same side", name), {},
                    "give the branches different labels");
      }
    }
  }
  return side;
}

std::string piece_name(const std::string& name) {
  return name.empty() ? "the piece without a name" : fmt::format("piece '{}'", name);
}

Failure with_reason(std::string_view reason, std::string message, std::string help) {
  return fail(Diagnostic{.code = Code::different_shape,
                         .message = std::move(message),
                         .reason = std::string(reason),
                         .help = std::move(help)});
}

// The elementary axes of a list of axes.
std::vector<std::string> elementary_axes(const AxisSizes& sizes, const std::vector<std::string>& axes) {
  std::vector<std::string> out;
  for (const std::string& name : axes) {
    const AxisSize* axis = sizes.find(name);
    const bool composite = axis != nullptr && !axis->parts.empty();
    for (std::string& part : composite ? elementary_axes(sizes, axis->parts) : std::vector{name})
      out.push_back(std::move(part));
  }
  return out;
}

// Every copy axis is an axis of its piece on one side only.
Result<void> check_copies(const PiecesByName& from, const PiecesByName& to, const PieceCopies& copies) {
  for (const auto& [piece, axes] : copies) {
    const auto before = from.find(piece);
    const auto after = to.find(piece);
    if (before == from.end() && after == to.end()) {
      std::vector<std::string> known;
      for (const PiecesByName* side : {&from, &to}) {
        for (const auto& [name, tensor] : *side) known.push_back(name);
      }
      const std::string meant = detail::nearest(piece, known);
      return fail(Code::unknown_name,
                  fmt::format("'copies' names {}, which the rule does not have", piece_name(piece)), {},
                  !meant.empty() ? fmt::format("did you mean '{}'?", meant)
                  : std::ranges::all_of(known, &std::string::empty)
                      ? "name the pieces of the rule: \"q: [h d]\""
                      : fmt::format("its pieces are '{}'", fmt::join(known, "', '")));
    }
    for (const std::string& axis : axes) {
      const auto has = [&](const PiecesByName& side, PiecesByName::const_iterator of) {
        return of != side.end() && axis_number(of->second.map.axes, axis) < of->second.map.axes.size();
      };
      if (has(from, before) && has(to, after)) {
        return fail(Code::bad_option,
                    fmt::format("both sides of {} have the axis '{}', so its values are not copies",
                                piece_name(piece), axis),
                    {}, "leave it out of \"copies\"");
      }
      if (has(from, before) || has(to, after)) continue;
      return fail(
          Code::unknown_name,
          fmt::format("'copies' names the axis '{}', which {} does not have", axis, piece_name(piece)), {},
          "name an elementary axis that only one side of the piece has");
    }
  }
  return {};
}

// The number of points of the axes that satisfy all crops. Each crop is counted on its own axes.
Result<Index> count_elements(const PieceMap& map, const std::vector<PieceMap::Axis>& axes) {
  Index count = 1;
  std::set<std::size_t> cropped;
  for (const PieceMap::Crop& crop : map.crops) {
    for (const auto& [axis, scale] : crop.value.terms) {
      if (!cropped.insert(axis).second) return fail(Code::limit, "cropping an axis twice is not supported");
    }
    count *= crop.size;
  }
  for (const PieceMap::Axis& axis : axes) {
    if (cropped.contains(axis_number(map.axes, axis.name))) continue;
    if (mul_overflows(count, axis.size, count))
      return fail(Code::overflow, "the number of elements exceeds 64 bits");
  }
  return count;
}

Index value_of(const AxisSum& sum, std::span<const Index> values) {
  Index value = sum.constant;
  for (const auto& [axis, scale] : sum.terms) value += scale * values[axis];
  return value;
}

std::string concrete_name(const std::string& name, const PieceMap& map, std::span<const Index> values) {
  return detail::with_numbers(
      name, [&](const std::string& axis) { return std::optional(values[axis_number(map.axes, axis)]); });
}

// Adds the locations of the element with these values of all axes of the map.
Result<void> add_locations(const PieceTensor& tensor, const PieceMap& map, std::span<const Index> values,
                           std::vector<PieceLocation>& out) {
  std::vector<Index> index;
  for (const AxisSum& sum : map.index) index.push_back(value_of(sum, values));
  const std::string name = concrete_name(tensor.name, map, values);
  if (tensor.on) {
    TESSERA_TRY(held, holders(*tensor.on, index));
    for (ShardHolder& holder : held)
      out.push_back({name, holder.place, std::move(holder.local), holder.offset});
    return {};
  }
  PieceLocation location{name, {}, index, detail::number_of_index(index, tensor.axes.shape())};
  if (map.has_place) location.place = value_of(map.place, values);
  out.push_back(std::move(location));
  return {};
}

}  // namespace

Result<PieceMatch> PieceMatch::make(std::vector<PieceTensor> from, std::vector<PieceTensor> to,
                                    AxisSizes sizes, PieceCopies copies, bool allow_unused) {
  TESSERA_TRY(sources, side_of(from, sizes));
  TESSERA_TRY(targets, side_of(to, sizes));
  for (auto& [name, axes] : copies) axes = elementary_axes(sizes, axes);
  TESSERA_NEED(check_copies(sources, targets, copies));
  PieceMatch out;
  for (auto& [name, target] : targets) {
    const auto source = sources.find(name);
    if (source == sources.end()) {
      return with_reason("not_covered",
                         fmt::format("{} of '{}' has no source", piece_name(name), to[target.tensor].name),
                         "add the tensor that has it, or label it in the source");
    }
    MatchedPiece piece{name, {}, source->second.tensor, target.tensor, source->second.map, target.map, 0};
    const auto copied = copies.find(name);
    const auto is_copy = [&](const PieceMap::Axis& axis) {
      return axis.size == 1 ||
             (copied != copies.end() && std::ranges::find(copied->second, axis.name) != copied->second.end());
    };
    detail::AxisMismatch mismatch{piece_name(name), name, {}, {}};
    for (const PieceMap::Axis& axis : piece.from.axes) {
      if (axis_number(piece.to.axes, axis.name) < piece.to.axes.size()) {
        piece.axes.push_back(axis);
      } else if (!is_copy(axis)) {
        mismatch.from.push_back(axis.name);
      }
    }
    for (const PieceMap::Axis& axis : piece.to.axes) {
      const bool common = axis_number(piece.from.axes, axis.name) < piece.from.axes.size();
      if (!common && !is_copy(axis)) mismatch.to.push_back(axis.name);
    }
    if (!mismatch.from.empty() || !mismatch.to.empty())
      return detail::axes_differ(mismatch, piece.from, piece.to, sizes);
    TESSERA_TRY(elements, count_elements(piece.from, piece.axes));
    piece.elements = elements;
    out.pieces_.push_back(std::move(piece));
  }
  for (const auto& [name, source] : sources) {
    if (allow_unused || targets.contains(name)) continue;
    return with_reason(
        "unused_source",
        fmt::format("no target tensor uses {} of '{}'", piece_name(name), from[source.tensor].name),
        "add it to the target; --allow-unused leaves it out of the target");
  }
  out.from_ = std::move(from);
  out.to_ = std::move(to);
  return out;
}

Index PieceMatch::elements() const {
  Index sum = 0;
  for (const MatchedPiece& piece : pieces_) sum += piece.elements;
  return sum;
}

Result<std::vector<PieceLocation>> PieceMatch::before(std::string_view piece,
                                                      std::span<const Index> at) const {
  return locations(piece, at, false);
}
Result<std::vector<PieceLocation>> PieceMatch::after(std::string_view piece,
                                                     std::span<const Index> at) const {
  return locations(piece, at, true);
}

Result<std::vector<PieceLocation>> PieceMatch::locations(std::string_view name, std::span<const Index> at,
                                                         bool after) const {
  const auto piece = std::ranges::find(pieces_, name, &MatchedPiece::name);
  if (piece == pieces_.end()) return fail(Code::unknown_name, fmt::format("there is no piece '{}'", name));
  if (at.size() != piece->axes.size()) {
    return fail(Code::value_count, fmt::format("the number of values is {}, but the number of axes is {}",
                                               at.size(), piece->axes.size()));
  }
  const PieceMap& map = after ? piece->to : piece->from;
  const PieceTensor& tensor = after ? to_[piece->to_tensor] : from_[piece->from_tensor];
  std::vector<Index> values(map.axes.size(), 0);
  std::vector<std::size_t> copied;
  for (std::size_t a = 0; a < map.axes.size(); ++a) {
    const std::size_t k = axis_number(piece->axes, map.axes[a].name);
    if (k == piece->axes.size()) {
      copied.push_back(a);
      continue;
    }
    if (at[k] < 0 || at[k] >= map.axes[a].size) {
      return fail(Code::index_out_of_range, fmt::format("{} = {} is outside the axis, which has size {}",
                                                        map.axes[a].name, at[k], map.axes[a].size));
    }
    values[a] = at[k];
  }
  for (const PieceMap::Crop& crop : map.crops) {
    if (value_of(crop.value, values) >= crop.size) {
      return fail(Code::index_out_of_range,
                  fmt::format("index {} is outside the cropped axis, which has size {}",
                              value_of(crop.value, values), crop.size));
    }
  }
  std::vector<PieceLocation> out;
  do {
    TESSERA_NEED(add_locations(tensor, map, values, out));
  } while (detail::advance_last(copied.size(), [&](std::size_t k) {
    return detail::next_value(values[copied[k]], 0, map.axes[copied[k]].size);
  }));
  std::ranges::sort(out, {}, [](const PieceLocation& location) {
    return std::tuple(location.tensor, location.place.value_or(-1), location.offset);
  });
  return out;
}

}  // namespace tessera
