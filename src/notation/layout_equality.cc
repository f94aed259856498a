// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

constexpr std::string_view kWords[] = {"text", "structure", "map", "storage"};

LayoutEquality decided(bool same, std::string_view word, std::string reason) {
  if (same) return {.verdict = Verdict::yes};
  return {.verdict = Verdict::no, .word = std::string(word), .reason = std::move(reason)};
}

}  // namespace

std::string_view to_string(EqualityNotion notion) { return kWords[static_cast<std::size_t>(notion)]; }

std::optional<EqualityNotion> parse_equality_notion(std::string_view word) {
  const auto found = std::ranges::find(kWords, word);
  if (found == std::end(kWords)) return std::nullopt;
  return static_cast<EqualityNotion>(found - std::begin(kWords));
}

LayoutEquality equal(const Layout& a, const Layout& b, EqualityNotion notion,
                     const LayoutEqualityOptions& options) {
  switch (notion) {
    case EqualityNotion::text: {
      const std::string first = to_prefixed_string(a);
      const std::string second = to_prefixed_string(b);
      return decided(first == second, "text", fmt::format("{} is not {}", first, second));
    }
    case EqualityNotion::structure:
      return decided(
          a == b, "structure",
          a.notation() == b.notation()
              ? "the fields differ"
              : fmt::format("the notations are {} and {}", to_string(a.notation()), to_string(b.notation())));
    case EqualityNotion::map:
      return same_map(a, b, options);
    case EqualityNotion::storage:
      break;
  }
  return same_storage(a, b, options);
}

std::string to_string(const LayoutEquality& equality) {
  if (equality.verdict == Verdict::yes) return "yes";
  if (equality.verdict == Verdict::undecided) return "undecided: " + equality.reason;
  if (!equality.difference) return fmt::format("no: {}: {}", equality.word, equality.reason);
  const LayoutDifference& difference = *equality.difference;
  return fmt::format("no at ({}): {} and {}", fmt::join(difference.index, ", "), difference.first,
                     difference.second);
}

}  // namespace tessera
