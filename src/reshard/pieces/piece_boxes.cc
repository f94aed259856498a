// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/piece_boxes.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/index_walk.h"
#include "base/try.h"
#include "reshard/limits.h"
#include "reshard/pieces/axis_box.h"
#include "reshard/pieces/name_holes.h"

namespace tessera {
namespace {

using detail::AxisBox;
using detail::AxisRange;

// One side of a piece, expressed in the axes of both sides.
struct SideMap {
  const PieceTensor* tensor = nullptr;
  std::size_t number = 0;
  AxisSum place;
  std::vector<AxisSum> index;
  std::vector<PieceMap::Crop> crops;
  std::vector<std::pair<std::size_t, std::string>> name_axes;  // number and name
};

AxisSum renumbered(const AxisSum& sum, std::span<const std::size_t> numbers) {
  AxisSum out{sum.constant, {}};
  for (const auto& [axis, scale] : sum.terms) out.terms.emplace_back(numbers[axis], scale);
  return out;
}

// The part of a side that one stored tensor holds: its points, and the offset of each in the tensor's memory.
struct SidePart {
  AxisBox box;
  Index place = 0;
  AxisSum offset;
  std::vector<Index> shift = {};
};

AxisSum offset_of(const std::vector<AxisSum>& index, std::span<const Index> shift,
                  std::span<const Index> shape) {
  const std::vector<Index> strides = detail::row_major_strides(shape);
  AxisSum out;
  for (std::size_t d = 0; d < index.size(); ++d) {
    out.constant += (index[d].constant + (shift.empty() ? 0 : shift[d])) * strides[d];
    for (const auto& [axis, scale] : index[d].terms) out.terms.emplace_back(axis, scale * strides[d]);
  }
  return out;
}

class PieceBoxes {
 public:
  PieceBoxes(const PieceMatch& match, const MatchedPiece& piece,
             const std::function<void(const PieceBox&)>& visit)
      : piece_(piece), visit_(visit) {
    from_ = side(match.from()[piece.from_tensor], piece.from_tensor, piece.from);
    to_ = side(match.to()[piece.to_tensor], piece.to_tensor, piece.to);
  }

  // From the first copy of each element in `from` to all copies in `to`.
  PieceBoxes(const PieceTensor& from, const PieceTensor& to, const MatchedPiece& piece,
             const std::function<void(const PieceBox&)>& visit)
      : piece_(piece), visit_(visit), first_holder_(true) {
    from_ = side(from, piece.from_tensor, piece.from);
    to_ = side(to, piece.to_tensor, piece.to);
  }

  Result<void> run(Index& left) {
    AxisBox all;
    for (const PieceMap::Axis& axis : axes_) {
      const bool in_target =
          std::ranges::find(piece_.to.axes, axis.name, &PieceMap::Axis::name) != piece_.to.axes.end();
      all.push_back({0, in_target ? axis.size : 1});  // if the source has copies, the first one
    }
    std::set<std::size_t> chosen_set;
    for (const SideMap* side : {&from_, &to_}) {
      for (const auto& [axis, name] : side->name_axes) chosen_set.insert(axis);
      for (const auto& [axis, scale] : side->place.terms) chosen_set.insert(axis);
    }
    const std::vector<std::size_t> chosen(chosen_set.begin(), chosen_set.end());
    Result<void> done;
    detail::for_each_choice(all, chosen, [&](const AxisBox& at) {
      if (done) done = add_choice(at, chosen, left);
    });
    return done;
  }

 private:
  // The map of a side, with its axes numbered as in axes_. New axes are added to axes_.
  SideMap side(const PieceTensor& tensor, std::size_t number, const PieceMap& map) {
    std::vector<std::size_t> numbers;
    for (const PieceMap::Axis& axis : map.axes) numbers.push_back(number_of(axis));
    SideMap out{&tensor, number, renumbered(map.place, numbers), {}, {}, {}};
    for (const AxisSum& sum : map.index) out.index.push_back(renumbered(sum, numbers));
    for (const PieceMap::Crop& crop : map.crops)
      out.crops.push_back({renumbered(crop.value, numbers), crop.size});
    for (detail::NameHole& hole : detail::name_holes(tensor.name)) {
      const auto axis = std::ranges::find(map.axes, hole.axis, &PieceMap::Axis::name);
      if (axis != map.axes.end())
        out.name_axes.emplace_back(numbers[static_cast<std::size_t>(axis - map.axes.begin())],
                                   std::move(hole.axis));
    }
    return out;
  }

