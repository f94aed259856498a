// SPDX-License-Identifier: Apache-2.0
#include "transfer/verify_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/index_walk.h"
#include "base/try.h"
#include "reshard/parts/element_holders.h"
#include "reshard/pieces/name_holes.h"
#include "transfer/element_boxes.h"
#include "transfer/index_box.h"
#include "transfer/limits.h"
#include "transfer/page_budget.h"
#include "transfer/reach.h"
#include "transfer/stored_elements.h"

namespace tessera::transfer {
namespace {

// An element of a stored tensor: its offset, or its row-major number if the tensor has a layout.
struct StoredElement {
  std::size_t tensor = 0;
  Index at = 0;
};

// Where an element is before and after.
struct ElementPlaces {
  std::vector<StoredElement> from;
  std::vector<StoredElement> to;
};

// What decides where the elements of a piece are. An axis that only one side has, because it counts copies,
// has no value: the axes that it meets in a sum are then alone, or its cut counts for each of its values.
class PieceAxes {
 public:
  PieceAxes(const PieceMatch& match, const MatchedPiece& piece) {
    for (const PieceMap::Axis& axis : piece.axes) axes.sizes.push_back(axis.size);
    axes.alone.assign(piece.axes.size(), false);
    add(piece, piece.from, match.from()[piece.from_tensor], before_);
    add(piece, piece.to, match.to()[piece.to_tensor], after_);
  }

  ElementAxes axes;

 private:
  void add(const MatchedPiece& piece, const PieceMap& map, const PieceTensor& tensor,
           std::optional<ElementHolders>& holders) {
    const std::size_t none = piece.axes.size();
    const auto number_of = [&](const std::string& name) {
      const auto at = std::ranges::find(piece.axes, name, &PieceMap::Axis::name);
      return static_cast<std::size_t>(at - piece.axes.begin());
    };
    const auto in_piece = [&](const AxisSum& sum) {
      AxisSum out{sum.constant, {}};
      for (const auto& [axis, scale] : sum.terms) {
        if (map.axes[axis].size > 1) out.terms.emplace_back(number_of(map.axes[axis].name), scale);
      }
      return out;
    };
    const auto isolate = [&](const AxisSum& sum) {
      for (const auto& [axis, scale] : sum.terms) {
        if (axis < none) axes.alone[axis] = true;
      }
    };
    const auto is_known = [&](const AxisSum& sum) {
      return std::ranges::none_of(sum.terms, [&](const auto& term) { return term.first == none; });
    };
    isolate(in_piece(map.place));
    for (const detail::NameHole& hole : detail::name_holes(tensor.name)) {
      if (const std::size_t axis = number_of(hole.axis); axis < none) axes.alone[axis] = true;
    }
    for (const PieceMap::Crop& crop : map.crops) {
      AxisSum value = in_piece(crop.value);
      if (is_known(value)) {
        axes.crops.push_back({std::move(value), crop.size});
      } else {
        isolate(value);
      }
    }
    if (!tensor.on) return;
    // The sums for all values of the axes that only this side has; none if these are too many, or if a crop
    // has such an axis, so that an index may be outside the dimension.
    const auto copies_of = [&](const AxisSum& sum) {
      std::vector<AxisSum> out = {{sum.constant, {}}};
      if (!std::ranges::all_of(map.crops, [&](const auto& crop) { return is_known(in_piece(crop.value)); }))
        return std::vector<AxisSum>{};
      for (const auto& [axis, scale] : sum.terms) {
        const Index size = map.axes[axis].size;
        const std::size_t number = number_of(map.axes[axis].name);
        const Index values = number < none ? 1 : size;
        if (size == 1) continue;
        if (values > kTransferLimits.copied_cuts / std::ssize(out)) return std::vector<AxisSum>{};
        std::vector<AxisSum> next;
        for (const AxisSum& known : out) {
          for (Index value = 0; value < values; ++value) {
            next.push_back(known);
            next.back().constant += scale * value;
            if (number < none) next.back().terms.emplace_back(number, scale);
          }
        }
        out = std::move(next);
      }
      return out;
    };
    holders.emplace(*tensor.on);
    for (std::size_t d = 0; d < map.index.size(); ++d) {
      if (!holders->is_cut(d)) continue;
      std::vector<AxisSum> copies = copies_of(map.index[d]);
      if (copies.empty()) isolate(in_piece(map.index[d]));
      for (AxisSum& index : copies) axes.cuts.push_back({&*holders, d, std::move(index)});
    }
  }

