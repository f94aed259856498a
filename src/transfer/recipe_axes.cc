// SPDX-License-Identifier: Apache-2.0
// The sizes of axes: numbers, products of other axes, and arithmetic on names and on keys of config.json.
#include "transfer/recipe_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/try.h"
#include "files/json_reader.h"
#include "transfer/axis_arithmetic.h"
#include "transfer/limits.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

namespace {

bool is_composite(std::string_view text) {
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == text.npos) return false;
  const std::string_view inside = text.substr(1, close - 1);
  const std::string_view rest = text.substr(close + 1);
  const bool names = std::ranges::none_of(
      inside, [](char c) { return c == '+' || c == '-' || c == '*' || c == '/' || c == '$' || c == '|'; });
  const std::size_t after = rest.find_first_not_of(' ');
  return names && (after == rest.npos || rest.substr(after).starts_with("crop"));
}

// The names in the parentheses of a composite axis.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> out;
  const std::size_t close = text.find(')');
  for (std::size_t at = 1; at < close;) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin >= close) break;
    const std::size_t end = std::min(text.find_first_of(" )", begin), close);
    out.emplace_back(text.substr(begin, end - begin));
    at = end;
  }
  return out;
}

class AxisCalculator {
 public:
  AxisCalculator(const Recipe& recipe, const Json* config,
                 const std::map<std::string, Index, std::less<>>& counts,
                 const std::map<std::string, Index, std::less<>>& set)
      : recipe_(recipe), config_(config), counts_(counts), set_(set) {}

  // The number that the texts of an axis give, or that follows from the axes that it is a part of. Empty if
  // there is none, as for a composite axis.
  Result<std::optional<Index>> number_of(const std::string& name) {
    if (const auto given = set_.find(name); given != set_.end()) return std::optional(given->second);
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    if (++steps_ > kTransferLimits.axis_steps)
      return fail(Code::limit, fmt::format("the size of axis '{}' takes more than {} steps to compute", name,
                                           kTransferLimits.axis_steps));
    if (std::ssize(active_) >= kTransferLimits.axis_depth || !active_.insert(name).second)
      return fail(Code::duplicate_name, fmt::format("axis '{}' is computed from itself", name));
    auto number = number_of_texts(name);
    const bool composite = composite_of(name) != nullptr;
    if (number && !*number && !composite) number = no_size(name);
    const bool unknown = number ? !*number : number.error().code == Code::unknown_name;
    if (unknown) {
      auto derived = number_of_wholes(name);
      if (!derived || *derived) {
        number = std::move(derived);
      } else if (composite) {
        number = std::optional<Index>();
      }
    }
    active_.erase(name);
    if (number && (*number || active_.empty())) numbers_.emplace(name, *number);
    return number;
  }

  // A number, or the product of the parts of a composite axis.
  Result<Index> size_of(const std::string& name) {
    TESSERA_TRY(number, number_of(name));
    if (number) return *number;
    if (const auto known = products_.find(name); known != products_.end()) return known->second;
    if (crops_active_.contains(name)) return no_size(name);  // `(R r) crop m` for m, whose size is not given
    if (std::ssize(parts_active_) >= kTransferLimits.axis_depth || !parts_active_.insert(name).second)
      return fail(Code::duplicate_name, fmt::format("axis '{}' is a part of itself", name));
    Result<Index> size = composite_size(name, *composite_of(name));
    parts_active_.erase(name);
    if (size) products_.emplace(name, *size);
    return size;
  }

  // Whether all parts of an axis have sizes, and the parts of these.
  Result<void> sizes_of_parts(const std::string& name, int depth = 0) {
    const std::string* const composite = composite_of(name);
    if (composite == nullptr || depth > kTransferLimits.axis_depth || complete_.contains(name)) return {};
    for (const std::string& part : parts_of(*composite)) {
      if (const auto size = size_of(part); !size) return fail(size.error());
      TESSERA_NEED(sizes_of_parts(part, depth + 1));
    }
    complete_.insert(name);
    return {};
  }

  Result<Index> value_of(std::string_view text, const std::string& axis) {
    const auto size = [this](const std::string& name) { return size_of(name); };
    TESSERA_TRY(value, axis_arithmetic(text, axis, config_, size));
    if (value >= 1) return value;
    return fail(Code::number_range,
                fmt::format("axis '{}' would have size {}, but it must be at least 1", axis, value));
  }

