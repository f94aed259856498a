// SPDX-License-Identifier: Apache-2.0
// Functions for yes-or-no questions, where a no has a witness, and for the table of a layout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "eval/chain.h"
#include "eval/limits.h"
#include "eval/offset_set.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

Truth no(std::string reason) { return {false, std::move(reason)}; }

/// Compares by structure two chains that have too many coordinates to enumerate. Undecided unless their modes
/// have the same sizes.
Result<Value> same_layouts(const Call& call, const ComposedLayout& a, const ComposedLayout& b) {
  const auto x = Layout::make(a);
  const auto y = Layout::make(b);
  if (x && y && std::ranges::equal(x->shape(), y->shape())) {
    const LayoutEquality same = same_map(*x, *y);
    if (same.verdict == Verdict::yes) return to_value(true);
    if (same.verdict == Verdict::no && same.difference) {
      const LayoutDifference& at = *same.difference;
      return to_value(
          no(fmt::format("at coordinate ({}): {} and {}", fmt::join(at.index, ","), at.first, at.second)));
    }
  }
  Index limit = evaluation_limit();
  return call.refuse(refuse(Code::undecided, a.size(), limit));
}

/// Compares the values of two chains at every coordinate.
Result<Value> same_chains(const Call& call, const ComposedLayout& a, const ComposedLayout& b) {
  if (a.size() != b.size()) return to_value(no(fmt::format("the sizes are {} and {}", a.size(), b.size())));
  Index limit = evaluation_limit();
  if (a.size() > limit) return same_layouts(call, a, b);
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

Result<Value> injective(const Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  if (!c.has_domain()) return no_shape(call);
  const Outcome<Injectivity> answer = injectivity_of(c);
  if (!answer) return call.refuse(answer.error);
  if (answer->injective) return to_value(true);
  return to_value(no(fmt::format("coordinates {} and {} both have the offset {}", answer->first,
                                 answer->second, *offset(c, answer->first))));
}

/// Whether a layout is a permutation of its coordinates, which means that no offset below its size is
/// missing.
Result<Value> bijective(const Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  if (!c.has_domain()) return no_shape(call);
  const Outcome<Index> missing = smallest_missing_offset(c);
  if (!missing && c.parts == 1 && !c.domain().has_basis() && image_min(c.domain()) < 0)
    return to_value(no(fmt::format("some coordinate has the offset {}", image_min(c.domain()))));
  if (!missing) return call.refuse(missing.error);
  if (*missing >= c.size()) return to_value(true);
  return to_value(no(fmt::format("no coordinate has the offset {}", *missing)));
}

Result<Value> contiguous(const Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  if (!c.has_domain()) return no_shape(call);
  if (c.parts == 1 && image_min(c.domain()) < 0)
    return call.refuse(tessera::detail::is_contiguous(c.domain()).error);
  const Outcome<Index> missing = smallest_missing_offset(c);
  if (!missing) return call.refuse(missing.error);
  const Outcome<Index> largest = image_max(c);
  // If no offset below the size is missing, the layout is a permutation, so the largest offset is not needed.
  if (!largest && *missing < c.size()) return call.refuse(largest.error);
  if (!largest || *missing > *largest) return to_value(true);
  return to_value(no(fmt::format("no coordinate has the offset {}", *missing)));
}

Result<Value> table_of(const Call& call, const Chain& c) {
  if (c.layout.has_domain() && c.layout.size() > kEvalLimits.table_cells) {
    return fail(Code::limit,
                fmt::format("print_layout: {} cells are too many: at most {} are printed", c.layout.size(),
                            kEvalLimits.table_cells),
                call.span);
  }
  const Result<std::string> text =
      c.layout.parts == 1 && c.layout.has_domain() ? print_layout(c.layout.domain()) : print_layout(c.layout);
  if (!text) {
    Diagnostic d = text.error();
    d.span = call.span;
    return fail(std::move(d));
  }
  return to_value(TextBlock{text->substr(0, text->size() - 1)});  // the caller adds the last line break
}

}  // namespace

void add_questions(FunctionTable& table) {
  const Group add{table, "Questions"};
  add("equal(A, B)", "the same size, and the same offset at every 1-D coordinate?",
      [](Call& call, const Chain& a, const Chain& b) { return same_function(call, a, b); });
  add("equal_on(A, B, profile)", "the same function of the coordinates of a coarser nesting?",
      [](Call&, const StridedLayout& a, const StridedLayout& b, const IntTuple& profile) {
        return tessera::detail::equal_on(a, b, profile.profile);
      });
  add("is_injective(L)", "do all coordinates have different offsets?",
      [](Call& call, const Chain& c) { return injective(call, c); });
  add("is_bijective(L)", "is L a permutation of its coordinates?",
      [](Call& call, const Chain& c) { return bijective(call, c); });
  add("is_contiguous(L)", "does every offset up to the largest one occur?",
      [](Call& call, const Chain& c) { return contiguous(call, c); });

  const Group print{table, "Printing"};
  print("print_layout(L)", "the table of a layout of rank 2, as CuTe prints it",
        [](Call& call, const Chain& c) { return table_of(call, c); });
}

}  // namespace tessera::eval
