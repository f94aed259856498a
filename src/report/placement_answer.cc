// SPDX-License-Identifier: Apache-2.0
#include "report/placement_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/try.h"
#include "placement/places_text.h"
#include "report/json.h"
#include "report/layout_json.h"
#include "tessera/notation/triton_layout.h"

namespace tessera {
namespace {

std::string names_of(std::span<const PlacementAxis> axes) {
  std::string out;
  for (const PlacementAxis& axis : axes) out += (out.empty() ? "" : ", ") + axis.name;
  return out;
}

// The places as they are written and, with other axes, as they were compared.
std::string side_text(const PlacedSide& side, std::span<const Index> at) {
  const auto text_of = [&](const Placement& placement) {
    const auto found = places(placement, at);
    return found ? detail::some_places(*found, placement.axes()) : "more places than are listed";
  };
  std::string out = text_of(side.placement);
  if (side.fused) out += " = " + text_of(*side.fused);
  return out;
}

Json places_json(std::span<const Place> places, std::span<const PlacementAxis> axes) {
  Json out = Json::array();
  for (const Place& place : places) {
    Json one = Json::object();
    for (std::size_t a = 0; a < axes.size(); ++a) one[axes[a].name] = place[a];
    out.push_back(std::move(one));
  }
  return out;
}

Json placement_json(const PlacedSide& side) {
  const Placement& placement = side.placement;
  Json axes = Json::array();
  for (const PlacementAxis& axis : placement.axes())
    axes.push_back({{"name", axis.name}, {"role", to_string(axis.role)}});
  Json maps = Json::array();
  for (const IndexMap& map : placement.maps()) maps.push_back(to_string(map));
  Json out = {{"text", side.text},
              {"shape", std::vector<Index>(placement.shape().begin(), placement.shape().end())},
              {"axes", std::move(axes)},
              {"maps", std::move(maps)}};
  const auto replicas = placement.replicas();
  out["replicas"] = replicas ? Json(*replicas) : Json(nullptr);
  return out;
}

}  // namespace

Result<PlacedSide> placed_side(const AxeLayout& layout) {
  TESSERA_TRY(own, placement(layout));
  PlacedSide out{to_string(layout), std::move(own)};
  TESSERA_TRY(one, fused(layout));
  if (one == layout) return out;
  TESSERA_TRY(compared, placement(one));
  out.fused = std::move(compared);
  return out;
}

Result<PlacedSide> placed_side(const Layout& layout, const PlacedSide* other) {
  const auto* triton = layout.as<TritonLayout>();
  const Result<TritonBases> bases = triton != nullptr ? triton_bases(*triton) : TritonBases();
  if (!bases) return fail(bases.error());
  // Shared memory of one block without partitions is memory as any other. Bases are of one whole buffer.
  if (triton == nullptr ||
      (space_of(triton->attribute.kind) == TritonSpace::shared && bases->of("block").empty() &&
       bases->of("partition").empty()) ||
      *triton->shape != bases->shape) {
    TESSERA_TRY(own, placement(layout));
    return PlacedSide{to_string(layout), std::move(own)};
  }
  TESSERA_TRY(own, triton_axe_placement(*bases, false));
  PlacedSide out{to_string(layout), std::move(own)};
  if (other == nullptr || !other->compared().axis("tx")) return out;
  TESSERA_TRY(threads, triton_axe_placement(*bases, true));
  out.fused = std::move(threads);
  return out;
}

std::string reading_text(const Placement& placement) {
  return fmt::format("axe: row-major index; places on {}", names_of(placement.axes()));
}

std::string to_text(const PlacesAnswer& answer, const Placement& placement) {
  std::string out;
  for (const Place& place : answer.places)
    out += (out.empty() ? "" : "; ") + to_string(place, placement.axes());
  return out;
}

std::string to_text(const PlacedSide& a, const PlacedSide& b, const PlacementEquality& equality) {
  if (equality.verdict == Verdict::yes) return "yes";
  if (equality.verdict == Verdict::undecided) return "undecided: " + equality.reason;
  if (equality.reason == "shape") {
    return fmt::format("no: the shapes are ({}) and ({})", fmt::join(a.placement.shape(), ","),
                       fmt::join(b.placement.shape(), ","));
  }
  if (equality.reason == "text") return fmt::format("no: {} is not {}", a.text, b.text);
  if (equality.reason == "axes") {
    return fmt::format("no: the places are on {} and on {}", names_of(a.compared().axes()),
                       names_of(b.compared().axes()));
  }
  return fmt::format("no at ({}): {} and {}", fmt::join(equality.at, ", "), side_text(a, equality.at),
                     side_text(b, equality.at));
}

std::string to_json(const PlacedSide& side, int status, std::span<const PlacesAnswer> answers) {
  Json json = detail::answer_json("placement", status);
  json["layout"] = placement_json(side);
  json["results"] = detail::results_json(answers, [&](const PlacesAnswer& one) {
    return Json{{"index", one.index}, {"places", places_json(one.places, side.placement.axes())}};
  });
  return detail::dump(json);
}

std::string to_json(const PlacedSide& a, const PlacedSide& b, std::string_view notion, int status,
                    const PlacementEquality& equality) {
  Json json = detail::answer_json("equal", status);
  json["a"] = placement_json(a);
  json["b"] = placement_json(b);
  json["notion"] = notion;
  if (equality.verdict != Verdict::undecided) json["equal"] = equality.verdict == Verdict::yes;
  if (!equality.reason.empty()) json["reason"] = equality.reason;
  if (equality.verdict == Verdict::no && equality.reason.empty()) {
    json["counterexample"] = equality.at;
    const auto found_a = places(a.placement, equality.at);
    const auto found_b = places(b.placement, equality.at);
    if (found_a) json["a_places"] = places_json(*found_a, a.placement.axes());
    if (found_b) json["b_places"] = places_json(*found_b, b.placement.axes());
  }
  return detail::dump(json);
}

}  // namespace tessera
