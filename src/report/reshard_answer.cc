// SPDX-License-Identifier: Apache-2.0
#include "report/reshard_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "base/try.h"
#include "report/distribution_answer.h"
#include "report/json.h"
#include "report/limits.h"
#include "reshard/plan/plan_hash.h"

namespace tessera {
namespace {

std::vector<Index> part_extents(const BoundDistribution& side, std::size_t dim) {
  std::vector<Index> extents;
  for (const DimPart& part : side.parts(dim)) extents.push_back(part.extent);
  return extents;
}

// Dimensions that both sides cut into the same number of parts with different extents, which are easily
// overlooked.
std::string different_cuts(const ReshardArray& array) {
  std::string text;
  if (!std::ranges::equal(array.from.shape(), array.to.shape())) return text;
  for (std::size_t d = 0; d < array.from.shape().size(); ++d) {
    const std::vector<Index> from = part_extents(array.from, d);
    const std::vector<Index> to = part_extents(array.to, d);
    if (from == to || from.size() != to.size() || from.size() > detail::kReportLimits.reshard_parts) continue;
    text += fmt::format("note: dimension {} is cut into {} in the source and into {} in the target\n", d,
                        fmt::join(from, ", "), fmt::join(to, ", "));
  }
  return text;
}

std::string relabel_text(const ReshardPlan& plan) {
  if (!plan.relabeled().empty()) {
    std::vector<std::string> moves;
    for (const auto& [old_place, new_place] : plan.relabeled())
      moves.push_back(fmt::format("{} -> {}", old_place, new_place));
    return fmt::format("places of the target relabeled: {}\n", fmt::join(moves, ", "));
  }
  const auto best = relabel_bytes(plan);
  if (!best || best->any >= plan.total()) return "";
  if (best->within == best->any)
    return fmt::format("relabeling would move {}: --relabel within\n", best->within);
  if (best->within >= plan.total())
    return fmt::format("relabeling would move {}: --relabel any\n", best->any);
  return fmt::format("relabeling would move {} within the target's places, {} over any: --relabel any\n",
                     best->within, best->any);
}

Json json_of(const BoxRun& run) {
  Json json = {run.lower, run.lower + run.length};
  if (run.count > 1) {
    json.push_back(run.count);
    json.push_back(run.step);
  }
  return json;
}

Json boxes_json(const ReshardMessage& message) {
  Json json = Json::array();
  for (const MessageBox& box : message.boxes) {
    Json dims = Json::array();
    for (const BoxRun& run : box) dims.push_back(json_of(run));
    json.push_back(std::move(dims));
  }
  return json;
}

Json segments_json(const std::vector<Segment>& segments) {
  Json json = Json::array();
  for (const Segment& segment : segments) json.push_back({segment.from, segment.to, segment.bytes});
  return json;
}

Json messages_json(const ReshardAnswer& answer) {
  Json json = Json::array();
  for (std::size_t k = 0; k < answer.messages->size(); ++k) {
    const ReshardMessage& message = (*answer.messages)[k];
    Json one = {{"from", message.from}, {"to", message.to}, {"bytes", message.bytes}};
    one["boxes"] = boxes_json(message);
    if (!answer.segments.empty()) one["segments"] = segments_json(answer.segments[k]);
    json.push_back(std::move(one));
  }
  return json;
}

// One line for each range of bytes of a message, or of what stays in place.
std::string segments_text(const std::vector<std::vector<Segment>>& all, std::size_t k) {
  std::string text;
  if (all.empty()) return text;
  for (const Segment& segment : all[k]) {
    text += fmt::format("  {} from byte {} to byte {}\n", detail::plural(segment.bytes, "byte"), segment.from,
                        segment.to);
  }
  return text;
}

// One line for each box.
std::string boxes_text(const std::string& head, const ReshardMessage& message) {
  std::string text;
  for (const MessageBox& box : message.boxes) {
    text += &box == &message.boxes.front() ? head : std::string(head.size(), ' ');
    text += to_string(box) + "\n";
  }
  return text;
}

// `all-to-all over x, dimension 2 to 1, 1536 bytes a place`: the text of one step.
std::string step_text(const CollectiveStep& step, bool first) {
  std::string text(to_string(step.kind));
  if (!step.over.empty()) text += " over " + step.over;
  if (step.kind == CollectiveStep::Kind::all_to_all) {
    text += fmt::format(", dimension {} to {}", step.from, step.to);
  } else if (step.kind != CollectiveStep::Kind::permute) {
    text += fmt::format(", dimension {}", step.to);
  }
  text += fmt::format(", {}", step.bytes);
  if (first) text += step.bytes == 1 ? " byte a place" : " bytes a place";
  if (step.kind == CollectiveStep::Kind::permute)
    text += fmt::format(" on {}", detail::plural(step.places, "place"));
  return text;
}

std::string collectives_text(const ReshardAnswer& answer) {
  const ReshardPlan& plan = answer.plan;
  if (!answer.collectives.chain) {
    return fmt::format("as collectives: not searched, because {}; a gather and a slice move {}\n",
                       answer.collectives.not_searched, plan.full_gather());
  }
  const CollectiveChain& chain = *answer.collectives.chain;
  if (chain.steps.empty()) return "as collectives: none needed\n";
  std::string text = chain.cheapest ? "as collectives: " : "as collectives, perhaps not the cheapest: ";
  for (const CollectiveStep& step : chain.steps)
    text += step_text(step, &step == &chain.steps.front()) + "; ";
  text += fmt::format("{} in all", chain.total);
  if (plan.total() == 0) return text + "\n";
  // In hundredths, rounded.
  const Index ratio = (chain.total * 200 / plan.total() + 1) / 2;
  return text + fmt::format(", {}.{:02} times the least\n", ratio / 100, ratio % 100);
}

Json collectives_json(const CollectiveAnswer& answer) {
  if (!answer.chain) return {{"searched", false}, {"reason", answer.not_searched}};
  const CollectiveChain& chain = *answer.chain;
  Json json = {
      {"searched", true}, {"total", chain.total}, {"cheapest", chain.cheapest}, {"steps", Json::array()}};
  for (const CollectiveStep& step : chain.steps) {
    Json one = {{"kind", to_string(step.kind)}};
    if (!step.over.empty()) one["over"] = step.over;
    if (step.kind != CollectiveStep::Kind::permute) {
      one["from"] = step.from;
      one["to"] = step.to;
    }
    one["bytes"] = step.bytes;
    one["places"] = step.places;
    json["steps"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string to_text(const ReshardAnswer& answer) {
  const ReshardPlan& plan = answer.plan;
  const ReshardArray& array = plan.arrays()[0];
  const auto shape = array.from.shape();
  Index elements = 1;
  for (const Index extent : shape) elements *= extent;
  std::string text = fmt::format("{} -> {}: {}[{}]", to_string(array.from.distribution().notation),
                                 to_string(array.to.distribution().notation), to_string(answer.dtype),
                                 fmt::join(shape, ","));
  if (!std::ranges::equal(shape, array.to.shape()))
    text += fmt::format(" as [{}]", fmt::join(array.to.shape(), ","));
  text += fmt::format(", {}, {}\n", detail::plural(ceil_div(elements * array.element_bits, 8), "byte"),
                      detail::plural(plan.places(), "place"));
  for (const std::string& note : numbering_notes({&array.from.distribution(), &array.to.distribution()}))
    text += fmt::format("note: {}\n", note);
  text += different_cuts(array);
  text += fmt::format("moved {}, the least possible, in {}, {}; kept {}\n",
                      detail::plural(plan.total(), "byte"), detail::plural(plan.pairs().size(), "message"),
                      detail::plural(round_count(plan), "round"), plan.kept());
  text +=
      fmt::format("received by a place: at most {}; sent: at most {}\n", plan.max_receive(), plan.max_send());
  text += fmt::format("a gather of the whole array would move {}\n", plan.full_gather());
  if (answer.explained) text += collectives_text(answer);
  text += relabel_text(plan);
  if (plan.nodes()) {
    const NodeBytes& nodes = *plan.nodes();
    text += fmt::format("into nodes of {}: {}, at least {}", detail::plural(nodes.per_node, "place"),
                        nodes.planned, nodes.least);
    if (nodes.planned != nodes.direct)
      text += fmt::format("; {} if places took from their own node first, but some would send more",
                          nodes.direct);
    text += '\n';
  }
  if (answer.verified) text += "verified: every element that a place lacks arrives once\n";
  if (answer.simulated) {
    text += answer.simulated->all
                ? fmt::format("checked: {} arrived where they belong, no other cell was written\n",
                              detail::plural(answer.simulated->elements, "element"))
                : fmt::format("checked: {} at random arrive once, where they belong\n",
                              detail::plural(answer.simulated->elements, "element"));
  }
  for (std::size_t k = 0; answer.messages && k < answer.messages->size(); ++k) {
    const ReshardMessage& message = (*answer.messages)[k];
    text += boxes_text(
        fmt::format("{} -> {}: {}, ", message.from, message.to, detail::plural(message.bytes, "byte")),
        message);
    text += segments_text(answer.segments, k);
  }
  for (std::size_t k = 0; answer.kept && k < answer.kept->size(); ++k) {
    const ReshardMessage& kept = (*answer.kept)[k];
    text += boxes_text(fmt::format("{} keeps {}: ", kept.from, detail::plural(kept.bytes, "byte")), kept);
    text += segments_text(answer.kept_segments, k);
  }
  return text;
}

Result<void> list_messages(ReshardAnswer& answer, std::optional<Index> place, bool segments, bool kept) {
  TESSERA_TRY(all, messages(answer.plan, place));
  answer.messages = std::move(all);
  for (std::size_t k = 0; segments && k < answer.messages->size(); ++k) {
    TESSERA_TRY(ranges, tessera::segments(answer.plan, (*answer.messages)[k]));
    answer.segments.push_back(std::move(ranges));
  }
  if (!kept) return {};
  answer.kept.emplace();
  const Index last = place ? *place + 1 : answer.plan.places();
  for (Index p = place.value_or(0); p < last; ++p) {
    TESSERA_TRY(here, kept_boxes(answer.plan, p));
    for (ReshardMessage& kept_here : here) {
      if (segments) {
        TESSERA_TRY(ranges, tessera::segments(answer.plan, kept_here));
        answer.kept_segments.push_back(std::move(ranges));
      }
      answer.kept->push_back(std::move(kept_here));
    }
  }
  return {};
}

std::string to_json(const ReshardAnswer& answer) {
  const ReshardPlan& plan = answer.plan;
  Json json = {
      {"schema", "tessera.reshard/1"}, {"status", 0}, {"places", plan.places()}, {"hash", plan_hash(plan)}};
  Json arrays = Json::array();
  for (const ReshardArray& array : plan.arrays()) {
    Json one = {{"type", to_string(answer.dtype)},
                {"shape", std::vector<Index>(array.from.shape().begin(), array.from.shape().end())}};
    if (!std::ranges::equal(array.from.shape(), array.to.shape())) {
      one["view"] = std::vector<Index>(array.to.shape().begin(), array.to.shape().end());
    }
    one["from"] = to_string(array.from.distribution());
    one["to"] = to_string(array.to.distribution());
    one["numbering"] = {{"from", numbering(array.from.distribution())},
                        {"to", numbering(array.to.distribution())}};
    if (answer.messages) one["messages"] = messages_json(answer);
    if (answer.kept) {
      one["kept"] = Json::array();
      for (std::size_t k = 0; k < answer.kept->size(); ++k) {
        const ReshardMessage& kept = (*answer.kept)[k];
        Json part = {{"place", kept.from}, {"bytes", kept.bytes}, {"boxes", boxes_json(kept)}};
        if (!answer.kept_segments.empty()) part["segments"] = segments_json(answer.kept_segments[k]);
        one["kept"].push_back(std::move(part));
      }
    }
    arrays.push_back(std::move(one));
  }
  json["arrays"] = std::move(arrays);
  json["receive"] = std::vector<Index>(plan.receive().begin(), plan.receive().end());
  json["send"] = std::vector<Index>(plan.send().begin(), plan.send().end());
  json["total"] = plan.total();
  json["kept"] = plan.kept();
  json["full_gather"] = plan.full_gather();
  json["max_send"] = plan.max_send();
  const ReshardRounds in_rounds = rounds(plan);
  json["rounds"] = in_rounds.rounds;
  json["pairs"] = Json::array();
  for (std::size_t k = 0; k < plan.pairs().size(); ++k) {
    const PairBytes& pair = plan.pairs()[k];
    json["pairs"].push_back(
        {{"from", pair.from}, {"to", pair.to}, {"bytes", pair.bytes}, {"round", in_rounds.of_pair[k]}});
  }
  if (const auto best = relabel_bytes(plan)) json["relabel"] = {{"within", best->within}, {"any", best->any}};
  if (!plan.relabeled().empty()) {
    json["relabeled"] = Json::array();
    for (const auto& [old_place, new_place] : plan.relabeled())
      json["relabeled"].push_back({old_place, new_place});
  }
  if (plan.nodes()) {
    json["inter_node"] = {{"per_node", plan.nodes()->per_node},
                          {"least", plan.nodes()->least},
                          {"direct", plan.nodes()->direct},
                          {"planned", plan.nodes()->planned}};
  }
  json["verified"] = answer.verified;
  if (answer.simulated) {
    json["checked"] = {{"elements", answer.simulated->elements}, {"all", answer.simulated->all}};
  }
  if (answer.explained) json["collectives"] = collectives_json(answer.collectives);
  return detail::dump(json);
}

}  // namespace tessera
