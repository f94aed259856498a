// SPDX-License-Identifier: Apache-2.0
#include "python/src/cute_signatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace tessera::python {
namespace {

#define TYPE(name) "tessera._types." name

constexpr std::string_view kValue = eval::Parameter<Value>::kind;

// How the type of a result follows from the arguments.
enum class ResultRule : std::uint8_t {
  fixed,         // one type
  layouts,       // a Layout if no argument has a swizzle
  compositions,  // a Layout of two arguments without swizzles
  sliced,        // a Layout of a Slice
  slices,        // a Slice if no argument has a swizzle
  tuples,        // an IntTuple if no argument has a hole
  modes,         // an IntTuple of tuples, a Layout of layouts without swizzles
};
struct Returns {
  ResultRule rule = ResultRule::fixed;
  const char* type = "";  // for any arguments
  std::vector<std::string_view> functions;
};

const std::vector<Returns>& returns() {
  static const std::vector<Returns> table = {
      {ResultRule::fixed,
       "int",
       {"rank", "depth", "size", "cosize", "image_min", "image_max", "crd2idx", "max_common_vector",
        "max_alignment"}},
      {ResultRule::fixed,
       "bool",
       {"colex_less", "lex_less", "elem_less", "congruent", "weakly_congruent", "compatible",
        "evenly_divides", "equal", "equal_on", "is_injective", "is_bijective", "is_contiguous"}},
      {ResultRule::fixed, "list[int]", {"values"}},
      {ResultRule::fixed,
       "str",
       {"composition_check", "print_layout", "to_linear", "pseudo_inverse", "invert_and_compose"}},
      {ResultRule::fixed, "Swizzle", {"make_swizzle", "swizzle_compose", "swizzle_portion"}},
      {ResultRule::fixed,
       TYPE("IntTuple"),
       {"shape", "stride", "coshape", "evaluate", "idx2crd", "crd2crd", "shape_div", "shape_mod", "ceil_div",
        "offset_of"}},
      {ResultRule::tuples, TYPE("Coord"), {"make_shape", "make_stride", "make_coord", "make_tuple"}},
      {ResultRule::fixed, TYPE("Tiler"), {"make_tile"}},
      {ResultRule::fixed,
       "Layout",
       {"make_layout", "make_ordered_layout", "make_layout_like", "make_identity_layout", "complement",
        "complement_open", "domain_distribute", "nullspace", "max_common_layout", "nonswizzle_portion",
        "tv_of_addresses", "dice", "concat"}},
      {ResultRule::fixed, "tuple[" TYPE("IntTuple") ", Layout]", {"make_layout_tv"}},
      {ResultRule::fixed, TYPE("Slice"), {"simplify", "recognise"}},
      {ResultRule::fixed, "Layout | ComposedLayout", {"from_linear", "make_composed_layout"}},
      {ResultRule::sliced, "Layout | ComposedLayout | Swizzle", {"layout_of"}},
      {ResultRule::slices,
       TYPE("Slice") " | ComposedLayout",
       {"slice", "slice_and_offset", "local_tile", "inner_partition", "outer_partition", "local_partition"}},
      {ResultRule::compositions, "Layout | ComposedLayout", {"composition"}},
      {ResultRule::layouts,
       "Layout | ComposedLayout",
       {"logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product", "zipped_product",
        "tiled_product", "flat_product", "blocked_product", "raked_product", "coalesce", "filter",
        "filter_zeros", "tile_to_shape", "append_to_rank"}},
      {ResultRule::layouts,
       "Layout | ComposedLayout | Swizzle",
       {"right_inverse", "left_inverse", "inverse", "generalized_inverse", "upcast", "downcast", "recast"}},
      {ResultRule::modes,
       "Layout | ComposedLayout | " TYPE("IntTuple"),
       {"get", "select", "take", "append", "prepend", "replace", "group", "group_modes", "flatten",
        "unflatten", "zip"}},
  };
  return table;
}

// The type of a parameter of the calculator. A text is read as a value of any kind.
std::string type_of(std::string_view kind) {
  static const std::map<std::string_view, const char*> types = {
      {"an integer", "int | str"},
      {"an integer or a tuple", TYPE("IntTuple") " | str"},
      {"a coordinate", TYPE("Coord") " | str"},
      {"an integer, a tuple or '_'", TYPE("Coord") " | str"},
      {"a shape", TYPE("LayoutLike")},
      {"a layout", TYPE("LayoutLike")},
      {"a swizzle", "Swizzle | str"},
  };
  const auto found = types.find(kind);
  return found == types.end() ? TYPE("Tiler") : found->second;
}

// One more type for the parameters of a kind, in place of that of `type_of`.
struct Narrow {
  std::string_view kind;
  const char* type;
};

// `A: …, *i: …`, for the first `most` parameters.
std::string parameters_of(const eval::Builtin& function, std::span<const Narrow> narrow, std::size_t most) {
  const std::string_view text = function.info.signature;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string out;
  bool optional = false;
  bool repeats = false;
  std::size_t index = 0;
  for (std::size_t at = text.find('(') + 1; at < text.size() && text[at] != ')' && index < most;) {
    optional = optional || text[at] == '[';
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    repeats = text.substr(end).starts_with("...");
    const std::string_view kind = function.kinds[index];
    std::string type = type_of(kind);
    for (const Narrow& one : narrow) {
      if (one.kind == kind) type = one.type;
    }
    // A layout first: tuples alone give a tuple.
    if (kind == kValue && index == 0 && type == TYPE("Plain")) type = "Layout";
    out += fmt::format("{}{}{}: {}{}", out.empty() ? "" : ", ", repeats ? "*" : "", text.substr(at, end - at),
                       type, optional ? " = ..." : "");
    ++index;
    at = end;
  }
  return out + (repeats ? "" : ", /");
}

}  // namespace

std::vector<std::string> signatures_of(const eval::Builtin& function) {
  static constexpr Narrow kPlain[] = {{"a layout", TYPE("Plain")},
                                      {"a layout or a tiler", TYPE("PlainTiler")}};
  static constexpr Narrow kSlice[] = {{kValue, TYPE("Slice")}};
  static constexpr Narrow kNoHoles[] = {{"an integer, a tuple or '_'", TYPE("IntTuple")}};
  static constexpr Narrow kTuples[] = {{kValue, TYPE("IntTuple")}};
  static constexpr Narrow kLayouts[] = {{kValue, TYPE("Plain")}};
  const std::string_view name = function.info.name;
  const auto overload = [&](std::span<const Narrow> narrow, const char* result, std::size_t most = 99) {
    return fmt::format("def {}({}) -> {}", name, parameters_of(function, narrow, most), result);
  };
  for (const Returns& one : returns()) {
    if (std::ranges::find(one.functions, name) == one.functions.end()) continue;
    const std::string any = overload({}, one.type);
    switch (one.rule) {
      case ResultRule::fixed:
        return {any};
      case ResultRule::layouts:
        return {overload(kPlain, "Layout"), any};
      case ResultRule::compositions:
        return {overload(kPlain, "Layout", 2), any};
      case ResultRule::sliced:
        return {overload(kSlice, "Layout"), any};
      case ResultRule::slices:
        return {overload(kPlain, TYPE("Slice")), any};
      case ResultRule::tuples:
        return {overload(kNoHoles, TYPE("IntTuple")), any};
      case ResultRule::modes:
        return {overload(kLayouts, "Layout"), overload(kTuples, TYPE("IntTuple")), any};
    }
  }
  return {overload({}, "typing.Any")};
}

#undef TYPE

}  // namespace tessera::python
