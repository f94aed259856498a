// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "notation/symbolic/symbolic_digits.h"
#include "size/question.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera::symbolic {
namespace {

/// Whether a layout for all sizes may exist where its text with numbers is refused.
bool is_too_large(const Diagnostic& error) {
  return error.code == Code::number_range || error.code == Code::overflow || error.code == Code::limit ||
         error.code == Code::capacity;
}

/// Whether the packs of a Morello layout divide their dimensions, without which it has padding.
bool packs_divide(const SymbolicLayout& layout, const Layout& numbers) {
  if (layout.kind() != SymbolicLayout::Kind::morello) return true;
  std::vector<Integer> packs(numbers.shape().size(), 1);
  for (const SymbolicLayout::Entry& entry : layout.entries()) {
    Integer& product = packs[static_cast<std::size_t>(entry.dim)];
    if (entry.pack && product <= kIndexMax) product *= *entry.pack;
  }
  return std::ranges::equal(numbers.shape(), packs, [](Index extent, Integer p) { return extent % p == 0; });
}

/// What the layouts of numbers answer.
Trial tried(const SymbolicLayout& a, const SymbolicLayout& b, const Sizes& at) {
  const auto x = a.text_at(at);
  const auto y = b.text_at(at);
  const bool divides_below_one = a.divides_below_one(at) || b.divides_below_one(at);
  if (!x || !y) return {.kind = divides_below_one ? Trial::Kind::outside : Trial::Kind::skipped};
  Trial out{.evaluations = std::max<std::int64_t>(64, std::ssize(*x) + std::ssize(*y))};
  const auto left = parse_layout(*x);
  const auto right = parse_layout(*y);
  if (!left || !right) {
    const bool too_large = (!left && is_too_large(left.error())) || (!right && is_too_large(right.error()));
    out.kind = too_large ? Trial::Kind::skipped : Trial::Kind::outside;
    return out;
  }
  const auto below_one = [](Index n) { return n < 1; };
  if (!packs_divide(a, *left) || !packs_divide(b, *right)) {
    out.kind = Trial::Kind::outside;
    return out;
  }
  if (std::ranges::any_of(left->shape(), below_one) || std::ranges::any_of(right->shape(), below_one)) {
    out.kind = Trial::Kind::outside;
    return out;
  }
  const LayoutEquality found = same_map(*left, *right);
  switch (found.verdict) {
    case Verdict::yes:
      return out;
    case Verdict::undecided:
      out.kind = Trial::Kind::skipped;
      return out;
    case Verdict::no:
      break;
  }
  out.kind = Trial::Kind::fails;
  if (!found.difference) {
    out.shapes_differ = true;
    out.values = {fmt::format("({})", fmt::join(left->shape(), ",")),
                  fmt::format("({})", fmt::join(right->shape(), ","))};
    return out;
  }
  out.index.assign(found.difference->index.begin(), found.difference->index.end());
  out.values = {std::to_string(found.difference->first), std::to_string(found.difference->second)};
  return out;
}

}  // namespace

Result<SizeAnswer> equal(const SymbolicLayout& a, const SymbolicLayout& b, const AssumptionList& where) {
  SizeQuestion question;
  for (const AssumptionList* list : {&a.where(), &b.where(), &where}) question.where.append(*list);
  std::vector<std::string> names = a.names();
  for (const std::string& name : b.names()) names.push_back(name);
  question.names = question.where.names(std::move(names));
  question.program = [&](Recorder& run) {
    Recording recording(run);
    for (const SymbolicLayout* side : {&a, &b}) {
      if (std::string why = not_a_layout(*side, recording); !why.empty())
        return Leaf{.kind = Leaf::Kind::outside, .reason = std::move(why)};
    }
    const TracedDigits x = traced_digits(a, recording);
    if (!x.outside.empty()) return Leaf{.kind = Leaf::Kind::outside, .reason = x.outside};
    const TracedDigits y = traced_digits(b, recording);
    if (!y.outside.empty()) return Leaf{.kind = Leaf::Kind::outside, .reason = y.outside};
    for (const TracedDigits* side : {&x, &y}) {
      if (!side->refused.empty()) return Leaf{.kind = Leaf::Kind::undecided, .reason = side->refused};
    }
    return Leaf{.frame = same_digits(x, y) ? "true" : "false"};
  };
  question.try_at = [&](const Sizes& at) { return tried(a, b, at); };
  return answer(question);
}

}  // namespace tessera::symbolic
