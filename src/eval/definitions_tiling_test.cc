// SPDX-License-Identifier: Apache-2.0
// Checks divides, products, recasts, swizzles, bits and values.
#include "eval/definitions_test.h"

namespace tessera::definitions {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

Held check_divide(const std::string& function, Random& r) {
  const ComposedLayout c = chain(r, 48);
  const Tiler t = tiler(r, c.domain());
  const Reply reply = ask(function, c, t);
  if (!reply.ok() || !reply.all.notes.empty()) return held();
  return when(sorted(table(reply.chain())) == sorted(table(c)), reply, "has other offsets");
}

/// The bases of one or two leaves, as the calculator prints them.
std::string random_bases(Random& r, Index count, Index bits) {
  std::string out = "[[";
  for (Index i = 0; i < count; ++i) {
    const bool next = i > 0 && r.one_in(3) && out.find("],[") == std::string::npos;
    out += (next ? "],[" : i > 0 ? "," : "") + std::to_string(r.in(0, (Index{1} << bits) - 1));
  }
  return out + "]]";
}

Held check_copies(const std::string& function, Random& r) {
  const StridedLayout a = plain(r, 12);
  const StridedLayout t = positive(r, 12);
  const Reply reply = ask(function, a, t);
  if (!reply.ok()) return held();
  const OffsetTable all = table(reply.layout());
  if (static_cast<Index>(all.size()) != a.size() * t.size()) return reply.wrong("size");
  const bool apart = distinct(table(a)) && distinct(table(t));
  return when(!apart || distinct(all), reply, "copies overlap");
}

}  // namespace

