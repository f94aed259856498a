// SPDX-License-Identifier: Apache-2.0
#include "tessera/reshard/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/plural.h"
#include "base/try.h"
#include "reshard/distribution_scanner.h"
#include "reshard/distribution_traits.h"
#include "reshard/local_layout.h"

namespace tessera {
namespace {

using detail::distribution_traits;
using detail::DistributionScanner;

constexpr std::string_view kNames[] = {
#define TESSERA_NOTATION(name, is_written) #name,
    TESSERA_DISTRIBUTION_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
};

Failure unknown_form(DistributionScanner& in) {
  std::string forms;
  for (const DistributionNotation notation : all_distribution_notations()) {
    const bool last = notation == all_distribution_notations().back();
    forms += fmt::format("{}{}{}", forms.empty() ? "" : ", ", last ? "or " : "",
                         distribution_traits(notation).example);
  }
  const Result<void> unknown = in.expected("a distribution");
  Diagnostic error = unknown.error();
  error.help = std::move(forms);
  return fail(std::move(error));
}

Result<Distribution> read_body(DistributionScanner& in) {
  const std::size_t begin = in.next();
  for (const DistributionNotation notation : all_distribution_notations()) {
    if (!in.accept(to_string(notation))) continue;
    if (in.accept(":")) return distribution_traits(notation).read(in);
    in.move_to(begin);
  }
  for (const DistributionNotation notation : all_distribution_notations()) {
    if (distribution_traits(notation).claim(in.rest())) return distribution_traits(notation).read(in);
  }
  return unknown_form(in);
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
    if (last >= kMaxPlaceNumbers) {
      return fail(Code::limit,
                  fmt::format("places have numbers less than {}, not {}", kMaxPlaceNumbers, last),
                  in.since(at), "number the places from 0");
    }
    if (last - first >= kMaxPlaces - static_cast<Index>(numbers.size())) {
      return fail(Code::limit, fmt::format("'on' may list at most {} places", kMaxPlaces), in.since(at));
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
      (one && distribution_traits(distribution.notation).lists_places ? count < needed : count != needed)) {
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

std::span<const DistributionNotation> all_distribution_notations() {
  static constexpr DistributionNotation kAll[] = {
#define TESSERA_NOTATION(name, is_written) DistributionNotation::name,
      TESSERA_DISTRIBUTION_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
  };
  return kAll;
}

std::string_view to_string(DistributionNotation notation) {
  return kNames[static_cast<std::size_t>(notation)];
}

std::optional<DistributionNotation> parse_distribution_notation(std::string_view word) {
  for (const DistributionNotation notation : all_distribution_notations()) {
    if (to_string(notation) == word) return notation;
  }
  return {};
}

Result<Distribution> parse_distribution(std::string_view text) {
  DistributionScanner in(text);
  const std::size_t begin = in.next();
  auto out = read_body(in);
  if (!out) return out;
  const auto& places = out->mesh.places;
  if (const auto most = std::ranges::max_element(places); most != places.end() && *most >= kMaxPlaceNumbers) {
    return fail(Code::limit, fmt::format("places have numbers less than {}, not {}", kMaxPlaceNumbers, *most),
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
  const bool own = distribution_traits(distribution.notation).says_local && !distribution.local.span;
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
