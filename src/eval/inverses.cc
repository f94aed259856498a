// SPDX-License-Identifier: Apache-2.0
// Functions for inverses, the nullspace, and the vectors that two layouts have in common.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "eval/chain.h"
#include "eval/limits.h"
#include "eval/linear_values.h"
#include "eval/offset_set.h"
#include "tessera/algebra/detail/equality.h"

namespace tessera::eval {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

constexpr std::string_view kRelation = "'tessera map inverse --relational' inverts any layout as a relation";

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

/// The failure of a right inverse from the inverses of the parts, whose coordinate 0 does not have the offset
/// 0.
Failure no_right_inverse(const Call& call, const ComposedLayout& c) {
  Index limit = evaluation_limit();
  const Index n = c.has_domain() ? std::min(c.size(), limit) : 0;
  Index zero = 0;
  while (zero < n && !(offset(c, zero).ok() && *offset(c, zero) == 0)) ++zero;
  if (n > 0 && zero == n && n == c.size()) {
    return fail(Code::not_invertible, to_string(call) + ": no coordinate has the offset 0", call.span,
                "the offsets of a right inverse start at 0");
  }
  Diagnostic d{.code = Code::undecided,
               .message = to_string(call) +
                          ": no right inverse was found from the inverses of the parts; others "
                          "were not searched",
               .span = call.span,
               .help = std::string(kRelation)};
  if (zero < n) d.witness = fmt::format("coordinate {} has the offset 0", zero);
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
  if (length == 0) return no_right_inverse(call, c);
  if (length == (r->has_domain() ? r->size() : c.size())) return Value(*r);
  const StridedLayout part = make_mode(length, length == 1 ? 0 : 1);
  const Outcome<ComposedLayout> cut =
      r->has_domain() ? tessera::detail::composition(*r, part) : make_composed(*r, 0, part);
  if (!cut) return call.refuse(cut.error);
  return Value(*cut);
}

/// A few offsets that no layout maps back to their coordinates together: "no layout maps 2 to 1, 5 to 2 and 7
/// to 3". Each of them is needed for that. Empty for large layouts, or if the searches reach their limits.
std::string irreducible_offsets(const ComposedLayout& c) {
  if (c.size() > kEvalLimits.reason_coordinates) return "";
  std::vector<Sample> samples;
  for (Index i = 1; i < c.size(); ++i) samples.push_back({*offset(c, i), i});
  const auto refuted = [&](std::vector<Sample> some) {
    return find_layout(some.data(), static_cast<Index>(some.size()), kEvalLimits.reason_steps).end ==
           LayoutSearch::End::none;
  };
  if (!refuted(samples)) return "";
  for (std::size_t i = samples.size(); i-- > 0;) {
    std::vector<Sample> fewer = samples;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (refuted(fewer)) samples = std::move(fewer);
  }
  std::string out = "no layout maps";
  for (std::size_t i = 0; i < samples.size(); ++i) {
    out += fmt::format("{}{} to {}",
                       i == 0                    ? " "
                       : i + 1 == samples.size() ? " and "
                                                 : ", ",
                       samples[i].offset, samples[i].value);
  }
  return out;
}

/// The failure of a left or generalized inverse, with the offsets that show why there is none.
Failure not_inverted(const Call& call, const ComposedLayout& c, AlgebraError error, bool shared_allowed) {
  const bool searched = error.code == Code::undecided && error.reason == AlgebraReason::search;
  std::string shared;
  if (c.has_domain() && !shared_allowed && (error.code == Code::non_injective || searched))
    shared = shared_offset(c);
  if (searched && !shared.empty()) {
    error = refuse(Code::non_injective, 0, 0, 0);
    error.witness = -1;
  }
  Diagnostic d = call.refusal(error);
  if (error.witness < 0) d.message = to_string(call) + ": the layout is not injective";
  d.witness = shared;
  if (error.code == Code::not_invertible && error.reason == AlgebraReason::none)
    d.witness = irreducible_offsets(c);
  if (error.code == Code::non_injective && !shared_allowed && generalized_inverse(c).ok())
    d.help = "generalized_inverse(L) picks one of the coordinates that share an offset";
  if (d.help.empty() || error.code == Code::undecided) d.help = std::string(kRelation);
  return fail(std::move(d));
}

Result<Value> left_inverted(Call& call, const Chain& chain) {
  const ComposedLayout& c = chain.layout;
  if (c.parts == 1 && c.has_domain()) {
    const Outcome<StridedLayout> r = left_inverse(c.domain(), call.trace());
    return r ? Result<Value>(Value(*r)) : not_inverted(call, c, r.error, false);
  }
  const Outcome<ComposedLayout> r = left_inverse(c);
  return r ? Result<Value>(Value(*r)) : not_inverted(call, c, r.error, false);
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
    if (!shared.empty()) return not_a_permutation(call, shared);
    const Index least = image_min(c.domain());
    return not_a_permutation(
        call, least < 0 ? fmt::format("some coordinate has the offset {}", least)
                        : fmt::format("no coordinate has the offset {}", *first_missing_offset(c.domain())));
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
  if (c.parts == 1 && c.has_domain()) {
    const Outcome<StridedLayout> chained = generalized_inverse(c.domain(), call.trace());
    if (chained) return Value(*chained);
  }
  const Outcome<ComposedLayout> r = generalized_inverse(c);
  return r ? Result<Value>(Value(*r)) : not_inverted(call, c, r.error, true);
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
  add("left_inverse(L)", "R with R(L(i)) = i, if a layout does this; R(-x) = -R(x)",
      [](Call& call, const Chain& c) { return left_inverted(call, c); });
  add("generalized_inverse(L)", "R with L(R(L(i))) = L(i): one of the coordinates that share an offset",
      [](Call& call, const Chain& c) { return generally_inverted(call, c); });
  add("inverse(L)", "the inverse of a permutation of the coordinates, also of bases",
      [](Call& call, const ChainOrBases& c) {
        return c.bases ? linear_inverse(call, *c.bases) : inverted(call, Chain{c.layout});
      });
  add("nullspace(L)", "the coordinates that L maps to 0 because their strides are 0",
      [](Call&, const StridedLayout& l) { return nullspace(l); });
  add("max_common_layout(A, B)",
      "a vector that is contiguous in both A and B, the longest if both are injective",
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
