// SPDX-License-Identifier: Apache-2.0
// Functions of coordinates, relations of shapes, and the arithmetic of shapes and integers.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "eval/bounds.h"
#include "eval/chain.h"
#include "eval/linear_values.h"
#include "tessera/algebra/detail/shape_arithmetic.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
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

Result<Value> evaluated(Call& call, const Chain& chain, const IntTuple& at) {
  const ComposedLayout& c = chain.layout;
  if (c.has_domain()) {
    const Outcome<IntTuple> digits = idx2crd(at, c.domain().shape());
    note_outside(call, at, c.domain().shape());
    if (digits.ok() && call.steps.wanted) {
      call.say(
          fmt::format("{} of {} is {}", to_string(at), to_string(c.domain().shape()), to_string(*digits)));
      call.say(sum_text(c.domain(), *digits));
    }
    if (c.parts == 1) return detail::answer(call, evaluate(c.domain(), at));
  }
  return detail::answer(call, offset(c, at));
}

/// The greatest common divisor, >= 0. Errors: overflow.
Outcome<Index> gcd_of(Index a, Index b) {
  if (a == kIndexMin || b == kIndexMin) return refuse(Code::overflow, a, b);
  return std::gcd(a, b);
}
Outcome<Index> lcm_of(Index a, Index b) {
  const Outcome<Index> g = gcd_of(a, b);
  if (!g || *g == 0) return g;
  Index out = tessera::detail::magnitude(a) / *g;
  if (!tessera::detail::multiply(out, tessera::detail::magnitude(b))) return refuse(Code::overflow, a, b);
  return out;
}

/// `op` applied to two or more integers, from left to right.
Outcome<Index> folded(Index first, const std::vector<Index>& rest, Outcome<Index> (*op)(Index, Index)) {
  Outcome<Index> out = first;
  if (rest.empty()) out = op(first, first);
  for (const Index one : rest) {
    if (out) out = op(*out, one);
  }
  return out;
}

using Less = bool (*)(const IntTuple&, const IntTuple&);
Result<Value> compared(const Call& call, const IntTuple& a, const IntTuple& b, Less less) {
  if (!congruent(a, b)) return call.refuse(refuse(Code::not_congruent));
  return to_value(less(a, b));
}

}  // namespace

void add_coordinates(FunctionTable& table) {
  const Group add{table, "Coordinates"};
  add("evaluate(L, c)", "the offset of a coordinate; the same as L(c)",
      [](Call& call, const ChainOrBases& c, const IntTuple& at) {
        return c.bases ? linear_at(call, *c.bases, at) : evaluated(call, Chain{c.layout}, at);
      });
  add("crd2idx(c, S)", "the 1-D coordinate of a coordinate of a shape",
      [](Call& call, const IntTuple& c, const Shape& s) {
        note_outside(call, c, s.tuple);
        return crd2idx(c, s.tuple);
      });
  add("idx2crd(c, S)", "the natural coordinate, one integer for each leaf of the shape",
      [](Call& call, const IntTuple& c, const Shape& s) {
        note_outside(call, c, s.tuple);
        return idx2crd(c, s.tuple);
      });
  add("crd2crd(c, S, T)", "the coordinate in T with the same 1-D coordinate as c has in S",
      [](Call& call, const IntTuple& c, const Shape& s, const Shape& t) {
        note_outside(call, c, s.tuple);
        return crd2crd(c, s.tuple, t.tuple);
      });
  add("colex_less(a, b)", "is a before b, comparing the last element first?",
      [](Call& call, const IntTuple& a, const IntTuple& b) { return compared(call, a, b, colex_less); });
  add("lex_less(a, b)", "is a before b, comparing the first element first?",
      [](Call& call, const IntTuple& a, const IntTuple& b) { return compared(call, a, b, lex_less); });
  add("elem_less(a, b)", "is every element of a less than that of b?",
      [](Call& call, const IntTuple& a, const IntTuple& b) { return compared(call, a, b, elem_less); });

  const Group relate{table, "Relations of shapes"};
  relate("congruent(A, B)", "the same nesting?",
         [](Call&, const Shape& a, const Shape& b) { return congruent(a.tuple, b.tuple); });
  relate("weakly_congruent(A, B)", "does B refine the nesting of A?",
         [](Call&, const Shape& a, const Shape& b) { return weakly_congruent(a.tuple, b.tuple); });
  relate("compatible(A, B)", "is every coordinate of A a coordinate of B, and are the sizes equal?",
         [](Call&, const Shape& a, const Shape& b) { return compatible(a.tuple, b.tuple); });
  relate("evenly_divides(S, T)", "do the copies of tiler T cover shape S, each coordinate once?",
         [](Call&, const Shape& s, const Tiler& t) { return evenly_divides(s.tuple, t); });

  const Group divide{table, "Arithmetic of shapes"};
  divide("shape_div(A, B)", "A divided by B, from the left; in each step, one number must divide the other",
         [](Call&, const Shape& a, const Shape& b) { return shape_div(a.tuple, b.tuple); });
  divide("shape_mod(A, n)", "the shape of the first n elements of A",
         [](Call&, const Shape& a, Index n) { return shape_mod(a.tuple, n); });
  divide("ceil_div(A, B)", "shape_div that rounds up where neither number divides the other",
         [](Call&, const Shape& a, const Shape& b) { return ceil_div(a.tuple, b.tuple); });
  divide("domain_distribute(S, n)", "n elements distributed over a shape by gcd, from the left",
         [](Call& call, const Shape& s, Index n) {
           const Outcome<StridedLayout> out = domain_distribute(s.tuple, n);
           if (out && out->size() < n)
             call.note(
                 fmt::format("only {} of the {} elements can be distributed over the shape", out->size(), n));
           return out;
         });

  const Group count{table, "Arithmetic of integers (besides + - * / mod, == < and not or)"};
  count("min(a, b...)", "the smallest", [](Call&, Index a, const std::vector<Index>& b) {
    return folded(a, b, [](Index x, Index y) { return Outcome<Index>(std::min(x, y)); });
  });
  count("max(a, b...)", "the largest", [](Call&, Index a, const std::vector<Index>& b) {
    return folded(a, b, [](Index x, Index y) { return Outcome<Index>(std::max(x, y)); });
  });
  count("gcd(a, b...)", "the greatest common divisor",
        [](Call&, Index a, const std::vector<Index>& b) { return folded(a, b, gcd_of); });
  count("lcm(a, b...)", "the least common multiple",
        [](Call&, Index a, const std::vector<Index>& b) { return folded(a, b, lcm_of); });
}

}  // namespace tessera::eval