  std::optional<ElementHolders> before_;
  std::optional<ElementHolders> after_;
};

class ElementComparison {
 public:
  ElementComparison(const FilePlan& plan, std::span<const std::span<const std::byte>> files,
                    const Release& release, Index memory_bytes)
      : plan_(plan), pages_(memory_bytes / 2, release) {
    std::map<std::string, std::span<const std::byte>> by_name;
    for (std::size_t k = 0; k < files.size(); ++k) by_name.emplace(plan.files[k].name, files[k]);
    for (const CheckpointTensor& tensor : plan.source.tensors())
      sources_.push_back(defined(tensor, plan.source.bytes(tensor)));
    for (const TargetTensor& tensor : plan.tensors) {
      targets_.push_back(
          defined(tensor.as_stored(), by_name.at(tensor.file)
                                          .subspan(static_cast<std::size_t>(tensor.begin),
                                                   static_cast<std::size_t>(tensor.end - tensor.begin))));
    }
  }

  Result<Index> run() {
    for (const ArrayOrigin& origin : plan_.arrays) TESSERA_NEED(compare(origin));
    for (const PieceOrigin& origin : plan_.pieces) TESSERA_NEED(compare(origin));
    return compared_;
  }

 private:
  // A tensor whose elements are named by their numbers wherever its layout says where they are.
  struct Defined {
    CheckpointTensor tensor;
    std::span<const std::byte> bytes;
    std::optional<Reach> reach = {};  // of its layout, once it is asked for

    // How many elements of this many bits there are to name.
    Index count(Index bits) const {
      if (tensor.by_number()) return detail::element_count(tensor.shape).value_or(0);
      return std::ssize(bytes) * 8 / bits;
    }
  };
  static Defined defined(CheckpointTensor tensor, std::span<const std::byte> bytes) {
    tensor.cells.reset();
    if (tensor.layout) tensor.rows = RowBlocks::of(*tensor.layout);
    return {.tensor = std::move(tensor), .bytes = bytes};
  }

  using Locate = std::function<Result<std::optional<ElementPlaces>>(std::span<const Index>)>;
  using Name = std::function<std::string(std::span<const Index>)>;

  Result<void> compare(const ArrayOrigin& origin) {
    const ElementHolders before(origin.from);
    const ElementHolders after(origin.to);
    const auto shape = origin.from.shape();
    ElementAxes axes{.sizes = {shape.begin(), shape.end()},
                     .cuts = {},
                     .crops = {},
                     .alone = std::vector(shape.size(), false)};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      for (const ElementHolders* side : {&before, &after}) {
        if (side->is_cut(d)) axes.cuts.push_back({side, d, {0, {{d, 1}}}});
      }
    }
    const Locate locate = [&](std::span<const Index> index) -> Result<std::optional<ElementPlaces>> {
      ElementPlaces out;
      for (const ElementHolder& holder : before.at(index)) {
        const auto tensor = origin.sources.find(holder.place);
        if (tensor == origin.sources.end()) continue;
        out.from.push_back({tensor->second, sources_[tensor->second].tensor.offset(holder.local)});
      }
      for (const ElementHolder& holder : after.at(index)) {
        const auto tensor = origin.targets.find(holder.place);
        if (tensor == origin.targets.end()) return lost(fmt::format("place {}", holder.place));
        const std::vector<Index>& local = plan_.tensors[tensor->second].shape;
        for (std::size_t d = 0; d < local.size(); ++d) {
          if (holder.local[d] >= local[d]) return lost(fmt::format("place {}", holder.place));
        }
        out.to.push_back({tensor->second, detail::number_of_index(holder.local, local)});
      }
      return out;
    };
    cells_ = 0;
    TESSERA_NEED(compare(axes, locate, [](std::span<const Index> index) {
      return fmt::format("index {}", fmt::join(index, ","));
    }));
    std::set<std::size_t> tensors;
    for (const auto& [place, tensor] : origin.targets) tensors.insert(tensor);
    return check_count(tensors);
  }

