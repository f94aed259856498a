// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/atoms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tessera/notation/conversion.h"

namespace tessera {
namespace {

std::string named(const Atom& atom) { return "atom:" + std::string(atom.id); }

Diagnostic refusal_of(std::string_view text) {
  const auto layout = parse_layout(text);
  EXPECT_FALSE(layout.has_value()) << text;
  return layout ? Diagnostic{} : layout.error();
}

TEST(Atoms, HoldWhatTheirSourcesSay) {
  for (const Atom& atom : atoms()) {
    const auto coverage = check_atom(atom);
    EXPECT_TRUE(coverage.has_value()) << coverage.error().message;
    EXPECT_EQ(atom.points.size(), 3u) << atom.id;
  }
}

TEST(Atoms, HaveAllFieldsAndDistinctIds) {
  EXPECT_EQ(atoms().size(), 214u);
  std::set<std::string_view> ids;
  for (const Atom& atom : atoms()) {
    EXPECT_TRUE(ids.insert(atom.id).second) << atom.id;
    for (const std::string_view text : {atom.vendor, atom.family, atom.layout, atom.meaning, atom.source})
      EXPECT_FALSE(text.empty()) << atom.id;
    EXPECT_EQ(find_atom(atom.id), &atom);
    const bool pair = atom.kind == AtomKind::fragment || atom.family == "tensor memory";
    EXPECT_EQ(atom.codomain.size(), pair ? 2u : 1u) << atom.id;
  }
  // All atoms are bijective, except for nine whose meaning or notes explain why not.
  EXPECT_EQ(std::ranges::count(atoms(), false, &Atom::bijective), 9);
}

TEST(Atoms, AgreeWithTheElementTypeOfTheirLayout) {
  for (const Atom& atom : atoms()) {
    const Layout layout = *parse_layout(atom.layout);
    const auto type = parse_dtype(atom.element);
    if (atom.element_bits && layout.element_bits()) {
      EXPECT_EQ(atom.element_bits, layout.element_bits()) << atom.id;
    }
    if (type) {
      EXPECT_EQ(atom.element_bits, Index{bit_width(*type)}) << atom.id;
    }
  }
}

// A check that cannot fail proves nothing: every kind of wrong atom must fail the check.
TEST(Atoms, RefuseWrongRows) {
  const Atom good = *find_atom("nv.m16n8.C");
  ASSERT_TRUE(check_atom(good).has_value());
  const auto refused = [&](auto change) {
    Atom atom = good;
    change(atom);
    const auto result = check_atom(atom);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(refused([](Atom& a) { a.domain[1].extent = 8; }),
            "atom nv.m16n8.C: the layout has the shape (32,4)");
  EXPECT_EQ(refused([](Atom& a) { a.codomain[1].extent = 4; }),
            "atom nv.m16n8.C: (2,0) maps to (0,4), outside the codomain");
  EXPECT_EQ(refused([](Atom& a) { a.points[0].result = {0, 3}; }),
            "atom nv.m16n8.C: (1,0) maps to (0,2), but its source has (0,3)");
  EXPECT_EQ(refused([](Atom& a) { a.points[0].coordinate = {32, 0}; }),
            "atom nv.m16n8.C: the point (32,0) is outside the domain");
  EXPECT_EQ(refused([](Atom& a) { a.bijective = false; }), "atom nv.m16n8.C: the layout is bijective");
  EXPECT_EQ(refused([](Atom& a) { a.codomain[1].extent = 16; }),
            "atom nv.m16n8.C: the layout is not bijective");
}

TEST(Atoms, AreLayoutsByName) {
  for (const Atom& atom : atoms()) {
    const Layout layout = *parse_layout(atom.layout);
    const auto by_name = parse_layout(named(atom));
    ASSERT_TRUE(by_name.has_value()) << atom.id;
    EXPECT_EQ(*by_name, layout) << atom.id;
    EXPECT_EQ(parse_layout(to_prefixed_string(*by_name)), layout) << atom.id;
    EXPECT_EQ(named_atom(named(atom)), &atom);
    const auto equal = atoms_equal_to(layout);
    EXPECT_NE(std::ranges::find(equal, &atom), equal.end()) << atom.id;
  }
  EXPECT_EQ(parse_layout(" atom : nv.m16n8.C ")->shape()[0], 32);
  EXPECT_EQ(named_atom("(4,8):(8,1)"), nullptr);
  EXPECT_EQ(named_atom("atoms:nv.m16n8.C"), nullptr);
}

TEST(Atoms, ConvertToEveryNotationThatCanExpressThem) {
  int converted = 0;
  for (const Atom& atom : atoms()) {
    const Layout layout = *parse_layout(named(atom));
    const IndexMap map = lower(layout);
    for (const Notation notation : all_notations()) {
      const auto other = convert(layout, notation);
      if (!other) {
        EXPECT_NE(notation, layout.notation()) << atom.id;
        EXPECT_NE(notation, Notation::map) << atom.id;
        continue;
      }
      ++converted;
      const auto again = parse_layout(to_prefixed_string(other->layout));
      ASSERT_TRUE(again.has_value()) << atom.id << ' ' << to_prefixed_string(other->layout);
      std::vector<Index> index(layout.rank());
      for (std::size_t step = 0; step < 64; ++step) {
        for (std::size_t d = 0; d < index.size(); ++d)
          index[d] = static_cast<Index>(step * (7 + 4 * d)) % layout.shape()[d];
        EXPECT_EQ(again->offset(index), layout.offset(index)) << atom.id << ' ' << to_string(notation);
      }
    }
  }
  EXPECT_GT(converted, 177 * 4);
}

TEST(Atoms, OfOneDnnEqualTheirTags) {
  int tags = 0;
  for (const Atom& atom : atoms()) {
    if (atom.family != "oneDNN tag") continue;
    ASSERT_TRUE(atom.meaning.starts_with("tag ")) << atom.id;
    std::string extents;
    for (const AtomAxis& axis : atom.domain)
      extents += (extents.empty() ? "" : "x") + std::to_string(axis.extent);
    const auto tagged = parse_layout(extents + ":" + std::string(atom.meaning.substr(4)));
    ASSERT_TRUE(tagged.has_value()) << atom.id;
    const auto equal = atoms_equal_to(*tagged);
    EXPECT_NE(std::ranges::find(equal, &atom), equal.end()) << atom.id;
    ++tags;
  }
  EXPECT_EQ(tags, 14);
}

TEST(Atoms, TakeACrop) {
  const auto layout = parse_layout("atom:nv.m16n8.C crop (32,3)");
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->shape()[1], 3);
  const Diagnostic larger = refusal_of("atom:nv.m16n8.C crop (32,9)");
  EXPECT_EQ(larger.code, Code::bad_extent);
  EXPECT_GE(larger.span.begin, 5u);
  const Diagnostic open = refusal_of("atom:nv.m16n8.C crop (32,");
  EXPECT_EQ(open.code, Code::syntax);
  EXPECT_EQ(open.span.begin, 25u);
}

TEST(Atoms, PointAtTheWordThatNoAtomHas) {
  const Diagnostic operand = refusal_of("atom:nv.sm80.m16n8k16.f16.X");
  EXPECT_EQ(operand.code, Code::unknown_name);
  EXPECT_EQ(operand.message, "there is no atom 'nv.sm80.m16n8k16.f16.X'");
  EXPECT_EQ(operand.help, "did you mean nv.sm80.m16n8k16.f16.A or nv.sm80.m16n8k16.f16.B?");
  EXPECT_EQ(operand.span.begin, 26u);
  EXPECT_EQ(operand.span.end, 27u);

  const Diagnostic generation = refusal_of("atom:nv.sm81.m16n8k16.f16.A");
  EXPECT_EQ(generation.span.begin, 8u);
  EXPECT_EQ(generation.help, "did you mean nv.sm80.m16n8k16.f16.A?");

  EXPECT_EQ(refusal_of("atom:m16n8k16.f16.a").help, "did you mean nv.sm80.m16n8k16.f16.A?");
  EXPECT_EQ(refusal_of("atom:NV.M16N8.C").help, "did you mean nv.m16n8.C?");
  EXPECT_EQ(refusal_of("atom:nv.m16n8.").span.begin, 5u);
  EXPECT_EQ(refusal_of("atom:gfx").help, "tessera atoms lists atoms");
  EXPECT_EQ(refusal_of("atom:").code, Code::syntax);
  EXPECT_EQ(refusal_of("atom:").span.begin, 5u);
  const Diagnostic after = refusal_of("atom:nv.m16n8.C (3)");
  EXPECT_EQ(after.message, "expected 'crop' or the end of the layout, found '('");
  EXPECT_EQ(after.span.begin, 16u);
}

TEST(Atoms, NameTheLayoutsThatTheyEqual) {
  const auto fragments = atoms_equal_to(*parse_layout("((4,8),(2,2)):((32,1),(16,8))"));
  std::vector<std::string_view> ids;
  for (const Atom* atom : fragments) ids.push_back(atom->id);
  EXPECT_EQ(ids, (std::vector<std::string_view>{"nv.m16n8.C", "nv.sm75.m16n8k8.f16.A",
                                                "nv.sm100.tmem.ld.16x256b.x1"}));
  EXPECT_TRUE(atoms_equal_to(*parse_layout("(32,4):(4,2)")).empty());
  EXPECT_TRUE(atoms_equal_to(*parse_layout("np:(0,4):(4,1)")).empty());
}

}  // namespace
}  // namespace tessera
