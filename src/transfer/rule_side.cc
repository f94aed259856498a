// SPDX-License-Identifier: Apache-2.0
#include "transfer/rule_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "transfer/source_shards.h"

namespace tessera::transfer {

std::optional<WholeForm> whole_form(std::string_view axes) {
  WholeForm out;
  const std::size_t at = axes.find('@');
  std::string_view rest = at == axes.npos ? axes : axes.substr(at + 1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  if (rest != "*") return {};
  if (at == axes.npos) return out;
  for (std::size_t begin = 0; begin < at;) {
    begin = axes.find_first_not_of(' ', begin);
    if (begin >= at) break;
    const std::size_t end = std::min(axes.find(' ', begin), at);
    out.places.emplace_back(axes.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

Result<std::vector<PieceTensor>> rule_side(const std::vector<RecipeTensor>& side,
                                           const std::map<std::string, std::string, std::less<>>& words,
                                           RecipeAxes& axes, Index files) {
  std::vector<PieceTensor> out;
  for (const RecipeTensor& tensor : side) {
    TESSERA_TRY(name, tensor.name.without_words({{}, words}));
    auto expression = parse_axis_expression(tensor.axes, axes.sizes);
    if (!expression) {
      for (const auto& [axis, why] : axes.missing) {
        if (expression.error().message.find(fmt::format("'{}'", axis)) != std::string::npos) return fail(why);
      }
      Diagnostic diagnostic = expression.error();
      diagnostic.notes.push_back(fmt::format("in the axes '{}' of '{}'", tensor.axes, name));
      return fail(std::move(diagnostic));
    }
    PieceTensor piece{name, std::move(*expression)};
    if (!tensor.sharding.empty()) {
      TESSERA_TRY(distribution, parse_file_distribution(tensor.sharding));
      TESSERA_TRY(on, bind_distribution(distribution, piece.axes.shape(),
                                        distribution.everywhere ? std::optional(files) : std::nullopt));
      piece.on = std::move(on);
    }
    out.push_back(std::move(piece));
  }
  return out;
}

}  // namespace tessera::transfer
