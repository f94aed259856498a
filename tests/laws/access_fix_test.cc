// SPDX-License-Identifier: Apache-2.0
// What find_fixes claims, against a search of its own: all swizzles and all larger strides of small layouts,
// each counted from its bytes. TESSERA_LAW_CASES is the number of layouts (default 1,000).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "laws/random_seed.h"
#include "tessera/access/access.h"

namespace tessera {
namespace {

using Numbers = std::vector<Index>;

// Offsets of the elements of a box, first dimension fastest.
struct Plain {
  Numbers extents;
  Numbers strides;

  std::string text() const {
    const auto list = [](const Numbers& numbers) {
      std::string out;
      for (const Index n : numbers) out += (out.empty() ? "" : ",") + std::to_string(n);
      return numbers.size() == 1 ? out : "(" + out + ")";
    };
    return list(extents) + ":" + list(strides);
  }
  Numbers offsets() const {
    Numbers out = {0};
    for (std::size_t d = 0; d < extents.size(); ++d) {
      Numbers longer;
      for (Index i = 0; i < extents[d]; ++i)
        for (const Index low : out) longer.push_back(low + i * strides[d]);
      out = std::move(longer);
    }
    return out;
  }
};

// One access: instruction after instruction, the element at which each lane begins.
struct Model {
  Index banks = 32;
  Index lanes = 32;
  Index bytes = 4;  // of an element
  Index vector = 1;
  std::vector<Numbers> instructions = {};         // first elements
  std::vector<std::vector<Numbers>> values = {};  // all elements of each lane

