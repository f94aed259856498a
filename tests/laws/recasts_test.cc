// SPDX-License-Identifier: Apache-2.0
// Recasts of random layouts and chains by the place of every small element. TESSERA_LAW_CASES is the number
// of cases of each law (default 5,000), TESSERA_SEED the seed.
#include "laws/recast_laws.h"

namespace tessera::laws {
namespace {

/// A layout whose strides are multiples or divisors of powers of two, of any sign, some of them 0 or equal.
StridedLayout recastable(Random& r) {
  StridedLayout l = r.layout(100);
  if (r.one_in(4)) return l;
  for (int i = 0; i < l.leaves(); ++i) {
    l.stride[i] = r.pick<Index>({0, 1, 1, 2, 2, 4, 8, 16, 24, 64});
    if (r.one_in(3)) l.stride[i] = -l.stride[i];
  }
  return l;
}
ComposedLayout recastable_chain(Random& r) {
  const auto swizzle = [&] {
    const Index bits = r.in(0, 3);
    const Index shift = r.in(bits, 4);
    return *detail::make_swizzle(bits, r.in(0, 3), r.one_in(4) ? -shift : shift);
  };
  const StridedLayout l = recastable(r);
  const ComposedLayout c = *detail::make_composed(swizzle(), r.in(0, 40) - image_min(l), l);
  return r.one_in(4) ? *detail::make_composed(swizzle(), r.in(0, 20), c) : c;
}

TEST(RecastLaws, AnUpcastNamesTheWideElementOfEverySmallOne) {
  for_random_cases([](Random& r) { return check_upcast(recastable(r), r.pick<Index>({2, 3, 4, 6, 8, 16})); });
}

TEST(RecastLaws, AnUpcastChainNamesTheWideElementOfEverySmallOne) {
  for_random_cases(
      [](Random& r) { return check_upcast_chain(recastable_chain(r), r.pick<Index>({2, 4, 8})); });
}

TEST(RecastLaws, ADowncastChainNamesThePartsOfEveryElement) {
  for_random_cases(
      [](Random& r) { return check_downcast_chain(recastable_chain(r), r.pick<Index>({2, 4})); });
}

}  // namespace
}  // namespace tessera::laws
