// SPDX-License-Identifier: Apache-2.0
// Coordinates, relations of shapes, and the arithmetic of shapes.
#include <fmt/format.h>

#include "eval/chain.h"
#include "tessera/algebra/shape_arithmetic.h"

namespace tessera::eval {
namespace {

/// `2 * 8 + 3 * 1`: the digits of a coordinate times the strides.
std::string sum_text(const StridedLayout& l, const IntTuple& digits) {
  std::string out;
  for (int i = 0; i < l.leaves(); ++i) {
    const std::string stride = to_string(make_mode(1, l.stride[i], l.path[i])).substr(2);
    out += fmt::format("{}{} * {}", i > 0 ? " + " : "", digits.leaf[i], stride);
  }
  return out;
}

bool inside(const IntTuple& digits, const StridedLayout& l) {
  for (int i = 0; i < l.leaves(); ++i) {
    if (digits.leaf[i] < 0 || digits.leaf[i] >= l.extent[i]) return false;
  }
  return true;
}

Result<Value> evaluated(Call& call, const Chain& chain, const IntTuple& at) {
  const ComposedLayout& c = chain.layout;
  if (c.has_domain()) {
    const Outcome<IntTuple> digits = idx2crd(at, c.domain().shape());
    if (digits.ok() && !inside(*digits, c.domain())) {
      call.note(fmt::format("{} lies outside of the shape {}", to_string(at), to_string(c.domain().shape())));
    }
    if (digits.ok() && call.steps.wanted) {
      call.say(
          fmt::format("{} of {} is {}", to_string(at), to_string(c.domain().shape()), to_string(*digits)));
      call.say(sum_text(c.domain(), *digits));
    }
    if (c.parts == 1) return detail::answer(call, evaluate(c.domain(), at));
  }
  return detail::answer(call, offset(c, at));
}

using Less = bool (*)(const IntTuple&, const IntTuple&);
Result<Value> compared(const Call& call, const IntTuple& a, const IntTuple& b, Less less) {
  if (!congruent(a, b)) return call.refuse(refuse(AlgebraCode::not_congruent));
  return to_value(less(a, b));
}

}  // namespace

void add_coordinates(Table& table) {
  const Group add{table, "Coordinates"};
  add("evaluate(L, c)", "the offset of a coordinate; the same as L(c)",
      [](Call& call, const Chain& c, const IntTuple& at) { return evaluated(call, c, at); });
  add("crd2idx(c, S)", "the 1-D coordinate of a coordinate of a shape",
      [](Call&, const IntTuple& c, const Shape& s) { return crd2idx(c, s.tuple); });
  add("idx2crd(c, S)", "the natural coordinate, one integer for each leaf of the shape",
      [](Call&, const IntTuple& c, const Shape& s) { return idx2crd(c, s.tuple); });
  add("crd2crd(c, S, T)", "the coordinate in T with the same 1-D coordinate as c has in S",
      [](Call&, const IntTuple& c, const Shape& s, const Shape& t) { return crd2crd(c, s.tuple, t.tuple); });
  add("colex_less(a, b)", "is a before b, the last element first?",
      [](Call& call, const IntTuple& a, const IntTuple& b) { return compared(call, a, b, colex_less); });
  add("lex_less(a, b)", "is a before b, the first element first?",
      [](Call& call, const IntTuple& a, const IntTuple& b) { return compared(call, a, b, lex_less); });
  add("elem_less(a, b)", "is every element of a less than that of b?",
      [](Call& call, const IntTuple& a, const IntTuple& b) { return compared(call, a, b, elem_less); });

  const Group relate{table, "Relations of shapes"};
  relate("congruent(A, B)", "the same nesting?",
         [](Call&, const Shape& a, const Shape& b) { return congruent(a.tuple, b.tuple); });
  relate("weakly_congruent(A, B)", "does B refine the nesting of A?",
         [](Call&, const Shape& a, const Shape& b) { return weakly_congruent(a.tuple, b.tuple); });
  relate("compatible(A, B)", "is every coordinate of A one of B, and the size the same?",
         [](Call&, const Shape& a, const Shape& b) { return compatible(a.tuple, b.tuple); });
  relate("evenly_divides(S, T)", "does tiler T cover shape S without overhang?",
         [](Call&, const Shape& s, const Tiler& t) { return evenly_divides(s.tuple, t); });

  const Group divide{table, "Arithmetic of shapes"};
  divide("shape_div(A, B)", "B elements taken out of A, from the left; one number must divide the other",
         [](Call&, const Shape& a, const Shape& b) { return shape_div(a.tuple, b.tuple); });
  divide("shape_mod(A, n)", "the first n elements of A kept",
         [](Call&, const Shape& a, Index n) { return shape_mod(a.tuple, n); });
  divide("ceil_div(A, B)", "shape_div rounded up, with no requirement",
         [](Call&, const Shape& a, const Shape& b) { return ceil_div(a.tuple, b.tuple); });
  divide("domain_distribute(S, n)", "n elements distributed over a shape by gcd, from the left",
         [](Call&, const Shape& s, Index n) { return domain_distribute(s.tuple, n); });
}

}  // namespace tessera::eval
