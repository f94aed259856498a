// SPDX-License-Identifier: Apache-2.0
// `tessera reshard at`, `convert` and `equal`: questions about the distributions of one array.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/answer_lines.h"
#include "cli/help.h"
#include "cli/question.h"
#include "cli/reshard_sides.h"
#include "cli/reshard_verbs.h"
#include "cli/verbs.h"
#include "report/distribution_answer.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

struct AskedDistribution {
  Inputs inputs;  // distributions, then indices
  std::vector<std::string> indices;
  std::string shape;
  std::string to = "mesh";
  std::string notion = "map";
  Index places = 0;
};

// The shape, or the error if there is none. The value of --shape is the last input.
Result<std::vector<Index>> shape_of(const AskedDistribution& asked) {
  auto read = parse_typed_shape(asked.shape);
  if (!read) return fail(read.error());
  return std::move(read->shape);
}

std::optional<Index> places_of(const AskedDistribution& asked) {
  return asked.places > 0 ? std::optional(asked.places) : std::nullopt;
}

// The distribution of input number `input`, or the error in it or in the shape, which is the last input.
struct BoundInput {
  std::optional<BoundDistribution> bound = {};
  PrintedAnswer problem = {};
};
BoundInput bound_input(const AskedDistribution& asked, const Inputs& inputs, std::size_t input,
                       std::optional<Index> places) {
  const auto shape = shape_of(asked);
  if (!shape) return {.problem = unreadable(shape.error(), inputs.size() - 1)};
  const auto distribution = parse_distribution(inputs[input]);
  if (!distribution) return {.problem = unreadable(distribution.error(), input)};
  auto bound = bind_distribution(*distribution, *shape, places);
  if (!bound) return {.problem = unreadable(bound.error(), input)};
  return {.bound = std::move(*bound)};
}

PrintedAnswer holders_at(const AskedDistribution& asked, const Inputs& inputs) {
  const BoundInput read = bound_input(asked, inputs, 0, places_of(asked));
  if (!read.bound) return read.problem;
  PrintedAnswer answer;
  std::vector<HoldersAnswer> answers;
  std::vector<std::string> lines;
  for (std::size_t i = 1; i + 1 < inputs.size(); ++i) {
    const auto index = parse_point(inputs[i]);
    if (!index) return unreadable(index.error(), i);
    auto found = holders(*read.bound, *index);
    if (!found) {
      found.error().span = {0, static_cast<std::uint32_t>(inputs[i].size())};
      return unreadable(found.error(), i);
    }
    lines.push_back(to_text(*found));
    answers.push_back({*index, std::move(*found)});
  }
  answer.text = fmt::format("{}", fmt::join(lines, "\n"));
  answer.line = fmt::format("{}", fmt::join(lines, " | "));
  answer.json = to_json(*read.bound, answers);
  return answer;
}

PrintedAnswer converted(const AskedDistribution& asked, const Inputs& inputs) {
  const BoundInput read = bound_input(asked, inputs, 0, places_of(asked));
  if (!read.bound) return read.problem;
  const auto to = convert(*read.bound, *parse_distribution_notation(asked.to));
  if (!to) {
    Diagnostic error = to.error();
    if (error.span.begin == error.span.end) error.span = {0, static_cast<std::uint32_t>(inputs[0].size())};
    return no_answer(std::move(error), 0);
  }
  return {.text = to_string(*to), .json = to_json(*read.bound, *to)};
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
          .json = to_json(*a.bound, *b.bound, *equality)};
}

using AskDistribution = PrintedAnswer (*)(const AskedDistribution&, const Inputs&);

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
      inputs.push_back(asked->shape);
      std::vector<std::string> options(inputs.size());
      options.back() = "--shape";
      return answer(session, {.inputs = std::move(inputs),
                              .ask = [&](const Inputs& texts) { return ask(*asked, texts); },
                              .options = std::move(options)});
    };
  });
}

constexpr const char* kDistribution = "a distribution in any notation";

}  // namespace

void add_reshard_at(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("at", "who holds an element, and where");
  auto asked = std::make_shared<AskedDistribution>();
  asked->inputs.resize(1);
  verb->add_option("DIST", asked->inputs[0], kDistribution)->required();
  verb->add_option("INDEX", asked->indices, "indices of the array, such as 2,3")->required();
  finish_question(*verb, session, asked, holders_at);
  verb->footer(
      R"(Each index gets one line: its places, with the local index and the offset in the place's memory.

Examples:
  tessera reshard at 'DeviceMesh((dp=2, tp=2)) [_StridedShard(dim=0, sf=2), Shard(dim=0)]' --shape 5 2 3 4
  tessera reshard at 'block_cyclic(mb=2, nb=2, grid=2x2)' --shape 9,9 4,7 --json)");
}

void add_reshard_convert(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("convert", "the same distribution in another notation");
  auto asked = std::make_shared<AskedDistribution>();
  asked->inputs.resize(1);
  verb->add_option("DIST", asked->inputs[0], kDistribution)->required();
  verb->add_option("--to", asked->to, "the notation: mesh (the default) can express all others")
      ->type_name("xla|mesh")
      ->check(one_of({"xla", "mesh"}));
  finish_question(*verb, session, asked, converted);
  verb->footer(
      R"x(The result has the same holders, local indices and offsets for arrays of this shape. Exit status 1
if there is none.

Examples:
  tessera reshard convert 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --to xla --shape 8,3
  tessera reshard convert "Mesh('x': 4, 'y': 2) P('y', None, 'x')" --shape 16,16,16)x");
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
