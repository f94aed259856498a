// SPDX-License-Identifier: Apache-2.0
#include "transfer/file_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/plural.h"
#include "base/try.h"

namespace tessera::transfer {
namespace {

// How many places the files of a tensor may be.
Index place_count(const PieceTensor& tensor, const RecipeAxes& axes) {
  if (tensor.on) return tensor.on->places();
  Index count = 1;
  for (const std::string& axis : tensor.axes.places) count *= axes.sizes.find(axis)->size;
  return count;
}

// The largest number of an axis in the names of the files.
Index most_number(const Checkpoint& source, const std::string& axis) {
  Index most = 0;
  for (const CheckpointFile& file : source.files()) {
    const auto number = file.axes.find(axis);
    if (number != file.axes.end()) most = std::max(most, number->second);
  }
  return most;
}

// An axis of the file's name that has no such value, or "place" if there is no such place.
std::optional<std::string> beyond(const CheckpointFile& file, std::size_t position, Index places,
                                  const RecipeAxes& axes) {
  if (file.axes.empty() && static_cast<Index>(position) >= places) return "place";
  for (const auto& [axis, number] : file.axes) {
    const AxisSize* const size = axes.sizes.find(axis);
    if (axis == "place" ? number >= places : size != nullptr && number >= size->size) return axis;
  }
  return {};
}

// A number in a tensor's name beyond the size of its axis belongs to no element of the rule.
Result<void> check_numbers(const std::string& name, std::size_t k, const NameMatch& match,
                           const RuleGroup& group, const RecipeAxes& axes) {
  for (const auto& [axis, number] : match.axes) {
    const AxisSize* const size = axes.sizes.find(axis);
    if (size == nullptr || number < size->size) continue;
    Index most = 0;
    for (const NameMatch& other : group.found[k]) {
      const auto value = other.axes.find(axis);
      if (value != other.axes.end()) most = std::max(most, value->second);
    }
    return fail({.code = Code::different_shape,
                 .message = fmt::format("the rule leaves out the tensor '{}', because '{}' has {}", name,
                                        axis, detail::plural(size->size, "value")),
                 .reason = "unused_source",
                 .help = fmt::format("for all tensors, --set {}={}; --allow-unused leaves tensors out", axis,
                                     most + 1)});
  }
  return {};
}

}  // namespace

FileAxes::FileAxes(const Checkpoint& source, const RecipeAxes& axes) : source_(source), axes_(axes) {
  const auto& named = source.files()[0].axes;
  if (named.contains("place")) return;  // the place names the file
  for (const auto& [axis, number] : named) names_.push_back(axis);
}

Result<void> FileAxes::add_place(std::size_t stored, Index place) {
  const auto [known, is_new] = places_.emplace(stored, place);
  if (is_new || known->second == place) return {};
  const CheckpointTensor& tensor = source_.tensors()[stored];
  return fail(
      Code::bad_option,
      fmt::format(
          "tensor '{}' in '{}' would be both place {} and place {}: the names of the files do not tell "
          "the places apart",
          tensor.name, source_.files()[tensor.file].name, known->second, place),
      {}, "name the files by their places: {place}");
}

Result<void> FileAxes::check(std::size_t stored, Index place,
                             const std::map<std::string, Index, std::less<>>& values) {
  if (names_.empty()) return {};
  now_.clear();
  for (const std::string& name : names_) now_.push_back(axis_value(axes_.sizes, name, values));
  const auto [known, is_new] = values_.emplace(stored, now_);
  if (is_new || known->second == now_) return {};
  const auto differ = static_cast<std::size_t>(std::ranges::mismatch(known->second, now_).in2 - now_.begin());
  const CheckpointTensor& tensor = source_.tensors()[stored];
  return fail(
      Code::bad_option,
      fmt::format("place {} of tensor '{}' has elements of several values of '{}', so '{}' is not the "
                  "file of the place",
                  place, tensor.name, names_[differ], source_.files()[tensor.file].name),
      {}, fmt::format("name the files by their places: {{place}} instead of {{{}}}", names_[differ]));
}

Result<void> check_places_read(const Checkpoint& source, const RecipeRule& rule, const RuleGroup& group,
                               const PieceOrigin& origin, const std::vector<SourceCopy>& copies,
                               const RecipeAxes& axes) {
  std::set<std::size_t> read;
  const auto add = [&](std::size_t stored) {
    // The tensor itself, if this is a view of it.
    const CheckpointTensor& tensor = source.tensors()[stored];
    read.insert(source.files()[tensor.file].tensors.at(tensor.name));
  };
  for (const auto& [key, stored] : origin.sources) add(stored);
  for (const SourceCopy& copy : copies) {
    add(copy.first);
    add(copy.other);
  }
  for (std::size_t k = 0; k < rule.from.size(); ++k) {
    for (const NameMatch& match : group.found[k]) {
      TESSERA_TRY(name, rule.from[k].name.name({match.axes, group.words}));
      TESSERA_NEED(check_numbers(name, k, match, group, axes));
    }
    const PieceTensor& from = origin.match->from()[k];
    if (!from.on && from.axes.places.empty()) continue;
    const Index places = place_count(from, axes);
    for (const NameMatch& match : group.found[k]) {
      TESSERA_TRY(name, rule.from[k].name.name({match.axes, group.words}));
      for (std::size_t f = 0; f < source.files().size(); ++f) {
        const CheckpointFile& file = source.files()[f];
        const auto stored = file.tensors.find(name);
        if (stored == file.tensors.end() || read.contains(stored->second)) continue;
        const auto axis = beyond(file, f, places, axes);
        if (!axis) continue;  // a place without elements
        const AxisSize* const size = *axis == "place" ? nullptr : axes.sizes.find(*axis);
        return fail(Code::value_count,
                    size != nullptr ? fmt::format("'{}' has the tensor '{}', but '{}' has {}", file.name,
                                                  name, *axis, detail::plural(size->size, "value"))
                                    : fmt::format("'{}' has the tensor '{}', but '{}' has {}", file.name,
                                                  name, rule.text(), detail::plural(places, "place")),
                    {},
                    size != nullptr
                        ? fmt::format("for all files, --set {}={}; --allow-unused leaves files out", *axis,
                                      most_number(source, *axis) + 1)
                        : "give the tensor a place in each file; --allow-unused leaves files out");
      }
    }
  }
  return {};
}

}  // namespace tessera::transfer
