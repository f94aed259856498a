// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/named_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "laws/bit_image.h"
#include "laws/bit_image_gguf.h"
#include "laws/random_seed.h"

namespace tessera {
namespace {

using laws::NamedCase;
using Indices = std::vector<Index>;

// Families with the extents and widths that they take; a parameter has its default first.
struct Kind {
  const char* prefix;
  const char* family;
  Index rows;  // multiples of extents; 0: one dimension
  Index cols;
  std::vector<int> widths;
  std::vector<std::pair<const char*, std::vector<Index>>> parameters;
  bool groups = false;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"scale", "linear", 1, 1, {8, 16, 32}, {{"rows", {1, 3, 4}}, {"cols", {1, 5, 8}}}},
      {"scale", "128x4", 1, 1, {8, 16, 32}, {{"rows", {128, 256}}, {"cols", {4, 8, 12}}}, true},
      {"scale", "64x4", 1, 1, {8, 16}, {{"rows", {64, 128}}, {"cols", {4, 8}}}, true},
      {"scale", "8x4", 1, 1, {8, 16}, {{"rows", {8, 16, 24}}, {"cols", {4, 8}}}, true},
      {"scale", "gfx1250", 1, 1, {8, 16}, {{"rows", {128, 256}}}},
      {"scale", "gfx950", 1, 1, {8, 16}, {{"rows", {32, 64, 256}}}},
      {"scale", "hopper", 1, 1, {8, 16}, {{"warps", {4, 1, 2, 8}}}},
      {"scale", "mn", 1, 1, {32, 8, 16}, {{"rows", {1, 4, 5}}, {"cols", {1, 2}}}},
      {"scale", "deepgemm", 1, 1, {8, 16}, {{"rows", {4, 1, 6}}}},
      {"scale", "marlin", 1, 64, {16, 8}, {}},
      {"scale", "marlin_channel", 1, 32, {16, 8}, {}},
      {"scale", "marlin_fp4", 1, 64, {8, 16}, {}},
      {"pack", "low", 0, 1, {4, 1, 2, 3, 5, 6, 7, 8}, {{"row", {8, 32, 4, 64, 12}}}},
      {"pack", "high", 0, 1, {4, 1, 2, 8}, {{"row", {8, 32, 16}}}},
      {"pack", "halves", 0, 64, {4}, {{"block", {32, 8, 2, 16}}}},
      {"pack", "words", 0, 1, {4, 1, 2, 3, 5, 6, 7, 8}, {{"word", {32, 8, 16, 64}}}},
      {"pack", "gptq", 1, 1, {4, 2, 3, 8}, {}},
      {"pack", "gptq_p", 32, 1, {3, 2, 4, 5, 6, 7, 8}, {}},
      {"pack", "awq", 1, 8, {4, 8}, {}},
      {"pack", "awq_fast", 4, 64, {4}, {}},
      {"pack", "marlin", 32, 64, {4, 8}, {{"act", {16, 8}}}},
      {"pack", "marlin_zp", 1, 64, {4, 8}, {}},
      {"pack", "hqq", 8, 1, {4, 1, 2}, {}},
      {"pack", "aiter", 16, 64, {8, 4}, {}},
  };
  return all;
}

class RandomNames {
 public:
  explicit RandomNames(std::mt19937_64& random) : random_(random) {}

  NamedCase next() {
    NamedCase named;
    if (pick(0, 4) == 0) {
      static const auto cases = laws::gguf_field_cases();
      const auto& one = cases[static_cast<std::size_t>(pick(0, std::ssize(cases) - 1))];
      named = {.prefix = "gguf", .family = one.type, .field = one.field, .width = one.width};
      add_batch(named);
      named.shape.push_back(one.entries * pick(1, 3));
      return named;
    }
    const Kind& kind = any(kinds());
    named = {.prefix = kind.prefix, .family = kind.family, .width = any(kind.widths)};
    for (const auto& [key, values] : kind.parameters)
      named.parameters[key] = pick(0, 1) == 0 ? values.front() : any(values);
    add_batch(named);
    if (kind.rows > 0) named.shape.push_back(extent(kind.rows));
    named.shape.push_back(extent(kind.cols));
    if (kind.groups && pick(0, 2) == 0) add_groups(named);
    return named;
  }

