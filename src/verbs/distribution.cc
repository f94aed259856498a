// SPDX-License-Identifier: Apache-2.0
#include "verbs/distribution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/exit_status.h"
#include "tessera/notation/layout.h"
#include "text/point.h"
#include "verbs/limits.h"
#include "verbs/reshard.h"

namespace tessera::verbs {
namespace {

Result<BoundDistribution> bound(std::string_view field, const Distribution& distribution,
                                const DistributedArray& array) {
  if (!array.places && !named_places(distribution)) {
    return refuse(field, Code::missing_attribute, "the distribution does not say how many places there are",
                  "add the number of places: --places 8");
  }
  auto out = bind_distribution(distribution, array.shape.value.shape, array.places);
  if (!out) return unreadable(field, std::move(out.error()));
  return out;
}

// The error of a place number that does not exist.
Result<void> check_place(std::optional<Index> place, const BoundDistribution& distribution) {
  if (!place || *place < distribution.places()) return {};
  return unreadable("place", {.code = Code::index_out_of_range,
                              .message = fmt::format("there is no place {}: the places are 0 to {}", *place,
                                                     distribution.places() - 1),
                              .help = "--places N gives the number of places"});
}

// An error about an index as a whole.
Failure about_index(std::size_t item, Diagnostic error) {
  error.span = {};
  return unreadable("index", std::move(error), item);
}

Result<std::vector<ReshardAtResult::Held>> holders_of(const ReshardAtRequest& request,
                                                      const BoundDistribution& distribution) {
  std::vector<ReshardAtResult::Held> out;
  for (std::size_t i = 0; i < request.index.size(); ++i) {
    const auto index = parse_point(request.index[i]);
    if (!index) return unreadable("index", index.error(), i);
    auto found = holders(distribution, *index);
    if (!found) return about_index(i, std::move(found.error()));
    ReshardAtResult::Held held{.found = {*index, *std::move(found)}};
    if (request.place) {
      std::vector<ShardHolder>& all = held.found.holders;
      const auto here = std::ranges::find(all, *request.place, &ShardHolder::place);
      held.here = here != all.end();
      if (held.here) {
        all = {*here};
      } else {
        held.elsewhere = fmt::format("not on place {}, but on {}", *request.place, tessera::to_text(all));
        all.clear();
      }
    }
    out.push_back(std::move(held));
  }
  return out;
}

Result<std::vector<LocalElementAnswer>> elements_of(const ReshardAtRequest& request,
                                                    const BoundDistribution& distribution) {
  std::vector<LocalElementAnswer> out;
  for (std::size_t i = 0; i < request.index.size(); ++i) {
    const auto local = parse_point(request.index[i]);
    if (!local) return unreadable("index", local.error(), i);
    auto index = element_at(distribution, *request.place, *local);
    if (!index) return about_index(i, std::move(index.error()));
    out.push_back({*request.place, *local, std::move(*index),
                   distribution.local_buffer(*request.place).offset(*local)});
  }
  return out;
}

// The distribution of the requested view.
Result<BoundDistribution> viewed(const std::vector<Index>& view, const BoundDistribution& distribution) {
  const auto made = view_distribution(distribution, view);
  if (!made) {
    if (made.error().field == "view") return unreadable("view", made.error());
    return refuse("dist", made.error());
  }
  auto again = bind_distribution(*made, view, distribution.places());
  if (!again) return unreadable("dist", std::move(again.error()));
  return again;
}

DistributionNotation notation_of(DistributionTarget target) {
  return *parse_distribution_notation(Words<DistributionTarget>::words[static_cast<std::size_t>(target)]);
}

}  // namespace

Result<TypedShape> Reading<TypedShape>::read(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" (");
  const bool plain = first != std::string::npos && text[first] >= '0' && text[first] <= '9' &&
                     text.find_first_of(":[]{}") == std::string::npos;
  if (plain) {
    auto shape = parse_shape(text);
    if (!shape) return fail(std::move(shape.error()));
    return TypedShape{{}, *std::move(shape)};
  }
  const auto layout = parse_layout(text);
  if (!layout) return fail(layout.error());
  return TypedShape{layout->dtype(), {layout->shape().begin(), layout->shape().end()}};
}

