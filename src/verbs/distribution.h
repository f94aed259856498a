// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs `reshard at`, `places`, `convert` and `equal`: questions about distributions of an array.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/distribution_answer.h"
#include "tessera/base/dtype.h"
#include "tessera/reshard/distribution.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"

namespace tessera::verbs {

template <>
struct Reading<Distribution> {
  static Distribution none() { return {}; }
  static Result<Distribution> read(const std::string& text) { return parse_distribution(text); }
};

/// The dimensions of an array, with its element type if the text has one.
struct TypedShape {
  std::optional<DType> dtype = {};
  std::vector<Index> shape = {};
};
template <>
struct Reading<TypedShape> {
  static TypedShape none() { return {}; }
  /// `f32[16,16]`, `16,16`, `16x16`, `(16,16)`. Errors: syntax, number_range, those of a type.
  static Result<TypedShape> read(const std::string& text);
};

/// Dimensions: `8,16`.
struct Dimensions {
  std::vector<Index> extents = {};
};
template <>
struct Reading<Dimensions> {
  static Dimensions none() { return {}; }
  static Result<Dimensions> read(const std::string& text);
};

/// The notations that a distribution is converted to.
enum class DistributionTarget : std::uint8_t {};
template <>
struct Words<DistributionTarget> {
  static constexpr auto words = [] {
    constexpr std::pair<std::string_view, bool> kAll[] = {
#define TESSERA_NOTATION(name, is_written) {#name, is_written},
        TESSERA_DISTRIBUTION_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
    };
    std::array<std::string_view, std::ranges::count(kAll, true, &std::pair<std::string_view, bool>::second)>
        written;
    std::size_t count = 0;
    for (const auto& [name, is_written] : kAll) {
      if (is_written) written[count++] = name;
    }
    return written;
  }();
};
constexpr DistributionTarget distribution_target(std::string_view name) {
  return static_cast<DistributionTarget>(std::ranges::find(Words<DistributionTarget>::words, name) -
                                         Words<DistributionTarget>::words.begin());
}
template <>
struct Words<DistributionNotion> {
  static constexpr std::array<std::string_view, 2> words = {"map", "holders"};
};

/// What every question about a distribution says of the array.
struct DistributedArray {
  Given<TypedShape> shape = {};
  std::optional<Index> places = {};
};

struct ReshardAtRequest : DistributedArray {
  Given<Distribution> dist = {};
  std::vector<std::string> index = {};
  std::optional<Index> place = {};
  bool inverse = false;
};
struct ReshardPlacesRequest : DistributedArray {
  Given<Distribution> dist = {};
  std::optional<Index> place = {};
};
struct ReshardConvertRequest : DistributedArray {
  Given<Distribution> dist = {};
  DistributionTarget to = distribution_target("mesh");
  std::optional<Given<Dimensions>> view = {};
};
struct ReshardEqualRequest : DistributedArray {
  Given<Distribution> a = {};
  Given<Distribution> b = {};
  DistributionNotion notion = DistributionNotion::map;
};

inline constexpr std::string_view kDistributionHelp = "a distribution in any notation";
inline constexpr Field kDistField = {
    .name = "dist", .value = "DIST", .help = kDistributionHelp, .argument = true};
inline constexpr Field kShapeField = {
    .name = "shape",
    .value = "DIMS",
    .help = "dimensions of the array, with or without a type: 16,16 or f32[16,16]",
    .required = true};
inline constexpr Field kPlacesField = {.name = "places",
                                       .value = "N",
                                       .help = "the number of places; {replicated} needs it",
                                       .least = 1,
                                       .most = kMaxPlaces};
inline constexpr Field place_field(std::string_view help) {
  return {.name = "place", .value = "P", .help = help, .most = kMaxPlaceNumbers - 1};
}

template <>
struct Description<ReshardAtRequest> {
  static constexpr std::string_view name = "reshard at";
  static constexpr std::string_view help = "who holds an element, and where";
  static constexpr std::string_view footer =
      R"(Each index gets one line: its places, with the local index and the offset in the place's memory.

Examples:
  tessera reshard at 'DeviceMesh((dp=2, tp=2)) [_StridedShard(dim=0, sf=2), Shard(dim=0)]' --shape 5 2 3 4
  tessera reshard at 'block_cyclic(mb=2, nb=2, grid=2x2)' --shape 9,9 4,7 --json
  tessera reshard at '{devices=[2,2]<=[4]}' --shape 4,6 --place 3 --inverse 1,0)";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kDistField, &ReshardAtRequest::dist);
    visit(Field{.name = "index",
                .help = "indices of the array, such as 2,3; with --inverse, local indices",
                .argument = true},
          &ReshardAtRequest::index);
    visit(place_field("only where this place keeps the element; exit status 1 if it does not"),
          &ReshardAtRequest::place);
    visit(Field{.name = "inverse",
                .help = "INDEX is an index of the local array of --place: which element is there"},
          &ReshardAtRequest::inverse);
    visit(kShapeField, &ReshardAtRequest::shape);
    visit(kPlacesField, &ReshardAtRequest::places);
  }
};