  Result<void> compare(const PieceOrigin& origin) {
    cells_ = 0;
    for (const MatchedPiece& piece : origin.match->pieces()) {
      const Name name = [&](std::span<const Index> at) {
        std::vector<std::string> values;
        for (std::size_t a = 0; a < at.size(); ++a)
          values.push_back(fmt::format("{}={}", piece.axes[a].name, at[a]));
        return fmt::format("piece '{}' at {}", piece.name, fmt::join(values, " "));
      };
      const Locate locate = [&](std::span<const Index> at) -> Result<std::optional<ElementPlaces>> {
        const auto before = origin.match->before(piece.name, at);
        const auto after = origin.match->after(piece.name, at);
        // Values of a cropped axis beyond its size have no element.
        if (!before && !after && before.error().code == Code::index_out_of_range) return std::nullopt;
        if (!before) return fail(before.error());
        if (!after) return fail(after.error());
        ElementPlaces out;
        for (const PieceLocation& place : *before) {
          const auto tensor = origin.sources.find({place.tensor, place.place.value_or(0)});
          if (tensor != origin.sources.end()) out.from.push_back({tensor->second, place.offset});
        }
        for (const PieceLocation& place : *after) {
          const auto tensor = origin.targets.find({place.tensor, place.place.value_or(0)});
          if (tensor == origin.targets.end()) return lost(name(at));
          out.to.push_back({tensor->second, place.offset});
        }
        return out;
      };
      TESSERA_NEED(compare(PieceAxes(*origin.match, piece).axes, locate, name));
    }
    std::set<std::size_t> tensors;
    for (const auto& [key, tensor] : origin.targets) tensors.insert(tensor);
    return check_count(tensors);
  }

  // Boxes of elements are boxes of both tensors, whose steps are those between neighbors.
  Result<void> compare(const ElementAxes& axes, const Locate& locate, const Name& name) {
    return for_each_element_box(axes, [&](const PlacedBox& box) -> Result<void> {
      TESSERA_TRY(first, locate(box.first));
      if (!first) return {};
      std::vector<ElementPlaces> next;
      for (const ElementLoop& loop : box.loops) {
        std::vector<Index> at = box.first;
        for (std::size_t k = 0; k < at.size(); ++k) at[k] += loop.step[k];
        TESSERA_TRY(places, locate(at));
        if (!places) return lost(name(at));
        next.push_back(*std::move(places));
      }
      for (std::size_t t = 0; t < first->to.size(); ++t) {
        // Copies in the source may differ: the target has the elements of one, and differs last from that
        // one.
        std::optional<Index> bad = first->to[t].at;
        for (std::size_t s = 0; s < first->from.size() && bad; ++s) {
          StridedMove move{first->from[s].at, first->to[t].at, {}};
          for (std::size_t k = 0; k < next.size(); ++k) {
            move.loops.push_back(
                {box.loops[k].extent, next[k].from[s].at - move.from, next[k].to[t].at - move.to});
          }
          TESSERA_TRY(found, difference(first->from[s].tensor, first->to[t].tensor, std::move(move)));
          bad = found ? std::optional(std::max(*bad, *found)) : std::nullopt;
        }
        if (bad) return differs(box, first->to[t], *bad, next, t, name);
        compared_ += box.size();
      }
      cells_ += box.size() * std::ssize(first->to);
      return {};
    });
  }

  // The first element of the target at which a move finds other bits; nothing if all are the same.
  Result<std::optional<Index>> difference(std::size_t source, std::size_t target, StridedMove move) {
    Defined& from = sources_[source];
    Defined& to = targets_[target];
    const Index bits = plan_.tensors[target].element_bits;
    if (move.from_bounds().upper >= from.count(bits) || move.to_bounds().upper >= to.count(bits))
      return move.to;
    StoredElements stored(from.tensor, from.bytes.data(), bits, &pages_);
    StoredElements written(to.tensor, to.bytes.data(), bits, &pages_);
    using Difference = Result<std::optional<std::pair<Index, Index>>>;
    const auto compare_in_order = [&](StridedMove part) -> Difference {
      order_by_target(part);
      return first_difference(stored, written, part, bits, pages_);
    };
    // First in blocks that touch few pages of both files; in the order of the target if one differs.
    Difference found;
    IndexBox turns{std::vector<Index>(move.loops.size(), 0), {}};
    for (const StridedLoop& loop : move.loops) turns.hi.push_back(loop.extent);
    const auto part_of = [&](const IndexBox& box) {
      StridedMove part = move;
      for (std::size_t k = 0; k < part.loops.size(); ++k) {
        part.from += box.lo[k] * part.loops[k].from;
        part.to += box.lo[k] * part.loops[k].to;
        part.loops[k].extent = box.hi[k] - box.lo[k];
      }
      return part;
    };
    const auto cost = [&](const IndexBox& box) {
      if (box.size() <= kTransferLimits.verified_block) return Index{0};
      if (std::ssize(from.bytes) + std::ssize(to.bytes) <= pages_.bytes()) return Index{0};
      const StridedMove part = part_of(box);
      return touched(from, part, &StridedMove::from, &StridedLoop::from, bits) +
             touched(to, part, &StridedMove::to, &StridedLoop::to, bits);
    };
    for_each_fitting_box(nullptr, nullptr, turns, cost, pages_.bytes(), [&](const IndexBox& box) {
      if (found && !*found) found = compare_in_order(part_of(box));
    });
    if (found && *found) found = compare_in_order(std::move(move));
    if (!found) return fail(found.error());
    return *found ? std::optional((*found)->second) : std::nullopt;
  }