  Index pick(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }

 private:
  template <class T>
  const T& any(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(pick(0, std::ssize(list) - 1))];
  }

  Index extent(Index multiple) {
    if (multiple > 1) return multiple * pick(1, multiple > 16 ? 2 : 4);
    return pick(0, 7) == 0 ? pick(100, 300) : pick(1, 40);
  }

  void add_batch(NamedCase& named) {
    for (Index count = pick(0, 5) - 3; count > 0; --count) named.shape.push_back(pick(1, 3));
  }

  void add_groups(NamedCase& named) {
    named.column_groups = pick(0, 1) == 0;
    Index left = named.shape[named.shape.size() - (named.column_groups ? 1 : 2)];
    const Index same = pick(0, 2) == 0 ? pick(1, left) : 0;
    while (left > 0) {
      const Index size = same > 0 ? std::min(same, left) : pick(0, left);
      named.groups.push_back(size);
      left -= size;
    }
  }

  std::mt19937_64& random_;
};

std::string text_of(const NamedCase& named) {
  std::vector<std::string> parameters;
  for (const auto& [key, value] : named.parameters) parameters.push_back(fmt::format("{}={}", key, value));
  if (!named.groups.empty())
    parameters.push_back(
        fmt::format("{}={}", named.column_groups ? "kgroups" : "groups", fmt::join(named.groups, "+")));
  return fmt::format("{}:{}{}{} u{}[{}]", named.prefix, named.family,
                     named.field.empty() ? "" : "." + named.field,
                     parameters.empty() ? "" : fmt::format("({})", fmt::join(parameters, ",")), named.width,
                     fmt::join(named.shape, ","));
}

Indices index_of(Index number, std::span<const Index> shape) {
  Indices index(shape.size(), 0);
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = number % shape[d];
    number /= shape[d];
  }
  return index;
}

// The first difference between a named layout and the buffer that programs build.
std::string difference(const NamedLayout& layout, const std::vector<std::int64_t>& image) {
  if (layout.buffer_bits() != std::ssize(image))
    return fmt::format("the buffer has {} bits, not {}", layout.buffer_bits(), image.size());
  Index owned = 0;
  for (std::size_t o = 0; o < image.size(); ++o) {
    if (image[o] < 0) continue;
    ++owned;
    const Indices index = index_of(image[o] / 64, layout.shape());
    const int bit = static_cast<int>(image[o] % 64);
    const Index found = layout.bit_offset(index, bit);
    if (found != static_cast<Index>(o))
      return fmt::format("bit {} of ({}) is at {}, not {}", bit, fmt::join(index, ","), found, o);
  }
  Index elements = layout.type().bits;
  for (const Index extent : layout.shape()) elements *= extent;
  return owned == elements ? "" : fmt::format("{} bits have an owner, not {}", owned, elements);
}

// All other forms of the layout give the same bit offsets.
std::string other_forms(const NamedLayout& layout, const Indices& index) {
  const auto all = planes(layout);
  const auto bits = bit_layout(layout);
  if (!all || !bits) return "no planes, or no layout of bits";
  Indices with_bit = index;
  with_bit.push_back(0);
  for (const BitPlane& plane : *all) {
    const Index cell = plane.layout.offset(index);
    if (lower(plane.layout).evaluate(index) != Indices{cell}) return "the map of a plane differs";
    for (int i = 0; i < plane.width; ++i) {
      const int bit = plane.first + i;
      with_bit.back() = bit;
      const Index expected = layout.bit_offset(index, bit);
      if (cell * plane.width + i != expected) return fmt::format("bit {} differs in its plane", bit);
      if (bits->offset(with_bit) != expected) return fmt::format("bit {} differs in the layout of bits", bit);
      const auto owner = owner_of(layout, expected);
      if (!owner || !*owner || **owner != BitOwner{index, bit})
        return fmt::format("bit {} has no way back", bit);
    }
  }
  int next = 0;
  for (const BitRun& run : runs_at(layout, index)) {
    for (int i = 0; i < run.count; ++i, ++next) {
      if (run.first + i != next || run.offset + i != layout.bit_offset(index, next)) return "a run differs";
    }
  }
  return next == layout.type().bits ? "" : "runs that do not cover the value";
}

