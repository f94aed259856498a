// SPDX-License-Identifier: Apache-2.0
// Functions for swizzles, recasts and layouts of bits.
#include <fmt/format.h>

#include "eval/chain.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

Result<Value> widened(Call& call, const Chain& chain, Index n) {
  const ComposedLayout& c = chain.layout;
  if (n >= 1 && c.has_domain()) {
    const Outcome<bool> exact = upcast_is_exact(c.domain(), n);
    if (exact.ok() && !*exact)
      call.note(fmt::format("an extent of {} is not a multiple of the ratio of widths and was rounded up",
                            to_string(c.domain())));
    const Outcome<Index> shift = upcast_base_shift(c.domain(), n);
    if (shift.ok() && *shift != 0) {
      call.note(fmt::format("negative strides: the first element moves by {} elements of the input", *shift));
    }
  }
  if (n < 1) return call.refuse(refuse(Code::bad_extent, n));
  if (n == 1) return Value(c);
  return detail::answer(call, upcast(c, n));
}

Result<Value> recasted(Call& call, const Chain& chain, Index old_bits, Index new_bits) {
  if (old_bits == new_bits && old_bits >= 1) return Value(chain.layout);
  if (chain.layout.parts == 1 && chain.layout.has_domain()) {
    return detail::answer(call, recast(chain.layout.domain(), old_bits, new_bits));
  }
  if (old_bits < 1 || new_bits < 1)
    return call.refuse(refuse(Code::bad_extent, old_bits < 1 ? old_bits : new_bits));
  if (new_bits % old_bits == 0) return detail::answer(call, upcast(chain.layout, new_bits / old_bits));
  if (old_bits % new_bits == 0) return detail::answer(call, downcast(chain.layout, old_bits / new_bits));
  return call.refuse(refuse(Code::recast_divisibility, old_bits, new_bits));
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
  constexpr int kMostBits = 62;
  if (table.total() > kMostBits) return call.refuse(refuse(Code::capacity, table.total(), kMostBits));
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
          [](Call& call, const Chain& c, Index n) -> Result<Value> {
            if (n < 1) return call.refuse(refuse(Code::bad_extent, n));
            if (n == 1) return Value(c.layout);
            return detail::answer(call, downcast(c.layout, n));
          });
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
      [](Call&, const Chain& c) { return to_linear(c.layout); });
  add("from_linear(B)",
      "the layout, or the swizzle of a layout, with these bases: ((1,2),(4,8,16)) for its leaves",
      [](Call& call, const Value& bases) { return unbased(call, bases); });
  add("recognise(v, w...)", "the layout with these offsets in 1-D order, if there is one",
      [](Call& call, const Value& first, const std::vector<Index>& rest) {
        return recognised(call, first, rest);
      });
}

}  // namespace tessera::eval
