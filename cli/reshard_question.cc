// SPDX-License-Identifier: Apache-2.0
#include "cli/reshard_question.h"

#include <utility>

#include "cli/reshard_sides.h"
#include "cli/verbs.h"

namespace tessera::cli {

std::optional<Index> places_of(const AskedDistribution& asked) {
  return asked.places > 0 ? std::optional(asked.places) : std::nullopt;
}

BoundInput bound_input(const AskedDistribution& asked, const Inputs& inputs, std::size_t input,
                       std::optional<Index> places) {
  auto array = parse_typed_shape(asked.shape);
  if (!array) return {.problem = unreadable(array.error(), inputs.size() - 1)};
  const auto distribution = parse_distribution(inputs[input]);
  if (!distribution) return {.problem = unreadable(distribution.error(), input)};
  auto bound = bind_distribution(*distribution, std::move(array->shape), places);
  if (!bound) return {.problem = unreadable(bound.error(), input)};
  return {.bound = std::move(*bound), .dtype = array->dtype};
}

void add_place_option(CLI::App& verb, AskedDistribution& asked, const char* what) {
  verb.add_option("--place", asked.place, what)
      ->type_name("P")
      ->check(CLI::Range(Index{0}, kMostPlaceNumbers - 1));
}

void finish_question(CLI::App& verb, Session& session, const std::shared_ptr<AskedDistribution>& asked,
                     AskDistribution ask) {
  verb.add_option("--shape", asked->shape,
                  "dimensions of the array, with or without a type: 16,16 or f32[16,16]")
      ->type_name("DIMS")
      ->required();
  verb.add_option("--places", asked->places, "the number of places; {replicated} needs it")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, kMostPlaces));
  add_common_options(verb, session);
  verb.callback([&session, asked, ask] {
    session.action = [&session, asked, ask] {
      Inputs inputs = asked->inputs;
      inputs.insert(inputs.end(), asked->indices.begin(), asked->indices.end());
      std::vector<std::string> options(inputs.size());
      const auto add = [&](std::string text, const char* option) {
        inputs.push_back(std::move(text));
        options.emplace_back(option);
      };
      if (asked->place >= 0) add(std::to_string(asked->place), "--place");
      if (!asked->view.empty()) add(asked->view, "--view");
      add(asked->shape, "--shape");
      return answer(session, {.inputs = std::move(inputs),
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); },
                              .options = std::move(options)});
    };
  });
}

}  // namespace tessera::cli
