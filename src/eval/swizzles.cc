// SPDX-License-Identifier: Apache-2.0
// Functions for swizzles, recasts and layouts of bits.
#include <fmt/format.h>

#include "base/plural.h"
#include "eval/chain.h"
#include "eval/limits.h"
#include "eval/linear_values.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

/// "-3" or "-2 or -3" or "-2 to -5": how far the first wide element begins before the base.
std::string shifts(const Alignments& base) {
  if (base.first == base.last) return fmt::format("-{}", base.first);
  return fmt::format("-{} {} -{}", base.first, base.last - base.first == 1 ? "or" : "to", base.last);
}

/// Notes what upcast(c, n) rounds, shifts or permutes. Requires that it succeeds.
void note_upcast(Call& call, const ComposedLayout& c, Index n) {
  if (c.has_domain()) {
    const Outcome<bool> exact = upcast_is_exact(c.domain(), n);
    if (exact.ok() && !*exact)
      call.note(fmt::format("an extent of {} is not a multiple of the ratio of widths and was rounded up",
                            to_string(c.domain())));
  }
  if (c.has_domain() && c.parts == 1) {
    const Alignments base = upcast_alignments(c.domain(), n);
    if (base.first > 0) {
      call.note(
          fmt::format("negative strides: the first element moves by {} elements of the input, because a wide "
                      "element ends at the base or after it",
                      shifts(base)));
    }
    if (base.first > 0 && base.first < base.last) {
      call.note(
          fmt::format("the alignment of the base decides: upcast(Sw<0,0,0> o {} o {}, {}) is for a base {} "
                      "past the start of a wide element",
                      base.first, to_string(c.domain()), n, base.first));
    }
  }
  const Outcome<bool> ordered = upcast_keeps_order(c, n);
  if (!ordered.ok() || !*ordered) {
    call.note(
        fmt::format("the swizzle {} the elements inside groups of {}: a wide element does not hold them in "
                    "their order",
                    ordered.ok() ? "also permutes" : "may also permute", n));
  }
}

/// Notes what downcast(c, n) moves or repeats. Requires that it succeeds.
void note_downcast(Call& call, const ComposedLayout& c, Index n) {
  if (!c.has_domain()) return;
  const UnitModes unit = unit_modes(c.domain());
  if (unit.positive + unit.negative > 1) {
    call.note(
        fmt::format("{} modes have stride 1 or -1, and each became {} times as long: the result has more "
                    "elements than the memory",
                    unit.positive + unit.negative, n));
  }
  if (unit.negative > 0 && c.parts == 1)
    call.note(fmt::format("negative strides: the first element moves by {} of the result",
                          plural(n - 1, "element")));
}

Result<Value> widened(Call& call, const Chain& chain, Index n) {
  if (n < 1) return call.refuse(refuse(Code::bad_extent, n));
  if (n == 1) return Value(chain.layout);
  const Outcome<ComposedLayout> wide = upcast(chain.layout, n);
  if (wide) note_upcast(call, chain.layout, n);
  return detail::answer(call, wide);
}

Result<Value> narrowed(Call& call, const Chain& chain, Index n) {
  if (n < 1) return call.refuse(refuse(Code::bad_extent, n));
  if (n == 1) return Value(chain.layout);
  const Outcome<ComposedLayout> narrow = downcast(chain.layout, n);
  if (narrow) note_downcast(call, chain.layout, n);
  return detail::answer(call, narrow);
}

Result<Value> recasted(Call& call, const Chain& chain, Index old_bits, Index new_bits) {
  const Outcome<ComposedLayout> result = recast(chain.layout, old_bits, new_bits);
  if (!result) return call.refuse(result.error);
  const auto [up, down] = width_ratio(old_bits, new_bits);
  if (up > 1) note_upcast(call, chain.layout, up);
  if (down > 1) note_downcast(call, *upcast(chain.layout, up), down);
  return Value(*result);
}

/// The layout with the given bases: a result of to_linear, or a tuple with the bases of each leaf,
/// ((1,2),(4,8,16)).
Result<Value> unbased(Call& call, const Value& value) {
  if (const auto* table = value.as<LinearBases>()) return detail::answer(call, from_linear(*table));
  const Result<IntTuple> tuple = Parameter<IntTuple>::read(value);
  if (!tuple) return fail(detail::misfit(call, 0, "bases, or a tuple of them", tuple.error()));
  LinearBases table;
  Cursor at = first_mode(tuple->profile);
  for (int i = 0; i < tuple->rank(); ++i, at = after(tuple->profile, at)) {
    const int bits = leaf_count(tuple->profile, at);
    table.bits[table.leaves++] = static_cast<std::uint8_t>(bits);
  }
  if (table.total() > kEvalLimits.bits)
    return call.refuse(refuse(Code::capacity, table.total(), kEvalLimits.bits));
  for (int b = 0; b < table.total(); ++b) table.basis[b] = tuple->leaf[b];
  return detail::answer(call, from_linear(table));
}

