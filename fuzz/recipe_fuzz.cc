// SPDX-License-Identifier: Apache-2.0
// Any text either is a recipe, or gives a diagnostic inside the text. Each axis of a recipe has a size or a
// reason why it has none. Patterns match only names that they can print.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "transfer/recipe.h"
#include "transfer/recipe_axes.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_pattern(const tessera::transfer::NamePattern& pattern) {
  for (const char* name :
       {"model.layers.12.mlp.up_proj.weight", "lm_head.weight", "model-tp02.safetensors"}) {
    if (const auto match = pattern.match(name)) {
      const auto printed = pattern.name(*match);
      require(printed && *printed == name);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto recipe = tessera::transfer::parse_recipe(text);
  if (!recipe) {
    const auto& error = recipe.error();
    require(!error.message.empty() && error.span.begin <= error.span.end && error.span.end <= size + 1);
    return 0;
  }
  for (const auto& rule : recipe->rules) {
    for (const auto& tensor : rule.from) check_pattern(tensor.name);
    for (const auto& tensor : rule.to) check_pattern(tensor.name);
  }
  const auto axes = tessera::transfer::RecipeAxes::make(
      *recipe, R"({"hidden_size": 64, "heads": 4, "inner": {"x": 3}})", {{"l", 2}}, {{"t", 2}});
  if (!axes) return 0;
  auto sizes = axes->sizes;
  for (const auto& rule : recipe->rules) {
    for (const auto& tensor : rule.from) (void)tessera::parse_axis_expression(tensor.axes, sizes);
  }
  return 0;
}
