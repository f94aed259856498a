// SPDX-License-Identifier: Apache-2.0
#include "transfer/axis_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/nearest.h"

namespace tessera::transfer {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The names in an axis expression or in arithmetic on axes: not labels, numbers, or keys of config.json.
void add_names(std::string_view text, std::set<std::string>& out) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      const bool key = text[at] == '$';
      ++at;
      while (key && at < text.size() && (is_word(text[at]) || text[at] == '.')) ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    const std::size_t next = std::min(text.find_first_not_of(' ', at), text.size());
    const bool label = next < text.size() && text[next] == ':';
    const bool number = word[0] >= '0' && word[0] <= '9';
    if (!label && !number && word != "_" && word != "crop" && word != "cdiv") out.emplace(word);
  }
}

}  // namespace

std::vector<std::string> axis_names(const Recipe& recipe) {
  std::set<std::string> out;
  const auto add_pattern = [&](const NamePattern& pattern) {
    for (std::string& axis : pattern.axes()) out.insert(std::move(axis));
  };
  for (const RecipeAxis& axis : recipe.axes) {
    out.insert(axis.name);
    for (const std::string& text : axis.texts) {
      if (text != "count" && text != "shape") add_names(text, out);
    }
  }
  for (const RecipeRule& rule : recipe.rules) {
    for (const std::vector<RecipeTensor>* side : {&rule.from, &rule.to}) {
      for (const RecipeTensor& tensor : *side) {
        add_pattern(tensor.name);
        add_names(tensor.axes, out);
      }
    }
  }
  for (const std::string& files : {recipe.from_files, recipe.to_files}) {
    if (const auto pattern = NamePattern::parse(files)) add_pattern(*pattern);
  }
  out.erase("place");
  return {out.begin(), out.end()};
}

Result<void> check_set(const std::vector<std::string>& known,
                       const std::map<std::string, Index, std::less<>>& set) {
  for (const auto& [name, value] : set) {
    if (std::ranges::binary_search(known, name)) continue;
    const std::string meant = detail::nearest(name, known);
    return fail(Code::bad_option, fmt::format("the recipe has no axis '{}'", name), {},
                !meant.empty()  ? fmt::format("did you mean '{}'?", meant)
                : known.empty() ? "leave it out: the recipe has no axes"
                                : fmt::format("its axes are {}", fmt::join(known, ", ")));
  }
  return {};
}

}  // namespace tessera::transfer
