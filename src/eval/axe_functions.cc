// SPDX-License-Identifier: Apache-2.0
// Functions of Axe layouts.
#include <fmt/format.h>

#include "base/try.h"
#include "eval/function.h"
#include "notation/axe/axe_canonical.h"
#include "placement/places_text.h"
#include "tessera/notation/axe.h"

namespace tessera::eval {
namespace {

// The numbers of an index or of a range.
std::vector<Index> numbers_of(const IntTuple& tuple) { return {tuple.leaf, tuple.leaf + tuple.leaves()}; }

Result<Value> value_of(Result<AxeLayout> layout) {
  if (!layout) return fail(std::move(layout.error()));
  return Value(Value::Data(*std::move(layout)));
}

Result<Value> sliced(const Call& call, const AxeLayout& layout, const std::vector<IntTuple>& ranges) {
  std::vector<AxeRange> region;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].leaves() != 2) {
      return fail(Code::value_count, "a range of a slice is (BEGIN,END)", call.arguments[i + 1].node->span,
                  "write one range for each dimension: slice(L, (0,8), (4,8))");
    }
    region.emplace_back(ranges[i].leaf[0], ranges[i].leaf[1]);
  }
  return value_of(slice(layout, region));
}

Result<Value> places_text(const Call& call, const AxeLayout& layout, const IntTuple& index) {
  TESSERA_TRY(where, placement(layout));
  auto found = places(where, numbers_of(index));
  if (!found) {
    found.error().span = call.arguments[1].node->span;
    return fail(std::move(found.error()));
  }
  return Value(Value::Data(TextBlock{to_string(*found, where.axes())}));
}

Result<Value> equality(const AxeLayout& a, const AxeLayout& b) {
  TESSERA_TRY(answer, equal(a, b));
  if (answer.verdict == Verdict::undecided) return fail(Code::undecided, answer.reason);
  Truth out{answer.verdict == Verdict::yes, {}};
  if (out.yes) return Value(Value::Data(out));
  if (!answer.reason.empty()) {
    out.reason = answer.reason == "shape" ? "the shapes differ" : "the places are on different axes";
    return Value(Value::Data(out));
  }
  TESSERA_TRY(of_a, placement(a));
  TESSERA_TRY(of_b, placement(b));
  std::string at;
  for (const Index i : answer.at) at += (at.empty() ? "" : ", ") + std::to_string(i);
  out.reason =
      fmt::format("index ({}) is at {} and at {}", at, tessera::detail::some_places(answer.a, of_a.axes()),
                  tessera::detail::some_places(answer.b, of_b.axes()));
  return Value(Value::Data(out));
}

}  // namespace

void add_axe(FunctionTable& table) {
  const std::size_t first = table.size();
  const Group add{table, "Axe layouts"};
  add("slice(L, (b,e)...)", "y -> L(begin + y) over the ranges, one for each dimension",
      [](Call& call, const AxeLayout& l, const std::vector<IntTuple>& ranges) {
        return sliced(call, l, ranges);
      });
  add("tile(A, B)", "a copy of B at each index of A, apart by the span of B on each axis",
      [](Call&, const AxeLayout& a, const AxeLayout& b) { return value_of(tile(a, b)); });
  add("direct_sum(A, B)", "over the dimensions of both in turn: the sum of both places",
      [](Call&, const AxeLayout& a, const AxeLayout& b) { return value_of(direct_sum(a, b)); });
  add("canonical(L)", "the same places and shape, with the fewest iterators of S",
      [](Call&, const AxeLayout& l) { return to_value(tessera::detail::canonical_of_shape(l)); });
  add("fuse(L)", "all thread axes as one: lanes and warps become tx",
      [](Call&, const AxeLayout& l) { return value_of(fused(l)); });
  add("places(L, c)", "the places of an index, on the axes of L",
      [](Call& call, const AxeLayout& l, const IntTuple& c) { return places_text(call, l, c); });
  add("equal(A, B)", "the same set of places at every index, after fuse?",
      [](Call&, const AxeLayout& a, const AxeLayout& b) { return equality(a, b); });
  constexpr std::string_view kExamples[] = {
      "slice(axe:16:S[(2,2,4):(100,10,1)], (6,10))",
      "tile(axe:S[(8,8):(8,1)], axe:S[(2,4):(1,2)])",
      "direct_sum(axe:S[4:1@laneid], axe:S[2:1])",
      "canonical(axe:8:S[(2,4):(4,1)])",
      "fuse(axe:S[(2,8):(1@warpid,1@laneid)])",
      "places(axe:S[4:1] + R[2:1@laneid], 3)",
      "equal(axe:S[(2,8):(1@warpid,1@laneid)], axe:S[(2,8):(32@tx,1@tx)])",
  };
  for (std::size_t i = first; i < table.size(); ++i) {
    table[i].of_axe = true;
    table[i].info.example = kExamples[i - first];
  }
}

}  // namespace tessera::eval
