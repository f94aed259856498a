// SPDX-License-Identifier: Apache-2.0
// Questions with a yes, or a no and a witness; and the table of a layout.
#include <fmt/format.h>

#include "eval/chain.h"
#include "tessera/algebra/equality.h"
#include "tessera/text/layout_table.h"

namespace tessera::eval {
namespace {

Truth no(std::string reason) { return {false, std::move(reason)}; }

/// The values of two chains at every coordinate.
Result<Value> same_chains(const Call& call, const ComposedLayout& a, const ComposedLayout& b) {
  if (a.size() != b.size()) return to_value(no(fmt::format("the sizes are {} and {}", a.size(), b.size())));
  const Index limit = evaluation_limit();
  if (a.size() > limit) return call.refuse(refuse(AlgebraCode::undecided, a.size(), limit));
  for (Index i = 0; i < a.size(); ++i) {
    const Outcome<Index> x = offset(a, i);
    const Outcome<Index> y = offset(b, i);
    if (!x) return call.refuse(x.error);
    if (!y) return call.refuse(y.error);
    if (*x != *y) return to_value(no(fmt::format("at coordinate {}: {} and {}", i, *x, *y)));
  }
  return to_value(true);
}

Result<Value> same_function(const Call& call, const Chain& x, const Chain& y) {
  if (!x.layout.has_domain() || !y.layout.has_domain()) return no_shape(call);
  if (x.layout.parts > 1 || y.layout.parts > 1) return same_chains(call, x.layout, y.layout);
  const StridedLayout& a = x.layout.domain();
  const StridedLayout& b = y.layout.domain();
  if (a.size() != b.size()) return to_value(no(fmt::format("the sizes are {} and {}", a.size(), b.size())));
  const Outcome<Index> at = first_difference(a, b);
  if (!at) return call.refuse(at.error);
  if (*at < 0) return to_value(true);
  const auto value = [&](const StridedLayout& l) {
    const Outcome<IntTuple> v = evaluate(l, IntTuple(*at));
    return v ? to_string(*v) : std::string("an overflow");
  };
  return to_value(no(fmt::format("at coordinate {}: {} and {}", *at, value(a), value(b))));
}

Result<Value> injective(const Call& call, const StridedLayout& l) {
  const Outcome<Injectivity> answer = injectivity(l);
  if (!answer) return call.refuse(answer.error);
  if (answer->injective) return to_value(true);
  return to_value(no(fmt::format("coordinates {} and {} both have the offset {}", answer->first,
                                 answer->second, l(answer->first))));
}

Result<Value> bijective(const Call& call, const StridedLayout& l) {
  if (is_bijective(l)) return to_value(true);
  const Outcome<StridedLayout> inverse = right_inverse(l);
  if (!inverse) return call.refuse(inverse.error);
  const Outcome<Injectivity> one = injectivity(l);
  if (one.ok() && !one->injective) return injective(call, l);
  return to_value(no(fmt::format("some offset below {} does not occur", l.size())));
}

Result<Value> table_of(const Call& call, const Chain& c) {
  constexpr Index kMostCells = Index{1} << 16;
  if (c.layout.has_domain() && c.layout.size() > kMostCells) {
    return fail(Code::limit,
                fmt::format("print_layout: {} cells, at most {} are printed", c.layout.size(), kMostCells),
                call.span);
  }
  const Result<std::string> text =
      c.layout.parts == 1 && c.layout.has_domain() ? print_layout(c.layout.domain()) : print_layout(c.layout);
  if (!text) {
    Diagnostic d = text.error();
    d.span = call.span;
    return fail(std::move(d));
  }
  return to_value(TextBlock{text->substr(0, text->size() - 1)});  // the caller ends the last line
}

}  // namespace

void add_questions(Table& table) {
  const Group add{table, "Questions"};
  add("equal(A, B)", "the same size, and the same offset at every 1-D coordinate?",
      [](Call& call, const Chain& a, const Chain& b) { return same_function(call, a, b); });
  add("equal_on(A, B, profile)", "the same function of the coordinates of a coarser nesting?",
      [](Call&, const StridedLayout& a, const StridedLayout& b, const IntTuple& profile) {
        return equal_on(a, b, profile.profile);
      });
  add("is_injective(L)", "has every coordinate an offset of its own?",
      [](Call& call, const StridedLayout& l) { return injective(call, l); });
  add("is_bijective(L)", "is L a permutation of its coordinates?",
      [](Call& call, const StridedLayout& l) { return bijective(call, l); });
  add("is_contiguous(L)", "does every offset below the cosize occur?",
      [](Call&, const StridedLayout& l) { return is_contiguous(l); });

  const Group print{table, "Printing"};
  print("print_layout(L)", "the table of a layout of rank 2, as CuTe prints it",
        [](Call& call, const Chain& c) { return table_of(call, c); });
}

}  // namespace tessera::eval
