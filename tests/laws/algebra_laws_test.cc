// SPDX-License-Identifier: Apache-2.0
// The laws of the layout algebra on random layouts. TESSERA_LAW_CASES is the number of cases of each law
// (default 5,000), TESSERA_SEED the seed.
#include "laws/algebra_laws.h"

#include "algebra/composition_check.h"
#include "laws/composition_laws.h"
#include "laws/divide_laws.h"
#include "laws/swizzle_laws.h"

namespace tessera::laws {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

TEST(AlgebraLaws, EvaluationAgreesWithTheDefinitionAtEveryCoordinate) {
  for_random_cases([](Random& r) { return check_evaluation(r.layout(200)); });
}

TEST(AlgebraLaws, FactsAreThoseOfTheValues) {
  for_random_cases([](Random& r) { return check_facts(r.layout(200)); });
}

TEST(AlgebraLaws, TextReadsBack) {
  for_random_cases([](Random& r) { return check_text(r.layout(1000)); });
}

TEST(AlgebraLaws, CoalescedLayoutsAreTheSimplestOfTheirFunction) {
  for_random_cases([](Random& r) { return check_coalesce(r.layout(300)); });
}

TEST(AlgebraLaws, FilterKeepsTheOffsetsAndNullspaceTheRest) {
  for_random_cases([](Random& r) { return check_filter(r.layout(300)); });
}

TEST(AlgebraLaws, CompositionExistsExactlyWhenALayoutDoes) {
  for_random_cases([](Random& r) {
    const StridedLayout a = r.layout(300);
    // Half of the right operands stay within the domain of the left operand, because its strides matter most
    // there.
    StridedLayout b = r.layout(48);
    if (r.one_in(2)) {
      for (int i = 0; i < b.leaves(); ++i)
        b.stride[i] = r.pick<Index>({0, 1, 1, 2, 3, 4, 6, 8, 12, -1, -4, r.in(1, 40)});
    }
    return check_composition(a, b);
  });
}

TEST(AlgebraLaws, CompositionIsAssociativeInsideTheDomains) {
  for_random_cases([](Random& r) {
    return check_associativity(r.layout(300, false), r.layout(64, false), r.layout(16, false));
  });
}

TEST(AlgebraLaws, CompositionWithTheIdentityIsTheFunction) {
  for_random_cases([](Random& r) {
    const StridedLayout a = r.layout(300);
    const Outcome<StridedLayout> same = composition(a, make_mode(a.size(), 1));
    return same && equal_function(*same, a) ? held() : broken(to_string(a));
  });
}

TEST(AlgebraLaws, ALeafOfSizeTwoAlwaysComposes) {
  for_random_cases([](Random& r) {
    const StridedLayout a = r.layout(300);
    const StridedLayout b = make_mode(2, r.in(-100, 100));
    return composition(a, b).ok() ? check_composition(a, b) : broken(to_string(a), to_string(b));
  });
}

TEST(AlgebraLaws, ARuleThatAcceptsIsRightExactlyWhereTheExactAnswerAgrees) {
  for_random_cases([](Random& r) {
    const StridedLayout a = r.layout(200);
    const StridedLayout b = r.layout(32);
    const CompositionReport report = composition_check(a, b);
    for (const PeerVerdict& peer : report.peers) {
      if (!peer.accepts || peer.wrong_at) continue;
      if (!report.exact)
        return broken(to_string(a), to_string(b), to_string(peer.rule), "is right, ours refused");
      if (!equal_function(*report.exact, peer.result))
        return broken(to_string(a), to_string(b), to_string(peer.rule));
    }
    return held();
  });
}

TEST(AlgebraLaws, HintsOfARefusedCompositionCompose) {
  for_random_cases([](Random& r) {
    const StridedLayout a = r.layout(200);
    const StridedLayout b = make_mode(r.in(2, 24), r.in(1, 30));
    const CompositionReport report = composition_check(a, b);
    if (report.extent_hint && !composition(a, make_mode(*report.extent_hint, b.stride[0])).ok())
      return broken("extent");
    if (report.stride_hint && !composition(a, make_mode(b.extent[0], *report.stride_hint)).ok())
      return broken("stride");
    return held();
  });
}

TEST(AlgebraLaws, ComplementsFillTheHolesAndNothingElse) {
  for_random_cases([](Random& r) { return check_complement(r.layout(64), r.in(1, 300)); });
}

TEST(AlgebraLaws, RightInversesInvert) {
  for_random_cases([](Random& r) { return check_right_inverse(r.layout(300)); });
}

TEST(AlgebraLaws, LeftInversesInvert) {
  for_random_cases([](Random& r) { return check_left_inverse(r.layout(100)); });
}

TEST(AlgebraLaws, CommonVectorsAreContiguousInBoth) {
  for_random_cases([](Random& r) { return check_max_common(r.layout(200), r.layout(200)); });
}

TEST(AlgebraLaws, DividesTile) {
  for_random_cases([](Random& r) {
    const StridedLayout l = r.layout(200);
    if (r.one_in(2)) return check_divide(l, Tiler(r.layout(24, false)));
    IntTuple sizes;
    IntTupleBuilder build(sizes);
    const Index rank = r.in(1, l.rank());
    build.tuple(static_cast<int>(rank));
    for (Index i = 0; i < rank; ++i) build.leaf(r.extent());
    return check_divide(l, *shape_tiler(sizes));
  });
}

TEST(AlgebraLaws, ProductsRepeat) {
  for_random_cases([](Random& r) {
    const StridedLayout a = r.layout(32, false);
    const StridedLayout t = r.layout(24, false);
    const Held one = check_product(a, t);
    return one ? check_blocked_product(a, t) : one;
  });
}

TEST(AlgebraLaws, QuestionsHaveTheAnswersOfEnumeration) {
  for_random_cases([](Random& r) { return check_questions(r.layout(200)); });
}

TEST(AlgebraLaws, TheFirstDifferenceIsTheFirst) {
  for_random_cases([](Random& r) {
    const StridedLayout a = r.layout(200);
    StridedLayout b = r.one_in(2) ? coalesce(a) : r.layout(200);
    if (r.one_in(2)) b.stride[r.in(0, b.leaves() - 1)] += r.in(0, 1);
    return check_first_difference(a, b);
  });
}

TEST(AlgebraLaws, SlicesAreTheFunctionWithSomeCoordinatesFixed) {
  for_random_cases([](Random& r) {
    const StridedLayout l = r.layout(300);
    Coord c;
    IntTupleBuilder build(c.tuple);
    const auto fill = [&](auto&& self, Cursor at) -> void {
      const bool leaf = l.profile.is_leaf(at.node) || r.one_in(3);
      if (!leaf) {
        build.tuple(l.profile.rank(at.node));
        detail::for_each_mode(l.profile, at, [&](Cursor m) { self(self, m); });
        return;
      }
      if (r.one_in(2)) {
        c.holes |= std::uint64_t{1} << c.tuple.leaves();
        build.leaf(0);
      } else {
        build.leaf(r.in(0, l.size_at(at) - 1));
      }
    };
    fill(fill, {});
    return check_slice(c, l);
  });
}

TEST(AlgebraLaws, SwizzlesAreLinearInvolutions) {
  for_random_cases([](Random& r) {
    const Index bits = r.in(0, 4);
    const Index shift = r.in(bits, 6);
    const Swizzle s = *make_swizzle(bits, r.in(0, 5), r.one_in(2) ? shift : -shift);
    const Held law = check_swizzle(s, r.in(0, 1 << 20), r.in(0, 1 << 20));
    if (!law) return law;
    return *swizzle_from_masks(s.read_mask(), s.write_mask()) == s || bits == 0 ? held()
                                                                                : broken(to_string(s));
  });
}

TEST(AlgebraLaws, SwizzledPermutationsAreLinearAndInvert) {
  for_random_cases([](Random& r) {
    const StridedLayout l = r.power_of_two_layout(8);
    const Index bits = r.in(0, 3);
    const Index shift = r.in(bits, 4);
    const Outcome<Swizzle> s = make_swizzle(bits, r.in(0, 3), r.one_in(2) ? shift : -shift);
    const ComposedLayout c = composition(*s, l);
    const Held linear = check_linear(c);
    if (!linear) return linear;
    // The inverse exists only if the swizzle stays inside the image.
    const bool inside = s->bits == 0 || (Index{1} << (s->bits + s->base + std::abs(s->shift))) <= l.size();
    return inside ? check_composed_inverse(c) : held();
  });
}

TEST(AlgebraLaws, ASwizzleThroughALayoutIsTheSameFunction) {
  for_random_cases([](Random& r) {
    const StridedLayout l = r.layout(200, false);
    const Index bits = r.in(0, 2);
    const Swizzle s = *make_swizzle(bits, r.in(0, 3), r.one_in(2) ? bits + 1 : -bits - 1);
    const Outcome<ComposedLayout> c = composition(l, s);
    if (!c) return broken(to_string(l), to_string(s));
    for (Index i = 0; i < l.size(); ++i) {
      if (*offset(*c, i) != defined_offset(l, s(i))) return broken(to_string(*c), "at", i);
    }
    return held();
  });
}

TEST(AlgebraLaws, SimplifiedChainsAreTheSameFunction) {
  for_random_cases([](Random& r) {
    const StridedLayout l = r.power_of_two_layout(7);
    const Index bits = r.in(0, 2);
    const Outcome<ComposedLayout> c =
        make_composed(*make_swizzle(bits, r.in(0, 7), bits + 1), r.in(0, 40), l);
    if (!c) return broken(to_string(l));
    const Outcome<OffsetLayout> plain = simplify(*c);
    if (!plain) return plain.error.code == Code::not_representable ? held() : broken(to_string(*c));
    for (Index i = 0; i < l.size(); ++i) {
      if (*offset(*c, i) != plain->offset + plain->layout(i)) return broken(to_string(*c), "at", i);
    }
    return held();
  });
}

TEST(AlgebraLaws, ThreadValueLayoutsOwnEachElementOnce) {
  for_random_cases([](Random& r) {
    const auto compact = [&] {
      IntTuple s;
      IntTupleBuilder build(s);
      build.tuple(2);
      build.leaf(r.in(1, 6));
      build.leaf(r.in(1, 6));
      return *make_layout(s, r.one_in(2) ? Order::left : Order::right);
    };
    const StridedLayout threads = compact();
    return check_thread_value(threads, compact());
  });
}

TEST(AlgebraLaws, LocalTilesAndPartitionsCoverEachElementOnce) {
  for_random_cases([](Random& r) {
    const Index m = r.in(1, 4);
    const Index n = r.in(1, 4);
    const Index gm = r.in(1, 4);
    const Index gn = r.in(1, 4);
    const StridedLayout l =
        *make_layout(make_tuple(m * gm, n * gn), r.one_in(2) ? Order::left : Order::right);
    std::set<Index> seen;
    for (Index i = 0; i < gm * gn; ++i) {
      const Outcome<Slice> tile = local_tile(l, *shape_tiler(make_tuple(m, n)), make_tuple(i % gm, i / gm));
      if (!tile) return broken("local_tile of", to_string(l));
      for (const Index v : values(tile->layout)) seen.insert(tile->offset.leaf[0] + v);
    }
    if (static_cast<Index>(seen.size()) != l.size()) return broken("tiles of", to_string(l), m, n);
    seen.clear();
    const StridedLayout threads = *make_layout(make_tuple(m, n), Order::right);
    for (Index i = 0; i < m * n; ++i) {
      const Outcome<Slice> part = local_partition(l, threads, i);
      if (!part) return broken("local_partition of", to_string(l));
      for (const Index v : values(part->layout)) seen.insert(part->offset.leaf[0] + v);
    }
    return static_cast<Index>(seen.size()) == l.size() ? held() : broken("partitions of", to_string(l), m, n);
  });
}

}  // namespace
}  // namespace tessera::laws
