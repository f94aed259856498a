// SPDX-License-Identifier: Apache-2.0
// Checks slices, tiles, partitions and thread-value layouts.
#include "eval/definitions_test.h"

namespace tessera::definitions {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

Held check_partition(const std::string& function, bool tile_kept, Random& r) {
  const ComposedLayout c = chain(r, 48);
  const Index rank = r.in(1, c.domain().rank());
  IntTuple sizes;
  IntTupleBuilder build(sizes);
  build.tuple(static_cast<int>(rank));
  for (Index i = 0; i < rank; ++i) build.leaf(r.pick<Index>({1, 2, 4}));
  const Outcome<StridedLayout> zipped = zipped_divide(c.domain(), *shape_tiler(sizes));
  if (!zipped) return held();
  const StridedLayout tile = *mode(*zipped, 0);
  const StridedLayout rest = *mode(*zipped, 1);
  const Index at = r.in(0, (tile_kept ? rest : tile).size() - 1);
  const Reply reply = ask(function, c, sizes, at);
  if (!reply.ok()) return held();
  OffsetTable expected;
  for (Index k = 0; k < (tile_kept ? tile : rest).size(); ++k) {
    ComposedLayout part = c;
    part.part[c.parts - 1].layout = *zipped;
    expected.push_back(value_at(part, tile_kept ? k + at * tile.size() : at + k * tile.size()));
  }
  OffsetTable got;
  if (const auto* slice = reply.value().as<Slice>()) {
    for (const Index v : table(slice->layout)) got.push_back(v + slice->offset.leaf[0]);
  } else {
    got = table(reply.chain());
  }
  return when(got == expected, reply);
}

Held check_slice(const std::string& function, Random& r) {
  const ComposedLayout c = chain(r);
  const StridedLayout& l = c.domain();
  if (l.profile.is_leaf()) return held();
  Coord at;
  IntTupleBuilder build(at.tuple);
  build.tuple(l.rank());
  std::vector<OffsetTable> kept;
  Index weight = 1;
  Index fixed = 0;
  for (int i = 0; i < l.rank(); ++i) {
    const Index n = l.size_at(mode_at(l.profile, i));
    OffsetTable coordinates;
    if (r.one_in(2)) {
      at.holes |= std::uint64_t{1} << i;
      build.leaf(0);
      for (Index k = 0; k < n; ++k) coordinates.push_back(k * weight);
      kept.push_back(coordinates);
    } else {
      const Index k = r.in(0, n - 1);
      build.leaf(k);
      fixed += k * weight;
    }
    weight *= n;
  }
  const Reply reply = ask(function, at, c);
  if (!reply.ok()) return reply.wrong();
  OffsetTable expected;
  for (const Index k : side_by_side(kept)) expected.push_back(value_at(c, k + fixed));
  OffsetTable got;
  if (const auto* slice = reply.value().as<Slice>()) {
    for (const Index v : table(slice->layout)) got.push_back(v + slice->offset.leaf[0]);
  } else {
    got = table(reply.chain());
  }
  return when(got == expected, reply);
}

}  // namespace

Checks checks_of_partitions() {
  return {
      // Slices and partitions
      {"slice", [](Random& r) { return check_slice("slice", r); }},
      {"slice_and_offset", [](Random& r) { return check_slice("slice_and_offset", r); }},
      {"dice",
       [](Random& r) {
         const auto l = plain(r);
         if (l.profile.is_leaf()) return held();
         Coord at;
         IntTupleBuilder build(at.tuple);
         build.tuple(l.rank());
         std::vector<OffsetTable> kept;
         const auto m = modes_of(l);
         for (int i = 0; i < l.rank(); ++i) {
           if (r.one_in(2)) {
             at.holes |= std::uint64_t{1} << i;
           } else {
             kept.push_back(m[static_cast<std::size_t>(i)]);
           }
           build.leaf(0);
         }
         const Reply a = ask("dice", at, l);
         return when(a.ok() && (kept.empty() || table(a.layout()) == side_by_side(kept)), a);
       }},
      {"layout_of",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("layout_of", c);
         return when(a.ok() && table(a.chain()) == table(c), a);
       }},
      {"offset_of",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("offset_of", c);
         return when(a.ok() && a.integer() == 0, a);
       }},
      {"local_tile", [](Random& r) { return check_partition("local_tile", true, r); }},
      {"inner_partition", [](Random& r) { return check_partition("inner_partition", true, r); }},
      {"outer_partition", [](Random& r) { return check_partition("outer_partition", false, r); }},
      {"local_partition",
       [](Random& r) {
         const IntTuple s = r.shape(48, 1);
         const StridedLayout l = *make_layout(s);
         const StridedLayout t = positive(r, 6);
         std::vector<Index> together;
         if (!distinct(table(t)) || t.rank() > l.rank()) return held();
         for (const Index i : table(t)) {
           const Reply a = ask("local_partition", l, t, i);
           if (!a.ok() || a.noted("no thread")) return held();
           OffsetTable part;
           if (const auto* x = a.value().as<Slice>()) {
             for (const Index v : table(x->layout)) part.push_back(v + x->offset.leaf[0]);
           } else {
             part = table(a.layout());
           }
           together.insert(together.end(), part.begin(), part.end());
         }
         std::vector<Index> sizes;
         bool even = true;
         for (int i = 0; i < t.rank(); ++i)
           even = even && l.size_at(mode_at(l.profile, i)) % t.size_at(mode_at(t.profile, i)) == 0;
         return !even || is_permutation_of_coordinates(together)
                    ? held()
                    : broken("threads", to_string(t), "of", to_string(l));
       }},
      {"make_layout_tv",
       [](Random& r) {
         const auto t = positive(r, 8), v = positive(r, 6);
         const Reply a = ask("make_layout_tv", t, v);
         if (!a.ok() || a.noted("gaps")) return held();
         const auto* tv = a.value().as<ThreadValue>();
         const bool compact =
             is_permutation_of_coordinates(table(t)) && is_permutation_of_coordinates(table(v));
         if (!compact) return held();
         return when(is_permutation_of_coordinates(table(tv->layout)) && *size(tv->tile) == tv->layout.size(),
                     a);
       }},
      {"tv_of_addresses",
       [](Random& r) {
         const auto l = positive(r, 32), tv = positive(r, 8);
         const Reply a = ask("tv_of_addresses", l, tv);
         if (!a.ok()) return held();
         for (Index k = 0; k < tv.size(); ++k) {
           if (defined_offset(l, value_at(a.chain(), k)) != defined_offset(tv, k)) return a.wrong();
         }
         return held();
       }},
  };
}

}  // namespace tessera::definitions