  std::size_t number_of(const PieceMap::Axis& axis) {
    const auto found = std::ranges::find(axes_, axis.name, &PieceMap::Axis::name);
    const auto number = static_cast<std::size_t>(found - axes_.begin());
    if (found == axes_.end()) axes_.push_back(axis);
    return number;
  }

  static std::string name_of(const SideMap& side, const AxisBox& at) {
    return detail::with_numbers(side.tensor->name, [&](const std::string& name) -> std::optional<Index> {
      const auto axis = std::ranges::find(side.name_axes, name, &std::pair<std::size_t, std::string>::second);
      if (axis == side.name_axes.end()) return {};
      return at[axis->first].first;
    });
  }

  // Adds the parts of a side inside `box`. Returns false if there are more than `most`.
  static bool add_parts(const SideMap& side, const AxisBox& box, Index most, std::vector<SidePart>& out) {
    if (!side.tensor->on) {
      const Index place =
          side.place.terms.empty() && side.place.constant == 0 ? 0 : detail::range_of(side.place, box).least;
      out.push_back({box, place, offset_of(side.index, {}, side.tensor->axes.shape())});
      return true;
    }
    const BoundDistribution& on = *side.tensor->on;
    for (std::size_t shard = 0; shard < on.shards(); ++shard) {
      const std::span<const Index> places = on.holders(shard);
      if (places.empty() || on.elements(shard) == 0) continue;
      const std::vector<Index> local = *on.local_shape(places[0]);
      if (!add_shard(side, on, shard, local, 0, {box, 0, {}}, {}, most, out)) return false;
    }
    return true;
  }

  // Cuts by the runs of dimension `dim` and later ones.
  static bool add_shard(const SideMap& side, const BoundDistribution& on, std::size_t shard,
                        std::span<const Index> local, std::size_t dim, const SidePart& part,
                        std::vector<Index> shift, Index most, std::vector<SidePart>& out) {
    if (dim == side.index.size()) {
      for (const Index place : on.holders(shard)) {
        if (std::ssize(out) >= most) return false;
        out.push_back({part.box, place, offset_of(side.index, shift, local), shift});
      }
      return true;
    }
    const detail::SumRange range = detail::range_of(side.index[dim], part.box);
    std::vector<AxisBox> boxes;
    shift.push_back(0);
    for (const IndexRun& run : on.parts(dim)[on.part({.shard = shard, .dim = dim})].runs) {
      const Index step = std::max<Index>(run.step, 1);
      const Index first =
          std::clamp<Index>(ceil_div(range.least - run.length + 1 - run.lower, step), 0, run.count);
      for (Index k = run.step == 0 ? 0 : first; k < run.count; ++k) {
        const Index lower = run.lower + k * run.step;
        if (lower > range.most) break;
        boxes.clear();
        detail::restrict_sum(part.box, side.index[dim], lower, lower + run.length, boxes);
        shift.back() = run.local + k * run.local_step - lower;
        for (AxisBox& box : boxes) {
          if (!add_shard(side, on, shard, local, dim + 1, {std::move(box), 0, {}}, shift, most, out))
            return false;
        }
      }
    }
    return true;
  }

  Result<void> add_choice(const AxisBox& at, std::span<const std::size_t> chosen, Index& left) {
    std::vector<AxisBox> boxes = {at};
    for (const SideMap* side : {&from_, &to_}) {
      for (const PieceMap::Crop& crop : side->crops) {
        std::vector<AxisBox> inside;
        for (const AxisBox& box : boxes) detail::restrict_sum(box, crop.value, 0, crop.size, inside);
        boxes = std::move(inside);
      }
    }
    values_.clear();
    for (const std::size_t axis : chosen) values_.emplace_back(axes_[axis].name, at[axis].first);
    const std::string from_name = name_of(from_, at);
    const std::string to_name = name_of(to_, at);
    std::vector<SidePart> targets;
    for (const AxisBox& box : boxes) {
      if (!add_parts(to_, box, left, targets)) return too_many();
    }
    for (const SidePart& target : targets) {
      sources_.clear();
      if (!add_parts(from_, target.box, left, sources_)) return too_many();
      keep_one_holder(target.place);
      for (const SidePart& source : sources_) {
        if (--left < 0) return too_many();
        visit_({piece_,
                {from_.number, from_name, source.place},
                {to_.number, to_name, target.place},
                box_of(source, target),
                values_,
                source.box,
                {from_.index, source.shift},
                {to_.index, target.shift}});
      }
    }
    return {};
  }