 private:
  Result<Index> count_of(const std::string& name) const {
    const auto count = counts_.find(name);
    if (count != counts_.end()) return count->second;
    return fail(Code::unknown_name, fmt::format("no tensor has a name with {{{}}}", name), {},
                fmt::format("the size of '{0}' is the number of names with it: --set {0}=N", name));
  }

  Result<Index> extent_of(const std::string& name) const {
    const auto extent = counts_.find(name);
    if (extent != counts_.end()) return extent->second;
    return fail(
        Code::unknown_name,
        fmt::format("the size of axis '{}' comes from a dimension of a tensor, but no tensor of the rule has "
                    "it as a dimension",
                    name),
        {},
        fmt::format(
            "write it as a dimension of its own in a tensor of the source, \"[{0} columns]\", or --set {0}=N",
            name));
  }

  Failure no_size(const std::string& name) const {
    std::string help = fmt::format("--set {}=N, or add it to \"axes\"", name);
    for (const RecipeAxis& whole : recipe_.axes) {
      for (const std::string& text : whole.texts) {
        if (is_composite(text) && std::ranges::count(parts_of(text), name) > 0)
          help += fmt::format("; it also follows from '{}' and its other parts", whole.name);
      }
    }
    return fail(Code::unknown_name, fmt::format("axis '{}' has no size", name), {}, help);
  }

  // The number that the texts give. Empty if only a composite text is left.
  Result<std::optional<Index>> number_of_texts(const std::string& name) {
    const auto axis = std::ranges::find(recipe_.axes, name, &RecipeAxis::name);
    if (axis == recipe_.axes.end()) return no_size(name);
    std::optional<Index> number;
    std::optional<Diagnostic> missing;
    for (const std::string& text : axis->texts) {
      if (is_composite(text)) continue;
      const auto value = text == "count"   ? count_of(name)
                         : text == "shape" ? extent_of(name)
                                           : value_of(text, name);
      if (!value && value.error().code == Code::unknown_name) {
        if (!missing) missing = value.error();
        continue;
      }
      if (!value) return fail(value.error());
      if (number && *number != *value)
        return fail(Code::shape_mismatch, fmt::format("axis '{}' is given both the size {} and the size {}",
                                                      name, *number, *value));
      number = *value;
    }
    if (!number && missing) return fail(*missing);
    return number;
  }

  // The size of a part: that of a whole, divided by the other parts. Empty if no whole gives it.
  Result<std::optional<Index>> number_of_wholes(const std::string& name) {
    for (const RecipeAxis& whole : recipe_.axes) {
      for (const std::string& text : whole.texts) {
        if (!is_composite(text) || text.find("crop") != text.npos) continue;
        const std::vector<std::string> parts = parts_of(text);
        if (std::ranges::count(parts, name) != 1) continue;
        const auto all = number_of(whole.name);
        if (!all || !*all) continue;
        Index others = 1;
        bool known = true;
        for (const std::string& part : parts) {
          if (part == name || !known) continue;
          const auto size = size_of(part);
          known = size && !mul_overflows(others, *size, others);
        }
        if (!known) continue;
        if (**all % others == 0) return std::optional(**all / others);
        return fail(
            Code::shape_mismatch,
            fmt::format("axis '{}' has size {}, which the other parts of {} do not divide: they have {} "
                        "elements",
                        whole.name, **all, text, others));
      }
    }
    return std::optional<Index>();
  }

  const std::string* composite_of(const std::string& name) const {
    const auto axis = std::ranges::find(recipe_.axes, name, &RecipeAxis::name);
    if (axis == recipe_.axes.end()) return nullptr;
    const auto text = std::ranges::find_if(axis->texts, is_composite);
    return text == axis->texts.end() ? nullptr : &*text;
  }

  Result<Index> composite_size(const std::string& name, const std::string& text) {
    if (const std::size_t crop = text.find("crop", text.find(')')); crop != text.npos) {
      crops_active_.insert(name);
      const auto value = value_of(std::string_view(text).substr(crop + 4), name);
      crops_active_.erase(name);
      return value;
    }
    Index product = 1;
    for (const std::string& part : parts_of(text)) {
      TESSERA_TRY(size, size_of(part));
      if (mul_overflows(product, size, product))
        return fail(Code::overflow, fmt::format("the size of axis '{}' does not fit in 64 bits", name));
    }
    return product;
  }