TEST(NamedLayoutLaws, RandomNamesAreWhatTheirProgramsBuild) {
  std::mt19937_64 random(laws::seed(20261129));
  RandomNames names(random);
  const std::uint64_t count = laws::cases(1000);
  for (std::uint64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const NamedCase named = names.next();
    const auto layout = parse_named_layout(text_of(named));
    ASSERT_TRUE(layout.has_value()) << text_of(named) << ": " << to_string(layout.error());
    EXPECT_EQ(difference(*layout, laws::bit_image(named)), "") << "case " << i << ": " << text_of(named);
    const auto again = parse_named_layout(to_string(*layout));
    EXPECT_TRUE(again && *again == *layout) << to_string(*layout);
    Index size = 1;
    for (const Index extent : layout->shape()) size *= extent;
    for (int point = 0; point < 2; ++point) {
      const Indices index = index_of(names.pick(0, size - 1), layout->shape());
      EXPECT_EQ(other_forms(*layout, index), "")
          << "case " << i << ": " << text_of(named) << " at " << fmt::format("{}", fmt::join(index, ","));
    }
  }
}

// The first difference of two layouts by enumeration, in bits or in cells.
std::optional<LayoutDifference> enumerated(const NamedLayout& a, const NamedLayout& b, bool cells) {
  Index size = 1;
  for (const Index extent : a.shape()) size *= extent;
  for (Index number = 0; number < size; ++number) {
    Indices index = index_of(number, a.shape());
    for (int bit = 0; bit < (cells ? 1 : a.type().bits); ++bit) {
      const Index mine = a.bit_offset(index, bit) / (cells ? a.type().bits : 1);
      const Index other = b.bit_offset(index, bit) / (cells ? b.type().bits : 1);
      if (mine == other) continue;
      if (!cells) index.push_back(bit);
      return LayoutDifference{index, mine, other};
    }
  }
  return std::nullopt;
}

TEST(NamedLayoutLaws, EqualityIsWhatEnumerationTells) {
  std::mt19937_64 random(laws::seed(20261130));
  RandomNames names(random);
  int compared = 0;
  for (std::uint64_t i = 0; i < laws::cases(4000) && !testing::Test::HasFailure(); ++i) {
    NamedCase first = names.next();
    NamedCase second = names.next();
    second.shape = first.shape;
    second.groups.clear();
    second.width = names.pick(0, 3) > 0 ? first.width : second.width;
    const auto a = parse_named_or_layout(text_of(first));
    const auto b = parse_named_or_layout(text_of(second));
    if (!a || !b) continue;
    const bool cells = a->layout && b->layout;
    const auto found = equal(*a, *b, EqualityNotion::map);
    ASSERT_TRUE(found.has_value()) << to_string(found.error());
    if (!cells && first.width != second.width) {
      EXPECT_EQ(found->word, "different_type");
      continue;
    }
    const auto expected = enumerated(*a->named, *b->named, cells);
    EXPECT_EQ(found->verdict, expected ? Verdict::no : Verdict::yes)
        << text_of(first) << " and " << text_of(second);
    EXPECT_EQ(found->difference, expected) << text_of(first) << " and " << text_of(second);
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

TEST(NamedLayoutLaws, ALayoutHasItsOwnNameAmongItsNames) {
  std::mt19937_64 random(laws::seed(20261201));
  RandomNames names(random);
  int found_names = 0;
  for (std::uint64_t i = 0; i < laws::cases(300) && !testing::Test::HasFailure(); ++i) {
    const NamedCase named = names.next();
    const auto side = parse_named_or_layout(text_of(named));
    if (!side || !side->layout) continue;
    for (const NamedLayout& name : names_of(*side->layout, named.width)) {
      EXPECT_EQ(enumerated(name, *side->named, true), std::nullopt)
          << to_string(name) << " " << text_of(named);
      ++found_names;
    }
    if (side->named->parameters().empty() && named.family != "words" && named.family != "gptq_p") {
      const auto all = names_of(*side->layout, named.width);
      EXPECT_TRUE(std::ranges::any_of(all, [&](const NamedLayout& name) {
        return name_of(name) == name_of(*side->named);
      })) << text_of(named);
    }
  }
  EXPECT_GT(found_names, 100);
}

}  // namespace
}  // namespace tessera
