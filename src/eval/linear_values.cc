// SPDX-License-Identifier: Apache-2.0
#include "eval/linear_values.h"

#include <fmt/format.h>

#include <bit>

#include "algebra/xor_rows.h"
#include "eval/chain.h"
#include "eval/limits.h"
#include "notation/cute/algebra_diagnostic.h"
#include "tessera/algebra/detail/layout_algebra.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

XorRows rows_of(const LinearBases& a) {
  XorRows rows;
  for (int b = 0; b < a.total(); ++b) rows.add(a.basis[b]);
  return rows;
}

/// The number of bits of the offsets.
int offset_bits(const LinearBases& a) {
  Index used = 0;
  for (int b = 0; b < a.total(); ++b) used |= a.basis[b];
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(used)));
}

/// Bases of one leaf.
LinearBases one_leaf(int bits) {
  LinearBases out;
  out.leaves = 1;
  out.bits[0] = static_cast<std::uint8_t>(bits);
  return out;
}

Failure not_invertible(const Call& call, std::string_view why, std::string witness) {
  Diagnostic d{.code = Code::not_invertible,
               .message = fmt::format("{}: {}", to_string(call), why),
               .span = call.span};
  d.witness = std::move(witness);
  d.help = "pseudo_inverse(B) maps each offset of B to one of its coordinates";
  return fail(std::move(d));
}

}  // namespace

Result<void> check_swizzles_of_layout(const Call& call, const ComposedLayout& chain) {
  if (!chain.has_domain()) return no_shape(call);
  for (int i = 0; i + 1 < chain.parts; ++i) {
    if (chain.part[i].kind == ComposedPart::Kind::swizzle) continue;
    return fail(
        Code::unsupported_codomain,
        fmt::format("{}: defined for swizzles of a layout, but the chain has another layout before its "
                    "last",
                    to_string(call)),
        call.span, "write the chain as one layout: composition(A, B)");
  }
  return {};
}

Result<LinearBases> linear_of(const Call& call, std::size_t index, const ChainOrBases& value) {
  if (value.bases) return *value.bases;
  if (auto done = check_swizzles_of_layout(call, value.layout); !done) {
    done.error().span = call.arguments[index].node->span;
    return fail(std::move(done).error());
  }
  const Outcome<LinearBases> bases = to_linear(value.layout);
  if (bases) return *bases;
  Diagnostic d = algebra_diagnostic(bases.error, "to_linear", {to_string(value.layout)});
  d.span = call.arguments[index].node->span;
  return fail(std::move(d));
}

Result<Value> linear_composed(const Call& call, const LinearBases& a, const LinearBases& b) {
  LinearBases out = b;
  for (int i = 0; i < b.total(); ++i) {
    if ((b.basis[i] >> a.total()) != 0) {
      return fail(
          Code::index_out_of_range,
          fmt::format(
              "{}: the right operand has the offset {}, but the coordinates of the left one have {} bits",
              to_string(call), b.basis[i], a.total()),
          call.arguments[1].node->span, "the bits of the offsets of B are those of the coordinates of A");
    }
    out.basis[i] = a(b.basis[i]);
  }
  return to_value(out);
}

Result<Value> swizzled_bases(const Call& call, const ComposedLayout& swizzles, const LinearBases& b) {
  LinearBases out = b;
  for (int i = swizzles.parts - 1; i >= 0; --i) {
    const ComposedPart& part = swizzles.part[i];
    if (part.offset != 0) return call.refuse(refuse(Code::nonzero_offset, part.offset));
    if (part.kind != ComposedPart::Kind::swizzle) {
      return fail(Code::unsupported_codomain,
                  fmt::format("{}: the left operand is not only swizzles, but has the layout {}",
                              to_string(call), to_string(part.layout)),
                  call.arguments[0].node->span, "apply the swizzle to the bases first");
    }
    for (int k = 0; k < out.total(); ++k) out.basis[k] = part.swizzle(out.basis[k]);
  }
  return to_value(out);
}

Result<Value> linear_inverse(const Call& call, const LinearBases& a) {
  XorRows rows;
  for (int b = 0; b < a.total(); ++b) {
    if (const XorRows::Row row = rows.add(a.basis[b]); row.value == 0)
      return not_invertible(call, "the bases are not independent",
                            fmt::format("coordinates 0 and {} both have the offset 0", row.added));
    if ((a.basis[b] >> a.total()) != 0)
      return not_invertible(call, "the layout is not a permutation of its coordinates",
                            fmt::format("coordinate {} has the offset {}", Index{1} << b, a.basis[b]));
  }
  LinearBases out = one_leaf(a.total());
  for (int k = 0; k < a.total(); ++k) out.basis[k] = rows.reduced({Index{1} << k, 0}).added;
  return to_value(out);
}

Result<Value> pseudo_inverse(const Call& call, const LinearBases& a) {
  const int bits = offset_bits(a);
  if (bits > kEvalLimits.bits) return call.refuse(refuse(Code::capacity, bits, kEvalLimits.bits));
  const XorRows rows = rows_of(a);
  LinearBases out = one_leaf(bits);
  for (int k = 0; k < bits; ++k) out.basis[k] = rows.reduced({Index{1} << k, 0}).added;
  return to_value(out);
}

Result<Value> linear_solved(const Call& call, const LinearBases& a, const LinearBases& b) {
  const XorRows rows = rows_of(b);
  LinearBases out = a;
  for (int i = 0; i < a.total(); ++i) {
    const XorRows::Row row = rows.reduced({a.basis[i], 0});
    if (row.value != 0)
      return not_invertible(call, "the right operand does not have every offset of the left one",
                            fmt::format("no coordinate has the offset {}", a.basis[i]));
    out.basis[i] = row.added;
  }
  return to_value(out);
}

Result<Value> linear_at(Call& call, const LinearBases& a, const IntTuple& c) {
  IntTuple shape;
  IntTupleBuilder build(shape);
  if (a.leaves != 1) build.tuple(a.leaves);
  for (int i = 0; i < a.leaves; ++i) build.leaf(Index{1} << a.bits[i]);
  const Outcome<IntTuple> digits = idx2crd(c, shape);
  if (!digits) return call.refuse(digits.error);
  Index at = 0;
  for (int i = a.leaves; i-- > 0;) {
    if ((digits->leaf[i] >> a.bits[i]) != 0) {
      return fail(
          Code::index_out_of_range,
          fmt::format("{}: {} is outside the shape {}", to_string(call), to_string(c), to_string(shape)),
          call.span, "a leaf with k bases has 2^k coordinates, from 0");
    }
    at = (at << a.bits[i]) | digits->leaf[i];
  }
  return to_value(a(at));
}

}  // namespace tessera::eval
