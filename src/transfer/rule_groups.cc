// SPDX-License-Identifier: Apache-2.0
#include "transfer/rule_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/plural.h"
#include "base/try.h"
#include "transfer/limits.h"

namespace tessera::transfer {
namespace {

using AxisNumbers = std::map<std::string, std::set<Index>>;

// Gives a tensor to the first rule that names it. False if there is none.
bool take(const Recipe& recipe, const std::string& name, RuleGroups& out, AxisNumbers& values) {
  for (std::size_t r = 0; r < recipe.rules.size(); ++r) {
    const RecipeRule& rule = recipe.rules[r];
    for (std::size_t k = 0; k < rule.from.size(); ++k) {
      auto match = rule.from[k].name.match(name);
      if (!match) continue;
      std::vector<RuleGroup>& groups = out.of_rule[r];
      auto group = std::ranges::find(groups, match->words, &RuleGroup::words);
      if (group == groups.end()) {
        groups.push_back({match->words, {}});
        group = std::prev(groups.end());
        group->found.resize(rule.from.size());
      }
      for (const auto& [axis, value] : match->axes) values[axis].insert(value);
      group->found[k].push_back(std::move(*match));
      return true;
    }
  }
  return false;
}

bool has_text(const Recipe& recipe, std::string_view axis, std::string_view text) {
  const auto declared = std::ranges::find(recipe.axes, axis, &RecipeAxis::name);
  return declared != recipe.axes.end() && std::ranges::find(declared->texts, text) != declared->texts.end();
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The dimensions of `[rows (a b) 1]`: its names and the text of each group in parentheses.
std::vector<std::string_view> dimension_texts(std::string_view axes) {
  std::vector<std::string_view> out;
  const std::size_t open = axes.find('[');
  const std::size_t close = std::min(axes.rfind(']'), axes.size());
  for (std::size_t at = open == axes.npos ? close : open + 1; at < close;) {
    const std::size_t begin = at;
    if (axes[at] == '(') {
      int depth = 0;
      while (at < close && (depth += axes[at] == '(' ? 1 : axes[at] == ')' ? -1 : 0) > 0) ++at;
      ++at;
    } else if (is_name_character(axes[at])) {
      while (at < close && (is_name_character(axes[at]) || axes[at] == '=')) ++at;
    } else {
      ++at;
      continue;
    }
    out.push_back(axes.substr(begin, at - begin));
  }
  return out;
}

const CheckpointTensor* any_tensor(const Checkpoint& source, const std::string& name) {
  for (const CheckpointFile& file : source.files()) {
    const auto found = file.tensors.find(name);
    if (found != file.tensors.end()) return &source.tensors()[found->second];
  }
  return nullptr;
}

// `'a', 'b', 'c' and 4 more`.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < std::min(names.size(), kTransferLimits.listed_names); ++k)
    out += fmt::format("{}'{}'", k > 0 ? ", " : "", names[k]);
  return names.size() > kTransferLimits.listed_names
             ? fmt::format("{} and {} more", out, names.size() - kTransferLimits.listed_names)
             : out;
}

// A recipe must take a tensor that it is about; rules for the rest do not count.
Result<void> check_match(const Recipe& recipe, const RuleGroups& groups,
                         const std::vector<std::string>& names) {
  const bool only_rest = std::ranges::none_of(recipe.rules, &RecipeRule::is_content);
  std::vector<std::string> wanted;
  for (std::size_t r = 0; r < recipe.rules.size(); ++r) {
    if (!only_rest && !recipe.rules[r].is_content()) continue;
    if (!groups.of_rule[r].empty()) return {};
    for (const RecipeTensor& tensor : recipe.rules[r].from) wanted.push_back(tensor.name.text());
  }
  Diagnostic diagnostic{
      .code = Code::unknown_name,
      .message = fmt::format("the source has no tensor that the recipe is for, such as {} (no_match)",
                             listed(wanted)),
      .reason = "no_match",
      .help =
          "compare the names in the rules with those of the source: tessera info; tessera reshard recipes "
          "lists other recipes"};
  if (groups.dropped.size() == names.size())
    diagnostic.message = "the recipe drops every tensor of the source (no_match)";
  diagnostic.notes.push_back(fmt::format("the source has {}", listed(names)));
  return fail(std::move(diagnostic));
}

// The shape of an array in a named layout, from that of its container, if each extent of the container is in
// proportion to that of the array: packings in rows or in columns are.
std::optional<std::vector<Index>> array_shape(const RecipeTensor& form, std::span<const Index> container) {
  constexpr Index kProbe = 4096;
  std::vector<Index> shape(container.size(), kProbe);
  const Result<NamedLayout> probe = named_layout(form, shape);
  if (!probe || probe->container().shape.size() != container.size()) return std::nullopt;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index whole = probe->container().shape[d];
    if (mul_overflows(container[d], kProbe, shape[d]) || shape[d] % whole != 0) return std::nullopt;
    shape[d] /= whole;
  }
  const Result<NamedLayout> found = named_layout(form, shape);
  if (!found || !std::ranges::equal(found->container().shape, container)) return std::nullopt;
  return shape;
}

}  // namespace

