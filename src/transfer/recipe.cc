// SPDX-License-Identifier: Apache-2.0
#include "transfer/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/try.h"
#include "files/json_reader.h"

namespace tessera::transfer {

namespace {

constexpr std::string_view kRecipeSchema = "tessera.recipe/1";

class RecipeReader {
 public:
  explicit RecipeReader(std::string_view text) : text_(text) {}

  Result<Recipe> read() {
    const JsonCheck check = check_json(text_);
    if (check.fault == JsonFault::out_of_memory)
      return fail(Code::limit, fmt::format("not enough memory for a recipe of {} bytes", text_.size()));
    if (check.fault != JsonFault::none) {
      const std::size_t at = std::min(check.at, text_.size());
      return fail(Code::syntax, "the recipe is not JSON", span(at, std::min(at + 1, text_.size())));
    }
    const Json json = parse_json(text_);
    if (!json.is_object()) return fail(Code::syntax, "the recipe is not an object", span(0, 1));
    if (check.repeated_key) {
      return wrong(Code::duplicate_name, *check.repeated_key,
                   fmt::format("one object has the key '{}' twice", *check.repeated_key));
    }
    for (const auto& [key, value] : json.items()) TESSERA_NEED(read_key(key, value));
    if (!has_schema_) {
      return fail(Code::missing_attribute, "the recipe has no schema", span(0, 1),
                  fmt::format("\"schema\": \"{}\"", kRecipeSchema));
    }
    if (out_.rules.empty())
      return fail(Code::missing_attribute, "the recipe has no rules", span(0, 1), "\"tensors\": [{...}]");
    return std::move(out_);
  }

 private:
  static Span span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  // The next occurrence of a quoted string after the text read so far; if there is none, the first
  // occurrence.
  Span place_of(std::string_view word) const {
    const std::string quoted = json_string(word);
    std::size_t found = text_.find(quoted, at_);
    if (found == text_.npos) found = text_.find(quoted);
    return found == text_.npos ? span(0, 1) : span(found, found + quoted.size());
  }

  Failure wrong(Code code, std::string_view word, std::string message, std::string help = {}) const {
    return fail(code, std::move(message), place_of(word), std::move(help));
  }

  Result<void> read_key(const std::string& key, const Json& value) {
    const Span here = place_of(key);
    at_ = here.end > 1 ? here.end : at_;
    if (key == "schema") {
      has_schema_ = true;
      if (value == kRecipeSchema) return {};
      return wrong(Code::bad_option, key, "this version of tessera cannot read the schema",
                   fmt::format("\"schema\": \"{}\"", kRecipeSchema));
    }
    if (key == "name") return text(key, value, out_.name);
    if (key == "axes") return read_axes(value);
    if (key == "files") return read_files(value);
    if (key == "tensors") return read_rules(value);
    if (key == "drop") return read_drop(value);
    return wrong(Code::unknown_name, key, fmt::format("a recipe has no key '{}'", key),
                 "its keys are schema, name, axes, files, tensors and drop");
  }

  Result<void> text(std::string_view key, const Json& value, std::string& out) const {
    const auto* string = value.get_ptr<const std::string*>();
    if (string == nullptr) return wrong(Code::bad_option, key, fmt::format("'{}' is not a string", key));
    out = *string;
    return {};
  }

  Result<void> read_axes(const Json& value) {
    if (!value.is_object()) return wrong(Code::bad_option, "axes", "'axes' is not an object");
    for (const auto& [name, texts] : value.items()) {
      RecipeAxis axis{name, {}};
      const Json list = texts.is_array() ? texts : Json::array({texts});
      for (const Json& one : list) {
        if (one.is_number_unsigned()) {
          axis.texts.push_back(std::to_string(one.get<std::uint64_t>()));
        } else {
          axis.texts.emplace_back();
          TESSERA_NEED(text(name, one, axis.texts.back()));
        }
      }
      out_.axes.push_back(std::move(axis));
    }
    return {};
  }