Result<Dimensions> Reading<Dimensions>::read(const std::string& text) {
  auto extents = parse_shape(text);
  if (!extents) return fail(std::move(extents.error()));
  return Dimensions{*std::move(extents)};
}

int ReshardAtResult::status() const {
  const auto* const held = std::get_if<std::vector<Held>>(&value_);
  return held == nullptr || std::ranges::all_of(*held, &Held::here) ? kDone : kNo;
}

std::vector<std::string> ReshardAtResult::lines() const {
  std::vector<std::string> out;
  if (const auto* const held = std::get_if<std::vector<Held>>(&value_)) {
    for (const Held& one : *held)
      out.push_back(one.here ? tessera::to_text(one.found.holders) : one.elsewhere);
  } else {
    for (const LocalElementAnswer& one : std::get<std::vector<LocalElementAnswer>>(value_))
      out.push_back(tessera::to_text(one));
  }
  return out;
}

Result<std::string> ReshardAtResult::to_text(const Terminal& /*terminal*/) const {
  return fmt::format("{}", fmt::join(lines(), "\n"));
}

Result<std::string> ReshardAtResult::to_line() const { return fmt::format("{}", fmt::join(lines(), " | ")); }

Result<std::string> ReshardAtResult::to_json() const {
  const auto* const held = std::get_if<std::vector<Held>>(&value_);
  if (held == nullptr)
    return tessera::to_json(distribution_, std::get<std::vector<LocalElementAnswer>>(value_));
  std::vector<HoldersAnswer> answers;
  for (const Held& one : *held) answers.push_back(one.found);
  return tessera::to_json(distribution_, answers);
}

std::vector<std::string> ReshardAtResult::hints() const {
  return numbering_notes({&distribution_.distribution()});
}

int ReshardPlacesResult::status() const { return kDone; }

std::vector<std::string> ReshardPlacesResult::lines() const {
  std::vector<std::string> out;
  for (const Index place : places_) out.push_back(place_text(distribution_, place, dtype_));
  return out;
}

Result<std::string> ReshardPlacesResult::to_text(const Terminal& /*terminal*/) const {
  return fmt::format("{}", fmt::join(lines(), "\n"));
}

Result<std::string> ReshardPlacesResult::to_line() const {
  return fmt::format("{}", fmt::join(lines(), " | "));
}

Result<std::string> ReshardPlacesResult::to_json() const {
  return places_json(distribution_, places_, dtype_);
}

std::vector<std::string> ReshardPlacesResult::hints() const {
  return numbering_notes({&distribution_.distribution()});
}

int ReshardConvertResult::status() const { return kDone; }

Result<std::string> ReshardConvertResult::to_text(const Terminal& /*terminal*/) const {
  return to_string(to_);
}

Result<std::string> ReshardConvertResult::to_json() const {
  return tessera::to_json(from_, to_, is_view_ ? shown_.shape() : std::span<const Index>());
}

std::vector<std::string> ReshardConvertResult::hints() const {
  std::vector<std::string> out = numbering_notes({&from_.distribution()});
  if (to_.notation != DistributionNotation::jax) return out;
  // JAX refuses arrays whose dimensions the mesh does not divide.
  const auto meshed = bind_distribution(to_, {shown_.shape().begin(), shown_.shape().end()}, shown_.places());
  for (std::size_t d = 0; meshed && d < shown_.shape().size(); ++d) {
    const auto parts = static_cast<Index>(meshed->parts(d).size());
    if (shown_.shape()[d] % parts == 0) continue;
    out.push_back(fmt::format("JAX refuses an array whose dimension {} has extent {}, which {} do not divide",
                              d, shown_.shape()[d], parts));
  }
  return out;
}

