// SPDX-License-Identifier: Apache-2.0
#include "transfer/rule_planner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "notation/to_digits.h"
#include "reshard/pieces/piece_boxes.h"
#include "reshard/plan/gather.h"
#include "reshard/plan/message_boxes.h"
#include "transfer/axis_names.h"
#include "transfer/file_axes.h"
#include "transfer/recipe_axes.h"
#include "transfer/rule_groups.h"
#include "transfer/rule_side.h"
#include "transfer/source_copies.h"
#include "transfer/source_shards.h"

namespace tessera::transfer {
namespace {

using AxisValues = std::map<std::string, Index, std::less<>>;
using Words = std::map<std::string, std::string, std::less<>>;

bool has_padding(const std::vector<AxisAtom>& atoms) {
  return std::ranges::any_of(atoms, [](const AxisAtom& atom) {
    return atom.kind == AxisAtom::Kind::padding ||
           std::ranges::any_of(atom.branches,
                               [](const AxisBranch& branch) { return has_padding(branch.atoms); });
  });
}

class RulePlanner {
 public:
  RulePlanner(Checkpoint& source, const Recipe& recipe, const ReshardFilesOptions& options)
      : source_(source), recipe_(recipe), options_(options) {}

  Result<PlannedRules> plan() {
    TESSERA_NEED(check_set(axis_names(recipe_), options_.set));
    TESSERA_TRY(groups, group_tensors(source_, recipe_, options_.allow_unused));
    counts_ = std::move(groups.counts);
    out_.dropped = std::move(groups.dropped);
    TESSERA_TRY(axes, RecipeAxes::make(recipe_, source_.config(), counts_, options_.set));
    recipe_axes_ = std::move(axes);
    if (!recipe_.to_files.empty()) {
      TESSERA_TRY(pattern, NamePattern::parse(recipe_.to_files));
      to_files_ = std::move(pattern);
    }
    for (std::size_t r = 0; r < recipe_.rules.size(); ++r) {
      const RecipeRule& rule = recipe_.rules[r];
      if (groups.of_rule[r].empty() && rule.is_content()) out_.unmatched.push_back(rule.text());
      for (const RuleGroup& group : groups.of_rule[r]) {
        rule_ = r;
        auto done = size_axes(rule, group);
        if (done) done = whole_form(rule.from[0].axes) ? add_whole(rule, group) : add_pieces(rule, group);
        if (done) continue;
        Diagnostic diagnostic = done.error();
        diagnostic.notes.push_back(fmt::format("in the rule {}", rule_text(rule, group.words)));
        diagnostic.span = {};
        return fail(std::move(diagnostic));
      }
    }
    if (out_.has_places) {
      for (const TargetTensor& tensor : out_.tensors) {
        if (placed_.contains(tensor.name)) continue;
        return fail(Code::bad_option,
                    fmt::format("tensor '{}' has no place, but others have one", tensor.name), {},
                    "say which places get it; \"t @ *\" gives a copy to every place");
      }
    }
    return std::move(out_);
  }

 private:
  static std::string rule_text(const RecipeRule& rule, const Words& words) {
    const auto list = [&](const std::vector<RecipeTensor>& side) {
      std::vector<std::string> names;
      for (const RecipeTensor& tensor : side)
        names.push_back(tensor.name.without_words({{}, words}).value_or(tensor.name.text()));
      return fmt::format("{}", fmt::join(names, ", "));
    };
    return fmt::format("{} -> {}", list(rule.from), list(rule.to));
  }

  // The axes of the recipe, and those that are dimensions of the tensors of this group.
  Result<void> size_axes(const RecipeRule& rule, const RuleGroup& group) {
    axes_ = &recipe_axes_;
    TESSERA_TRY(extents, shape_axes(source_, recipe_, rule, group));
    if (extents.empty()) return {};
    extents.insert(counts_.begin(), counts_.end());
    TESSERA_TRY(axes, RecipeAxes::make(recipe_, source_.config(), extents, options_.set));
    group_axes_ = std::move(axes);
    axes_ = &group_axes_;
    return {};
  }

  // Checks that every tensor of the source side exists.
  Result<void> check_complete(const RecipeRule& rule, const RuleGroup& group) const {
    for (std::size_t k = 0; k < rule.from.size(); ++k) {
      if (!group.found[k].empty()) continue;
      TESSERA_TRY(name, rule.from[k].name.without_words({{}, group.words}));
      return fail({.code = Code::different_shape,
                   .message = fmt::format("the source has no tensor '{}'", name),
                   .reason = "not_covered",
                   .help = "a tensor is missing, or the recipe is for another model"});
    }
    return {};
  }

