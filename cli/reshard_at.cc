// SPDX-License-Identifier: Apache-2.0
// `tessera reshard at` and `places`: who holds an element, and what each place holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "cli/reshard_question.h"
#include "cli/reshard_verbs.h"
#include "cli/verbs.h"
#include "report/distribution_answer.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

// The most places that are listed.
constexpr Index kMostListed = Index{1} << 20;

// The error of a place number that does not exist, if --place gives one.
std::optional<PrintedAnswer> place_problem(const AskedDistribution& asked, const BoundDistribution& bound,
                                           const Inputs& inputs) {
  if (asked.place < bound.places()) return {};
  return unreadable({.code = Code::index_out_of_range,
                     .message = fmt::format("there is no place {}: the places are 0 to {}", asked.place,
                                            bound.places() - 1),
                     .span = {0, static_cast<std::uint32_t>(inputs[inputs.size() - 2].size())},
                     .help = "--places N gives the number of places"},
                    inputs.size() - 2);
}

// The span of a whole input, for errors that do not name a part of it.
Diagnostic about_all(Diagnostic error, const std::string& text) {
  error.span = {0, static_cast<std::uint32_t>(text.size())};
  return error;
}

// One answer for each index.
struct AnswersAt {
  std::vector<std::string> lines = {};
  std::string json = {};
  bool on_place = true;  // whether the place of --place holds all elements
  std::optional<PrintedAnswer> problem = {};
};

AnswersAt holders_of(const AskedDistribution& asked, const Inputs& inputs, const BoundDistribution& bound) {
  AnswersAt out;
  std::vector<HoldersAnswer> answers;
  for (std::size_t i = 1; i <= asked.indices.size(); ++i) {
    const auto index = parse_point(inputs[i]);
    if (!index) return {.problem = unreadable(index.error(), i)};
    auto found = holders(bound, *index);
    if (!found) return {.problem = unreadable(about_all(found.error(), inputs[i]), i)};
    const auto here = std::ranges::find(*found, asked.place, &ShardHolder::place);
    if (asked.place < 0) {
      out.lines.push_back(to_text(*found));
    } else if (here != found->end()) {
      *found = {*here};
      out.lines.push_back(to_text(*found));
    } else {
      out.on_place = false;
      out.lines.push_back(fmt::format("not on place {}, but on {}", asked.place, to_text(*found)));
      found->clear();
    }
    answers.push_back({*index, std::move(*found)});
  }
  out.json = to_json(bound, answers);
  return out;
}

AnswersAt elements_of(const AskedDistribution& asked, const Inputs& inputs, const BoundDistribution& bound) {
  AnswersAt out;
  std::vector<LocalElementAnswer> answers;
  for (std::size_t i = 1; i <= asked.indices.size(); ++i) {
    const auto local = parse_point(inputs[i]);
    if (!local) return {.problem = unreadable(local.error(), i)};
    auto index = element_at(bound, asked.place, *local);
    if (!index) return {.problem = unreadable(about_all(index.error(), inputs[i]), i)};
    answers.push_back(
        {asked.place, *local, std::move(*index), bound.local_buffer(asked.place).offset(*local)});
    out.lines.push_back(to_text(answers.back()));
  }
  out.json = to_json(bound, answers);
  return out;
}

PrintedAnswer at(const AskedDistribution& asked, const Inputs& inputs) {
  if (asked.inverse && asked.place < 0) {
    return unreadable({.code = Code::bad_option,
                       .message = "--inverse takes an index of a place's local array, but no place is given",
                       .help = "add --place P"},
                      0);
  }
  const BoundInput read = bound_input(asked, inputs, 0, places_of(asked));
  if (!read.bound) return read.problem;
  if (auto problem = place_problem(asked, *read.bound, inputs)) return std::move(*problem);
  AnswersAt answers =
      asked.inverse ? elements_of(asked, inputs, *read.bound) : holders_of(asked, inputs, *read.bound);
  if (answers.problem) return std::move(*answers.problem);
  return {.status = answers.on_place ? kDone : kNo,
          .text = fmt::format("{}", fmt::join(answers.lines, "\n")),
          .line = fmt::format("{}", fmt::join(answers.lines, " | ")),
          .json = std::move(answers.json),
          .hints = numbering_notes({&read.bound->distribution()})};
}

PrintedAnswer places(const AskedDistribution& asked, const Inputs& inputs) {
  const BoundInput read = bound_input(asked, inputs, 0, places_of(asked));
  if (!read.bound) return read.problem;
  if (auto problem = place_problem(asked, *read.bound, inputs)) return std::move(*problem);
  if (asked.place < 0 && read.bound->places() > kMostListed) {
    return unreadable(
        {.code = Code::limit,
         .message = fmt::format("at most {} places can be listed, not {}", kMostListed, read.bound->places()),
         .help = "ask for one place: --place P"},
        0);
  }
  std::vector<Index> wanted;
  if (asked.place >= 0) wanted.push_back(asked.place);
  for (Index place = 0; asked.place < 0 && place < read.bound->places(); ++place) wanted.push_back(place);
  std::vector<std::string> lines;
  for (const Index place : wanted) lines.push_back(place_text(*read.bound, place, read.dtype));
  return {.text = fmt::format("{}", fmt::join(lines, "\n")),
          .line = fmt::format("{}", fmt::join(lines, " | ")),
          .json = places_json(*read.bound, wanted, read.dtype),
          .hints = numbering_notes({&read.bound->distribution()})};
}

}  // namespace

void add_reshard_at(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("at", "who holds an element, and where");
  auto asked = std::make_shared<AskedDistribution>();
  asked->inputs.resize(1);
  verb->add_option("DIST", asked->inputs[0], kDistribution)->required();
  verb->add_option("INDEX", asked->indices,
                   "indices of the array, such as 2,3; with --inverse, local indices")
      ->required();
  add_place_option(*verb, *asked, "only where this place keeps the element; exit status 1 if it does not");
  verb->add_flag("--inverse", asked->inverse,
                 "INDEX is an index of the local array of --place: which element is there");
  finish_question(*verb, session, asked, at);
  verb->footer(
      R"(Each index gets one line: its places, with the local index and the offset in the place's memory.

Examples:
  tessera reshard at 'DeviceMesh((dp=2, tp=2)) [_StridedShard(dim=0, sf=2), Shard(dim=0)]' --shape 5 2 3 4
  tessera reshard at 'block_cyclic(mb=2, nb=2, grid=2x2)' --shape 9,9 4,7 --json
  tessera reshard at '{devices=[2,2]<=[4]}' --shape 4,6 --place 3 --inverse 1,0)");
}

void add_reshard_places(CLI::App& reshard, Session& session) {
  CLI::App* verb =
      reshard.add_subcommand("places", "what each place holds: indices, local shape, strides, size");
  auto asked = std::make_shared<AskedDistribution>();
  asked->inputs.resize(1);
  verb->add_option("DIST", asked->inputs[0], kDistribution)->required();
  add_place_option(*verb, *asked, "only this place");
  finish_question(*verb, session, asked, places);
  verb->footer(
      R"(One line for each place: the indices of each dimension, where 0:4 is one run and 0:1 every 4 x 3 are three;
the shape and the strides of its local array; its elements. A place that holds no element is empty.

Examples:
  tessera reshard places 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --shape 'f32[5,3]'
  tessera reshard places 'mesh[p=3] [p(cyclic 2)]' --shape 16 --place 1)");
}

}  // namespace tessera::cli