Checks checks_of_tiling() {
  return {
      // Divides and products
      {"logical_divide", [](Random& r) { return check_divide("logical_divide", r); }},
      {"zipped_divide", [](Random& r) { return check_divide("zipped_divide", r); }},
      {"tiled_divide", [](Random& r) { return check_divide("tiled_divide", r); }},
      {"flat_divide", [](Random& r) { return check_divide("flat_divide", r); }},
      {"logical_product", [](Random& r) { return check_copies("logical_product", r); }},
      {"zipped_product", [](Random& r) { return check_copies("zipped_product", r); }},
      {"tiled_product", [](Random& r) { return check_copies("tiled_product", r); }},
      {"flat_product", [](Random& r) { return check_copies("flat_product", r); }},
      {"blocked_product", [](Random& r) { return check_copies("blocked_product", r); }},
      {"raked_product", [](Random& r) { return check_copies("raked_product", r); }},
      {"tile_to_shape",
       [](Random& r) {
         const IntTuple s = r.shape(12, 1);
         const auto block = *make_layout(s, r.one_in(2) ? Order::left : Order::right);
         IntTuple target;
         IntTupleBuilder build(target);
         if (s.is_integer()) {
           build.leaf(s.leaf[0] * r.in(1, 4));
         } else {
           build.tuple(s.rank());
           for (int i = 0; i < s.rank(); ++i) build.leaf(s.leaf[i] * r.in(1, 3));
         }
         const Reply a = ask("tile_to_shape", block, target);
         return when(
             a.ok() && a.layout().size() == *size(target) && is_permutation_of_coordinates(table(a.layout())),
             a);
       }},
      // Recasts
      {"upcast",
       [](Random& r) {
         const auto c = chain(r);
         const Index n = r.pick<Index>({1, 2, 4, 8});
         const Reply a = ask("upcast", c, n);
         if (!a.ok() || !a.all.notes.empty()) return held();
         std::set<Index> wanted, got;
         for (const Index v : table(c)) wanted.insert(floor_div(v, n));
         for (const Index v : table(a.chain())) got.insert(v);
         return when(got == wanted, a);
       }},
      {"downcast",
       [](Random& r) {
         const auto c = r.one_in(2) ? ComposedLayout(positive(r))
                                    : *make_composed(random_swizzle(r), r.in(0, 9), positive(r));
         const Index n = r.pick<Index>({1, 2, 4});
         const Reply a = ask("downcast", c, n);
         if (!a.ok()) return held();
         // Only layouts with exactly one mode of stride 1 are checked: with two, the smaller elements would
         // overlap.
         int units = 0;
         for (int i = 0; i < c.domain().leaves(); ++i)
           units += c.domain().stride[i] == 1 && c.domain().extent[i] >= 1 ? 1 : 0;
         if (units != 1) return held();
         std::set<Index> wanted, got;
         for (const Index v : table(c)) {
           for (Index k = 0; k < n; ++k) wanted.insert(v * n + k);
         }
         for (const Index v : table(a.chain())) got.insert(v);
         return when(got == wanted, a);
       }},
      {"recast",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("recast", c, Index{16}, Index{16});
         const auto w = r.power_of_two_layout(6);
         const Reply b = ask("recast", w, Index{8}, Index{16});
         if (!a.ok() || table(a.chain()) != table(c)) return a.wrong();
         std::set<Index> wanted, got;
         for (const Index v : table(w)) wanted.insert(v / 2);
         if (!b.ok()) return held();
         for (const Index v : table(b.layout())) got.insert(v);
         return when(got == wanted, b);
       }},
      // Swizzles
      {"make_swizzle",
       [](Random& r) {
         const Swizzle s = random_swizzle(r);
         if (s.is_identity()) return held();
         const Reply a = ask("make_swizzle", s.read_mask(), s.write_mask());
         return when(a.ok() && *a.value().as<Swizzle>() == s, a);
       }},
      {"swizzle_compose",
       [](Random& r) {
         const Swizzle s = random_swizzle(r), t = random_swizzle(r);
         const Reply a = ask("swizzle_compose", to_string(s), to_string(t));
         if (!a.ok()) return held();
         for (Index x = 0; x < 2048; ++x) {
           if (value_at(a.chain(), x) != value_at(ComposedLayout(s), value_at(ComposedLayout(t), x)))
             return a.wrong();
         }
         return held();
       }},
      {"swizzle_portion",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("swizzle_portion", c);
         const bool front = c.part[0].kind == ComposedPart::Kind::swizzle;
         return when(a.ok() && (front ? *a.value().as<Swizzle>() == c.part[0].swizzle
                                      : a.value().as<Swizzle>()->is_identity()),
                     a);
       }},
      {"nonswizzle_portion",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("nonswizzle_portion", c);
         return when(a.ok() && a.layout() == c.domain(), a);
       }},
      {"to_linear",
       [](Random& r) {
         const auto c =
             r.one_in(2) ? chain(r) : *make_composed(random_swizzle(r), 0, r.power_of_two_layout(6));
         const Reply a = ask("to_linear", c);
         if (!a.ok()) return held();
         const auto* b = a.value().as<LinearBases>();
         for (Index i = 0; i < c.size(); ++i) {
           Index x = 0;
           for (int k = 0; k < b->total(); ++k) x ^= ((i >> k) & 1) * b->basis[k];
           if (x != value_at(c, i)) return a.wrong();
         }
         return held();
       }},
      {"from_linear",
       [](Random& r) {
         const auto c = r.one_in(2) ? ComposedLayout(r.power_of_two_layout(6))
                                    : *make_composed(random_swizzle(r), 0, r.power_of_two_layout(6));
         const Reply a = ask_text("from_linear(to_linear(" + text_of(c) + "))");
         if (!a.ok()) return held();
         return when(table(a.chain()) == table(c), a);
       }},
      {"pseudo_inverse",
       [](Random& r) {
         const std::string bases = random_bases(r, r.in(0, 5), 6);
         const Reply a = ask_text("values(" + bases + ")");
         const Reply b = ask_text("R = pseudo_inverse(" + bases + "); values(R)");
         if (!a.ok() || !b.ok()) return b.wrong();
         const auto& to = *a.value().as<OffsetTable>();
         const auto& back = *b.value().as<OffsetTable>();
         for (const Index v : to) {
           if (to[static_cast<std::size_t>(back[static_cast<std::size_t>(v)])] != v) return b.wrong();
         }
         return held();
       }},
      {"invert_and_compose",
       [](Random& r) {
         const std::string inner = random_bases(r, r.in(0, 4), 4);
         const std::string outer = random_bases(r, r.in(0, 5), 4);
         const OffsetTable a = *ask_text("values(" + inner + ")").value().as<OffsetTable>();
         const OffsetTable b = *ask_text("values(" + outer + ")").value().as<OffsetTable>();
         const Reply solved = ask_text("R = invert_and_compose(" + inner + ", " + outer + "); values(R)");
         const bool exists = std::all_of(
             a.begin(), a.end(), [&](Index v) { return std::find(b.begin(), b.end(), v) != b.end(); });
         if (!solved.ok()) return when(!exists && solved.code() == Code::not_invertible, solved);
         const auto& back = *solved.value().as<OffsetTable>();
         for (std::size_t i = 0; i < a.size(); ++i) {
           if (b[static_cast<std::size_t>(back[i])] != a[i]) return solved.wrong();
         }
         return held();
       }},
      {"recognise",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask_text("recognise(values(" + text_of(c) + "))");
         if (!a.ok()) return when(c.parts > 1, a);
         OffsetTable t;
         if (const auto* s = a.value().as<Slice>()) {
           for (const Index v : table(s->layout)) t.push_back(v + s->offset.leaf[0]);
         } else {
           t = table(a.layout());
         }
         return when(t == table(c), a);
       }},
  };
}

}  // namespace tessera::definitions
