// SPDX-License-Identifier: Apache-2.0
#include "reshard/reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/plural.h"
#include "notation/sharding/iota.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {

bool DistributionScanner::accept_word(std::string_view word) {
  const std::size_t begin = next();
  if (!accept(word)) return false;
  if (is_word(here())) {
    pos_ = begin;
    return false;
  }
  return true;
}

Result<void> DistributionScanner::need(std::string_view symbol) {
  if (accept(symbol)) return {};
  return expected(fmt::format("'{}'", symbol));
}

Result<std::string> DistributionScanner::name() {
  const std::size_t begin = next();
  if (!is_letter(here()) && here() != '_') return expected("a name");
  while (is_word(here())) ++pos_;
  return std::string(text_.substr(begin, pos_ - begin));
}

Result<std::string> DistributionScanner::quoted() {
  const std::size_t begin = next();
  const char quote = here();
  if (quote != '\'' && quote != '"') return expected("a quoted name");
  const std::size_t close = text_.find(quote, begin + 1);
  if (close == std::string_view::npos) {
    return fail(Code::syntax, "expected a closing quote, found the end of the text",
                span(begin, text_.size()));
  }
  pos_ = close + 1;
  return std::string(text_.substr(begin + 1, close - begin - 1));
}

Result<Index> DistributionScanner::signed_integer() {
  const bool negative = accept("-");
  const auto value = integer();
  if (!value) return fail(value.error());
  return negative ? -*value : *value;
}

Result<Index> DistributionScanner::at_least(Index least, std::string_view what) {
  const std::size_t begin = next();
  TESSERA_TRY(value, signed_integer());
  if (value < least) {
    return fail(Code::number_range, fmt::format("{} must be at least {}, not {}", what, least, value),
                since(begin));
  }
  return value;
}

Result<std::vector<Index>> DistributionScanner::integers_until(std::string_view close) {
  std::vector<Index> values;
  while (!accept(close)) {
    if (!values.empty()) {
      if (!accept(",")) return expected(fmt::format("',' or '{}'", close));
      if (accept(close)) break;
    }
    TESSERA_TRY(value, signed_integer());
    values.push_back(value);
  }
  return values;
}

Index mesh_size(const PlaceMesh& mesh) { return static_cast<Index>(mesh.places.size()); }

bool is_row_major(const PlaceMesh& mesh) {
  for (std::size_t i = 0; i < mesh.places.size(); ++i) {
    if (mesh.places[i] != static_cast<Index>(i)) return false;
  }
  return true;
}

Result<PlaceMesh> make_mesh(std::vector<MeshAxis> axes, Span span) {
  Index size = 1;
  std::set<std::string_view> names;
  for (const MeshAxis& axis : axes) {
    if (!axis.name.empty() && !names.insert(axis.name).second) {
      return fail(Code::duplicate_name, fmt::format("the mesh has two axes '{}'", axis.name), span);
    }
    if (axis.size < 1) {
      return fail(Code::number_range,
                  fmt::format("a mesh axis must have at least 1 position, not {}", axis.size), span);
    }
    if (mul_overflows(size, axis.size, size) || size > kMostPlaces) {
      return fail(Code::limit, fmt::format("a mesh has at most {} places", kMostPlaces), span);
    }
  }
  PlaceMesh mesh{std::move(axes), std::vector<Index>(static_cast<std::size_t>(size))};
  for (std::size_t i = 0; i < mesh.places.size(); ++i) mesh.places[i] = static_cast<Index>(i);
  return mesh;
}

Result<void> place_mesh(PlaceMesh& mesh, std::vector<Index> places, Span span) {
  if (places.size() != mesh.places.size()) {
    return fail(Code::device_count,
                fmt::format("the list has {}, but the mesh has {}", plural(places.size(), "place"),
                            mesh.places.size()),
                span);
  }
  std::vector<Index> sorted = places;
  std::ranges::sort(sorted);
  if (!sorted.empty() && sorted.front() < 0) {
    return fail(Code::number_range, fmt::format("{} is not the number of a place", sorted.front()), span);
  }
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return fail(Code::device_count, fmt::format("place {} occurs twice", *twice), span);
  }
  mesh.places = std::move(places);
  return {};
}

Result<std::size_t> find_axis(const PlaceMesh& mesh, std::string_view name, Span span) {
  for (std::size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].name == name) return i;
  }
  std::vector<std::string_view> names;
  for (const MeshAxis& axis : mesh.axes) names.push_back(axis.name);
  return fail(Code::unknown_name, fmt::format("the mesh has no axis '{}'", name), span,
              names.empty() ? "the mesh has no axes" : fmt::format("its axes: {}", fmt::join(names, ", ")));
}

Result<std::vector<Index>> iota_places(std::vector<Index> reshape, std::vector<Index> transpose, Span span) {
  Index count = 1;
  for (const Index extent : reshape) {
    if (extent < 1) return fail(Code::number_range, "an iota needs extents of at least 1", span);
    if (mul_overflows(count, extent, count) || count > kMostPlaces) {
      return fail(Code::limit, fmt::format("a mesh has at most {} places", kMostPlaces), span);
    }
  }
  // XLA's value checks the permutation; a tile assignment of one device needs a list.
  if (count == 1) return std::vector<Index>{0};
  const auto sharding = Sharding::tiled({count}, IotaDevices{std::move(reshape), std::move(transpose)}, {});
  if (!sharding) {
    Diagnostic error = sharding.error();
    error.span = span;
    return fail(std::move(error));
  }
  return sharding->devices();
}

Result<std::vector<Index>> read_device_ids(DistributionScanner& in) {
  const std::size_t begin = in.next();
  if (!in.accept("[")) {
    TESSERA_TRY(list, in.integers_until(")"));
    in.move_to(in.position() - 1);
    return std::move(list);
  }
  TESSERA_TRY(reshape, in.integers_until("]"));
  std::vector<Index> transpose(reshape.size());
  for (std::size_t i = 0; i < transpose.size(); ++i) transpose[i] = static_cast<Index>(i);
  if (in.accept("T")) {
    TESSERA_NEED(in.need("("));
    TESSERA_TRY(list, in.integers_until(")"));
    transpose = std::move(list);
  }
  return iota_places(std::move(reshape), std::move(transpose), in.since(begin));
}

std::string device_ids_text(const std::vector<Index>& places) {
  const auto iota = iota_of(places);
  if (!iota) return fmt::format("{}", fmt::join(places, ","));
  if (iota->reshape.size() == 1) return fmt::format("[{}]", iota->reshape[0]);
  return fmt::format("[{}]T({})", fmt::join(iota->reshape, ","), fmt::join(iota->transpose, ","));
}

Failure no_static_map(std::string_view reason, Span span) {
  const auto say = [&](std::string message, std::string help) {
    return fail(Diagnostic{.code = Code::no_static_map,
                           .message = std::move(message),
                           .span = span,
                           .reason = std::string(reason),
                           .help = std::move(help)});
  };
  if (reason == "partial" || reason == "unreduced") {
    return say(fmt::format("a partial sum is not held anywhere: it must be added up first ({})", reason),
               "reduce it in your program, then reshard the result, e.g. from [Replicate()] or [Shard(0)]");
  }
  if (reason == "unconstrained") {
    return say("the compiler chooses this dimension's sharding (unconstrained)",
               "take the sharding of the compiled program");
  }
  return say(fmt::format("a sharding that does not say who holds an element ({})", reason),
             reason == "manual" ? "the program itself places this data: say where, e.g. with mesh[...]"
                                : "take the sharding of the compiled program");
}

}  // namespace tessera::detail
