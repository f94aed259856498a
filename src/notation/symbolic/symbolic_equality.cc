// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "notation/symbolic/symbolic_digits.h"
#include "size/question.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera::symbolic {
namespace {

/// What the layouts of numbers answer.
Trial tried(const SymbolicLayout& a, const SymbolicLayout& b, const Sizes& at) {
  constexpr Index most = Index{1} << 20;
  const auto x = a.text_at(at);
  const auto y = b.text_at(at);
  const auto left = x ? parse_layout(*x) : Result<Layout>(fail(Code::undefined_value, ""));
  const auto right = y ? parse_layout(*y) : Result<Layout>(fail(Code::undefined_value, ""));
  if (!left || !right) return {.kind = Trial::Kind::outside};
  Index points = 1;
  for (const Index n : left->shape()) {
    if (n < 1) return {.kind = Trial::Kind::outside};
    points = points > most ? points : points * std::min(n, most);
  }
  for (const Index n : right->shape()) {
    if (n < 1) return {.kind = Trial::Kind::outside};
  }
  const LayoutEquality found = same_map(*left, *right);
  Trial out{.evaluations = 64};
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
