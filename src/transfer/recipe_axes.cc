// SPDX-License-Identifier: Apache-2.0
// The sizes of axes: numbers, products of other axes, and arithmetic on names and on keys of config.json.
#include "transfer/recipe_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/try.h"
#include "files/json_reader.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

namespace {

constexpr int kMostAxisDepth = 64;

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

class AxisCalculator {
 public:
  AxisCalculator(const Recipe& recipe, const Json& config, bool has_config,
                 const std::map<std::string, Index, std::less<>>& counts,
                 const std::map<std::string, Index, std::less<>>& set)
      : recipe_(recipe), config_(config), has_config_(has_config), counts_(counts), set_(set) {}

  // The number that the texts of an axis give. Empty if none gives one, as for a composite axis.
  Result<std::optional<Index>> number_of(const std::string& name) {
    if (const auto given = set_.find(name); given != set_.end()) return std::optional(given->second);
    const auto axis = std::ranges::find(recipe_.axes, name, &RecipeAxis::name);
    if (axis == recipe_.axes.end())
      return fail(Code::unknown_name, fmt::format("axis '{}' has no size", name), {},
                  fmt::format("add it to \"axes\", or --set {}=N", name));
    if (++depth_ > kMostAxisDepth) {
      --depth_;
      return fail(Code::duplicate_name, fmt::format("axis '{}' is computed from itself", name));
    }
    std::optional<Index> number;
    Result<void> done;
    for (const std::string& text : axis->texts) {
      if (is_composite(text)) continue;
      const auto value = text == "count"   ? count_of(name)
                         : text == "shape" ? extent_of(name)
                                           : value_of(text, name);
      if (!value) {
        done = fail(value.error());
        break;
      }
      if (number && *number != *value) {
        done = fail(Code::shape_mismatch, fmt::format("axis '{}' is given both the size {} and the size {}",
                                                      name, *number, *value));
        break;
      }
      number = *value;
    }
    --depth_;
    if (!done) return fail(done.error());
    return number;
  }

  // A number, or the product of the parts of a composite axis.
  Result<Index> size_of(const std::string& name) {
    TESSERA_TRY(number, number_of(name));
    if (number) return *number;
    const auto axis = std::ranges::find(recipe_.axes, name, &RecipeAxis::name);
    if (++depth_ > kMostAxisDepth) {
      --depth_;
      return fail(Code::duplicate_name, fmt::format("axis '{}' is a part of itself", name));
    }
    Result<Index> size = composite_size(*axis);
    --depth_;
    return size;
  }

  Result<Index> value_of(std::string_view text, const std::string& axis) {
    // Of several alternatives, use the first whose keys exist.
    std::optional<Diagnostic> first;
    while (true) {
      const std::size_t bar = std::min(text.find('|'), text.size());
      text_ = text.substr(0, bar);
      at_ = 0;
      missing_key_ = false;
      const std::string_view whole = text_;
      auto value = sum();
      if (value && next() != whole.size())
        value = fail(Code::syntax, fmt::format("'{}' for axis '{}' is not a sum of products", whole, axis),
                     {}, "write + - * / between numbers, axes and $keys of config.json");
      if (value) {
        if (*value >= 1) return *value;
        return fail(Code::number_range,
                    fmt::format("axis '{}' would have size {}, but it must be at least 1", axis, *value));
      }
      if (!first) first = value.error();
      if (!missing_key_ || bar == text.size()) return fail(missing_key_ ? *first : value.error());
      text.remove_prefix(bar + 1);
    }
  }

 private:
  Result<Index> count_of(const std::string& name) const {
    const auto count = counts_.find(name);
    if (count != counts_.end()) return count->second;
    return fail(Code::unknown_name, fmt::format("no tensor has a name with {{{}}}", name));
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
        fmt::format("write it as a dimension of its own in a tensor of the source: \"[{} columns]\"", name));
  }

  Result<Index> composite_size(const RecipeAxis& axis) {
    for (const std::string& text : axis.texts) {
      const std::size_t close = text.find(')');
      if (const std::size_t crop = text.find("crop", close); crop != text.npos)
        return value_of(text.substr(crop + 4), axis.name);
      Index product = 1;
      for (std::size_t at = 1; at < close;) {
        const std::size_t begin = text.find_first_not_of(' ', at);
        if (begin >= close) break;
        const std::size_t end = std::min(text.find_first_of(" )", begin), close);
        TESSERA_TRY(size, size_of(text.substr(begin, end - begin)));
        if (mul_overflows(product, size, product))
          return fail(Code::overflow,
                      fmt::format("the size of axis '{}' does not fit in 64 bits", axis.name));
        at = end;
      }
      return product;
    }
    return fail(Code::unknown_name, fmt::format("axis '{}' has no size", axis.name));
  }