  // --- whole tensors

  Result<void> add_whole(const RecipeRule& rule, const RuleGroup& group) {
    const auto to_form = whole_form(rule.to[0].axes);
    if (rule.from.size() != 1 || rule.to.size() != 1 || !to_form) {
      return fail(Code::bad_option, "a rule with '*' must have one tensor on each side, both with '*'", {},
                  "name the axes: \"[rows columns]\"");
    }
    for (const NameMatch& match : group.found[0]) {
      NameMatch values{match.axes, group.words};
      TESSERA_TRY(from_name, rule.from[0].name.name(values));
      TESSERA_TRY(to_name, rule.to[0].name.name(values));
      TESSERA_NEED(add_array(rule, from_name, to_name, to_form->places));
    }
    return {};
  }

  Result<void> add_array(const RecipeRule& rule, const std::string& from_name, const std::string& to_name,
                         const std::vector<std::string>& place_axes) {
    TESSERA_TRY(shards, source_shards(source_, from_name, rule.from[0].sharding,
                                      whole_form(rule.from[0].axes)->places.empty()));
    TESSERA_TRY(copies, replicas(source_, from_name, shards));
    out_.copies.insert(out_.copies.end(), copies.begin(), copies.end());
    std::vector<std::pair<AxisValues, Index>> places;  // places of the copies
    TESSERA_NEED(copies_of(place_axes, places));
    const CheckpointTensor& any = source_.tensors()[shards.tensor_of.begin()->second];
    if (rule.to[0].sharding.empty()) {
      TESSERA_TRY(whole, bind_whole(shards.on.shape()));
      for (const auto& [values, place] : places) {
        TESSERA_NEED(add_boxes(shards, whole, to_name, any, [&](Index) {
          return place_axes.empty() ? std::optional<std::pair<AxisValues, Index>>()
                                    : std::optional(std::pair(values, place));
        }));
      }
      return {};
    }
    TESSERA_TRY(distribution, parse_file_distribution(rule.to[0].sharding));
    TESSERA_TRY(to, bind_distribution(distribution, {shards.on.shape().begin(), shards.on.shape().end()}));
    return add_boxes(shards, to, to_name, any, [](Index place) {
      return std::optional(std::pair(AxisValues{{"place", place}}, place));
    });
  }

  static Result<BoundDistribution> bind_whole(std::span<const Index> shape) {
    Distribution whole;
    whole.everywhere = true;
    return bind_distribution(whole, {shape.begin(), shape.end()}, 1);
  }

  // The values of place axes, each with its place.
  Result<void> copies_of(const std::vector<std::string>& axes,
                         std::vector<std::pair<AxisValues, Index>>& out) const {
    out = {{{}, 0}};
    for (const std::string& axis : axes) {
      TESSERA_TRY(size, size_of(axis));
      std::vector<std::pair<AxisValues, Index>> more;
      for (const auto& [values, place] : out) {
        for (Index v = 0; v < size; ++v) {
          more.emplace_back(values, place * size + v);
          more.back().first[axis] = v;
        }
      }
      out = std::move(more);
    }
    return {};
  }

  Result<Index> size_of(const std::string& axis) const {
    if (const AxisSize* size = axes_->sizes.find(axis)) return size->size;
    if (const auto why = axes_->missing.find(axis); why != axes_->missing.end()) return fail(why->second);
    return fail(Code::unknown_name, fmt::format("axis '{}' has no size", axis), {},
                fmt::format("add it to \"axes\", or --set {}=N", axis));
  }

  // `where` returns the values that name the file of a place, and the place. It returns nothing for a tensor
  // without a place.
  template <class Where>
  Result<void> add_boxes(const SourceShards& shards, const BoundDistribution& to, const std::string& name,
                         const CheckpointTensor& like, Where&& where) {
    ArrayOrigin origin{shards.on, to, shards.tensor_of, {}};
    for (Index place = 0; place < to.places(); ++place) {
      const auto shape = to.local_shape(place);
      if (!shape) continue;
      TESSERA_TRY(tensor, new_tensor(name, where(place), *shape, like));
      origin.targets[place] = tensor;
    }
    out_.arrays.push_back(std::move(origin));
    const std::map<Index, std::size_t>& targets = out_.arrays.back().targets;
    return for_each_place_box({name, like.element_bits, shards.on, to}, [&](const PlaceBox& box) {
      const std::size_t from = shards.tensor_of.at(box.from);
      TargetTensor& tensor = out_.tensors[targets.at(box.to)];
      tensor.moves.push_back(
          {from, strided(box.box, source_.tensors()[from].strides, detail::row_major_strides(tensor.shape))});
    });
  }

