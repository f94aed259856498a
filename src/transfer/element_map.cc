// SPDX-License-Identifier: Apache-2.0
#include "transfer/element_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/at_fault.h"
#include "base/nearest.h"
#include "base/try.h"
#include "reshard/pieces/piece_boxes.h"
#include "tessera/map/map_algebra.h"
#include "transfer/axis_names.h"
#include "transfer/limits.h"
#include "transfer/recipe_axes.h"
#include "transfer/rule_side.h"

namespace tessera::transfer {
namespace {

using detail::AxisRange;

// An axis of a dimension of a shard: the step of its index, and the number of its values in a box.
struct DimAxis {
  std::size_t axis = 0;
  Index step = 1;
  Index count = 1;
};

// The values of the axes of a box as functions of the index in the target, and where in the target the box
// is.
class AxisDigits {
 public:
  explicit AxisDigits(const PieceBox& box) : box_(box), values_(box.ranges.size(), Expr::constant(0)) {
    for (std::size_t a = 0; a < values_.size(); ++a) values_[a] = Expr::constant(box.ranges[a].first);
    std::vector<Variable> dims;
    for (std::size_t d = 0; d < box.to_index.index.size(); ++d) dims.push_back({bounds_of(d)});
    domain_ = Domain(std::move(dims), {}, {});
    for (std::size_t d = 0; d < box.to_index.index.size(); ++d) add_dimension(d);
  }

  IndexMap map() const {
    std::vector<Expr> results;
    for (std::size_t d = 0; d < box_.from_index.index.size(); ++d) {
      const AxisSum& sum = box_.from_index.index[d];
      Expr result = Expr::constant(sum.constant + shift_of(box_.from_index, d));
      for (const auto& [axis, step] : sum.terms) result = result + values_[axis] * step;
      results.push_back(result);
    }
    return simplify(IndexMap::make_unchecked(domain_, std::move(results)));
  }

 private:
  static Index shift_of(const PieceBoxSide& side, std::size_t dim) {
    return side.shift.empty() ? 0 : side.shift[dim];
  }

  // The index of the first element of the box.
  Index base_of(std::size_t dim) const {
    const AxisSum& sum = box_.to_index.index[dim];
    Index base = sum.constant + shift_of(box_.to_index, dim);
    for (const auto& [axis, step] : sum.terms) base += step * box_.ranges[axis].first;
    return base;
  }

  // The axes that take several values, the one with the longest step first.
  std::vector<DimAxis> axes_of(std::size_t dim) const {
    std::vector<DimAxis> out;
    for (const auto& [axis, step] : box_.to_index.index[dim].terms) {
      if (box_.ranges[axis].count > 1) out.push_back({axis, step, box_.ranges[axis].count});
    }
    std::ranges::sort(out, std::greater<>(), &DimAxis::step);
    return out;
  }

  Interval bounds_of(std::size_t dim) const {
    Index reach = 0;
    for (const DimAxis& axis : axes_of(dim)) reach += axis.step * (axis.count - 1);
    return {base_of(dim), base_of(dim) + reach};
  }

  void add_dimension(std::size_t dim) {
    const std::vector<DimAxis> axes = axes_of(dim);
    Expr rest = Expr::variable(static_cast<Index>(dim)) + Expr::constant(-base_of(dim));
    for (std::size_t k = 0; k < axes.size(); ++k) {
      Index reach = 0;
      for (std::size_t i = k; i < axes.size(); ++i) reach += axes[i].step * (axes[i].count - 1);
      if (k > 0) {
        rest = mod(rest, axes[k - 1].step);
        if (reach < axes[k - 1].step - 1) domain_.constrain(rest, {0, reach});
      }
      values_[axes[k].axis] = values_[axes[k].axis] + floor_div(rest, axes[k].step);
    }
    if (!axes.empty() && axes.back().step > 1) domain_.constrain(mod(rest, axes.back().step), {0, 0});
  }

