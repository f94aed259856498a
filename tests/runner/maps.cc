// SPDX-License-Identifier: Apache-2.0
#include "runner/maps.h"

#include <fmt/core.h>

#include "tessera/map/judge.h"

namespace tessera::vectors {
namespace {

// The answer under test comes from the simplifier, so comparing normal forms would prove nothing.
constexpr JudgeLimits kLimits{.points = Index{1} << 23, .isl_operations = 20000000, .normal_forms = false};

std::string show(const std::vector<Index>& values) {
  std::string out = "(";
  for (std::size_t i = 0; i < values.size(); ++i) out += fmt::format("{}{}", i > 0 ? ", " : "", values[i]);
  return out + ")";
}

std::string show(const std::optional<std::vector<Index>>& values) {
  return values ? show(*values) : "nothing";
}

}  // namespace

std::string to_text(const Answer& answer) {
  return std::visit([](const auto& value) { return to_string(value); }, answer);
}

std::optional<Answer> read_answer(std::string_view text) {
  auto read = parse_map_or_undefined(text, DomainPart::optional);
  if (!read) return std::nullopt;
  return std::move(*read);
}

std::optional<Match> match_of(const Json& row) {
  const std::string word = row.contains("match") ? text_of(row, "match") : "exact";
  if (word == "exact" || word == "xla-compat") return Match::exact;
  if (word == "equivalent") return Match::equivalent;
  if (word == "equivalent-and-not-larger") return Match::equivalent_and_not_larger;
  return std::nullopt;
}

std::string mismatch(const IndexMap& expected, const IndexMap& got, Match match) {
  if (expected.known_empty()) return got.known_empty() ? "" : "not known to be empty";
  const Equality same = equal(expected, got, kLimits);
  if (same.verdict == Verdict::no) {
    if (!same.difference) return same.reason;
    return fmt::format("at {}: expected {}, got {}", show(same.difference->point),
                       show(same.difference->first), show(same.difference->second));
  }
  if (same.verdict == Verdict::undecided) return "undecided: " + same.reason;
  if (match == Match::equivalent) return "";
  if (got.known_empty()) return "";
  const MapSize limit = size(expected);
  const MapSize own = size(got);
  if (own > limit) {
    return fmt::format("larger: {} operators and {} signs, expected at most {} and {}", own.operators,
                       own.signs, limit.operators, limit.signs);
  }
  for (std::size_t i = 0; i < got.variables().size(); ++i) {
    if (!expected.variables()[i].bounds.contains(got.variables()[i].bounds)) {
      return fmt::format("the interval of {} is wider", got.domain().name(i));
    }
  }
  return "";
}

std::string mismatch(const Answer& expected, const Answer& got, Match match) {
  if (expected.index() != got.index()) return "defined or not differs";
  if (std::holds_alternative<UndefinedMap>(expected)) return "";
  return mismatch(std::get<IndexMap>(expected), std::get<IndexMap>(got), match);
}

VectorResult judge_map(const Json& row, const Answer& got) {
  const std::string wanted = text_of(row, "expected");
  const auto expected = read_answer(wanted);
  const auto match = match_of(row);
  if (!expected || !match)
    return VectorResult::fail("a map and a known match", wanted + ", " + text_of(row, "match"));
  const std::string why = mismatch(*expected, got, *match);
  return VectorResult::when(why.empty(), wanted, to_text(got) + "  [" + why + "]");
}

}  // namespace tessera::vectors