  Result<std::size_t> new_tensor(const std::string& name,
                                 const std::optional<std::pair<AxisValues, Index>>& where,
                                 std::vector<Index> shape, const CheckpointTensor& like) {
    TargetTensor tensor{.name = name, .file = {}};
    TESSERA_TRY(file, file_of(name, where));
    tensor.file = std::move(file);
    tensor.type_name = like.type_name;
    tensor.dtype = like.dtype;
    tensor.element_bits = like.element_bits;
    tensor.shape = std::move(shape);
    tensor.rule = rule_;
    if (where) {
      tensor.place = where->second;
      out_.has_places = true;
      placed_.insert(name);
    }
    out_.tensors.push_back(std::move(tensor));
    return out_.tensors.size() - 1;
  }

  Result<std::string> file_of(const std::string& name,
                              const std::optional<std::pair<AxisValues, Index>>& where) const {
    if (!to_files_) {
      if (source_.has_arrays()) return where ? fmt::format("{}-{}.npy", name, where->second) : name + ".npy";
      return where ? fmt::format("model-{:05}.safetensors", where->second) : std::string();
    }
    NameMatch values;
    if (where) values.axes = where->first;
    if (where) values.axes["place"] = where->second;
    values.words["name"] = name;
    for (const std::string& axis : to_files_->axes()) {
      if (values.axes.contains(axis)) continue;
      if (const auto value = axis_value(axes_->sizes, axis, values.axes)) values.axes[axis] = *value;
    }
    auto file = to_files_->name(values);
    if (!file && !where) {
      return fail(Code::bad_option,
                  fmt::format("tensor '{}' has no place, which its file's name needs", name), {},
                  "--to says how the places share it; \"t @ *\" in a recipe copies it");
    }
    return file;
  }

  // --- pieces

  Result<void> add_pieces(const RecipeRule& rule, const RuleGroup& group) {
    TESSERA_NEED(check_complete(rule, group));
    TESSERA_TRY(from, rule_side(rule.from, group.words, *axes_, std::ssize(source_.files())));
    TESSERA_TRY(to, rule_side(rule.to, group.words, *axes_));
    AxisSizes sizes = axes_->sizes;
    TESSERA_TRY(match, PieceMatch::make(std::move(from), std::move(to), std::move(sizes), rule.copies,
                                        options_.allow_unused));
    PieceOrigin origin{std::make_shared<const PieceMatch>(std::move(match)), {}, {}};
    FileAxes files(source_, *axes_);
    Result<void> done;
    TESSERA_NEED(for_each_piece_box(*origin.match, [&](const PieceBox& box) {
      if (done) done = add_piece_box(rule, origin, files, box);
    }));
    TESSERA_NEED(done);
    TESSERA_TRY(copies, piece_copies(source_, rule, *origin.match, axes_->sizes));
    if (!options_.allow_unused) TESSERA_NEED(check_places_read(source_, rule, group, origin, copies, *axes_));
    out_.copies.insert(out_.copies.end(), copies.begin(), copies.end());
    out_.pieces.push_back(std::move(origin));
    return {};
  }

  static Result<void> set_layout(const RecipeTensor& form, TargetTensor& made) {
    TESSERA_TRY(layout, named_layout(form, made.shape));
    if (layout.type().bits != made.element_bits || (made.dtype && layout.type().dtype != made.dtype)) {
      return fail(Code::different_type,
                  fmt::format("the source has elements of {}, but '{}' has elements of {}", made.type_name,
                              made.name, form.type),
                  {}, "codes are copied as they are: write the same type on both sides");
    }
    return made.set_layout(layout);
  }

