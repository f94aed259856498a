// SPDX-License-Identifier: Apache-2.0
// Checks the facts of tuples and layouts, coordinates, and the arithmetic of shapes and integers.
#include <numeric>

#include "eval/definitions_test.h"

namespace tessera::definitions {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra

Checks checks_of_facts() {
  return {
      // Facts
      {"rank",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("rank", c);
         return when(a.ok() && a.integer() == c.domain().rank(), a);
       }},
      {"depth",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("depth", c);
         return when(a.ok() && a.integer() == depth(c.domain()), a);
       }},
      {"size",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("size", c);
         const IntTuple s = c.domain().shape();
         return when(a.ok() && a.integer() == std::accumulate(s.leaf, s.leaf + s.leaves(), Index{1},
                                                              std::multiplies<>()),
                     a);
       }},
      {"shape",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("shape", c);
         return when(a.ok() && to_string(a.value()) == to_string(c.domain().shape()), a);
       }},
      {"stride",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("stride", l);
         return when(a.ok() && to_string(l) == to_string(l.shape()) + ":" + to_string(a.value()), a);
       }},
      {"cosize",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("cosize", c);
         const OffsetTable t = table(c.domain());
         return when(a.ok() && a.integer() == 1 + *std::max_element(t.begin(), t.end()) -
                                                  *std::min_element(t.begin(), t.end()),
                     a);
       }},
      {"coshape",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("coshape", l);
         return when(a.ok() && a.integer() == ask("cosize", l).integer(), a);
       }},
      {"image_min",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("image_min", c);
         const OffsetTable t = table(c);
         return when(a.ok() && a.integer() == *std::min_element(t.begin(), t.end()), a);
       }},
      {"image_max",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("image_max", c);
         const OffsetTable t = table(c);
         return when(a.ok() && a.integer() == *std::max_element(t.begin(), t.end()), a);
       }},
      {"get",
       [](Random& r) {
         const auto c = chain(r);
         const Index i = r.in(0, c.domain().rank() - 1);
         const Reply a = ask("get", c, i);
         ComposedLayout part = c;
         part.part[c.parts - 1].layout =
             sublayout(c.domain(), mode_at(c.domain().profile, static_cast<int>(i)));
         return when(a.ok() && table(a.chain()) == table(part), a);
       }},
      {"values",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("values", c);
         return when(a.ok() && *a.value().as<OffsetTable>() == table(c), a);
       }},
      // Coordinates
      {"evaluate",
       [](Random& r) {
         const auto c = chain(r);
         const Index i = r.in(0, c.size() - 1);
         const Reply a = ask("evaluate", c, i);
         const Reply b = ask_text(text_of(c) + "(" + to_string(*idx2crd(i, c.domain().shape())) + ")");
         return when(a.ok() && b.ok() && a.integer() == value_at(c, i) && b.integer() == value_at(c, i), a);
       }},
      {"crd2idx",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const Index i = r.in(0, n - 1);
         const Reply a =
             ask_text("crd2idx(idx2crd(" + text_of(i) + ", " + text_of(s) + "), " + text_of(s) + ")");
         return when(a.ok() && a.integer() == i && a.all.notes.empty(), a);
       }},
      {"idx2crd",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index i = r.in(0, *size(s) - 1);
         const Reply a = ask("idx2crd", i, s);
         if (!a.ok()) return a.wrong();
         const IntTuple c = a.value().as<TrackedCoord>()->coord.tuple;
         Index back = 0;
         for (int k = s.leaves(); k-- > 0;) {
           if (c.leaf[k] < 0 || c.leaf[k] >= s.leaf[k]) return a.wrong();
           back = back * s.leaf[k] + c.leaf[k];
         }
         return when(congruent(c, s) && back == i, a);
       }},
      {"crd2crd",
       [](Random& r) {
         const IntTuple s = r.shape(24);
         const IntTuple t = r.shape(64);
         const Index n = std::min(*size(s), *size(t));
         const Index i = r.in(0, n - 1);
         const Reply a = ask_text("crd2idx(crd2crd(idx2crd(" + text_of(i) + ", " + text_of(s) + "), " +
                                  text_of(s) + ", " + text_of(t) + "), " + text_of(t) + ")");
         return when(a.ok() && a.integer() == i, a);
       }},
      {"colex_less",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const Index i = r.in(0, n - 1);
         const Index j = r.in(0, n - 1);
         const Reply a = ask("colex_less", *idx2crd(i, s), *idx2crd(j, s));
         return when(a.ok() && a.yes() == (i < j), a);
       }},
      {"lex_less",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const IntTuple x = *idx2crd(r.in(0, n - 1), s);
         const IntTuple y = *idx2crd(r.in(0, n - 1), s);
         const Reply a = ask("lex_less", x, y);
         return when(a.ok() && a.yes() == std::lexicographical_compare(x.leaf, x.leaf + x.leaves(), y.leaf,
                                                                       y.leaf + y.leaves()),
                     a);
       }},
      {"elem_less",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const IntTuple x = *idx2crd(r.in(0, n - 1), s);
         const IntTuple y = *idx2crd(r.in(0, n - 1), s);
         bool less = true;
         for (int k = 0; k < x.leaves(); ++k) less = less && x.leaf[k] < y.leaf[k];
         const Reply a = ask("elem_less", x, y);
         return when(a.ok() && a.yes() == less, a);
       }},
      {"congruent",
       [](Random& r) {
         const IntTuple a = r.shape(64);
         const IntTuple b = r.one_in(2) ? a : r.shape(64);
         const Reply q = ask("congruent", a, b);
         return when(q.ok() && q.yes() == (a.profile == b.profile), q);
       }},
      {"weakly_congruent",
       [](Random& r) {
         const StridedLayout l = plain(r);
         const StridedLayout c = coalesce(l);
         const Reply a = ask("weakly_congruent",
                             l.rank() == c.rank() && c.rank() > 1 ? c.shape() : IntTuple(7), l.shape());
         return when(a.ok() && a.yes(), a);
       }},
      {"compatible",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s) + (r.one_in(2) ? 0 : 1);
         const Reply a = ask("compatible", n, s);
         return when(a.ok() && a.yes() == (n == *size(s)), a);
       }},
      {"evenly_divides",
       [](Random& r) {
         const IntTuple s = r.shape(48);
         const StridedLayout l = *make_layout(s);
         const Tiler t = tiler(r, l);
         const Reply a = ask("evenly_divides", s, t);
         const Outcome<StridedLayout> d = zipped_divide(l, t);
         if (!a.ok()) return a.wrong();
         if (!a.yes()) return held();
         return when(d.ok() && is_permutation_of_coordinates(table(*d)), a);
       }},
      // Arithmetic of shapes and integers
      {"shape_div",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 12);
         const Reply a = ask("shape_div", s, n);
         if (!a.ok()) return held();
         Index out = 1;
         const IntTuple t = a.value().as<TrackedCoord>()->coord.tuple;
         for (int i = 0; i < t.leaves(); ++i) out *= t.leaf[i];
         return when(*size(s) % n != 0 || out == *size(s) / n, a);
       }},
      {"shape_mod",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 12);
         const Reply a = ask("shape_mod", s, n);
         if (!a.ok() || n > *size(s)) return held();
         return when(*size(a.value().as<TrackedCoord>()->coord.tuple) == n, a);
       }},
      {"ceil_div",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 12);
         const Reply a = ask("ceil_div", s, n);
         IntTuple wanted = s;
         Index left = n;
         for (int i = 0; i < s.leaves(); ++i) {
           wanted.leaf[i] = (s.leaf[i] + left - 1) / left;
           left = (left + s.leaf[i] - 1) / s.leaf[i];
         }
         return when(a.ok() && a.value().as<TrackedCoord>()->coord.tuple == wanted, a);
       }},
      {"domain_distribute",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 24);
         const Reply a = ask("domain_distribute", s, n);
         if (!a.ok()) return a.wrong();
         const OffsetTable t = table(a.layout());
         const Index got = static_cast<Index>(t.size());
         return when(n % got == 0 && distinct(t) && *std::max_element(t.begin(), t.end()) < *size(s) &&
                         (got == n) == !a.noted("only"),
                     a);
       }},
      {"min",
       [](Random& r) {
         const Index x = r.in(-9, 9), y = r.in(-9, 9), z = r.in(-9, 9);
         const Reply a = ask("min", x, y, z);
         return when(a.ok() && a.integer() == std::min({x, y, z}), a);
       }},
      {"max",
       [](Random& r) {
         const Index x = r.in(-9, 9), y = r.in(-9, 9), z = r.in(-9, 9);
         const Reply a = ask("max", x, y, z);
         return when(a.ok() && a.integer() == std::max({x, y, z}), a);
       }},
      {"gcd",
       [](Random& r) {
         const Index x = r.in(-30, 30), y = r.in(-30, 30);
         const Reply a = ask("gcd", x, y);
         return when(a.ok() && a.integer() == std::gcd(x, y), a);
       }},
      {"lcm",
       [](Random& r) {
         const Index x = r.in(-30, 30), y = r.in(-30, 30);
         const Reply a = ask("lcm", x, y);
         return when(a.ok() && a.integer() == std::lcm(x, y), a);
       }},
  };
}

}  // namespace tessera::definitions