  const Recipe& recipe_;
  const Json* config_;
  const std::map<std::string, Index, std::less<>>& counts_;
  const std::map<std::string, Index, std::less<>>& set_;
  int steps_ = 0;
  std::map<std::string, std::optional<Index>, std::less<>> numbers_;
  std::map<std::string, Index, std::less<>> products_;
  std::set<std::string, std::less<>> active_;        // whose numbers are being computed
  std::set<std::string, std::less<>> parts_active_;  // whose parts are being multiplied
  std::set<std::string, std::less<>> crops_active_;  // whose crops are being computed
  std::set<std::string, std::less<>> complete_;      // whose parts have sizes
};

// The axes that the recipe declares, and the parts that it does not declare.
std::vector<RecipeAxis> with_parts(const Recipe& recipe) {
  std::vector<RecipeAxis> out = recipe.axes;
  for (const RecipeAxis& axis : recipe.axes) {
    for (const std::string& text : axis.texts) {
      if (!is_composite(text)) continue;
      for (const std::string& part : parts_of(text)) {
        if (std::ranges::find(out, part, &RecipeAxis::name) == out.end()) out.push_back({part, {}});
      }
    }
  }
  return out;
}

}  // namespace

Result<RecipeAxes> RecipeAxes::make(const Recipe& recipe, std::string_view config,
                                    const std::map<std::string, Index, std::less<>>& counts,
                                    const std::map<std::string, Index, std::less<>>& set) {
  Json keys;
  if (!config.empty()) {
    if (check_json(config).fault != JsonFault::none) return fail(Code::bad_file, "config.json is not JSON");
    keys = parse_json(config);
  }
  AxisCalculator calculator(recipe, config.empty() ? nullptr : &keys, counts, set);
  RecipeAxes out;
  std::vector<std::pair<std::string, Index>> composites;
  for (const RecipeAxis& axis : with_parts(recipe)) {
    const auto size = calculator.size_of(axis.name);
    if (!size) {
      if (size.error().code == Code::shape_mismatch || size.error().code == Code::syntax ||
          size.error().code == Code::limit)
        return fail(size.error());
      out.missing.emplace(axis.name, size.error());
      continue;
    }
    const auto composite = std::ranges::find_if(axis.texts, is_composite);
    if (composite == axis.texts.end()) {
      TESSERA_NEED(out.sizes.add(axis.name, *size));
      continue;
    }
    if (const auto parts = calculator.sizes_of_parts(axis.name); !parts) {
      out.missing.emplace(axis.name, parts.error());
      continue;
    }
    std::string text = *composite;
    if (const std::size_t crop = text.find("crop"); crop != text.npos) {
      TESSERA_TRY(limit, calculator.value_of(text.substr(crop + 4), axis.name));
      text = fmt::format("{} crop {}", text.substr(0, text.find(')') + 1), limit);
    }
    TESSERA_NEED(out.sizes.add(axis.name, std::string_view(text)));
    composites.emplace_back(axis.name, *size);
  }
  for (const auto& [name, value] : set) {
    if (out.sizes.find(name) == nullptr && !out.missing.contains(name))
      TESSERA_NEED(out.sizes.add(name, value));
  }
  TESSERA_NEED(out.sizes.resolve());
  for (const auto& [name, size] : composites) {
    const AxisSize* axis = out.sizes.find(name);
    if (axis->size == size) continue;
    return fail(Code::shape_mismatch,
                fmt::format("axis '{}' has size {}, but its parts ({}) have {} elements", name, size,
                            fmt::join(axis->parts, " "), axis->size),
                {}, "check the sizes of the parts; with `crop` the product may be larger");
  }
  return out;
}

std::optional<Index> axis_value(const AxisSizes& sizes, std::string_view axis,
                                const std::map<std::string, Index, std::less<>>& elementary) {
  if (const auto value = elementary.find(axis); value != elementary.end()) return value->second;
  const AxisSize* known = sizes.find(axis);
  if (known == nullptr || known->parts.empty()) return {};
  Index value = 0;
  for (const std::string& part : known->parts) {
    const auto inner = axis_value(sizes, part, elementary);
    if (!inner) return {};
    value = value * sizes.find(part)->size + *inner;
  }
  return value;
}

}  // namespace tessera::transfer