  const PieceBox& box_;
  std::vector<Expr> values_;
  Domain domain_;
};

// The rule that makes a tensor, and the values in its name.
struct NamedRule {
  const RecipeRule* rule = nullptr;
  std::size_t tensor = 0;
  NameMatch match;
};

Result<NamedRule> rule_of(const Recipe& recipe, const std::string& name) {
  std::vector<std::string> patterns;
  for (const RecipeRule& rule : recipe.rules) {
    for (std::size_t k = 0; k < rule.to.size(); ++k) {
      if (auto match = rule.to[k].name.match(name)) return NamedRule{&rule, k, std::move(*match)};
      patterns.push_back(rule.to[k].name.text());
    }
  }
  const std::string meant = detail::nearest(name, patterns);
  const std::size_t more = patterns.size() > kTransferLimits.listed_patterns
                               ? patterns.size() - kTransferLimits.listed_patterns
                               : 0;
  patterns.resize(patterns.size() - more);
  return fail(Code::unknown_name, fmt::format("no rule of the recipe makes a tensor '{}'", name), {},
              !meant.empty() ? fmt::format("did you mean '{}'?", meant)
                             : fmt::format("its tensors are {}{}", fmt::join(patterns, ", "),
                                           more > 0 ? fmt::format(" and {} more", more) : ""));
}

// Both sides of a rule that copies tensors as they are, with an axis for each dimension.
Result<std::pair<std::vector<PieceTensor>, std::vector<PieceTensor>>> whole_sides(
    const RecipeRule& rule, const NameMatch& match, const std::vector<Index>& shape, RecipeAxes& axes,
    PieceCopies& copies) {
  std::string dims;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::string axis = fmt::format("dim{}__", d);
    TESSERA_NEED(axes.sizes.add(axis, shape[d]));
    dims += (dims.empty() ? "" : " ") + axis;
  }
  std::vector<RecipeTensor> sides[2] = {rule.from, rule.to};
  for (std::vector<RecipeTensor>& side : sides) {
    const auto form = whole_form(side[0].axes);
    if (!form || side.size() != 1)
      return fail(Code::bad_option, "a rule with '*' must have one tensor on each side, both with '*'", {},
                  "name the axes: \"[rows columns]\"");
    side[0].axes = form->places.empty() ? fmt::format("[{}]", dims)
                                        : fmt::format("{} @ [{}]", fmt::join(form->places, " "), dims);
    copies[""].insert(copies[""].end(), form->places.begin(), form->places.end());
  }
  const auto from = whole_form(rule.from[0].axes)->places;
  std::erase_if(copies[""], [&](const std::string& axis) {
    const auto to = whole_form(rule.to[0].axes)->places;
    return std::ranges::count(from, axis) > 0 && std::ranges::count(to, axis) > 0;
  });
  TESSERA_TRY(before, rule_side(sides[0], match.words, axes));
  TESSERA_TRY(after, rule_side(sides[1], match.words, axes));
  return std::pair(std::move(before), std::move(after));
}

// Axes of names that are counted: at least as many as the name says.
std::map<std::string, Index, std::less<>> counts_of(const Recipe& recipe, const NameMatch& match) {
  std::map<std::string, Index, std::less<>> out;
  for (const RecipeAxis& axis : recipe.axes) {
    const auto value = match.axes.find(axis.name);
    if (value != match.axes.end() && std::ranges::count(axis.texts, "count") > 0)
      out.emplace(axis.name, value->second + 1);
  }
  return out;
}

class ElementMapper {
 public:
  ElementMapper(const PieceMatch& match, const ElementMapQuestion& question)
      : match_(match), question_(question) {}

  Result<std::vector<TensorSources>> run() {
    Result<void> done;
    TESSERA_NEED(for_each_piece_box(match_, [&](const PieceBox& box) {
      if (done && box.to.name == question_.tensor) done = add(box);
    }));
    TESSERA_NEED(done);
    if (out_.empty()) return nothing();
    std::vector<TensorSources> all;
    for (auto& [place, tensor] : out_) {
      tensor.padding = count_cells(tensor.shape) - elements_[place];
      std::ranges::stable_sort(tensor.sources, {}, &first_index);
      all.push_back(std::move(tensor));
    }
    return all;
  }