  Result<void> read_files(const Json& value) {
    if (!value.is_object()) return wrong(Code::bad_option, "files", "'files' is not an object");
    for (const auto& [key, name] : value.items()) {
      if (key != "from" && key != "to")
        return wrong(Code::unknown_name, key, fmt::format("'files' has no key '{}'", key),
                     "write from and to");
      std::string& out = key == "from" ? out_.from_files : out_.to_files;
      TESSERA_NEED(text(key, name, out));
      if (const auto pattern = NamePattern::parse(out); !pattern) return fail(moved(pattern.error(), out));
    }
    return {};
  }

  // Shifts the span of an error in a text to the position of that text in the recipe.
  Diagnostic moved(Diagnostic diagnostic, std::string_view word) const {
    const Span here = place_of(word);
    const bool plain = here.end - here.begin == word.size() + 2;
    if (plain && diagnostic.span.end > 0) {
      diagnostic.span.begin += here.begin + 1;
      diagnostic.span.end += here.begin + 1;
    } else {
      diagnostic.span = here;
    }
    return diagnostic;
  }

  Result<void> read_drop(const Json& value) {
    if (!value.is_array()) return wrong(Code::bad_option, "drop", "'drop' is not a list");
    for (const Json& one : value) {
      std::string name;
      TESSERA_NEED(text("drop", one, name));
      auto pattern = NamePattern::parse(name);
      if (!pattern) return fail(moved(pattern.error(), name));
      out_.drop.push_back(std::move(*pattern));
    }
    return {};
  }

  Result<void> read_rules(const Json& value) {
    if (!value.is_array()) return wrong(Code::bad_option, "tensors", "'tensors' is not a list");
    for (const Json& one : value) {
      if (!one.is_object()) return wrong(Code::bad_option, "tensors", "a rule is not an object");
      RecipeRule rule;
      for (const auto& [key, part] : one.items()) {
        if (key == "from" || key == "to") {
          TESSERA_NEED(read_side(key, part, key == "from" ? rule.from : rule.to));
        } else if (key == "copies") {
          TESSERA_NEED(read_copies(part, rule.copies));
        } else if (key == "rest" && part.is_boolean()) {
          rule.rest = part.get<bool>();
        } else if (key == "rest") {
          return wrong(Code::bad_option, key, "'rest' is not true or false");
        } else {
          return wrong(Code::unknown_name, key, fmt::format("a rule has no key '{}'", key),
                       "its keys are from, to, copies and rest");
        }
      }
      for (const char* key : {"from", "to"}) {
        if (one.contains(key)) continue;
        return wrong(Code::missing_attribute, "tensors", fmt::format("a rule has no '{}'", key));
      }
      out_.rules.push_back(std::move(rule));
    }
    return {};
  }

  static std::string* field_of(RecipeTensor& tensor, std::string_view key) {
    if (key == "axes") return &tensor.axes;
    if (key == "sharding") return &tensor.sharding;
    if (key == "layout") return &tensor.layout;
    return key == "type" ? &tensor.type : nullptr;
  }

  // A layout names the cells of an array whose indices are the axes.
  Result<void> check_layout(const RecipeTensor& tensor, const std::string& name) const {
    if (tensor.layout.empty() && tensor.type.empty()) return {};
    if (tensor.layout.empty() || tensor.type.empty()) {
      return wrong(Code::missing_attribute, name, "\"layout\" and \"type\" go together",
                   "\"layout\": \"pack:awq\", \"type\": \"u4\"");
    }
    if (!is_named_text(tensor.layout)) {
      return wrong(Code::bad_option, tensor.layout,
                   fmt::format("'{}' is not the name of a layout", tensor.layout),
                   "tessera atoms lists the names, such as pack:awq and scale:128x4");
    }
    if (tensor.layout.starts_with("gguf:")) {
      return wrong(
          Code::bad_option, tensor.layout,
          fmt::format("the blocks of '{}' also hold more than elements, such as scales", tensor.layout),
          "copy the codes and each field by its name: tessera copy");
    }
    if (!parse_cell_type(tensor.type)) {
      return wrong(Code::unknown_type, tensor.type, fmt::format("'{}' is not an element type", tensor.type),
                   "write u4, s8 or f8e4m3fn");
    }
    if (tensor.bits == 0 && tensor.sharding.empty() && tensor.axes.find('[') != std::string::npos) return {};
    return wrong(Code::bad_option, name,
                 "a tensor with a layout has axes, such as [rows columns], and neither bits nor a sharding");
  }