/// The layout with these offsets, in 1-D order.
Result<Value> recognised(Call& call, const Value& first, const std::vector<Index>& rest) {
  std::vector<Index> values;
  if (const auto* list = first.as<std::vector<Index>>()) {
    values = *list;
  } else {
    const Result<Index> number = Parameter<Index>::read(first);
    if (!number) return fail(detail::misfit(call, 0, "an integer, or the list of values(L)", number.error()));
    values.push_back(*number);
  }
  values.insert(values.end(), rest.begin(), rest.end());
  const auto at = [&](Index i) { return values[static_cast<std::size_t>(i)]; };
  const Outcome<StridedLayout> layout = recognise(at, static_cast<Index>(values.size()));
  if (!layout) return call.refuse(layout.error);
  if (values[0] == 0) return Value(*layout);
  return to_value(Slice{*layout, IntTuple(values[0])});
}

}  // namespace

void add_swizzles(FunctionTable& table) {
  const Group recasts{table, "Recasts"};
  recasts("upcast(L, n)", "n small elements become one; swizzles are cast with their layout",
          [](Call& call, const Chain& c, Index n) { return widened(call, c, n); });
  recasts("downcast(L, n)", "one element becomes n small ones",
          [](Call& call, const Chain& c, Index n) { return narrowed(call, c, n); });
  recasts("recast(L, old_bits, new_bits)", "the same memory in elements of another width",
          [](Call& call, const Chain& c, Index old_bits, Index new_bits) {
            return recasted(call, c, old_bits, new_bits);
          });

  const Group add{table, "Swizzles, bits and values"};
  add("make_swizzle(read, write[, shift])",
      "the swizzle that xors the bits of one mask into those of another; with three integers Sw<B,M,S>",
      [](Call&, Index read, Index write, const std::optional<Index>& shift) {
        return shift ? make_swizzle(read, write, *shift) : swizzle_from_masks(read, write);
      });
  add("swizzle_compose(A, B)", "the composition of two swizzles as a single swizzle",
      [](Call&, const Swizzle& a, const Swizzle& b) { return swizzle_compose(a, b); });
  add("swizzle_portion(C)", "the swizzle that a chain begins with, or the identity",
      [](Call&, const Chain& c) { return swizzle_portion(c.layout); });
  add("nonswizzle_portion(C)", "the last layout of a chain", [](Call& call, const Chain& c) {
    return of_domain(call, c, [](const StridedLayout& l) { return Outcome<StridedLayout>(l); });
  });
  add("to_linear(L)",
      "the offset of every single bit of each leaf's coordinate, if their XOR gives all offsets",
      [](Call& call, const Chain& c) -> Result<Value> {
        if (auto done = check_swizzles_of_layout(call, c.layout); !done) return fail(done.error());
        return detail::answer(call, to_linear(c.layout));
      });
  add("from_linear(B)",
      "the layout, or the swizzle of a layout, with these bases: [[1,2],[4,8,16]] for its leaves",
      [](Call& call, const Value& bases) { return unbased(call, bases); });
  add("pseudo_inverse(B)",
      "R with B(R(B(c))) = B(c), linear over F2; of coordinates with one offset, it picks one",
      [](Call& call, const ChainOrBases& b) -> Result<Value> {
        const Result<LinearBases> bases = linear_of(call, 0, b);
        return bases ? pseudo_inverse(call, *bases) : fail(bases.error());
      });
  add("invert_and_compose(A, B)", "R with B(R(c)) = A(c), linear over F2: the inverse of B after A",
      [](Call& call, const ChainOrBases& a, const ChainOrBases& b) -> Result<Value> {
        const Result<LinearBases> inner = linear_of(call, 0, a);
        if (!inner) return fail(inner.error());
        const Result<LinearBases> outer = linear_of(call, 1, b);
        return outer ? linear_solved(call, *inner, *outer) : fail(outer.error());
      });
  add("recognise(v, w...)", "the layout with these offsets in 1-D order, if there is one",
      [](Call& call, const Value& first, const std::vector<Index>& rest) {
        return recognised(call, first, rest);
      });
}

}  // namespace tessera::eval