  std::size_t next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
  }
  bool accept(char c) {
    if (next() == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<Index> sum() {
    TESSERA_TRY(first, product());
    Index value = first;
    while (true) {
      const bool minus = accept('-');
      if (!minus && !accept('+')) return value;
      TESSERA_TRY(term, product());
      if (add_overflows(value, minus ? -term : term, value)) return too_large();
    }
  }

  Result<Index> product() {
    TESSERA_TRY(first, atom());
    Index value = first;
    while (true) {
      const bool divide = accept('/');
      if (!divide && !accept('*')) return value;
      TESSERA_TRY(factor, atom());
      if (!divide) {
        if (mul_overflows(value, factor, value)) return too_large();
      } else if (factor == 0 || value % factor != 0) {
        return fail(Code::shape_mismatch,
                    fmt::format("{} / {} in '{}' leaves a remainder", value, factor, text_));
      } else {
        value /= factor;
      }
    }
  }

  Result<Index> atom() {
    if (accept('(')) {
      TESSERA_TRY(value, sum());
      if (!accept(')')) return fail(Code::syntax, fmt::format("'{}' has a '(' without ')'", text_));
      return value;
    }
    const bool key = accept('$');
    const std::size_t begin = next();
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '.';
    };
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) {
      return fail(Code::syntax,
                  fmt::format("'{}' lacks a number or a name after '{}'", text_, text_.substr(0, begin)));
    }
    if (key) return config_value(word);
    if (word == "cdiv" && accept('(')) return rounded_up_quotient();
    if (word[0] >= '0' && word[0] <= '9') {
      Index value = 0;
      for (const char c : word) {
        if (c < '0' || c > '9') return fail(Code::syntax, fmt::format("'{}' is not a number", word));
        if (mul_overflows(value, Index{10}, value) || add_overflows(value, Index{c - '0'}, value))
          return too_large();
      }
      return value;
    }
    // Save the cursor, because size_of() parses the texts of another axis.
    const std::string_view text = text_;
    const std::size_t at = at_;
    auto value = size_of(word);
    text_ = text;
    at_ = at;
    return value;
  }

  // `cdiv(a, b)` after its parenthesis.
  Result<Index> rounded_up_quotient() {
    TESSERA_TRY(a, sum());
    if (!accept(',')) return fail(Code::syntax, fmt::format("'{}' lacks a ',' in cdiv(a, b)", text_));
    TESSERA_TRY(b, sum());
    if (!accept(')')) return fail(Code::syntax, fmt::format("'{}' has a '(' without ')'", text_));
    if (b < 1)
      return fail(Code::number_range,
                  fmt::format("the divisor of cdiv is {} in '{}', but it must be at least 1", b, text_));
    return ceil_div(a, b);
  }

  Result<Index> config_value(const std::string& key) {
    const Json* at = &config_;
    for (std::size_t begin = 0; at != nullptr && begin <= key.size();) {
      const std::size_t end = std::min(key.find('.', begin), key.size());
      const auto found = at->is_object() ? at->find(key.substr(begin, end - begin)) : at->end();
      at = at->is_object() && found != at->end() ? &*found : nullptr;
      begin = end + 1;
    }
    if (at == nullptr || at->is_null()) {
      missing_key_ = true;
      return fail(Code::unknown_name,
                  has_config_ ? fmt::format("config.json has no '{}'", key)
                              : fmt::format("the source has no config.json with '{}'", key),
                  {}, "give the axis with --set NAME=VALUE");
    }
    if (at->is_number_unsigned() && at->get<std::uint64_t>() <= static_cast<std::uint64_t>(kIndexMax))
      return static_cast<Index>(at->get<std::uint64_t>());
    return fail(Code::bad_file, fmt::format("'{}' in config.json is not a count", key));
  }

  Failure too_large() const {
    return fail(Code::overflow, fmt::format("'{}' does not fit in 64 bits", text_));
  }

  const Recipe& recipe_;
  const Json& config_;
  bool has_config_;
  const std::map<std::string, Index, std::less<>>& counts_;
  const std::map<std::string, Index, std::less<>>& set_;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool missing_key_ = false;
};

}  // namespace

Result<RecipeAxes> RecipeAxes::make(const Recipe& recipe, std::string_view config,
                                    const std::map<std::string, Index, std::less<>>& counts,
                                    const std::map<std::string, Index, std::less<>>& set) {
  Json json = Json::object();
  if (!config.empty()) {
    if (check_json(config).fault != JsonFault::none) return fail(Code::bad_file, "config.json is not JSON");
    json = parse_json(config);
  }
  AxisCalculator calculator(recipe, json, !config.empty(), counts, set);
  RecipeAxes out;
  std::vector<std::pair<std::string, Index>> composites;
  for (const RecipeAxis& axis : recipe.axes) {
    const auto size = calculator.size_of(axis.name);
    if (!size) {
      if (size.error().code == Code::shape_mismatch || size.error().code == Code::syntax)
        return fail(size.error());
      out.missing.emplace(axis.name, size.error());
      continue;
    }
    const auto composite = std::ranges::find_if(axis.texts, is_composite);
    if (composite == axis.texts.end()) {
      TESSERA_NEED(out.sizes.add(axis.name, *size));
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