  // An upper bound on the bytes that become resident when one side of a move is read. Its steps, before loops
  // are joined, are steps of an index.
  static Index touched(Defined& side, const StridedMove& move, Index StridedMove::* first,
                       Index StridedLoop::* step, Index bits) {
    const Index whole = std::ssize(side.bytes);
    if (!side.tensor.by_number() || !side.tensor.layout) {
      std::vector<StridedLoop> loops = move.loops;
      std::ranges::stable_sort(loops, {}, [&](const StridedLoop& loop) { return std::abs(loop.*step); });
      Index bytes = 2 * kPageWindow;
      Index span = bytes;
      for (const StridedLoop& loop : loops) {
        span += ceil_div((loop.extent - 1) * std::abs(loop.*step) * bits, Index{8});
        bytes = std::min(span, bytes > whole / loop.extent ? whole : bytes * loop.extent);
      }
      return std::min(bytes, whole);
    }
    if (!side.reach) side.reach.emplace(*side.tensor.layout);
    const std::vector<Index>& shape = side.tensor.shape;
    const std::vector<Index> begin = detail::index_with_number(shape, move.*first);
    IndexBox box{begin, begin};
    for (const StridedLoop& loop : move.loops) {
      if (loop.extent == 1) continue;
      const std::vector<Index> next = detail::index_with_number(shape, move.*first + loop.*step);
      for (std::size_t d = 0; d < shape.size(); ++d) {
        const Index apart = (loop.extent - 1) * (next[d] - begin[d]);
        (apart < 0 ? box.lo : box.hi)[d] += apart;
      }
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      box.lo[d] = std::max<Index>(box.lo[d], 0);
      box.hi[d] = std::min<Index>(box.hi[d] + 1, shape[d]);
    }
    return side.reach->touched_bytes(box, bits, whole);
  }

  // Finds which element of the box has this number in the target.
  Failure differs(const PlacedBox& box, const StoredElement& first, Index number,
                  const std::vector<ElementPlaces>& next, std::size_t t, const Name& name) const {
    std::vector<Index> extents;
    for (const ElementLoop& loop : box.loops) extents.push_back(loop.extent);
    std::vector<Index> turn(extents.size(), 0);
    const auto reached = [&] {
      Index at = first.at;
      for (std::size_t k = 0; k < turn.size(); ++k) at += turn[k] * (next[k].to[t].at - first.at);
      return at;
    };
    while (reached() != number && detail::next_index(turn, extents)) continue;
    std::vector<Index> index = box.first;
    for (std::size_t k = 0; k < turn.size(); ++k) {
      for (std::size_t a = 0; a < index.size(); ++a) index[a] += turn[k] * box.loops[k].step[a];
    }
    const TargetTensor& tensor = plan_.tensors[first.tensor];
    return fail({.code = Code::verify_failed,
                 .message = fmt::format("tensor '{}' of '{}' does not have the element that belongs there",
                                        tensor.name, tensor.file),
                 .witness = fmt::format("{}, element {}", name(index), tensor.cell_of(number))});
  }

  static Failure lost(const std::string& where) {
    return fail({.code = Code::verify_failed,
                 .message = "the plan has no tensor for an element of the target",
                 .witness = where});
  }

  // Elements fill the tensors, unless these have padding.
  Result<void> check_count(const std::set<std::size_t>& tensors) const {
    Index expected = 0;
    for (const std::size_t tensor : tensors) {
      if (plan_.tensors[tensor].padded) return {};
      expected += plan_.tensors[tensor].cells();
    }
    if (expected == cells_) return {};
    return fail(Code::verify_failed,
                fmt::format("the new tensors have {} elements, but both sides have {}", expected, cells_));
  }

  const FilePlan& plan_;
  PageBudget pages_;
  std::vector<Defined> sources_;
  std::vector<Defined> targets_;
  Index cells_ = 0;  // of the array or the pieces
  Index compared_ = 0;
};

}  // namespace

Result<Index> verify_elements(const FilePlan& plan, std::span<const std::span<const std::byte>> files,
                              const Release& release, Index memory_bytes) {
  return ElementComparison(plan, files, release, memory_bytes).run();
}

}  // namespace tessera::transfer