  Result<void> add_piece_box(const RecipeRule& rule, PieceOrigin& origin, FileAxes& files,
                             const PieceBox& box) {
    const PieceMatch& match = *origin.match;
    AxisValues values;
    for (const auto& [axis, value] : box.axes) values.emplace(axis, value);
    const PieceTensor& from = match.from()[box.from.tensor];
    const PieceTensor& to = match.to()[box.to.tensor];
    auto source = origin.sources.find({box.from.name, box.from.place});
    if (source == origin.sources.end()) {
      const bool placed = from.on || !from.axes.places.empty();
      TESSERA_TRY(
          found,
          find_source(source_, box.from.name, placed ? std::optional(box.from.place) : std::nullopt,
                      [&](const std::string& axis) { return axis_value(axes_->sizes, axis, values); }));
      TESSERA_TRY(number, check_stored(source_, found, from, rule.from[box.from.tensor], box.from.place));
      if (placed) TESSERA_NEED(files.add_place(number, box.from.place));
      source = origin.sources.emplace(std::pair(box.from.name, box.from.place), number).first;
    }
    const CheckpointTensor& stored = source_.tensors()[source->second];
    if (from.on || !from.axes.places.empty())
      TESSERA_NEED(files.check(source->second, box.from.place, values));
    const Index bits = rule.from[box.from.tensor].bits;
    const Index packed = bits == 0 ? 1 : stored.element_bits / bits;
    auto target = origin.targets.find({box.to.name, box.to.place});
    if (target == origin.targets.end()) {
      if (rule.to[box.to.tensor].bits != bits) {
        return fail(Code::different_type,
                    fmt::format("the cells of tensors '{}' and '{}' have different numbers of bits",
                                box.to.name, stored.name),
                    {}, "write the same \"bits\" on both sides");
      }
      std::optional<std::pair<AxisValues, Index>> where;
      if (to.on || !to.axes.places.empty()) where.emplace(values, box.to.place);
      TESSERA_TRY(number, new_tensor(box.to.name, where,
                                     to.on ? *to.on->local_shape(box.to.place) : to.axes.shape(), stored));
      TargetTensor& made = out_.tensors[number];
      made.padded = has_padding(to.axes.dims) || !box.piece.to.crops.empty();
      made.match = origin.match;
      made.pattern = box.to.tensor;
      made.packed = packed;
      made.element_bits = stored.element_bits / packed;
      if (const RecipeTensor& form = rule.to[box.to.tensor]; !form.layout.empty())
        TESSERA_NEED(set_layout(form, made));
      if (packed > 1 && (made.shape.empty() || made.shape.back() % packed != 0)) {
        return fail(
            Code::shape_mismatch,
            fmt::format("the last dimension of tensor '{}' has {} cells of {} bits, which do not fill "
                        "elements of {}",
                        made.name, made.shape.empty() ? 1 : made.shape.back(), bits, stored.element_bits));
      }
      target = origin.targets.emplace(std::pair(box.to.name, box.to.place), number).first;
    }
    if (out_.tensors[target->second].pattern != box.to.tensor) {
      return fail(Code::duplicate_name, fmt::format("the rule writes the tensor '{}' twice", box.to.name), {},
                  "give one of them another name");
    }
    TargetTensor& tensor = out_.tensors[target->second];
    if (tensor.element_bits * packed != stored.element_bits || tensor.packed != packed ||
        tensor.type_name != stored.type_name) {
      return fail(Code::different_type, fmt::format("tensor '{}' would have elements of {} and of {}",
                                                    tensor.name, tensor.type_name, stored.type_name));
    }
    tensor.moves.push_back({source->second, box.box});
    return {};
  }

  Checkpoint& source_;
  const Recipe& recipe_;
  const ReshardFilesOptions& options_;
  RecipeAxes recipe_axes_;
  RecipeAxes group_axes_;
  RecipeAxes* axes_ = &recipe_axes_;  // for the group that is being planned
  std::map<std::string, Index, std::less<>> counts_;
  std::optional<NamePattern> to_files_;
  std::set<std::string> placed_;
  std::size_t rule_ = 0;
  PlannedRules out_;
};

}  // namespace

Result<PlannedRules> plan_rules(Checkpoint& source, const Recipe& recipe,
                                const ReshardFilesOptions& options) {
  for (const RecipeRule& rule : recipe.rules) {
    if (rule.from.empty() || rule.to.empty()) return fail(Code::bad_option, "a rule has no tensors");
  }
  auto planned = RulePlanner(source, recipe, options).plan();
  if (!planned) return planned;
  for (const RecipeRule& rule : recipe.rules) planned->rules.push_back(rule.text());
  return planned;
}

}  // namespace tessera::transfer
