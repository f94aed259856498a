// SPDX-License-Identifier: Apache-2.0
// Wavefronts for all sizes, at given sizes, are those that the definition of banks gives for the layout of
// numbers. Random layouts and threads; TESSERA_CALLS sets their number, TESSERA_SIZE_SEED the seed.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "access/symbolic/sized_wavefronts.h"
#include "tessera/size/size.h"

namespace tessera {
namespace {

class Questions {
 public:
  explicit Questions(std::uint64_t seed) : random_(seed) {}
  long in(long low, long high) { return std::uniform_int_distribution<long>(low, high)(random_); }
  std::string pick(std::initializer_list<const char*> words) {
    return *(words.begin() + in(0, static_cast<long>(words.size()) - 1));
  }
  std::string layout() {
    return pick({"(M,N):(N,1)", "(32,N):(N,1)", "(M,N):(N+1,1)", "(M,N):(1,M)", "np:(M,N):(K,1)",
                 "(32,8):(N,1)", "(32,8):(2*N,1)", "((4,M),N):((1,4*N),4)", "(8,4,N):(N,1,K)",
                 "(M,16):(N+4,1)", "np:(64,N):(-N,1) + 64*N", "(32,16):(N/2,1)",
                 "(M,N):(ceil_div(N,4)*4,1)"});
  }
  std::string threads() {
    return pick({"32:1", "32:2", "(8,4):(1,8)", "(4,8):(8,1)", "(32,2):(1,32)", "16:3", "32:0", "64:1",
                 "map:(d0) -> (d0 mod 8, d0 / 8), domain: d0 in [0, 31]",
                 "map:(d0)[s0] -> (d0 / 2, d0 mod 2 * 2 + s0), domain: d0 in [0, 31], s0 in [0, 1]",
                 "32:1,active=0-15,20", "32:1,base=12"});
  }
  std::string where() {
    return pick({"", "", "M >= 32", "M >= 64, N >= 16", "N % 4 == 0, M >= 32", "M == 32", "N in [1, 40]",
                 "M >= 32, N % 8 == 3"});
  }