int ReshardEqualResult::status() const { return status_of(equality_.verdict); }

Result<std::string> ReshardEqualResult::to_text(const Terminal& /*terminal*/) const {
  return tessera::to_text(equality_);
}

Result<std::string> ReshardEqualResult::to_json() const { return tessera::to_json(a_, b_, equality_); }

std::vector<std::string> ReshardEqualResult::hints() const {
  return numbering_notes({&a_.distribution(), &b_.distribution()});
}

Result<ReshardAtResult> reshard_at(const ReshardAtRequest& request, Observer& /*observer*/) {
  if (request.inverse && !request.place)
    return refuse("inverse", Code::bad_option,
                  "--inverse takes an index of a place's local array, but no place is given",
                  "add --place P");
  auto distribution = bound("dist", request.dist.value, request);
  if (!distribution) return fail(std::move(distribution.error()));
  if (const auto checked = check_place(request.place, *distribution); !checked) return fail(checked.error());
  if (request.inverse) {
    auto elements = elements_of(request, *distribution);
    if (!elements) return fail(std::move(elements.error()));
    return ReshardAtResult(*std::move(distribution), *std::move(elements));
  }
  auto held = holders_of(request, *distribution);
  if (!held) return fail(std::move(held.error()));
  return ReshardAtResult(*std::move(distribution), *std::move(held));
}

Result<ReshardPlacesResult> reshard_places(const ReshardPlacesRequest& request, Observer& /*observer*/) {
  auto distribution = bound("dist", request.dist.value, request);
  if (!distribution) return fail(std::move(distribution.error()));
  if (const auto checked = check_place(request.place, *distribution); !checked) return fail(checked.error());
  std::vector<Index> places;
  if (request.place) {
    places.push_back(*request.place);
  } else if (distribution->places() > kVerbLimits.listed_places) {
    return refuse("dist", Code::limit,
                  fmt::format("at most {} places can be listed, not {}", kVerbLimits.listed_places,
                              distribution->places()),
                  "ask for one place: --place P");
  } else {
    for (Index place = 0; place < distribution->places(); ++place) places.push_back(place);
  }
  return ReshardPlacesResult(*std::move(distribution), std::move(places), request.shape.value.dtype);
}

Result<ReshardConvertResult> reshard_convert(const ReshardConvertRequest& request, Observer& /*observer*/) {
  auto from = bound("dist", request.dist.value, request);
  if (!from) return fail(std::move(from.error()));
  Result<BoundDistribution> shown = from;
  if (request.view) shown = viewed(request.view->value.extents, *from);
  if (!shown) return fail(std::move(shown.error()));
  auto to = tessera::convert(*shown, notation_of(request.to));
  if (!to) return refuse("dist", std::move(to.error()));
  return ReshardConvertResult(*std::move(from), *std::move(shown), *std::move(to), request.view.has_value());
}

Result<ReshardEqualResult> reshard_equal(const ReshardEqualRequest& request, Observer& /*observer*/) {
  // Both sides have the places that one of them names.
  DistributedArray array = request;
  if (!array.places)
    for (const Distribution* one : {&request.a.value, &request.b.value})
      if (const std::optional<Index> named = named_places(*one))
        array.places = std::max(array.places.value_or(0), *named);
  // If neither does, both hold everything everywhere, whatever the number of places.
  if (!array.places) array.places = 1;
  auto a = bound("a", request.a.value, array);
  if (!a) return fail(std::move(a.error()));
  auto b = bound("b", request.b.value, array);
  if (!b) return fail(std::move(b.error()));
  auto equality = tessera::equal(*a, *b, request.notion);
  if (!equality) return unreadable("b", std::move(equality.error()));
  return ReshardEqualResult(*std::move(a), *std::move(b), *std::move(equality));
}

}  // namespace tessera::verbs