  // The wavefronts, or -1 if the access cannot run.
  Index count(const Numbers& offsets) const {
    const Index width = bytes * vector;
    const Index together = std::min(lanes, banks * 4 / std::max<Index>(width, 4));
    Index sum = 0;
    for (std::size_t k = 0; k < instructions.size(); ++k) {
      for (std::size_t l = 0; l < instructions[k].size(); ++l) {
        const Index first = offsets[static_cast<std::size_t>(instructions[k][l])];
        if (first * bytes % width != 0) return -1;
        for (std::size_t v = 0; v < values[k][l].size(); ++v)
          if (offsets[static_cast<std::size_t>(values[k][l][v])] != first + static_cast<Index>(v)) return -1;
      }
      for (std::size_t begin = 0; begin < instructions[k].size();
           begin += static_cast<std::size_t>(together)) {
        Numbers words;
        for (std::size_t l = begin;
             l < std::min(begin + static_cast<std::size_t>(together), instructions[k].size()); ++l) {
          const Index byte = offsets[static_cast<std::size_t>(instructions[k][l])] * bytes;
          for (Index w = byte / 4; w <= (byte + width - 1) / 4; ++w) words.push_back(w);
        }
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        Numbers of_bank(static_cast<std::size_t>(banks));
        for (const Index w : words) ++of_bank[static_cast<std::size_t>(w % banks)];
        sum += *std::max_element(of_bank.begin(), of_bank.end());
      }
    }
    return sum;
  }
};

Index swizzled(Index x, Index bits, Index base, Index shift) {
  const Index mask = ((Index{1} << bits) - 1) << (base + shift);
  return x ^ ((x & mask) >> shift);
}

bool all_differ(const Numbers& offsets) {
  return std::set<Index>(offsets.begin(), offsets.end()).size() == offsets.size();
}

// The fewest wavefronts of all swizzles and of all layouts with one larger stride.
Index least_by_search(const Plain& plain, const std::function<Index(const Numbers&)>& count) {
  const Numbers offsets = plain.offsets();
  Index least = count(offsets);
  const auto take = [&](const Numbers& moved) {
    const Index wavefronts = count(moved);
    if (wavefronts >= 0 && wavefronts < least && all_differ(moved)) least = wavefronts;
  };
  for (Index bits = 1; bits <= 5; ++bits)
    for (Index base = 0; base <= 6; ++base)
      for (Index shift = bits; bits + base + shift <= 12; ++shift) {
        Numbers moved = offsets;
        for (Index& x : moved) x = swizzled(x, bits, base, shift);
        take(moved);
      }
  for (std::size_t d = 0; d < plain.extents.size(); ++d) {
    for (Index add = 1; add <= 40; ++add) {
      Plain wider = plain;
      wider.strides[d] += add;
      take(wider.offsets());
      for (std::size_t other = 0; other < plain.extents.size(); ++other)
        if (plain.strides[other] > plain.strides[d])
          wider.strides[other] = plain.strides[other] / plain.strides[d] * wider.strides[d];
      take(wider.offsets());
    }
  }
  return least;
}

// The offsets of a fix, read from its text: strides, or a swizzle of strides.
Numbers offsets_of(const std::string& text, const Plain& plain) {
  int bits = 0;
  int base = 0;
  int shift = 0;
  int read = 0;
  Plain own = plain;
  std::string rest = text;
  if (std::sscanf(text.c_str(), "Sw<%d,%d,%d> o _0 o %n", &bits, &base, &shift, &read) == 3 && read > 0)
    rest = text.substr(static_cast<std::size_t>(read));
  const std::size_t colon = rest.rfind(':');
  std::size_t at = colon;
  for (Index& stride : own.strides) {
    while (at < rest.size() && (rest[at] < '0' || rest[at] > '9')) ++at;
    std::size_t used = 0;
    stride = std::stoll(rest.substr(at), &used);
    at += used;
  }
  Numbers out = own.offsets();
  for (Index& x : out) x = swizzled(x, bits, base, shift);
  return out;
}

struct Case {
  Plain plain;
  Model model;
  std::string target = "nvidia";
  std::string access;
};

Case random_case(std::mt19937_64& random) {
  const auto pick = [&](std::initializer_list<Index> from) {
    return *(from.begin() + static_cast<std::ptrdiff_t>(random() % from.size()));
  };
  Case out;
  Model& model = out.model;
  if (random() % 3 == 0) {
    model.banks = model.lanes = 8;
    out.target = "banks:8x4@8";
  }
  model.bytes = pick({1, 2, 4, 4, 4, 8});
  const std::size_t rank = 1 + random() % 3;
  Index size = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index extent = pick({1, 2, 3, 4, 6, 8, 16, 32});
    if (size * extent > 256) break;
    out.plain.extents.push_back(extent);
    size *= extent;
  }
  // Strides of a random order, sometimes with gaps.
  std::vector<std::size_t> order(out.plain.extents.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::shuffle(order.begin(), order.end(), random);
  out.plain.strides.resize(order.size());
  Index stride = pick({1, 1, 1, 2, 3, 8, 32, 64});
  for (const std::size_t d : order) {
    out.plain.strides[d] = stride;
    stride *= out.plain.extents[d];
    if (random() % 4 == 0) stride += pick({1, 2, 8, 16, 32});
  }
  // Lanes along one dimension, values along another; a vector takes the values at once.
  const std::size_t along = random() % order.size();
  const std::size_t across = random() % order.size();
  const auto step = [&](std::size_t d) {
    Index at = 1;
    for (std::size_t k = 0; k < d; ++k) at *= out.plain.extents[k];
    return at;
  };
  const Index threads = std::min(model.lanes, out.plain.extents[along]);
  const Index values = along == across ? 1 : std::min<Index>(out.plain.extents[across], 4);
  const bool as_vector = random() % 3 == 0 && out.plain.strides[across] == 1 && along != across &&
                         (values & (values - 1)) == 0 && values * model.bytes <= 16;
  model.vector = as_vector ? values : 1;
  out.access = "(" + std::to_string(threads) + "," + std::to_string(values) + "):(" +
               std::to_string(step(along)) + "," + std::to_string(step(across)) +
               "),vector=" + std::to_string(model.vector);
  for (Index v = 0; v < values; v += model.vector) {
    model.instructions.emplace_back();
    model.values.emplace_back();
    for (Index t = 0; t < threads; ++t) {
      model.instructions.back().push_back(t * step(along) + v * step(across));
      model.values.back().emplace_back();
      for (Index i = 0; i < model.vector; ++i)
        model.values.back().back().push_back(t * step(along) + (v + i) * step(across));
    }
  }
  return out;
}

// Regression: a layout of one dimension had no padding, and no swizzle that needs more memory, so that the
// answer was that there is no fix.
TEST(AccessFixLaw, LayoutsOfOneStrideHaveFixes) {
  for (const char* const text : {"32:32", "32:2", "(32,1):(32,1)"}) {
    const Layout layout = *parse_layout(text);
    const auto set = find_fixes(layout, std::vector{whole_layout(layout)}, 32, {});
    ASSERT_TRUE(set) << text;
    EXPECT_EQ(set->best_fix().wavefronts, 1) << text;
    EXPECT_EQ(set->best_fix().proof, FixProof::floor) << text;
  }
}

TEST(AccessFixLaw, NoSmallSwizzleOrPaddingIsBetter) {
  std::mt19937_64 random(laws::seed(38));
  const auto count = laws::environment("TESSERA_LAW_CASES", 1000);
  Index answered = 0;
  Index above_floor = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    const Case one = random_case(random);
    const std::string what = one.plain.text() + " of " + std::to_string(one.model.bytes) + " bytes, " +
                             one.access + ", " + one.target;
    const Layout layout = *parse_layout(one.plain.text());
    const MemoryTarget target = *MemoryTarget::parse(one.target);
    const AccessOptions options{.element_bits = 8 * one.model.bytes, .target = target, .global = false};
    const auto access = parse_access(one.access, layout, options, whole_layout(layout));
    ASSERT_TRUE(access) << what << ": " << to_string(access.error());
    const auto count_of = [&](const Numbers& offsets) { return one.model.count(offsets); };
    const Index before = one.model.count(one.plain.offsets());
    const auto set = find_fixes(layout, std::vector{*access}, options.element_bits, target);
    if (before < 0) {
      ASSERT_FALSE(set) << what;
      continue;
    }
    ASSERT_TRUE(set) << what << ": " << to_string(set.error());
    ++answered;
    ASSERT_EQ(set->before, before) << what;
    for (const Fix& fix : set->candidates) {
      if (!fix.layout || fix.family == FixFamily::linear) continue;
      const Numbers moved = offsets_of(to_string(*fix.layout), one.plain);
      ASSERT_TRUE(all_differ(moved)) << what << " to " << to_string(*fix.layout);
      ASSERT_EQ(one.model.count(moved), fix.wavefronts) << what << " to " << to_string(*fix.layout);
    }
    const Index least = least_by_search(one.plain, count_of);
    ASSERT_LE(set->best_fix().wavefronts, least) << what << ": " << set->floor;
    if (set->best_fix().wavefronts > set->floor) {
      ++above_floor;
      ASSERT_EQ(set->searches.size(), 3u) << what;
    }
  }
  std::cout << answered << " layouts, " << above_floor << " with a best fix above the floor\n";
}

}  // namespace
}  // namespace tessera
