// SPDX-License-Identifier: Apache-2.0
#include "cli/reshard_sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/tensor_options.h"
#include "tessera/notation/layout.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

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

std::optional<TypedShape> read_shape(Session& session, const std::string& text, int& status) {
  if (text.empty()) {
    status = report_failure(session,
                            {.code = Code::bad_option,
                             .message = "--shape is missing",
                             .help = "the type and the dimensions of the array: --shape 'f32[16,16]'"},
                            "");
    return {};
  }
  auto read = parse_typed_shape(text);
  if (!read) {
    status = report_option(session, read.error(), "--shape");
    return {};
  }
  if (!read->dtype) {
    status = report_option(
        session,
        {.code = Code::unknown_type,
         .message = "the element type is unknown",
         .help = fmt::format("write the type before the dimensions: f32[{}]", fmt::join(read->shape, ","))},
        "--shape");
    return {};
  }
  return std::move(*read);
}

// The given number of places or, without one, the number that the texts name.
std::optional<Index> count_places(Session& session, Index given, const Distribution& from,
                                  const Distribution& to, int& status) {
  if (given > 0) return given;
  const std::optional<Index> in_from = place_count(from);
  const std::optional<Index> in_to = place_count(to);
  if (in_from || in_to) return std::max(in_from.value_or(0), in_to.value_or(0));
  status = report_option(session,
                         {.code = Code::missing_attribute,
                          .message = "neither side says how many places there are",
                          .help = "add the number of places: --places 8"},
                         "--to");
  return {};
}

}  // namespace

void add_side_options(CLI::App& verb, ReshardSides& sides) {
  verb.add_option("--from", sides.from, "the distribution before")->type_name("DIST");
  verb.add_option("--to", sides.to, "the distribution after")->type_name("DIST");
  verb.add_option("--shape", sides.shape, "type and dimensions of the array: f32[16,16]")
      ->type_name("TYPE[DIMS]");
  verb.add_option("--view", sides.view,
                  "the target distributes a view of the array with these dimensions: the same elements in "
                  "row-major order")
      ->type_name("DIMS");
  verb.add_option(
          "--places", sides.places,
          "the number of places, including those that hold nothing (default: 1 + the largest place number "
          "of both sides)")
      ->type_name("N")
      ->check(CLI::Range(Index{1}, kMostPlaces));
}

Result<TypedShape> parse_typed_shape(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" (");
  const bool plain = first != std::string_view::npos && text[first] >= '0' && text[first] <= '9' &&
                     text.find_first_of(":[]{}") == std::string_view::npos;
  if (plain) {
    auto shape = parse_shape(text);
    if (!shape) return fail(shape.error());
    return TypedShape{{}, std::move(*shape)};
  }
  const auto layout = parse_layout(text);
  if (!layout) return fail(layout.error());
  return TypedShape{layout->dtype(), {layout->shape().begin(), layout->shape().end()}};
}

std::optional<Index> place_count(const Distribution& distribution) {
  const std::vector<Index>& numbers = distribution.on.empty() ? distribution.mesh.places : distribution.on;
  if (numbers.empty()) return {};
  return *std::ranges::max_element(numbers) + 1;
}

std::optional<BoundSides> read_sides(Session& session, const ReshardSides& sides, int& status) {
  const auto from = read_distribution(session, "--from", sides.from, status);
  if (!from) return {};
  const auto to = read_distribution(session, "--to", sides.to, status);
  if (!to) return {};
  const auto array = read_shape(session, sides.shape, status);
  if (!array) return {};
  std::vector<Index> view = array->shape;
  if (!sides.view.empty()) {
    auto read = parse_shape(sides.view);
    if (!read) {
      status = report_option(session, read.error(), "--view");
      return {};
    }
    view = std::move(*read);
    if (const auto below = std::ranges::find_if(view, [](Index extent) { return extent < 0; });
        below != view.end()) {
      status = report_option(session,
                             {.code = Code::negative_dim,
                              .message = fmt::format("the extent {} is negative", *below),
                              .help = "write every dimension of the target: --view 8,16"},
                             "--view");
      return {};
    }
  }
  const auto places = count_places(session, sides.places, *from, *to, status);
  if (!places) return {};
  auto source = bind_distribution(*from, array->shape, *places);
  if (!source) {
    status = report_option(session, source.error(), "--from");
    return {};
  }
  auto target = bind_distribution(*to, std::move(view), *places);
  if (!target) {
    status = report_option(session, target.error(), "--to");
    return {};
  }
  return BoundSides{*array->dtype, std::move(*source), std::move(*target)};
}

}  // namespace tessera::cli
