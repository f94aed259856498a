// SPDX-License-Identifier: Apache-2.0
// `tessera reshard convert` and `equal`: one distribution in another notation, and two compared.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/help.h"
#include "cli/reshard_question.h"
#include "cli/reshard_sides.h"
#include "cli/reshard_verbs.h"
#include "cli/verbs.h"
#include "report/distribution_answer.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

// The span of a whole input, for errors that do not name a part of it.
Diagnostic about(Diagnostic error, const std::string& text) {
  if (error.span.begin == error.span.end) error.span = {0, static_cast<std::uint32_t>(text.size())};
  return error;
}

// The distribution of the view that --view asks for.
BoundInput viewed(const AskedDistribution& asked, const Inputs& inputs, const BoundDistribution& bound) {
  const std::size_t input = inputs.size() - 2;
  auto view = parse_shape(asked.view);
  if (!view) return {.problem = unreadable(view.error(), input)};
  const auto made = view_distribution(bound, *view);
  if (!made) {
    if (made.error().code == Code::different_shape || made.error().code == Code::negative_dim)
      return {.problem = unreadable(about(made.error(), asked.view), input)};
    return {.problem = no_answer(about(made.error(), inputs[0]), 0)};
  }
  auto again = bind_distribution(*made, std::move(*view), bound.places());
  if (!again) return {.problem = unreadable(about(again.error(), inputs[0]), 0)};
  return {.bound = std::move(*again)};
}

// JAX refuses arrays whose dimensions the mesh does not divide.
std::vector<std::string> uneven_notes(const BoundDistribution& bound, DistributionNotation to) {
  std::vector<std::string> notes;
  for (std::size_t d = 0; to == DistributionNotation::jax && d < bound.shape().size(); ++d) {
    const auto parts = static_cast<Index>(bound.parts(d).size());
    if (bound.shape()[d] % parts == 0) continue;
    notes.push_back(
        fmt::format("JAX refuses an array whose dimension {} has extent {}, which {} do not divide", d,
                    bound.shape()[d], parts));
  }
  return notes;
}

PrintedAnswer converted(const AskedDistribution& asked, const Inputs& inputs) {
  const BoundInput read = bound_input(asked, inputs, 0, places_of(asked));
  if (!read.bound) return read.problem;
  const bool view = !asked.view.empty();
  const BoundInput shown = view ? viewed(asked, inputs, *read.bound) : read;
  if (!shown.bound) return shown.problem;
  const DistributionNotation notation = *parse_distribution_notation(asked.to);
  const auto to = convert(*shown.bound, notation);
  if (!to) return no_answer(about(to.error(), inputs[0]), 0);
  std::vector<std::string> hints = numbering_notes({&read.bound->distribution()});
  for (std::string& note : uneven_notes(*shown.bound, notation)) hints.push_back(std::move(note));
  return {.text = to_string(*to),
          .json = to_json(*read.bound, *to, view ? shown.bound->shape() : std::span<const Index>()),
          .hints = std::move(hints)};
}

PrintedAnswer distributions_compared(const AskedDistribution& asked, const Inputs& inputs) {
  std::optional<Index> places = places_of(asked);
  for (const std::size_t input : {0U, 1U}) {
    const auto distribution = parse_distribution(inputs[input]);
    if (!distribution) return unreadable(distribution.error(), input);
    const std::optional<Index> named = place_count(*distribution);
    if (asked.places == 0 && named) places = std::max(places.value_or(0), *named);
  }
  const BoundInput a = bound_input(asked, inputs, 0, places);
  if (!a.bound) return a.problem;
  const BoundInput b = bound_input(asked, inputs, 1, places);
  if (!b.bound) return b.problem;
  const DistributionNotion notion =
      asked.notion == "holders" ? DistributionNotion::holders : DistributionNotion::map;
  const auto equality = equal(*a.bound, *b.bound, notion);
  if (!equality) return unreadable(equality.error(), 1);
  return {.status = status_of(equality->verdict),
          .text = to_text(*equality),
          .json = to_json(*a.bound, *b.bound, *equality),
          .hints = numbering_notes({&a.bound->distribution(), &b.bound->distribution()})};
}

}  // namespace

void add_reshard_convert(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("convert", "the same distribution in another notation");
  auto asked = std::make_shared<AskedDistribution>();
  asked->inputs.resize(1);
  verb->add_option("DIST", asked->inputs[0], kDistribution)->required();
  verb->add_option("--to", asked->to, "the notation: mesh (the default) can express all others")
      ->type_name("xla|jax|torch|sdy|mesh")
      ->check(one_of({"xla", "jax", "torch", "sdy", "mesh"}));
  verb->add_option(
          "--view", asked->view,
          "the distribution of an array with these dimensions: the same elements in row-major order on "
          "the same places")
      ->type_name("DIMS");
  finish_question(*verb, session, asked, converted);
  verb->footer(
      R"x(The result has the same holders, local indices and offsets for arrays of this shape. Exit status 1
if there is none, with an index that shows it.

Examples:
  tessera reshard convert 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --to xla --shape 8,3
  tessera reshard convert "Mesh('x': 4, 'y': 2) P('y', None, 'x')" --to torch --shape 16,16,16
  tessera reshard convert "Mesh('x': 4) P('x')" --to sdy --shape 8,6 --view 2,4,6)x");
}

void add_reshard_equal(CLI::App& reshard, Session& session) {
  CLI::App* verb =
      reshard.add_subcommand("equal", "prove two distributions equal, or find the first difference");
  auto asked = std::make_shared<AskedDistribution>();
  asked->inputs.resize(2);
  verb->add_option("A", asked->inputs[0], kDistribution)->required();
  verb->add_option("B", asked->inputs[1], kDistribution)->required();
  verb->add_option("--notion", asked->notion,
                   "map (the default): the same places, local indices and offsets; holders: the same places")
      ->type_name("map|holders")
      ->check(one_of({"map", "holders"}));
  finish_question(*verb, session, asked, distributions_compared);
  verb->footer(
      R"('yes' (exit status 0), or 'no at INDEX' with the first index that differs and its places in both (1).

Examples:
  tessera reshard equal 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' '{devices=[4]<=[4]}' --shape 13)");
}

}  // namespace tessera::cli