  // Keeps one holder of each source shard: the receiver if it is a holder, otherwise the first. The holders
  // of a shard are adjacent.
  void keep_one_holder(Index receiver) {
    if (!from_.tensor->on) return;
    std::vector<SidePart> kept;
    const BoundDistribution& on = *from_.tensor->on;
    for (SidePart& source : sources_) {
      const auto holders = on.holders(*on.shard_of(source.place));
      const bool own = !first_holder_ && std::ranges::binary_search(holders, receiver);
      const Index wanted = own ? receiver : holders[0];
      if (source.place == wanted) kept.push_back(std::move(source));
    }
    sources_ = std::move(kept);
  }

  static StridedMove box_of(const SidePart& source, const SidePart& target) {
    StridedMove out{source.offset.constant, target.offset.constant, {}};
    std::vector<StridedLoop> loops(source.box.size());
    for (std::size_t a = 0; a < loops.size(); ++a) loops[a].extent = source.box[a].count;
    for (const auto& [axis, step] : source.offset.terms) {
      loops[axis].from += step;
      out.from += step * source.box[axis].first;
    }
    for (const auto& [axis, step] : target.offset.terms) {
      loops[axis].to += step;
      out.to += step * source.box[axis].first;
    }
    out.loops = std::move(loops);
    order_by_target(out);
    return out;
  }

  static Failure too_many() {
    return fail(Code::limit,
                fmt::format("the pieces consist of more than {} boxes", detail::kReshardLimits.piece_boxes));
  }

  const MatchedPiece& piece_;
  std::function<void(const PieceBox&)> visit_;
  bool first_holder_ = false;
  std::vector<PieceMap::Axis> axes_;
  SideMap from_;
  SideMap to_;
  std::vector<SidePart> sources_;
  std::vector<std::pair<std::string_view, Index>> values_;
};

bool is_replicated(const PieceTensor& tensor) {
  if (!tensor.on) return false;
  for (std::size_t shard = 0; shard < tensor.on->shards(); ++shard) {
    if (tensor.on->holders(shard).size() > 1 && tensor.on->elements(shard) > 0) return true;
  }
  return false;
}

void rename_hole(std::string& name, const std::string& axis, const std::string& renamed) {
  for (const detail::NameHole& hole : detail::name_holes(name)) {
    if (hole.axis != axis) continue;
    name.replace(hole.begin + 1, axis.size(), renamed);
    return rename_hole(name, axis, renamed);
  }
}

}  // namespace

Result<void> for_each_piece_box(const PieceMatch& match, const std::function<void(const PieceBox&)>& visit) {
  Index left = detail::kReshardLimits.piece_boxes;
  for (const MatchedPiece& piece : match.pieces()) TESSERA_NEED(PieceBoxes(match, piece, visit).run(left));
  return {};
}

Result<void> for_each_copy_box(const PieceMatch& match, const std::function<void(const PieceBox&)>& visit) {
  Index left = detail::kReshardLimits.piece_boxes;
  for (const MatchedPiece& piece : match.pieces()) {
    const PieceTensor& from = match.from()[piece.from_tensor];
    if (piece.axes.size() == piece.from.axes.size() && !is_replicated(from)) continue;
    // The copies are a side of their own, whose copy axes have other names.
    MatchedPiece copies = piece;
    copies.to_tensor = piece.from_tensor;
    copies.to = piece.from;
    PieceTensor to = from;
    for (PieceMap::Axis& axis : copies.to.axes) {
      if (std::ranges::find(piece.axes, axis.name, &PieceMap::Axis::name) != piece.axes.end()) continue;
      const std::string renamed = axis.name + "'";
      rename_hole(to.name, axis.name, renamed);
      axis.name = renamed;
    }
    TESSERA_NEED(PieceBoxes(from, to, copies, [&](const PieceBox& box) {
                   const bool same = box.from.name == box.to.name && box.from.place == box.to.place &&
                                     box.box.from == box.box.to &&
                                     std::ranges::all_of(box.box.loops, [](const StridedLoop& loop) {
                                       return loop.from == loop.to;
                                     });
                   if (!same) visit(box);
                 }).run(left));
  }
  return {};
}

}  // namespace tessera
