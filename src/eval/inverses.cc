// SPDX-License-Identifier: Apache-2.0
// Functions for inverses, the nullspace, and the vectors that two layouts have in common.
#include <fmt/format.h>

#include <algorithm>

#include "eval/chain.h"
#include "eval/offset_set.h"
#include "tessera/algebra/detail/equality.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

Index limit_now() {
  Index limit = evaluation_limit();
  return limit;
}

/// "coordinates 3 and 4 both have the offset 3"; empty if no two are known to share one.
std::string shared_offset(const ComposedLayout& c) {
  const Outcome<Injectivity> one = injectivity_of(c);
  if (!one || one->injective) return "";
  return fmt::format("coordinates {} and {} both have the offset {}", one->first, one->second,
                     *offset(c, one->first));
}

/// Whether a chain is certainly a permutation whose inverse is the chain of its parts' inverses: swizzles
/// without offsets, applied to a permutation whose size is a multiple of the blocks that they permute.
bool is_plainly_bijective(const ComposedLayout& c) {
  if (!is_bijective(c.domain())) return false;
  for (int i = 0; i + 1 < c.parts; ++i) {
    const ComposedPart& p = c.part[i];
    if (p.kind != ComposedPart::Kind::swizzle || p.offset != 0) return false;
    if (c.size() % block_of(p.swizzle) != 0) return false;
  }
  return true;
}

/// The largest n <= `most` for which R(i) is a coordinate of C and C(R(i)) = i for all i < n.
Index right_length(const ComposedLayout& c, const ComposedLayout& r, Index most) {
  for (Index i = 0; i < most; ++i) {
    const Outcome<Index> at = offset(r, i);
    if (!at || *at < 0 || (c.has_domain() && *at >= c.size())) return i;
    const Outcome<Index> back = offset(c, *at);
    if (!back || *back != i) return i;
  }
  return most;
}

Failure not_a_permutation(const Call& call, std::string witness) {
  Diagnostic d{.code = Code::not_invertible,
               .message = to_string(call) + ": the layout is not a permutation of its coordinates",
               .span = call.span};
  d.witness = std::move(witness);
  d.help = "right_inverse and left_inverse are defined for more layouts";
  return fail(std::move(d));
}

/// The right inverse of a chain: the inverses of its parts in reverse order, restricted to the
/// longest prefix of offsets on which their composition is a right inverse.
Result<Value> right_inverted(Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  if (c.parts == 1 && c.has_domain()) return detail::answer(call, right_inverse(c.domain(), call.trace()));
  const Outcome<ComposedLayout> r = right_inverse(c);
  if (!r) return call.refuse(r.error);
  if (!c.has_domain() && !r->has_domain()) return Value(*r);  // a chain of swizzles is always invertible
  if (c.has_domain() && is_plainly_bijective(c)) return Value(*r);
  Index most = c.has_domain() ? c.size() : kIndexMax;
  if (r->has_domain()) most = std::min(most, r->size());
  if (most > limit_now()) return call.refuse(refuse(Code::undecided, most, limit_now()));
  const Index length = right_length(c, *r, most);
  if (length == 0) {
    return fail(Code::not_invertible, to_string(call) + ": no coordinate has the offset 0", call.span,
                "the offsets of a right inverse start at 0");
  }
  if (length == (r->has_domain() ? r->size() : c.size())) return Value(*r);
  const StridedLayout part = make_mode(length, length == 1 ? 0 : 1);
  const Outcome<ComposedLayout> cut =
      r->has_domain() ? tessera::detail::composition(*r, part) : make_composed(*r, 0, part);
  if (!cut) return call.refuse(cut.error);
  return Value(*cut);
}

Result<Value> left_inverted(Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  AlgebraError error = {};
  if (c.parts == 1 && c.has_domain()) {
    const Outcome<StridedLayout> r = left_inverse(c.domain(), call.trace());
    if (r) return Value(*r);
    error = r.error;
  } else {
    const Outcome<ComposedLayout> r = left_inverse(c);
    if (r) return Value(*r);
    error = r.error;
  }
  Diagnostic d = call.refusal(error);
  if (error.code != Code::non_injective || !c.has_domain()) return fail(std::move(d));
  d.witness = shared_offset(c);
  if (d.witness.empty()) d.notes.emplace_back("its modes interleave: no layout maps the offsets back");
  if (c.parts == 1 && generalized_inverse(c.domain()).ok())
    d.help = "generalized_inverse(L) picks one of the coordinates that share an offset";
  return fail(std::move(d));
}