 private:
  std::mt19937_64 random_;
};

/// The sum over instructions and phases of the most different words in one bank; nothing if an index is
/// outside the box.
std::optional<Index> wavefronts(const Layout& layout, const std::string& threads, Index bytes) {
  std::string text = threads;
  Index base = 0;
  std::set<Index> active;
  for (Index lane = 0; lane < 32; ++lane) active.insert(lane);
  if (text.ends_with(",active=0-15,20")) {
    text = "32:1";
    for (Index lane = 16; lane < 32; ++lane) active.erase(lane);
    active.insert(20);
  }
  if (text.ends_with(",base=12")) {
    text = "32:1";
    base = 12;
  }
  // The indices of the box for each thread and value.
  const std::span<const Index> box = layout.shape();
  Index count = 0;
  Index values = 1;
  std::vector<std::vector<std::vector<Index>>> index;
  if (text.starts_with("map:")) {
    if (box.size() != 2) return std::nullopt;
    const bool two = text.find("[s0]") != std::string::npos;
    count = 32;
    values = two ? 2 : 1;
    for (Index v = 0; v < values; ++v) {
      index.emplace_back();
      for (Index t = 0; t < count; ++t)
        index.back().push_back(two ? std::vector<Index>{t / 2, t % 2 * 2 + v}
                                   : std::vector<Index>{t % 8, t / 8});
    }
  } else {
    const Layout tv = *parse_layout(text);
    count = tv.shape()[0];
    values = tv.size() / count;
    for (Index v = 0; v < values; ++v) {
      index.emplace_back();
      for (Index t = 0; t < count; ++t) {
        Index rest = tv.rank() == 1 ? tv.offset({t}) : tv.offset({t, v});
        std::vector<Index> at;
        for (std::size_t d = 0; d < box.size(); ++d) {
          at.push_back(d + 1 == box.size() ? rest : rest % box[d]);
          rest /= box[d];
        }
        index.back().push_back(at);
      }
    }
  }
  for (const auto& instruction : index) {
    for (Index t = 0; t < count; ++t) {
      for (std::size_t d = 0; d < box.size(); ++d) {
        if (instruction[static_cast<std::size_t>(t)][d] >= box[d]) return std::nullopt;
      }
    }
  }
  const Index phase = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
  Index sum = 0;
  for (Index first = 0; first < count; first += phase) {
    for (const auto& instruction : index) {
      std::map<Index, std::set<Index>> banks;
      for (Index t = first; t < std::min(count, first + phase); ++t) {
        if (!active.contains(t % 32)) continue;
        const Index at = layout.offset(instruction[static_cast<std::size_t>(t)]) * bytes + base;
        for (Index byte = at; byte < at + bytes; ++byte) {
          const Index word = byte >= 0 ? byte / 4 : -((3 - byte) / 4);
          banks[((word % 32) + 32) % 32].insert(word);
        }
      }
      Index ways = 0;
      for (const auto& [bank, words] : banks) ways = std::max(ways, static_cast<Index>(words.size()));
      sum += ways;
    }
  }
  return sum;
}

bool is_true(const std::string& condition, const SizeMap& at) {
  for (std::size_t begin = 0; begin <= condition.size();) {
    const std::size_t end = std::min(condition.find(" or ", begin), condition.size());
    const auto part = SizeAssumptions::parse(condition.substr(begin, end - begin));
    if (condition.empty() || (part && part->holds(at))) return true;
    begin = end + 4;
  }
  return false;
}

TEST(SymbolicAccess, WavefrontsForAllSizesAreThoseOfNumbersAtEachSize) {
  const char* wanted = std::getenv("TESSERA_CALLS");
  const char* given = std::getenv("TESSERA_SIZE_SEED");
  const long calls = wanted == nullptr ? 40 : std::atol(wanted);
  const auto seed = static_cast<std::uint64_t>(given == nullptr ? 20261130 : std::atol(given));
  long compared = 0;
  long undecided = 0;
  for (long n = 0; n < calls && !testing::Test::HasFailure(); ++n) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(n);
    Questions random(own);
    const std::string text = random.layout();
    const std::string threads = random.threads();
    const Index bytes = Index{1} << random.in(0, 4);
    const std::string assumed = random.where();
    SCOPED_TRACE("seed " + std::to_string(own) + ": " + text + " --threads '" + threads + "' --bytes " +
                 std::to_string(bytes) + " --where '" + assumed + "'");
    const auto layout = symbolic::SymbolicLayout::parse(text);
    ASSERT_TRUE(layout);
    symbolic::AssumptionList where;
    if (!assumed.empty()) where = *symbolic::AssumptionList::parse(assumed);
    const Access defaults{.tv = *parse_layout("1:0")};
    const auto got =
        symbolic::sized_wavefronts(*layout, {threads}, {.element_bits = 8 * bytes}, defaults, where);
    if (!got) {
      // A map with two results for another number of dimensions.
      EXPECT_EQ(got.error().code, Code::rank_mismatch) << got.error().message;
      continue;
    }
    for (int k = 0; k < 12; ++k) {
      const SizeMap at = {{"K", random.in(1, 80)}, {"M", random.in(1, 80)}, {"N", random.in(1, 80)}};
      symbolic::Sizes numbers;
      for (const auto& [name, value] : at) numbers[name] = value;
      const auto numbers_text = layout->text_at(numbers);
      const auto read = parse_layout(numbers_text.value_or(""));
      if (!where.holds(numbers) || !read || read->size() == 0) continue;
      const auto expected = wavefronts(*read, threads, bytes);
      int matching = 0;
      for (const symbolic::SizedCase& c : got->answers.answers[0].cases) {
        if (!is_true(c.condition, at)) continue;
        ++matching;
        ++compared;
        if (c.kind == symbolic::SizedCase::Kind::undecided) {
          ++undecided;
        } else if (c.kind == symbolic::SizedCase::Kind::error) {
          EXPECT_FALSE(expected) << *numbers_text << ": error if " << c.condition;
        } else {
          const std::string value = c.text.substr(0, c.text.find(','));
          EXPECT_EQ(value, expected ? std::to_string(*expected) : "outside")
              << *numbers_text << ": if " << c.condition;
        }
      }
      EXPECT_EQ(matching, 1) << *numbers_text;
    }
  }
  std::printf("symbolic access: seed %llu: %ld calls, %ld comparisons, %ld at undecided cases\n",
              static_cast<unsigned long long>(seed), calls, compared, undecided);
  EXPECT_GT(compared, undecided);
}

// Names in strides alone: threads that follow from the extents are those of the layout of numbers.
TEST(SymbolicAccess, ThreadsOfExtentsAreThoseOfNumbersAtEachSize) {
  const Access defaults{.tv = *parse_layout("1:0")};
  int compared = 0;
  for (const char* text :
       {"(32,8):(K,1)", "(16,64):(K,1)", "(64,16):(1,K)", "(32,32):(K+8,1)", "((4,8),16):((K,1),8)"}) {
    const auto layout = symbolic::SymbolicLayout::parse(text);
    ASSERT_TRUE(layout);
    for (const char* threads : {"rows", "columns", "ldmatrix.x1", "ldmatrix.x4", "rows,vector=2"}) {
      const AccessOptions options{.element_bits = 16};
      const auto got = symbolic::sized_wavefronts(*layout, {threads}, options, defaults, {});
      SCOPED_TRACE(std::string(text) + " " + threads);
      for (Index k = 1; k <= 70; ++k) {
        const auto numbers = parse_layout(layout->text_at({{"K", k}}).value_or(""));
        ASSERT_TRUE(numbers);
        const auto access = parse_access(threads, *numbers, options, defaults);
        if (!access) {
          ASSERT_FALSE(got) << k;
          EXPECT_EQ(got.error().code, access.error().code) << got.error().message;
          continue;
        }
        ASSERT_TRUE(got) << got.error().message;
        const auto expected = analyze_accesses(*numbers, std::vector{*access}, options);
        int matching = 0;
        for (const symbolic::SizedCase& c : got->answers.answers[0].cases) {
          if (!is_true(c.condition, {{"K", k}})) continue;
          ++matching;
          if (c.kind == symbolic::SizedCase::Kind::undecided) continue;
          ++compared;
          if (c.kind == symbolic::SizedCase::Kind::error) {
            ASSERT_FALSE(expected);
            EXPECT_EQ(c.code, expected.error().code);
            continue;
          }
          ASSERT_TRUE(expected) << k << ": " << c.text << ", but " << expected.error().message;
          EXPECT_EQ(c.text.substr(0, c.text.find(',')), std::to_string(expected->each[0].shared->wavefronts))
              << k;
        }
        EXPECT_EQ(matching, 1) << k;
      }
    }
  }
  EXPECT_GT(compared, 800);
}

}  // namespace
}  // namespace tessera