  Result<void> read_side(std::string_view side, const Json& value, std::vector<RecipeTensor>& out) {
    if (!value.is_object() || value.empty()) {
      return wrong(Code::bad_option, side, fmt::format("'{}' is not an object of tensors", side),
                   "\"from\": {\"NAME\": \"[rows columns]\"}");
    }
    for (const auto& [name, form] : value.items()) {
      auto pattern = NamePattern::parse(name);
      if (!pattern) return fail(moved(pattern.error(), name));
      RecipeTensor tensor{.name = std::move(*pattern), .axes = {}, .place = place_of(name)};
      at_ = tensor.place.end;
      if (form.is_object()) {
        tensor.axes = "*";
        for (const auto& [key, part] : form.items()) {
          if (key == "bits") {
            TESSERA_NEED(read_bits(part, tensor.bits));
            continue;
          }
          std::string* const field = field_of(tensor, key);
          if (field == nullptr) {
            return wrong(Code::unknown_name, key, fmt::format("a tensor has no key '{}'", key),
                         "its keys are axes, sharding, bits, layout and type");
          }
          TESSERA_NEED(text(key, part, *field));
        }
        TESSERA_NEED(check_layout(tensor, name));
      } else {
        TESSERA_NEED(text(name, form, tensor.axes));
      }
      out.push_back(std::move(tensor));
    }
    return {};
  }

  Result<void> read_bits(const Json& value, Index& out) const {
    if (value.is_number_unsigned()) {
      const auto bits = value.get<std::uint64_t>();
      if (bits == 1 || bits == 2 || bits == 4 || bits == 8) {
        out = static_cast<Index>(bits);
        return {};
      }
    }
    return wrong(Code::bad_option, "bits", "'bits' is not 1, 2, 4 or 8",
                 "the bits of a cell, of which a stored element has several: \"bits\": 4");
  }

  Result<void> read_copies(const Json& value, PieceCopies& out) {
    const auto refuse = [&] {
      return wrong(Code::bad_option, "copies", "'copies' does not name axes of pieces",
                   "\"copies\": {\"k\": [\"r\"]}");
    };
    if (!value.is_object()) return refuse();
    for (const auto& [piece, axes] : value.items()) {
      if (!axes.is_array()) return refuse();
      for (const Json& axis : axes) {
        if (!axis.is_string()) return refuse();
        out[piece].push_back(axis.get<std::string>());
      }
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool has_schema_ = false;
  Recipe out_;
};

}  // namespace

Result<NamedLayout> named_layout(const RecipeTensor& tensor, std::span<const Index> shape) {
  return parse_named_layout(fmt::format("{} {}[{}]", tensor.layout, tensor.type, fmt::join(shape, ",")));
}

Result<Recipe> parse_recipe(std::string_view text) { return RecipeReader(text).read(); }

bool RecipeRule::is_content() const {
  if (rest) return false;
  const std::string_view only = from.size() == 1 ? std::string_view(from[0].name.text()) : "";
  const bool any_name = only.starts_with("{*") && only.find('}') == only.size() - 1;
  return !any_name;
}

std::string RecipeRule::text() const {
  std::vector<std::string_view> before;
  std::vector<std::string_view> after;
  for (const RecipeTensor& tensor : from) before.emplace_back(tensor.name.text());
  for (const RecipeTensor& tensor : to) after.emplace_back(tensor.name.text());
  return fmt::format("{} -> {}", fmt::join(before, ", "), fmt::join(after, ", "));
}

Result<Recipe> distribution_recipe(std::string_view from, std::string_view to) {
  TESSERA_TRY(all, NamePattern::parse("{*name}"));
  Recipe out;
  RecipeRule rule;
  rule.from.push_back({.name = all, .axes = "*", .sharding = std::string(from)});
  rule.to.push_back({.name = all, .axes = "*", .sharding = std::string(to)});
  out.rules.push_back(std::move(rule));
  return out;
}

}  // namespace tessera::transfer