template <>
struct Description<ReshardPlacesRequest> {
  static constexpr std::string_view name = "reshard places";
  static constexpr std::string_view help = "what each place holds: indices, local shape, strides, size";
  static constexpr std::string_view footer =
      R"(One line for each place: the indices of each dimension, where 0:4 is one run and 0:1 every 4 x 3 are three;
the shape and the strides of its local array; its elements. A place that holds no element is empty.

Examples:
  tessera reshard places 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --shape 'f32[5,3]'
  tessera reshard places 'mesh[p=3] [p(cyclic 2)]' --shape 16 --place 1)";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kDistField, &ReshardPlacesRequest::dist);
    visit(place_field("only this place"), &ReshardPlacesRequest::place);
    visit(kShapeField, &ReshardPlacesRequest::shape);
    visit(kPlacesField, &ReshardPlacesRequest::places);
  }
};

template <>
struct Description<ReshardConvertRequest> {
  static constexpr std::string_view name = "reshard convert";
  static constexpr std::string_view help = "the same distribution in another notation";
  static constexpr std::string_view footer =
      R"x(The result has the same holders, local indices and offsets for arrays of this shape. Exit status 1
if there is none, with an index that shows it.

Examples:
  tessera reshard convert 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' --to xla --shape 8,3
  tessera reshard convert "Mesh('x': 4, 'y': 2) P('y', None, 'x')" --to torch --shape 16,16,16
  tessera reshard convert "Mesh('x': 4) P('x')" --to sdy --shape 8,6 --view 2,4,6
  tessera reshard convert 'mesh[dp=2,tp=4] [dp, tp]' --to axe --shape 8,16)x";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kDistField, &ReshardConvertRequest::dist);
    visit(Field{.name = "to", .help = "the notation: mesh (the default) can express all others"},
          &ReshardConvertRequest::to);
    visit(Field{.name = "view",
                .value = "DIMS",
                .help = "the distribution of an array with these dimensions: the same elements in row-major "
                        "order on the same places"},
          &ReshardConvertRequest::view);
    visit(kShapeField, &ReshardConvertRequest::shape);
    visit(kPlacesField, &ReshardConvertRequest::places);
  }
};

template <>
struct Description<ReshardEqualRequest> {
  static constexpr std::string_view name = "reshard equal";
  static constexpr std::string_view help = "prove two distributions equal, or find the first difference";
  static constexpr std::string_view footer =
      R"('yes' (exit status 0), or 'no at INDEX' with the first index that differs and its places in both (1).

Examples:
  tessera reshard equal 'DeviceMesh((2, 2)) [Shard(0), Shard(0)]' '{devices=[4]<=[4]}' --shape 13)";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "a", .value = "DIST", .help = kDistributionHelp, .argument = true},
          &ReshardEqualRequest::a);
    visit(Field{.name = "b", .value = "DIST", .help = kDistributionHelp, .argument = true},
          &ReshardEqualRequest::b);
    visit(
        Field{.name = "notion",
              .help =
                  "map (the default): the same places, local indices and offsets; holders: the same places"},
        &ReshardEqualRequest::notion);
    visit(kShapeField, &ReshardEqualRequest::shape);
    visit(kPlacesField, &ReshardEqualRequest::places);
  }
};

/// Who holds each index or, the other way, the element at each local index. Its status is 1 if `place` does
/// not hold one of them.
class ReshardAtResult : public VerbAnswer {
 public:
  /// The holders of an element, and whether the requested place is one of them.
  struct Held {
    HoldersAnswer found;
    bool here = true;
    std::string elsewhere = {};  ///< if not, where it is
  };
  using Value = std::variant<std::vector<Held>, std::vector<LocalElementAnswer>>;
  ReshardAtResult(BoundDistribution distribution, Value value)
      : distribution_(std::move(distribution)), value_(std::move(value)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  std::vector<std::string> lines() const;

  BoundDistribution distribution_;
  Value value_;
};

/// What places hold.
class ReshardPlacesResult : public VerbAnswer {
 public:
  ReshardPlacesResult(BoundDistribution distribution, std::vector<Index> places, std::optional<DType> dtype)
      : distribution_(std::move(distribution)), places_(std::move(places)), dtype_(dtype) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_line() const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  std::vector<std::string> lines() const;

  BoundDistribution distribution_;
  std::vector<Index> places_;
  std::optional<DType> dtype_;
};

/// A distribution in another notation, perhaps of a view.
class ReshardConvertResult : public VerbAnswer {
 public:
  ReshardConvertResult(BoundDistribution from, BoundDistribution shown, Distribution to, bool is_view)
      : from_(std::move(from)), shown_(std::move(shown)), to_(std::move(to)), is_view_(is_view) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  BoundDistribution from_;
  BoundDistribution shown_;
  Distribution to_;
  bool is_view_;
};

/// A proof, or the first difference. Its status is 1 if they differ.
class ReshardEqualResult : public VerbAnswer {
 public:
  ReshardEqualResult(BoundDistribution a, BoundDistribution b, DistributionEquality equality)
      : a_(std::move(a)), b_(std::move(b)), equality_(std::move(equality)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  BoundDistribution a_;
  BoundDistribution b_;
  DistributionEquality equality_;
};

/// Errors of all: those of bind_distribution. Then those of holders and element_at; limit (too many places to
/// list); those of view_distribution and tessera::convert; those of tessera::equal.
Result<ReshardAtResult> reshard_at(const ReshardAtRequest& request, Observer& observer);
Result<ReshardPlacesResult> reshard_places(const ReshardPlacesRequest& request, Observer& observer);
Result<ReshardConvertResult> reshard_convert(const ReshardConvertRequest& request, Observer& observer);
Result<ReshardEqualResult> reshard_equal(const ReshardEqualRequest& request, Observer& observer);

}  // namespace tessera::verbs
