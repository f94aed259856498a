// SPDX-License-Identifier: Apache-2.0
// Checks yes-or-no questions, and the emulation of CuTe C++.
#include "eval/definitions_test.h"

namespace tessera::definitions {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

Held check_cute(const Reply& reply, const Reply& exact) {
  if (!reply.ok() || reply.noted("wrong")) return held();
  return when(exact.ok() && table(reply.chain()) == table(exact.chain()), reply,
              "differs and does not say so");
}

}  // namespace

Checks checks_of_questions() {
  return {
      // Questions
      {"equal",
       [](Random& r) {
         const auto a = chain(r);
         const auto b = r.one_in(2) ? ComposedLayout(coalesce(a.domain())) : chain(r);
         const Reply q = ask("equal", a, b);
         return when(q.ok() && q.yes() == (table(a) == table(b)), q);
       }},
      {"equal_on",
       [](Random& r) {
         const auto l = plain(r);
         StridedLayout m = flatten(l);
         const Reply q = ask("equal_on", l, tessera::detail::unflatten(m, l.profile).value, l.shape());
         return when(q.ok() && q.yes(), q);
       }},
      {"is_injective",
       [](Random& r) {
         const auto c = chain(r);
         const Reply q = ask("is_injective", c);
         return when(q.ok() && q.yes() == distinct(table(c)), q);
       }},
      {"is_bijective",
       [](Random& r) {
         const auto c = chain(r);
         const Reply q = ask("is_bijective", c);
         return when(q.ok() && q.yes() == is_permutation_of_coordinates(table(c)), q);
       }},
      {"is_contiguous",
       [](Random& r) {
         const auto c = r.one_in(2) ? ComposedLayout(positive(r)) : chain(r);
         const Reply q = ask("is_contiguous", c);
         if (!q.ok()) return held();
         const OffsetTable t = table(c);
         const std::set<Index> s(t.begin(), t.end());
         const bool together = *s.begin() == 0 && *s.rbegin() + 1 == static_cast<Index>(s.size());
         return when(q.yes() == together, q);
       }},
      // What CuTe prints
      {"cute.coalesce",
       [](Random& r) {
         const auto l = plain(r);
         return check_cute(ask("cute.coalesce", l), ask("coalesce", l));
       }},
      {"cute.composition",
       [](Random& r) {
         const auto a = positive(r), b = positive(r, 16);
         return check_cute(ask("cute.composition", a, b), ask("composition", a, b));
       }},
      {"cute.make_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         return check_cute(ask("cute.make_layout", s), ask("make_layout", s));
       }},
      {"cute.right_inverse",
       [](Random& r) {
         const auto l = positive(r);
         return check_cute(ask("cute.right_inverse", l), ask("right_inverse", l));
       }},
      {"cute.complement",
       [](Random& r) {
         const auto l = positive(r);
         return check_cute(ask("cute.complement", l, Index{64}), ask("complement", l, Index{64}));
       }},
      {"cute.logical_divide",
       [](Random& r) {
         const auto a = positive(r), b = positive(r, 8);
         return check_cute(ask("cute.logical_divide", a, b), ask("logical_divide", a, b));
       }},
      {"cute.make_layout_like",
       [](Random& r) {
         const auto l = positive(r);
         return check_cute(ask("cute.make_layout_like", l), ask("make_layout_like", l));
       }},
      {"cute.make_ordered_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         IntTuple o = s;
         for (int i = 0; i < o.leaves(); ++i) o.leaf[i] = i;
         return check_cute(ask("cute.make_ordered_layout", s, o), ask("make_ordered_layout", s, o));
       }},
  };
}

}  // namespace tessera::definitions
