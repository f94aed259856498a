// SPDX-License-Identifier: Apache-2.0
// `tessera reshard`: what moves between two distributions of an array.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/help.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "report/reshard_answer.h"
#include "tessera/reshard/reshard_plan.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

struct ReshardRequest {
  std::string from;
  std::string to;
  std::string shape;
  std::string view;
  std::string relabel = "none";
  Index places = 0;
  Index per_node = 0;
  Index place = -1;
  bool messages = false;
  bool verify = false;
};

// The largest place of a distribution plus 1; nothing if it holds on all places there are.
std::optional<Index> places_of(const Distribution& distribution) {
  const std::vector<Index>& numbers = distribution.on.empty() ? distribution.mesh.places : distribution.on;
  if (numbers.empty()) return {};
  return *std::ranges::max_element(numbers) + 1;
}

std::optional<Distribution> read_distribution(Session& session, const char* option, const std::string& text,
                                              int& status) {
  if (text.empty()) {
    status = report_failure(session,
                            {.code = Code::bad_option,
                             .message = fmt::format("{} is missing", option),
                             .help = "usage: tessera reshard --from DIST --to DIST --shape TYPE[DIMS]"},
                            "");
    return {};
  }
  auto read = parse_distribution(text);
  if (!read) {
    status = report_option(session, read.error(), option);
    return {};
  }
  return *read;
}

// The number of places: as given, or what the texts name.
std::optional<Index> count_places(Session& session, const ReshardRequest& request, const Distribution& from,
                                  const Distribution& to, int& status) {
  if (request.places > 0) return request.places;
  const std::optional<Index> in_from = places_of(from);
  const std::optional<Index> in_to = places_of(to);
  if (in_from || in_to) return std::max(in_from.value_or(0), in_to.value_or(0));
  status = report_option(session,
                         {.code = Code::missing_attribute,
                          .message = "neither side says how many places there are",
                          .help = "--places 8"},
                         "--to");
  return {};
}

int reshard(Session& session, const ReshardRequest& request) {
  int status = kDone;
  const auto from = read_distribution(session, "--from", request.from, status);
  const auto to = status == kDone ? read_distribution(session, "--to", request.to, status) : std::nullopt;
  if (status != kDone) return status;
  if (request.shape.empty()) {
    return report_failure(session,
                          {.code = Code::bad_option,
                           .message = "--shape is missing",
                           .help = "the type and the dimensions of the array: --shape 'f32[16,16]'"},
                          "");
  }
  const auto array = read_layout(session, "--shape", request.shape, status);
  if (!array) return status;
  if (!array->dtype()) {
    return report_option(session,
                         {.code = Code::unknown_type,
                          .message = "the element type is unknown",
                          .help = "write the type before the dimensions: f32[16,16]"},
                         "--shape");
  }
  const std::vector<Index> shape(array->shape().begin(), array->shape().end());
  std::vector<Index> view = shape;
  if (!request.view.empty()) {
    auto read = parse_shape(request.view);
    if (!read) return report_option(session, read.error(), "--view");
    view = std::move(*read);
  }
  const auto places = count_places(session, request, *from, *to, status);
  if (!places) return status;
  auto source = bind_distribution(*from, shape, *places);
  if (!source) return report_option(session, source.error(), "--from");
  auto target = bind_distribution(*to, view, *places);
  if (!target) return report_option(session, target.error(), "--to");
  if (request.place >= *places) {
    return report_option(session,
                         {.code = Code::index_out_of_range,
                          .message = fmt::format("there are {} places, 0 to {}", *places, *places - 1)},
                         "--place");
  }
  const ReshardOptions options{.per_node = request.per_node,
                               .relabel = request.relabel == "within" ? Relabel::within
                                          : request.relabel == "any"  ? Relabel::any
                                                                      : Relabel::none};
  auto plan =
      make_reshard_plan({{"", bit_width(*array->dtype()), std::move(*source), std::move(*target)}}, options);
  if (!plan) return report_option(session, plan.error(), request.view.empty() ? "--to" : "--view");
  ReshardAnswer answer{*plan, *array->dtype(), {}, false};
  if (request.verify) {
    if (const Result<void> proved = verify(*plan); !proved)
      return report_failure(session, proved.error(), "--verify");
    answer.verified = true;
  }
  if (request.messages || request.place >= 0) {
    auto all = messages(*plan, request.place >= 0 ? std::optional(request.place) : std::nullopt);
    if (!all) return report_option(session, all.error(), "--to");
    answer.messages = std::move(*all);
  }
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  destination->output().write(destination->format() == Format::json ? to_json(answer) + "\n"
                                                                    : to_text(answer));
  return destination->finish(kDone);
}

}  // namespace

void add_reshard(CLI::App& app, Session& session) {
  CLI::App* verb = app.add_subcommand("reshard", "what moves between two distributions of an array");
  auto request = std::make_shared<ReshardRequest>();
  verb->add_option("--from", request->from, "the distribution before")->type_name("DIST");
  verb->add_option("--to", request->to, "the distribution after")->type_name("DIST");
  verb->add_option("--shape", request->shape, "type and dimensions of the array: f32[16,16]")
      ->type_name("TYPE[DIMS]");
  verb->add_option("--view", request->view, "dimensions of the target: the same elements in row-major order")
      ->type_name("DIMS");
  verb->add_option(
          "--places", request->places,
          "how many places there are, also those that hold nothing; without it, the largest number of both "
          "sides plus 1")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, kMostPlaces));
  verb->add_option("--per-node", request->per_node, "places in a node: count the bytes that enter nodes")
      ->type_name("K")
      ->check(CLI::Range(Index{1}, kMostPlaces));
  verb->add_option("--relabel", request->relabel,
                   "let the places of the target exchange their parts to move less: within the target's "
                   "places, or any")
      ->type_name("within|any")
      ->check(one_of({"within", "any"}));
  verb->add_flag("--messages", request->messages, "list the messages and their boxes");
  verb->add_option("--place", request->place, "list the messages that this place sends and receives")
      ->type_name("P")
      ->check(CLI::Range(Index{0}, 16 * kMostPlaces));
  verb->add_flag("--verify", request->verify,
                 "prove that every element that a place lacks arrives once, and nothing else");
  add_common_options(*verb, session);
  verb->footer(
      R"(DIST is a sharding of XLA, a JAX mesh with a PartitionSpec, a PyTorch DeviceMesh with placements, ScaLAPACK's
block_cyclic(...), or mesh[...] [...]. A place is a rank or a file, numbered from 0.

Examples:
  tessera reshard --shape 'f32[16,16]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}'
  tessera reshard --shape 'f32[5,3]' --from 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --to '{replicated}' --messages
  tessera reshard --shape 'f64[9,9]' --from 'block_cyclic(mb=2, nb=2, grid=2x2)' --to 'mesh[p=4] [p, -]' --verify)");
  verb->callback(
      [&session, request] { session.action = [&session, request] { return reshard(session, *request); }; });
}

}  // namespace tessera::cli
