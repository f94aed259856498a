// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs `reshard plan` and `reshard show`: what moves between two distributions of an array.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/reshard_answer.h"
#include "tessera/draw/picture.h"
#include "tessera/reshard/reshard_plan.h"
#include "verbs/distribution.h"

namespace tessera::verbs {

/// The number of places that a distribution names: the largest place number plus 1. Empty if the distribution
/// uses all places.
std::optional<Index> named_places(const Distribution& distribution);

/// An array, and the distributions before and after.
struct ReshardSides {
  std::optional<Given<Distribution>> from = {};
  std::optional<Given<Distribution>> to = {};
  std::optional<Given<TypedShape>> shape = {};
  std::optional<Given<Dimensions>> view = {};
  std::optional<Index> places = {};
};

template <>
struct Words<Relabel> {
  static constexpr std::array<std::string_view, 3> words = {"none", "within", "any"};
};
struct ReshardPlanRequest : ReshardSides {
  std::optional<Index> per_node = {};
  Relabel relabel = Relabel::none;
  bool messages = false;
  bool segments = false;
  bool kept = false;
  std::optional<Index> place = {};
  bool verify = false;
  bool check = false;
  bool explain = false;
  std::string plan = {};  ///< a file with a plan, in place of the sides
};

enum class ReshardPicture : std::uint8_t { shards, traffic };
template <>
struct Words<ReshardPicture> {
  static constexpr std::array<std::string_view, 2> words = {"shards", "traffic"};
};
template <>
struct Words<Theme> {
  static constexpr std::array<std::string_view, 2> words = {"light", "dark"};
};
struct ReshardShowRequest : ReshardSides {
  ReshardPicture picture = ReshardPicture::shards;
  Theme theme = Theme::light;
};

template <class R, class Visit>
void visit_sides(Visit&& visit) {
  visit(Field{.name = "from", .value = "DIST", .help = "the distribution before"}, &R::from);
  visit(Field{.name = "to", .value = "DIST", .help = "the distribution after"}, &R::to);
  visit(Field{.name = "shape", .value = "TYPE[DIMS]", .help = "type and dimensions of the array: f32[16,16]"},
        &R::shape);
  visit(
      Field{.name = "view",
            .value = "DIMS",
            .help = "the target distributes a view of the array with these dimensions: the same elements in "
                    "row-major order"},
      &R::view);
  visit(
      Field{.name = "places",
            .value = "N",
            .help = "the number of places, including those that hold nothing (default: 1 + the largest place "
                    "number of both sides)",
            .least = 1,
            .most = kMaxPlaces},
      &R::places);
}

template <>
struct Description<ReshardPlanRequest> {
  static constexpr std::string_view name = "reshard plan";
  static constexpr std::string_view help = "what must move, and how";
  static constexpr std::string_view footer = R"(Examples:
  tessera reshard plan --shape 'f32[16,16]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}' --messages)";
  template <class Visit>
  static void fields(Visit&& visit) {
    using R = ReshardPlanRequest;
    visit_sides<R>(visit);
    visit(Field{.name = "per_node",
                .value = "K",
                .help = "the number of places in a node: also count the bytes that enter nodes",
                .least = 1,
                .most = kMaxPlaces},
          &R::per_node);
    visit(
        Field{.name = "relabel",
              .value = "within|any",
              .help =
                  "renumber target places to minimize traffic: within lets the places of the target exchange "
                  "their parts, any also uses other places"},
        &R::relabel);
    visit(Field{.name = "messages", .help = "list the messages and their boxes"}, &R::messages);
    visit(Field{.name = "segments",
                .help = "list each message with its ranges of bytes in the memories of both places"},
          &R::segments);
    visit(Field{.name = "kept", .help = "list the messages, and what stays in place"}, &R::kept);
    visit(Field{.name = "place",
                .value = "P",
                .help = "list the messages that this place sends and receives",
                .most = 16 * kMaxPlaces},
          &R::place);
    visit(Field{.name = "verify",
                .help = "prove that every element that a place lacks arrives once, and nothing else"},
          &R::verify);
    visit(Field{.name = "check",
                .help = "as --verify, then run the messages on element numbers and compare every cell of the "
                        "target"},
          &R::check);
    visit(Field{.name = "explain",
                .help =
                    "the cheapest chain of all-gathers, slices, all-to-alls and permutes over mesh axes and "
                    "their factors that does the same, with its bytes"},
          &R::explain);
    visit(Field{.name = "plan",
                .value = "FILE",
                .help =
                    "read a plan that --json wrote, instead of the array and its sides; an error if it does "
                    "not follow from its distributions"},
          &R::plan);
  }
};

template <>
struct Description<ReshardShowRequest> {
  static constexpr std::string_view name = "reshard show";
  static constexpr std::string_view help = "pictures of two distributions and of what moves";
  static constexpr std::string_view extensions = ".txt .svg .png .tex .html";
  static constexpr std::string_view footer =
      R"(-o FILE writes .svg, .png, .html, .tex, .json or text, by its extension.

Examples:
  tessera reshard show --shape 'f32[8,8]' --from '{devices=[4,1]<=[4]}' --to '{devices=[1,4]<=[4]}'
  tessera reshard show --shape 'f32[8,8]' --from '{devices=[4,1]<=[4]}' --to '{replicated}' --picture traffic)";
  template <class Visit>
  static void fields(Visit&& visit) {
    using R = ReshardShowRequest;
    visit_sides<R>(visit);
    visit(
        Field{.name = "picture",
              .help =
                  "shards (the default): who holds what before and after; traffic: bytes between places and "
                  "per place"},
        &R::picture);
    visit(Field{.name = "theme", .help = "light (the default) or dark background"}, &R::theme);
  }
};

/// The plan of one array.
class ReshardPlanResult : public VerbAnswer {
 public:
  explicit ReshardPlanResult(ReshardAnswer answer) : answer_(std::move(answer)) {}

  const ReshardAnswer& answer() const { return answer_; }

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  ReshardAnswer answer_;
};

/// A picture of what moves.
class ReshardShowResult : public VerbAnswer {
 public:
  ReshardShowResult(Picture picture, Theme theme, std::vector<std::string> hints)
      : picture_(std::move(picture)), theme_(theme), hints_(std::move(hints)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  Result<std::string> to_picture(PictureFormat format) const override;
  bool has_picture() const override { return true; }
  std::vector<std::string> hints() const override { return hints_; }

 private:
  Picture picture_;
  Theme theme_;
  std::vector<std::string> hints_;
};

/// Errors: bad_option (a side is missing), missing_attribute (the number of places is unknown), those of
/// bind_distribution, make_reshard_plan, verify, simulate, list_messages, read_reshard_plan and of the file.
Result<ReshardPlanResult> reshard_plan(const ReshardPlanRequest& request, Observer& observer);
/// Errors: also those of the picture.
Result<ReshardShowResult> reshard_show(const ReshardShowRequest& request, Observer& observer);

}  // namespace tessera::verbs
