// SPDX-License-Identifier: Apache-2.0
// `tessera reshard plan`. The word `plan` may be omitted.
#include "tessera/reshard/reshard_plan.h"

#include <fmt/core.h>

#include <memory>
#include <optional>

#include "cli/help.h"
#include "cli/reshard_sides.h"
#include "cli/reshard_verbs.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "report/reshard_answer.h"
#include "report/reshard_plan_reader.h"
#include "reshard/collectives.h"
#include "reshard/simulate.h"
#include "tessera/files/tensor_file.h"

namespace tessera::cli {
namespace {

struct ReshardRequest : ReshardSides {
  std::string relabel = "none";
  std::string plan;
  Index per_node = 0;
  Index place = -1;
  bool messages = false;
  bool segments = false;
  bool kept = false;
  bool verify = false;
  bool check = false;
  bool explain = false;
};

// Prints a plan that --json wrote. First makes the plan again from its distributions and compares the two.
int print_plan(Session& session, const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return report_option(session, file.error(), "--plan");
  const std::string text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const auto answer = read_reshard_plan(text);
  if (!answer) return report_option(session, answer.error(), "--plan");
  int status = kDone;
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  destination->output().write(destination->format() == Format::json ? to_json(*answer) + "\n"
                                                                    : to_text(*answer));
  return destination->finish(kDone);
}

int reshard_plan(Session& session, const ReshardRequest& request) {
  if (!request.plan.empty()) return print_plan(session, request.plan);
  int status = kDone;
  auto sides = read_sides(session, request, status);
  if (!sides) return status;
  const Index places = sides->from.places();
  if (request.place >= places) {
    return report_option(session,
                         {.code = Code::index_out_of_range,
                          .message = fmt::format("there are {} places, 0 to {}", places, places - 1)},
                         "--place");
  }
  const ReshardOptions options{.per_node = request.per_node,
                               .relabel = request.relabel == "within" ? Relabel::within
                                          : request.relabel == "any"  ? Relabel::any
                                                                      : Relabel::none};
  auto plan = make_reshard_plan({{"", bit_width(sides->dtype), std::move(sides->from), std::move(sides->to)}},
                                options);
  if (!plan) return report_option(session, plan.error(), request.view.empty() ? "--to" : "--view");
  ReshardAnswer answer{.plan = *plan, .dtype = sides->dtype};
  if (request.verify || request.check) {
    if (const Result<void> proved = verify(*plan); !proved)
      return report_failure(session, proved.error(), "--verify");
    answer.verified = true;
  }
  if (request.check) {
    auto simulated = simulate(*plan);
    if (!simulated) return report_failure(session, simulated.error(), "--check");
    answer.simulated = *simulated;
  }
  if (request.explain) answer.collectives = cheapest_collectives(*plan);
  answer.explained = request.explain;
  if (request.messages || request.segments || request.kept || request.place >= 0) {
    const auto listed =
        list_messages(answer, request.place >= 0 ? std::optional(request.place) : std::nullopt,
                      request.segments, request.kept);
    if (!listed && request.segments) return report_failure(session, listed.error(), "--segments");
    if (!listed) return report_option(session, listed.error(), "--to");
  }
  const std::unique_ptr<Destination> destination = Destination::open(session, /*html_allowed=*/false, status);
  if (destination == nullptr) return status;
  destination->output().write(destination->format() == Format::json ? to_json(answer) + "\n"
                                                                    : to_text(answer));
  return destination->finish(kDone);
}

}  // namespace

void add_reshard_plan(CLI::App& verb, Session& session) {
  auto request = std::make_shared<ReshardRequest>();
  add_side_options(verb, *request);
  verb.add_option("--per-node", request->per_node,
                  "the number of places in a node: also count the bytes that enter nodes")
      ->type_name("K")
      ->check(CLI::Range(Index{1}, kMostPlaces));
  verb.add_option(
          "--relabel", request->relabel,
          "renumber target places to minimize traffic: within lets the places of the target exchange their "
          "parts, any also uses other places")
      ->type_name("within|any")
      ->check(one_of({"within", "any"}));
  verb.add_flag("--messages", request->messages, "list the messages and their boxes");
  verb.add_flag("--segments", request->segments,
                "list each message with its ranges of bytes in the memories of both places");
  verb.add_flag("--kept", request->kept, "list the messages, and what stays in place");
  verb.add_option("--place", request->place, "list the messages that this place sends and receives")
      ->type_name("P")
      ->check(CLI::Range(Index{0}, 16 * kMostPlaces));
  verb.add_flag("--verify", request->verify,
                "prove that every element that a place lacks arrives once, and nothing else");
  verb.add_flag("--check", request->check,
                "as --verify, then run the messages on element numbers and compare every cell of the "
                "target");
  verb.add_flag(
      "--explain", request->explain,
      "the cheapest chain of all-gathers, slices, all-to-alls and permutes over mesh axes and their factors "
      "that does the same, with its bytes");
  verb.add_option(
          "--plan", request->plan,
          "read a plan that --json wrote, instead of the array and its sides; an error if it does not follow "
          "from its distributions")
      ->type_name("FILE");
  add_common_options(verb, session);
  verb.callback([&session, &verb, request] {
    if (!verb.get_subcommands().empty()) return;
    session.action = [&session, request] { return reshard_plan(session, *request); };
  });
}

}  // namespace tessera::cli
