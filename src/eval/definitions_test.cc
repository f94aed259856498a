// SPDX-License-Identifier: Apache-2.0
// Every function of the calculator does what its summary in `tessera eval --list` says. Results on random
// layouts and chains (nested, with extents of 1, zero and negative strides, swizzles, offsets) are checked
// against the summary by enumeration; so are errors, if the summary says when a result exists.
#include "eval/definitions_test.h"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const definitions::Checks& all_checks() {
  static const definitions::Checks all = [] {
    definitions::Checks out;
    for (const auto family : {definitions::checks_of_facts, definitions::checks_of_modes,
                              definitions::checks_of_inverses, definitions::checks_of_tiling,
                              definitions::checks_of_partitions, definitions::checks_of_questions}) {
      out.merge(family());
    }
    return out;
  }();
  return all;
}

// These functions only return their arguments or print, so there is nothing to enumerate.
const std::set<std::string_view> kWithoutCheck = {"group_modes", "make_shape", "make_stride", "make_coord",
                                                  "make_tuple",  "make_tile",  "print_layout"};

class Definitions : public testing::TestWithParam<FunctionInfo> {};

TEST_P(Definitions, HoldOnRandomLayouts) {
  const std::string name(GetParam().name);
  // tests/laws/axe_test.cc has the laws of Axe layouts.
  if (kWithoutCheck.contains(name) || GetParam().group == "Axe layouts") GTEST_SKIP();
  const auto check = all_checks().find(name);
  ASSERT_NE(check, all_checks().end()) << "a function without a check";
  const Index cases = std::max<Index>(1, laws::law_cases() / 20);
  for (Index i = 0; i < cases; ++i) {
    laws::Random random(laws::law_seed() * 1000003 + static_cast<std::uint64_t>(i));
    ASSERT_TRUE(check->second(random)) << "seed " << laws::law_seed() << ", case " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Definitions, testing::ValuesIn(eval_functions()), [](const auto& one) {
  std::string name(one.param.name);
  std::ranges::replace(name, '.', '_');
  return one.param.group == "Axe layouts" ? "axe_" + name : name;
});

}  // namespace
}  // namespace tessera
