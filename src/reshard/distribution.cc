// SPDX-License-Identifier: Apache-2.0
#include "tessera/reshard/distribution.h"

#include <algorithm>
#include <array>

#include "base/plural.h"
#include "reshard/reader.h"
#include "tessera/notation/axe.h"

namespace tessera {
namespace {

using detail::DistributionScanner;

constexpr std::array<std::string_view, 7> kNotations = {"xla",  "jax", "torch", "scalapack",
                                                        "mesh", "sdy", "axe"};

constexpr std::string_view kForms =
    "{devices=[2,4]<=[8]}, Mesh('x': 4) P('x'), DeviceMesh((4)) [Shard(0)], #sdy.sharding<mesh<[\"x\"=4]>, "
    "[{\"x\"}]>, block_cyclic(mb=64, nb=64, grid=2x4), mesh[x=4] [x, -], or axe:S[(4,8):(1@x,1)]";

// The notation of a text without a prefix, recognized by its first word.
std::optional<DistributionNotation> notation_of(std::string_view text) {
  for (const auto& [begin, notation] : {std::pair{"{", DistributionNotation::xla},
                                        {"NamedSharding(", DistributionNotation::jax},
                                        {"Mesh(", DistributionNotation::jax},
                                        {"P(", DistributionNotation::jax},
                                        {"PartitionSpec(", DistributionNotation::jax},
                                        {"DeviceMesh(", DistributionNotation::torch},
                                        {"block_cyclic(", DistributionNotation::scalapack},
                                        {"mesh[", DistributionNotation::mesh},
                                        {"#sdy.sharding<", DistributionNotation::sdy},
                                        {"sdy.mesh", DistributionNotation::sdy}}) {
    if (text.starts_with(begin)) return notation;
  }
  return {};
}

Result<Distribution> read_as(DistributionNotation notation, DistributionScanner& in) {
  switch (notation) {
    case DistributionNotation::xla:
      in.next();
      if (in.here() != '{') return in.expected("'{' and a sharding");
      return detail::read_xla(in);
    case DistributionNotation::jax:
      return detail::read_jax(in);
    case DistributionNotation::torch:
      return detail::read_torch(in);
    case DistributionNotation::scalapack:
      return detail::read_scalapack(in);
    case DistributionNotation::sdy:
      return detail::read_sdy(in);
    case DistributionNotation::axe:
      return detail::read_axe(in);
    case DistributionNotation::mesh:
      break;
  }
  return detail::read_mesh(in);
}

Result<Distribution> read_body(DistributionScanner& in) {
  for (std::size_t k = 0; k < kNotations.size(); ++k) {
    const std::size_t begin = in.next();
    if (!in.accept(kNotations[k])) continue;
    if (!in.accept(":")) {
      in.move_to(begin);
      continue;
    }
    return read_as(static_cast<DistributionNotation>(k), in);
  }
  if (is_axe_text(in.rest())) return detail::read_axe(in);
  const auto notation = notation_of(in.rest());
  if (!notation) {
    const Result<void> unknown = in.expected("a distribution");
    Diagnostic error = unknown.error();
    error.help = kForms;
    return fail(std::move(error));
  }
  return read_as(*notation, in);
}

Result<std::vector<Index>> read_on(DistributionScanner& in, const Distribution& distribution) {
  const std::size_t begin = in.next();
  std::vector<Index> numbers;
  do {
    const std::size_t at = in.next();
    TESSERA_TRY(first, in.at_least(0, "a place"));
    Index last = first;
    if (in.accept("..")) {
      TESSERA_TRY(end, in.at_least(0, "a place"));
      last = end;
      if (last < first) {
        return fail(Code::number_range, fmt::format("the range {}..{} is empty", first, last), in.since(at));
      }
    }
    if (last >= kMostPlaceNumbers) {
      return fail(Code::limit,
                  fmt::format("places have numbers less than {}, not {}", kMostPlaceNumbers, last),
                  in.since(at), "number the places from 0");
    }
    if (last - first >= kMostPlaces - static_cast<Index>(numbers.size())) {
      return fail(Code::limit, fmt::format("'on' may list at most {} places", kMostPlaces), in.since(at));
    }
    for (Index place = first; place <= last; ++place) numbers.push_back(place);
  } while (in.accept(","));
  std::vector<Index> sorted = numbers;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return fail(Code::duplicate_name, fmt::format("place {} occurs twice", *twice), in.since(begin));
  }
  // A text of one device may name any one of the places; other texts use all places.
  const bool one = distribution.mesh.axes.empty();
  const auto most = std::ranges::max_element(distribution.mesh.places);
  const Index needed = most == distribution.mesh.places.end() ? 0 : *most + 1;
  const Index count = static_cast<Index>(numbers.size());
  if (!distribution.everywhere &&
      (one && distribution.notation == DistributionNotation::xla ? count < needed : count != needed)) {
    const std::string on = fmt::format("'on' lists {}", detail::plural(count, "place"));
    return fail(Code::device_count,
                one && most != distribution.mesh.places.end()
                    ? fmt::format("{}, but the distribution uses place {}", on, *most)
                    : fmt::format("{}, but the distribution has {}", on, needed),
                in.since(begin));
  }
  return numbers;
}

}  // namespace

std::string_view to_string(DistributionNotation notation) {
  return kNotations[static_cast<std::size_t>(notation)];
}

std::optional<DistributionNotation> parse_distribution_notation(std::string_view word) {
  const auto found = std::ranges::find(kNotations, word);
  if (found == kNotations.end()) return {};
  return static_cast<DistributionNotation>(found - kNotations.begin());
}

Result<Distribution> parse_distribution(std::string_view text) {
  DistributionScanner in(text);
  const std::size_t begin = in.next();
  auto out = read_body(in);
  if (!out) return out;
  const auto& places = out->mesh.places;
  if (const auto most = std::ranges::max_element(places);
      most != places.end() && *most >= kMostPlaceNumbers) {
    return fail(Code::limit,
                fmt::format("places have numbers less than {}, not {}", kMostPlaceNumbers, *most),
                in.since(begin), "number the places from 0");
  }
  if (in.accept_word("local")) {
    TESSERA_TRY(local, detail::read_local(in));
    out->local = std::move(local);
  }
  if (in.accept_word("on")) {
    TESSERA_TRY(on, read_on(in, *out));
    out->on = std::move(on);
  }
  if (const auto end = in.end("'local', 'on' or the end of the distribution"); !end) return fail(end.error());
  return out;
}

std::string to_string(const Distribution& distribution) {
  std::string text = distribution.body;
  // The text of ScaLAPACK and of Axe says how local arrays lie.
  const bool says_local = distribution.notation == DistributionNotation::scalapack ||
                          distribution.notation == DistributionNotation::axe;
  const bool own = says_local && !distribution.local.span;
  if (const std::string local = own ? "" : detail::local_text(distribution.local); !local.empty()) {
    text += " local " + local;
  }
  const std::vector<Index>& on = distribution.on;
  for (std::size_t i = 0; i < on.size();) {
    std::size_t end = i + 1;
    while (end < on.size() && on[end] == on[end - 1] + 1) ++end;
    const bool run = end - i >= 3;
    text += i == 0 ? " on " : ",";
    text += run ? fmt::format("{}..{}", on[i], on[end - 1]) : std::to_string(on[i]);
    i = run ? end : i + 1;
  }
  return text;
}

}  // namespace tessera