 private:
  // Where in the new tensor the elements of a source begin.
  static std::vector<Index> first_index(const ElementSource& source) {
    std::vector<Index> out;
    for (const Variable& dim : source.map.variables()) out.push_back(dim.bounds.lower);
    return out;
  }

  static Index count_cells(const std::vector<Index>& shape) {
    Index cells = 1;
    for (const Index extent : shape) cells *= extent;
    return cells;
  }

  Result<void> add(const PieceBox& box) {
    const PieceTensor& from = match_.from()[box.from.tensor];
    const PieceTensor& to = match_.to()[box.to.tensor];
    places_ = std::max(places_, box.to.place + 1);
    if (question_.place && *question_.place != box.to.place) return {};
    if (++count_ > kTransferLimits.element_maps)
      return fail(Code::limit, fmt::format("the tensor has more than {} maps", kTransferLimits.element_maps),
                  {}, question_.place ? "" : "ask about one place: --place 0");
    const bool placed = to.on || !to.axes.places.empty();
    TensorSources& tensor = out_[box.to.place];
    tensor.tensor = question_.tensor;
    if (placed) tensor.place = box.to.place;
    tensor.shape = to.on ? *to.on->local_shape(box.to.place) : to.axes.shape();
    elements_[box.to.place] += box.box.elements();
    std::optional<Index> source;
    if (from.on || !from.axes.places.empty()) source = box.from.place;
    tensor.sources.push_back({box.piece.name, box.from.name, source, AxisDigits(box).map()});
    return {};
  }

  // No box is for this tensor and place: the values in its name do not exist, or the place has no part.
  Result<std::vector<TensorSources>> nothing() const {
    if (question_.place && places_ > 0) {
      return detail::at_fault(
          "place", fail(Code::index_out_of_range,
                        fmt::format("place {} holds nothing of '{}'", *question_.place, question_.tensor), {},
                        fmt::format("the last place that holds a part of it is {}", places_ - 1)));
    }
    return fail(Code::unknown_name, fmt::format("the recipe makes no tensor '{}'", question_.tensor), {},
                "the numbers in the name count from 0 to the sizes of their axes");
  }

  const PieceMatch& match_;
  const ElementMapQuestion& question_;
  std::map<Index, TensorSources> out_;
  std::map<Index, Index> elements_;
  Index places_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

Result<std::vector<TensorSources>> element_map(const Recipe& recipe, const ElementMapQuestion& question) {
  TESSERA_NEED(check_set(axis_names(recipe), question.set));
  TESSERA_TRY(named, rule_of(recipe, question.tensor));
  TESSERA_TRY(axes, RecipeAxes::make(recipe, question.config, counts_of(recipe, named.match), question.set));
  const RecipeRule& rule = *named.rule;
  PieceCopies copies = rule.copies;
  std::vector<PieceTensor> from;
  std::vector<PieceTensor> to;
  if (whole_form(rule.to[named.tensor].axes)) {
    if (!question.shape) {
      return fail(Code::missing_attribute,
                  fmt::format("the rule {} is for tensors of any shape", rule.text()), {},
                  "give the shape of the whole tensor: --shape DIMS");
    }
    TESSERA_TRY(sides, whole_sides(rule, named.match, *question.shape, axes, copies));
    from = std::move(sides.first);
    to = std::move(sides.second);
  } else {
    if (question.shape) {
      return fail(Code::bad_option, "the axes of the recipe give the shape of this tensor", {},
                  "leave out --shape");
    }
    TESSERA_TRY(before, rule_side(rule.from, named.match.words, axes));
    TESSERA_TRY(after, rule_side(rule.to, named.match.words, axes));
    from = std::move(before);
    to = std::move(after);
  }
  AxisSizes sizes = axes.sizes;
  TESSERA_TRY(match, PieceMatch::make(std::move(from), std::move(to), std::move(sizes), std::move(copies)));
  return ElementMapper(match, question).run();
}

}  // namespace tessera::transfer
