// SPDX-License-Identifier: Apache-2.0
// Checks simplification, composition, inverses and common vectors.
#include "eval/definitions_test.h"

namespace tessera::definitions {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra

Checks checks_of_inverses() {
  return {
      // Simplification
      {"coalesce",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("coalesce", c);
         const Reply b = ask("coalesce", c, c.domain().shape());
         return when(a.ok() && b.ok() && table(a.chain()) == table(c) && table(b.chain()) == table(c), a);
       }},
      {"filter",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("filter", c);
         if (!a.ok()) return a.wrong();
         const OffsetTable t = table(c), u = table(a.chain());
         bool repeats = false;
         const ComposedLayout filtered = a.chain();
         const StridedLayout& d = filtered.domain();
         for (int i = 0; i < d.leaves(); ++i) repeats = repeats || (d.stride[i] == 0 && d.extent[i] > 1);
         return when(std::set(t.begin(), t.end()) == std::set(u.begin(), u.end()) && !repeats, a);
       }},
      {"filter_zeros",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("filter_zeros", c);
         if (!a.ok()) return a.wrong();
         const OffsetTable t = table(c), u = table(a.chain());
         return when(std::set(t.begin(), t.end()) == std::set(u.begin(), u.end()), a);
       }},
      {"simplify",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("simplify", c);
         if (!a.ok()) return when(a.code() == Code::not_representable && c.parts > 1, a);
         OffsetTable t;
         if (const auto* s = a.value().as<Slice>()) {
           for (const Index v : table(s->layout)) t.push_back(v + s->offset.leaf[0]);
         } else {
           t = table(a.layout());
         }
         return when(t == table(c), a);
       }},
      // Composition
      {"composition",
       [](Random& r) {
         const auto a = chain(r), b = chain(r, 24);
         const OffsetTable inner = table(b);
         // A swizzle is not defined for negative numbers.
         const bool negative = *std::min_element(inner.begin(), inner.end()) < 0;
         if (negative && a.parts > 1) return held();
         const Reply reply = ask("composition", a, b);
         if (!reply.ok()) return held();
         OffsetTable wanted;
         for (const Index v : inner) wanted.push_back(value_at(a, v));
         return when(table(reply.chain(), b.size()) == wanted &&
                         (!reply.chain().has_domain() || reply.chain().size() == b.size()),
                     reply);
       }},
      {"composition_check",
       [](Random& r) {
         const auto a = plain(r), b = plain(r, 24);
         const Reply reply = ask("composition_check", a, b);
         return when(
             reply.ok() && to_string(reply.value())
                               .starts_with("exact: " +
                                            (composition(a, b) ? to_string(*composition(a, b)) : "refused")),
             reply);
       }},
      {"complement",
       [](Random& r) {
         const auto l = plain(r);
         const Index n = r.in(1, 200);
         const Reply a = ask("complement", l, n);
         if (!a.ok()) return held();
         const Held law = laws::check_complement(l, n);
         return law ? when(a.layout() == *tessera::detail::complement(l, IntTuple(n)), a) : law;
       }},
      {"complement_open",
       [](Random& r) {
         const auto l = positive(r);
         const Reply a = ask("complement_open", l);
         if (!a.ok()) return held();
         const OffsetTable own = table(filter(l));
         Index reach = 0;
         for (const Index at : table(a.layout())) {
           if (at != 0 && std::find(own.begin(), own.end(), at) != own.end())
             return a.wrong("meets the layout");
           reach = at;
         }
         const StridedLayout c = a.layout();
         const Index next = c.stride[c.leaves() - 1];
         return when(next > *std::max_element(own.begin(), own.end()) && next > reach, a);
       }},
      // Inverses
      {"right_inverse",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("right_inverse", c);
         if (!a.ok()) {
           const OffsetTable t = table(c);
           const bool starts = std::find(t.begin(), t.end(), 0) != t.end();
           return when(c.parts > 1 && value_at(c, 0) != 0 &&
                           a.code() == (starts ? Code::undecided : Code::not_invertible),
                       a);
         }
         const ComposedLayout i = a.chain();
         const Index n = i.has_domain() ? i.size() : c.size();
         for (Index k = 0; k < n; ++k) {
           const Index at = value_at(i, k);
           if (at < 0 || at >= c.size() || value_at(c, at) != k) return a.wrong("at " + text_of(k));
         }
         return held();
       }},
      {"left_inverse",
       [](Random& r) {
         const auto c = chain(r);
         const OffsetTable t = table(c);
         const Reply a = ask("left_inverse", c);
         if (!a.ok()) {
           // If an error names two coordinates, they share an offset.
           return when(a.code() == Code::not_invertible || a.all.error->witness.empty() || !distinct(t), a);
         }
         for (Index k = 0; k < c.size(); ++k) {
           if (value_at(a.chain(), t[static_cast<std::size_t>(k)]) != k) return a.wrong("at " + text_of(k));
         }
         return held();
       }},
      {"generalized_inverse",
       [](Random& r) {
         const auto c = r.one_in(2) ? ComposedLayout(positive(r)) : chain(r);
         const Reply a = ask("generalized_inverse", c);
         if (!a.ok()) return held();
         for (const Index v : table(c)) {
           if (value_at(c, value_at(a.chain(), v)) != v) return a.wrong("at offset " + text_of(v));
         }
         return held();
       }},
      {"inverse",
       [](Random& r) {
         const auto c = r.one_in(2)
                            ? chain(r, 24)
                            : *tessera::detail::make_composed(random_swizzle(r), 0, r.power_of_two_layout(6));
         const OffsetTable t = table(c);
         const Reply a = ask("inverse", c);
         if (!a.ok())
           return when(a.code() == Code::not_representable ? is_permutation_of_coordinates(t)
                                                           : !is_permutation_of_coordinates(t),
                       a);
         if (!is_permutation_of_coordinates(t)) return a.wrong("of no permutation");
         for (Index k = 0; k < c.size(); ++k) {
           if (value_at(a.chain(), t[static_cast<std::size_t>(k)]) != k) return a.wrong("at " + text_of(k));
         }
         return held();
       }},
      {"nullspace",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("nullspace", l);
         if (!a.ok()) return a.wrong();
         for (const Index at : table(a.layout())) {
           if (defined_offset(l, at) != 0) return a.wrong();
         }
         return when(a.layout().size() * filter(l).size() == l.size(), a);
       }},
      {"max_common_layout",
       [](Random& r) {
         const auto a = chain(r), b = r.one_in(3) ? a : chain(r);
         const Reply reply = ask("max_common_layout", a, b);
         if (!reply.ok()) return held();
         const StridedLayout v = reply.layout();
         bool cancel = a.parts == b.parts;
         for (int i = 0; i + 1 < a.parts && cancel; ++i) cancel = a.part[i] == b.part[i];
         for (const ComposedLayout& whole : {a, b}) {
           const ComposedLayout c = cancel ? ComposedLayout(whole.domain()) : whole;
           for (Index k = 0; k < v.size(); ++k) {
             const Index at = defined_offset(v, k);
             if (at >= whole.size() || value_at(c, at) != value_at(c, 0) + k)
               return reply.wrong("at " + text_of(k));
           }
           if (c.parts == 1) continue;
           // Wherever the last layout has an offset that is a multiple of the vector's size, the rest of the
           // chain keeps the vector contiguous.
           ComposedLayout front = c;
           front.parts = c.parts - 1;
           front.part[front.parts - 1].offset = c.part[c.parts - 2].offset;
           for (const Index o : table(c.domain())) {
             if (o % v.size() != 0) continue;
             for (Index k = 0; k < v.size(); ++k) {
               if (value_at(front, o + k) != value_at(front, o) + k)
                 return reply.wrong("at the multiple " + text_of(o));
             }
           }
         }
         return held();
       }},
      {"max_common_vector",
       [](Random& r) {
         const auto a = chain(r), b = chain(r);
         const Reply v = ask("max_common_vector", a, b);
         const Reply l = ask("max_common_layout", a, b);
         return when(v.ok() == l.ok() && (!v.ok() || v.integer() == l.layout().size()), v);
       }},
      {"max_alignment",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("max_alignment", l);
         if (!a.ok()) return a.wrong();
         const Index n = a.integer();
         const OffsetTable t = table(l);
         const std::set<Index> s(t.begin(), t.end());
         for (const Index v : t) {
           for (Index k = 0; k < n; ++k) {
             if (!s.contains(floor_div(v, n) * n + k)) return a.wrong();
           }
         }
         return held();
       }},
  };
}

}  // namespace tessera::definitions