Result<RuleGroups> group_tensors(const Checkpoint& source, const Recipe& recipe, bool allow_unused) {
  RuleGroups out;
  out.of_rule.resize(recipe.rules.size());
  AxisNumbers values;
  std::vector<std::string> unused;
  const std::vector<std::string> names = source.names();
  for (const std::string& name : names) {
    if (std::ranges::any_of(recipe.drop, [&](const NamePattern& drop) {
          return drop.match(name) || name.ends_with("." + drop.text());
        })) {
      out.dropped.push_back(name);
      continue;
    }
    if (!take(recipe, name, out, values)) unused.push_back(name);
  }
  TESSERA_NEED(check_match(recipe, out, names));
  if (!unused.empty() && !allow_unused) {
    return fail(
        {.code = Code::different_shape,
         .message =
             fmt::format("no rule takes the tensor '{}'{}", unused[0],
                         unused.size() > 1 ? fmt::format(" and {} more", unused.size() - 1) : std::string()),
         .reason = "unused_source",
         .help = fmt::format("add a rule that takes it, such as {{\"from\": {{\"{0}\": \"*\"}}, \"to\": "
                             "{{\"{0}\": \"*\"}}}}; \"drop\" and --allow-unused leave it out of "
                             "the target",
                             unused[0])});
  }
  for (const auto& [axis, found] : values) {
    if (!has_text(recipe, axis, "count")) continue;
    out.counts[axis] = std::ssize(found);
    if (*found.rbegin() == std::ssize(found) - 1) continue;
    Index gap = 0;
    while (found.contains(gap)) ++gap;
    return fail(
        {.code = Code::different_shape,
         .message = fmt::format("{} = {} is missing: the names count to {}", axis, gap, *found.rbegin()),
         .reason = "not_covered",
         .help = "a tensor is missing in the source, or use {*word} for names that are not counted"});
  }
  return out;
}

Result<std::map<std::string, Index, std::less<>>> shape_axes(const Checkpoint& source, const Recipe& recipe,
                                                             const RecipeRule& rule, const RuleGroup& group) {
  std::map<std::string, Index, std::less<>> out;
  std::map<std::string, std::string, std::less<>> first;  // the tensor that gave each extent
  for (std::size_t k = 0; k < rule.from.size(); ++k) {
    const std::vector<std::string_view> dims = dimension_texts(rule.from[k].axes);
    const auto by_shape = [&](std::string_view dim) { return has_text(recipe, dim, "shape"); };
    if (std::ranges::none_of(dims, by_shape) || group.found[k].empty()) continue;
    TESSERA_TRY(name, rule.from[k].name.name({group.found[k][0].axes, group.words}));
    const CheckpointTensor* tensor = any_tensor(source, name);
    if (tensor == nullptr) continue;
    if (!rule.from[k].sharding.empty() || rule.from[k].axes.find('@') != std::string::npos) {
      return fail(Code::bad_option,
                  fmt::format("tensor '{}' is distributed, so its file does not show the size of '{}'", name,
                              *std::ranges::find_if(dims, by_shape)),
                  {}, "write the sizes of its axes into the recipe");
    }
    std::vector<Index> shape = tensor->shape;
    if (rule.from[k].bits > 0 && !shape.empty()) shape.back() *= tensor->element_bits / rule.from[k].bits;
    if (!rule.from[k].layout.empty()) {
      const auto array = array_shape(rule.from[k], shape);
      if (!array) {
        return fail(Code::shape_mismatch,
                    fmt::format("tensor '{}' has the shape [{}], which is not that of an array in '{}'", name,
                                fmt::join(shape, ","), rule.from[k].layout),
                    {}, "write the sizes of its axes into the recipe, or give them with --set");
      }
      shape = *array;
    }
    if (shape.size() != dims.size()) {
      return fail(Code::shape_mismatch,
                  fmt::format("tensor '{}' has {}, but '{}' has {}", name,
                              detail::plural(shape.size(), "dimension"), rule.from[k].axes, dims.size()));
    }
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (!by_shape(dims[d])) continue;
      const auto [known, is_new] = out.emplace(dims[d], shape[d]);
      const auto& [axis, extent] = *known;
      if (is_new) first.emplace(axis, name);
      if (extent == shape[d]) continue;
      return fail(Code::shape_mismatch, fmt::format("axis '{}' has size {} in '{}', but size {} in '{}'",
                                                    axis, extent, first.at(axis), shape[d], name));
    }
  }
  return out;
}

}  // namespace tessera::transfer