/// The inverse of a permutation of [0, size).
Result<Value> inverted(Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  const Outcome<ComposedLayout> turned = right_inverse(c);
  if (!c.has_domain()) {
    // Swizzles permute the integers >= 0; layouts and offsets do not.
    for (int i = 0; i < c.parts; ++i) {
      if (c.part[i].kind != ComposedPart::Kind::swizzle || c.part[i].offset != 0) return no_shape(call);
    }
    return detail::answer(call, turned);
  }
  if (c.parts == 1) {
    const Outcome<StridedLayout> r = right_inverse(c.domain(), call.trace());
    if (!r) return call.refuse(r.error);
    if (r->size() == c.size()) return Value(*r);
    const std::string shared = shared_offset(c);
    return not_a_permutation(
        call, shared.empty() ? fmt::format("no coordinate has the offset {}", r->size()) : shared);
  }
  if (turned && is_plainly_bijective(c)) return Value(*turned);
  const Index n = c.size();
  if (n > limit_now()) return call.refuse(refuse(Code::undecided, n, limit_now()));
  std::vector<Index> back(static_cast<std::size_t>(n), -1);
  for (Index k = 0; k < n; ++k) {
    const Outcome<Index> at = offset(c, k);
    if (!at) return call.refuse(at.error);
    if (*at < 0 || *at >= n)
      return not_a_permutation(call, fmt::format("coordinate {} has the offset {}", k, *at));
    Index& place = back[static_cast<std::size_t>(*at)];
    if (place >= 0) return not_a_permutation(call, shared_offset(c));
    place = k;
  }
  const auto value = [&](Index i) { return back[static_cast<std::size_t>(i)]; };
  bool same = turned.ok();
  for (Index i = 0; i < n && same; ++i) {
    const Outcome<Index> at = offset(*turned, i);
    same = at && *at == value(i);
  }
  if (same) return Value(*turned);
  const Outcome<StridedLayout> layout = recognise(value, n);
  if (!layout) return call.refuse(layout.error);
  return Value(*layout);
}

Result<Value> generally_inverted(Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  if (c.parts == 1 && c.has_domain())
    return detail::answer(call, generalized_inverse(c.domain(), call.trace()));
  return detail::answer(call, generalized_inverse(c));
}

template <class Common>
Result<Value> common(const Call& call, const Chain& a, const Chain& b, Common&& of) {
  if (!a.layout.has_domain() || !b.layout.has_domain()) return no_shape(call);
  if (a.layout.parts == 1 && b.layout.parts == 1)
    return detail::answer(call, of(a.layout.domain(), b.layout.domain()));
  return detail::answer(call, of(a.layout, b.layout));
}

}  // namespace

void add_inverses(FunctionTable& table) {
  const Group add{table, "Inverses and common vectors"};
  add("right_inverse(L)", "R with L(R(i)) = i for every i < size(R), along the strides that chain from 1",
      [](Call& call, const Chain& c) { return right_inverted(call, c); });
  add("left_inverse(L)", "R with R(L(i)) = i, for injective L",
      [](Call& call, const Chain& c) { return left_inverted(call, c); });
  add("generalized_inverse(L)", "R with L(R(L(i))) = L(i): one of the coordinates that share an offset",
      [](Call& call, const Chain& c) { return generally_inverted(call, c); });
  add("inverse(L)", "the inverse of a permutation of the coordinates",
      [](Call& call, const Chain& c) { return inverted(call, c); });
  add("nullspace(L)", "the coordinates that L maps to 0 because their strides are 0",
      [](Call&, const StridedLayout& l) { return nullspace(l); });
  add("max_common_layout(A, B)", "the longest vector that is contiguous in both A and B",
      [](Call& call, const Chain& a, const Chain& b) {
        return common(call, a, b, [](const auto& x, const auto& y) { return max_common_layout(x, y); });
      });
  add("max_common_vector(A, B)", "the size of max_common_layout(A, B)",
      [](Call& call, const Chain& a, const Chain& b) {
        return common(call, a, b, [](const auto& x, const auto& y) { return max_common_vector(x, y); });
      });
  add("max_alignment(L)",
      "the vector width n that the strides allow: the offsets are whole aligned runs of n",
      [](Call&, const StridedLayout& l) { return max_alignment(l); });
}

}  // namespace tessera::eval
