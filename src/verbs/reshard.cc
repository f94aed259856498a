// SPDX-License-Identifier: Apache-2.0
#include "verbs/reshard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/exit_status.h"
#include "report/reshard_picture.h"
#include "report/reshard_plan_reader.h"
#include "reshard/collectives/collectives.h"
#include "reshard/proof/simulate.h"
#include "tessera/files/tensor_file.h"

namespace tessera::verbs {
namespace {

// Both sides of an array.
struct BoundSides {
  DType dtype = DType::f32;
  BoundDistribution from;
  BoundDistribution to;
};

Failure missing_side(std::string_view option, std::string help) {
  return refuse("", Code::bad_option, fmt::format("{} is missing", option), std::move(help));
}

// The given number of places or, without one, the number that the texts name.
Result<Index> count_places(const ReshardSides& sides) {
  if (sides.places) return *sides.places;
  const std::optional<Index> in_from = named_places(sides.from->value);
  const std::optional<Index> in_to = named_places(sides.to->value);
  if (in_from || in_to) return std::max(in_from.value_or(0), in_to.value_or(0));
  return refuse("to", Code::missing_attribute, "neither side says how many places there are",
                "add the number of places: --places 8");
}

Result<BoundSides> bound_sides(const ReshardSides& sides) {
  const char* const usage = "usage: tessera reshard --from DIST --to DIST --shape TYPE[DIMS]";
  if (!sides.from) return missing_side("--from", usage);
  if (!sides.to) return missing_side("--to", usage);
  if (!sides.shape)
    return missing_side("--shape", "the type and the dimensions of the array: --shape 'f32[16,16]'");
  const auto& [dtype, shape] = sides.shape->value;
  if (!dtype)
    return refuse("shape", Code::unknown_type, "the element type is unknown",
                  fmt::format("write the type before the dimensions: f32[{}]", fmt::join(shape, ",")));
  const std::vector<Index>& view = sides.view ? sides.view->value.extents : shape;
  if (const auto below = std::ranges::find_if(view, [](Index extent) { return extent < 0; });
      below != view.end())
    return refuse("view", Code::negative_dim, fmt::format("the extent {} is negative", *below),
                  "write every dimension of the target: --view 8,16");
  const Result<Index> places = count_places(sides);
  if (!places) return fail(places.error());
  auto from = bind_distribution(sides.from->value, shape, *places);
  if (!from) return refuse("from", std::move(from.error()));
  auto to = bind_distribution(sides.to->value, view, *places);
  if (!to) return refuse("to", std::move(to.error()));
  return BoundSides{*dtype, *std::move(from), *std::move(to)};
}

Result<ReshardPlan> plan_of(BoundSides sides, bool has_view, const ReshardOptions& options = {}) {
  auto plan =
      make_reshard_plan({{"", bit_width(sides.dtype), std::move(sides.from), std::move(sides.to)}}, options);
  if (!plan) return refuse(has_view ? "view" : "to", std::move(plan.error()));
  return plan;
}

// A plan that --json wrote, made again from its distributions and compared.
Result<ReshardPlanResult> read_plan(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return refuse("plan", file.error());
  const std::string text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  auto answer = read_reshard_plan(text);
  if (!answer) return refuse("plan", std::move(answer.error()));
  return ReshardPlanResult(*std::move(answer));
}

}  // namespace

std::optional<Index> named_places(const Distribution& distribution) {
  const std::vector<Index>& numbers = distribution.on.empty() ? distribution.mesh.places : distribution.on;
  if (numbers.empty()) return {};
  return *std::ranges::max_element(numbers) + 1;
}

int ReshardPlanResult::status() const { return kDone; }

Result<std::string> ReshardPlanResult::to_text(const Terminal& /*terminal*/) const {
  std::string text = tessera::to_text(answer_);
  text.pop_back();  // the last line break
  return text;
}

Result<std::string> ReshardPlanResult::to_json() const { return tessera::to_json(answer_); }

int ReshardShowResult::status() const { return kDone; }

Result<std::string> ReshardShowResult::to_text(const Terminal& terminal) const {
  TextOptions options{.colors = terminal.text.colors, .theme = theme_};
  std::string text = picture_.title + "\n" + render_text(picture_, options);
  text.resize(text.find_last_not_of('\n') + 1);
  return text;
}

Result<std::string> ReshardShowResult::to_json() const {
  return R"({"schema":"tessera.reshard/1","action":"show","status":0,"picture":)" + render_json(picture_) +
         "}";
}

Result<std::string> ReshardShowResult::to_picture(PictureFormat format) const {
  if (format == PictureFormat::json) return to_json();
  return render_file(picture_, format, theme_ == Theme::dark ? ThemeChoice::dark : ThemeChoice::light);
}

Result<ReshardPlanResult> reshard_plan(const ReshardPlanRequest& request, Observer& /*observer*/) {
  if (!request.plan.empty()) return read_plan(request.plan);
  auto sides = bound_sides(request);
  if (!sides) return fail(std::move(sides.error()));
  const Index places = sides->from.places();
  if (request.place && *request.place >= places)
    return refuse("place", Code::index_out_of_range,
                  fmt::format("there are {} places, 0 to {}", places, places - 1));
  const DType dtype = sides->dtype;
  auto plan = plan_of(*std::move(sides), request.view.has_value(),
                      {.per_node = request.per_node.value_or(0), .relabel = request.relabel});
  if (!plan) return fail(std::move(plan.error()));
  ReshardAnswer answer{.plan = *std::move(plan), .dtype = dtype};
  if (request.verify || request.check) {
    if (const Result<void> proved = verify(answer.plan); !proved)
      return refuse(request.verify ? "verify" : "check", proved.error());
    answer.verified = true;
  }
  if (request.check) {
    auto simulated = simulate(answer.plan);
    if (!simulated) return refuse("check", std::move(simulated.error()));
    answer.simulated = *std::move(simulated);
  }
  if (request.explain) answer.collectives = cheapest_collectives(answer.plan);
  answer.explained = request.explain;
  if (request.messages || request.segments || request.kept || request.place) {
    const auto listed = list_messages(answer, request.place, request.segments, request.kept);
    if (!listed) return refuse(request.segments ? "segments" : "to", listed.error());
  }
  return ReshardPlanResult(std::move(answer));
}

Result<ReshardShowResult> reshard_show(const ReshardShowRequest& request, Observer& /*observer*/) {
  auto sides = bound_sides(request);
  if (!sides) return fail(std::move(sides.error()));
  std::vector<std::string> hints = numbering_notes({&sides->from.distribution(), &sides->to.distribution()});
  const auto plan = plan_of(*std::move(sides), request.view.has_value());
  if (!plan) return fail(plan.error());
  auto picture = request.picture == ReshardPicture::shards ? shards_picture(*plan) : traffic_picture(*plan);
  if (!picture) return refuse("shape", std::move(picture.error()));
  return ReshardShowResult(*std::move(picture), request.theme, std::move(hints));
}

}  // namespace tessera::verbs
