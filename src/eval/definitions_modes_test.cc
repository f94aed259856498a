// SPDX-License-Identifier: Apache-2.0
// Checks construction, and functions that select and combine modes.
#include "eval/definitions_test.h"

namespace tessera::definitions {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra

Checks checks_of_modes() {
  return {
      // Construction
      {"make_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Reply a = ask("make_layout", s);
         const Reply b = ask("make_layout", s, std::string("right"));
         if (!a.ok() || !b.ok()) return a.wrong();
         const OffsetTable t = table(a.layout());
         return when(is_permutation_of_coordinates(t) && std::is_sorted(t.begin(), t.end()) &&
                         is_permutation_of_coordinates(table(b.layout())),
                     a);
       }},
      {"make_ordered_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         IntTuple o = s;
         for (int i = 0; i < o.leaves(); ++i) o.leaf[i] = r.in(0, 3);
         const Reply a = ask("make_ordered_layout", s, o);
         return when(a.ok() && is_permutation_of_coordinates(table(a.layout())), a);
       }},
      {"make_layout_like",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("make_layout_like", l);
         return when(a.ok() && a.layout().shape() == l.shape() &&
                         is_permutation_of_coordinates(table(filter(a.layout()))),
                     a);
       }},
      {"make_identity_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index i = r.in(0, *tessera::detail::size(s) - 1);
         const Reply a = ask_text("make_identity_layout(" + text_of(s) + ")(" + text_of(i) + ")");
         const IntTuple c = *tessera::detail::idx2crd(i, s);
         if (!a.ok()) return a.wrong();
         // The printed value drops trailing zeros, so the full coordinate is checked instead.
         const Reply b = ask_text("crd2idx(" + text_of(c) + ", " + text_of(s) + ")");
         return when(b.ok() && b.integer() == i, a);
       }},
      {"concat",
       [](Random& r) {
         const auto x = plain(r, 12), y = plain(r, 12);
         const Reply a = ask("concat", x, y);
         return when(
             a.ok() && table(a.layout()) == side_by_side({table(x), table(y)}) && a.layout().rank() == 2, a);
       }},
      {"make_composed_layout",
       [](Random& r) {
         const StridedLayout l = positive(r);
         const Swizzle s = random_swizzle(r);
         const Index x = r.in(0, 9);
         const Reply a = ask("make_composed_layout", to_string(s), x, l);
         return when(a.ok() && table(a.chain()) == table(*tessera::detail::make_composed(s, x, l)), a);
       }},
      // Modes
      {"select",
       [](Random& r) {
         const auto l = plain(r);
         const auto m = modes_of(l);
         const Index i = r.in(0, l.rank() - 1), j = r.in(0, l.rank() - 1);
         const Reply a = ask("select", l, i, j);
         return when(a.ok() && table(a.layout()) == side_by_side({m[static_cast<std::size_t>(i)],
                                                                  m[static_cast<std::size_t>(j)]}),
                     a);
       }},
      {"take",
       [](Random& r) {
         const auto l = plain(r);
         const auto m = modes_of(l);
         const Index b = r.in(0, l.rank() - 1), e = r.in(b + 1, l.rank());
         const Reply a = ask("take", l, b, e);
         return when(a.ok() && table(a.layout()) == side_by_side({m.begin() + b, m.begin() + e}), a);
       }},
      {"append",
       [](Random& r) {
         const auto c = chain(r, 16);
         const auto y = positive(r, 8);
         const Reply a = ask("append", c, y);
         ComposedLayout w = c;
         w.part[c.parts - 1].layout = *append(c.domain(), y);
         return when(a.ok() && table(a.chain()) == table(w) &&
                         (c.parts > 1 || table(w) == side_by_side({table(c), table(y)})),
                     a);
       }},
      {"prepend",
       [](Random& r) {
         const auto x = plain(r, 16), y = plain(r, 8);
         const Reply a = ask("prepend", x, y);
         return when(a.ok() && table(a.layout()) == side_by_side({table(y), table(x)}), a);
       }},
      {"append_to_rank",
       [](Random& r) {
         const auto c = chain(r);
         const Index n = r.in(1, 6);
         const Reply a = ask("append_to_rank", c, n);
         if (n < c.domain().rank()) return when(!a.ok(), a);
         return when(a.ok() && table(a.chain()) == table(c) && a.chain().domain().rank() == n, a);
       }},
      {"replace",
       [](Random& r) {
         const auto l = plain(r, 16), y = plain(r, 8);
         if (l.profile.is_leaf()) return held();
         auto m = modes_of(l);
         const Index i = r.in(0, l.rank() - 1);
         m[static_cast<std::size_t>(i)] = table(y);
         const Reply a = ask("replace", l, i, y);
         return when(a.ok() && table(a.layout()) == side_by_side(m), a);
       }},
      {"group",
       [](Random& r) {
         const auto c = chain(r);
         const Index b = r.in(0, c.domain().rank() - 1), e = r.in(b + 1, c.domain().rank());
         const Reply a = ask("group", c, b, e);
         return when(a.ok() ? table(a.chain()) == table(c) : c.domain().profile.is_leaf(), a);
       }},
      {"flatten",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("flatten", c);
         return when(a.ok() && table(a.chain()) == table(c) && depth(a.chain().domain()) <= 1, a);
       }},
      {"unflatten",
       [](Random& r) {
         const auto l = plain(r);
         const StridedLayout f = flatten(l);
         const Reply a = ask("unflatten", f, l.shape());
         return when(a.ok() && a.layout() == l, a);
       }},
      {"zip",
       [](Random& r) {
         const auto x = plain(r, 12), y = plain(r, 12);
         const Reply a = ask("zip", x, y);
         if (x.rank() != y.rank()) return when(!a.ok(), a);
         if (!a.ok()) return held();
         std::vector<OffsetTable> m;
         for (int i = 0; i < x.rank(); ++i)
           m.push_back(side_by_side(
               {modes_of(x)[static_cast<std::size_t>(i)], modes_of(y)[static_cast<std::size_t>(i)]}));
         return when(table(a.layout()) == side_by_side(m), a);
       }},
  };
}

}  // namespace tessera::definitions
