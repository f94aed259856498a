// SPDX-License-Identifier: Apache-2.0
// Answers about all sizes against enumeration: random questions, whose terms and assumptions are evaluated
// here, at every size up to a bound. TESSERA_SIZE_CASES sets their number, TESSERA_SIZE_SEED the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tessera/size/size.h"

namespace tessera {
namespace {

using Values = std::array<long, 3>;
constexpr std::array<const char*, 3> kNames = {"M", "N", "K"};
constexpr long kBound = 20;

long floored(long a, long b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

struct RandomTerm {
  std::string text;
  std::function<std::optional<long>(const Values&)> value;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed, int names) : random_(seed), names_(names) {}

  long in(long low, long high) { return std::uniform_int_distribution<long>(low, high)(random_); }

  RandomTerm leaf() {
    if (in(0, 2) == 0) {
      const long c = in(1, 9);
      return {std::to_string(c), [c](const Values&) { return std::optional(c); }};
    }
    const auto i = static_cast<std::size_t>(in(0, names_ - 1));
    return {kNames[i], [i](const Values& v) { return std::optional(v[i]); }};
  }

  RandomTerm term(int depth) {
    if (depth == 0) return leaf();
    const RandomTerm a = term(depth - 1);
    const RandomTerm b = in(0, 1) == 0 ? leaf() : term(depth - 1);
    const auto both = [a, b](const std::function<std::optional<long>(long, long)>& f) {
      return [a, b, f](const Values& v) -> std::optional<long> {
        const auto x = a.value(v);
        const auto y = b.value(v);
        return x && y ? f(*x, *y) : std::nullopt;
      };
    };
    const auto text = [&](const std::string& op) { return "(" + a.text + ") " + op + " (" + b.text + ")"; };
    switch (in(0, 8)) {
      case 0:
      case 1:
        return {text("+"), both([](long x, long y) { return std::optional(x + y); })};
      case 2:
        return {text("-"), both([](long x, long y) { return std::optional(x - y); })};
      case 3:
      case 4:
        return {text("*"), both([](long x, long y) { return std::optional(x * y); })};
      case 5:
        return {"min(" + a.text + ", " + b.text + ")",
                both([](long x, long y) { return std::optional(std::min(x, y)); })};
      case 6:
        return {text("%"), both([](long x, long y) {
                  return y < 1 ? std::nullopt : std::optional(x - y * floored(x, y));
                })};
      case 7:
        return {"ceil_div(" + a.text + ", " + b.text + ")",
                both([](long x, long y) { return y < 1 ? std::nullopt : std::optional(-floored(-x, y)); })};
      default:
        return {text("/"),
                both([](long x, long y) { return y < 1 ? std::nullopt : std::optional(floored(x, y)); })};
    }
  }

  struct Relation {
    std::string text;
    std::function<std::optional<bool>(const Values&)> holds;
  };
  Relation relation(const RandomTerm& a, const RandomTerm& b) {
    struct Operator {
      const char* text;
      bool (*holds)(long, long);
    };
    constexpr std::array<Operator, 6> operators = {{{"==", [](long x, long y) { return x == y; }},
                                                    {"!=", [](long x, long y) { return x != y; }},
                                                    {"<=", [](long x, long y) { return x <= y; }},
                                                    {"<", [](long x, long y) { return x < y; }},
                                                    {">=", [](long x, long y) { return x >= y; }},
                                                    {">", [](long x, long y) { return x > y; }}}};
    const Operator op = operators[static_cast<std::size_t>(in(0, 5))];
    return {a.text + " " + op.text + " " + b.text, [a, b, op](const Values& v) -> std::optional<bool> {
              const auto x = a.value(v);
              const auto y = b.value(v);
              return x && y ? std::optional(op.holds(*x, *y)) : std::nullopt;
            }};
  }

  Relation assumption() {
    const auto i = static_cast<std::size_t>(in(0, names_ - 1));
    const std::string name = kNames[i];
    switch (in(0, 4)) {
      case 0: {
        const long m = in(2, 6);
        const long r = in(0, m - 1);
        const bool equal = in(0, 2) != 0;
        return {name + " % " + std::to_string(m) + (equal ? " == " : " != ") + std::to_string(r),
                [i, m, r, equal](const Values& v) { return std::optional((v[i] % m == r) == equal); }};
      }
      case 1: {
        const long low = in(1, 8);
        const long high = low + in(0, 30);
        return {name + " in [" + std::to_string(low) + ", " + std::to_string(high) + "]",
                [i, low, high](const Values& v) { return std::optional(v[i] >= low && v[i] <= high); }};
      }
      case 2: {
        const auto j = static_cast<std::size_t>(in(0, names_ - 1));
        const std::string other = kNames[j];
        return {name + " % " + other + " == 0", [i, j](const Values& v) {
                  return v[j] < 1 ? std::nullopt : std::optional(v[i] % v[j] == 0);
                }};
      }
      default: {
        const RandomTerm a = term(static_cast<int>(in(0, 1)));
        const RandomTerm b = term(static_cast<int>(in(0, 1)));
        const bool remainder = a.text.find('%') != std::string::npos;  // is compared with == and != only
        return remainder ? assumption() : relation(a, b);
      }
    }
  }

 private:
  std::mt19937_64 random_;
  int names_;
};

long number(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atol(text);
}

/// All sizes up to a bound, in the order of the answers: by the largest value, then by the names as given.
template <class Visit>
void each_size(int names, long bound, Visit&& visit) {
  for (long m = 1; m <= bound; ++m) {
    for (long n = 1; n <= (names > 1 ? bound : 1); ++n) {
      for (long k = 1; k <= (names > 2 ? bound : 1); ++k) visit(Values{m, n, k});
    }
  }
}

// Each sum is short, and together they nest deeper than a stack.
TEST(Sizes, ManySumsInBracketsAreALimit) {
  std::string text = "N";
  for (int bracket = 0; bracket < 100; ++bracket) {
    text.insert(text.begin(), '(');
    for (int i = 0; i < 4000; ++i) text += "+N";
    text += ')';
  }
  const Result<std::string> canonical = canonical_size(text);
  ASSERT_FALSE(canonical);
  EXPECT_EQ(canonical.error().code, Code::limit);
  const Result<SizeAssumptions> where = SizeAssumptions::parse(text + " >= 1");
  ASSERT_FALSE(where);
  EXPECT_EQ(where.error().code, Code::limit);
}

// The cubes have more than 126 bits, so no size is evaluated.
TEST(Sizes, NumbersThatAreTooLargeProveNothing) {
  const Result<SizeAssumptions> where = SizeAssumptions::parse("N in [70368744177664, 70368744177665]");
  ASSERT_TRUE(where);
  const Result<SizeAnswer> answer = compare_sizes("N*N*N == 8*(N/2)", *where);
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->kind, SizeAnswer::Kind::yes);
}

// The sample of a case whose region had lost an assumption was printed as a counterexample.
TEST(Sizes, CounterexamplesSatisfyTheAssumptions) {
  const Result<SizeAssumptions> where = SizeAssumptions::parse("N in [3, 30], 9*M < K / 3");
  ASSERT_TRUE(where);
  const Result<SizeAnswer> answer = compare_sizes("(N - 1) + N % 5 != M", *where);
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->kind, SizeAnswer::Kind::yes);
  EXPECT_TRUE(answer->sizes.empty() || where->holds(answer->sizes)) << to_string(*answer);
}

// N = 2^63 was printed as -2^63.
TEST(Sizes, CounterexamplesHaveNumbersOf63Bits) {
  const Result<SizeAssumptions> where = SizeAssumptions::parse("N > 9223372036854775807");
  ASSERT_TRUE(where);
  const Result<SizeAnswer> answer = compare_sizes("N <= 5", *where);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, SizeAnswer::Kind::undecided) << to_string(*answer);
  EXPECT_TRUE(answer->sizes.empty());
}

TEST(Sizes, AnswersAgreeWithEnumeration) {
  const long cases = number("TESSERA_SIZE_CASES", 150);
  const auto seed = static_cast<std::uint64_t>(number("TESSERA_SIZE_SEED", 20261129));
  std::array<long, 4> answers = {};
  long empty = 0;
  for (long n = 0; n < cases; ++n) {
    const std::uint64_t own = seed + static_cast<std::uint64_t>(n);
    const int names = static_cast<int>(own % 3) + 1;
    Generator generate(own * 0x9E3779B97F4A7C15ULL, names);
    const long bound = names == 3 ? 10 : kBound;
    std::string where;
    std::vector<Generator::Relation> assumed;
    for (long k = generate.in(0, 3); k > 0; --k) {
      assumed.push_back(generate.assumption());
      where += (where.empty() ? "" : ", ") + assumed.back().text;
    }
    const auto in_question = [&](const Values& v) {
      for (const auto& a : assumed) {
        if (!a.holds(v).value_or(false)) return false;
      }
      return true;
    };
    const Generator::Relation asked = generate.relation(generate.term(static_cast<int>(generate.in(0, 2))),
                                                        generate.term(static_cast<int>(generate.in(0, 1))));
    SCOPED_TRACE("seed " + std::to_string(own) + ": " + asked.text + " where " + where);
    const Result<SizeAssumptions> list = where.empty() ? SizeAssumptions() : SizeAssumptions::parse(where);
    const auto sizes_of = [&](const Values& v) {
      SizeMap out;
      for (int i = 0; i < names; ++i) {
        if ((asked.text + where).find(kNames[static_cast<std::size_t>(i)]) != std::string::npos)
          out[kNames[static_cast<std::size_t>(i)]] = v[static_cast<std::size_t>(i)];
      }
      return out;
    };
    if (!list) {
      if (list.error().code != Code::empty_range) continue;  // a division by 0 in the text
      ++empty;
      each_size(names, bound, [&](const Values& v) { EXPECT_FALSE(in_question(v)); });
      continue;
    }
    if (std::getenv("TESSERA_SIZE_TRACE") != nullptr)
      std::fprintf(stderr, "%s where %s\n", asked.text.c_str(), where.c_str());
    const Result<SizeAnswer> got = compare_sizes(asked.text, *list);
    if (!got) continue;
    ++answers[static_cast<std::size_t>(got->kind)];
    std::vector<SizeAssumptions> groups;
    for (std::string rest = got->condition; !rest.empty();) {
      const std::size_t end = rest.find(" or ");
      const Result<SizeAssumptions> part = SizeAssumptions::parse(rest.substr(0, end));
      ASSERT_TRUE(part || part.error().code == Code::empty_range) << got->condition;
      if (part) groups.push_back(*part);
      rest = end == std::string::npos ? "" : rest.substr(end + 4);
    }
    // Each size of the box is a judge.
    each_size(names, bound, [&](const Values& v) {
      EXPECT_EQ(list->holds(sizes_of(v)), in_question(v)) << v[0] << " " << v[1] << " " << v[2];
      if (!in_question(v)) return;
      const std::optional<bool> here = asked.holds(v);
      if (!here) return;
      if (got->kind == SizeAnswer::Kind::yes) {
        EXPECT_TRUE(*here) << v[0] << " " << v[1] << " " << v[2];
      }
      if (got->kind == SizeAnswer::Kind::iff) {
        const bool condition =
            std::ranges::any_of(groups, [&](const SizeAssumptions& g) { return g.holds(sizes_of(v)); });
        EXPECT_EQ(condition, *here) << got->condition << " at " << v[0] << " " << v[1] << " " << v[2];
      }
      // No smaller counterexample.
      if (!*here && got->smallest && !got->sizes.empty()) {
        Index largest = 0;
        for (const auto& [name, value] : sizes_of(v)) largest = std::max(largest, value);
        Index found = 0;
        for (const auto& [name, value] : got->sizes) found = std::max(found, value);
        EXPECT_LE(found, largest);
      }
    });
    if (!got->sizes.empty()) {
      Values v = {1, 1, 1};
      for (std::size_t i = 0; i < 3; ++i) {
        if (const auto at = got->sizes.find(kNames[i]); at != got->sizes.end())
          v[i] = static_cast<long>(at->second);
      }
      EXPECT_TRUE(in_question(v)) << to_string(*got);
      EXPECT_EQ(asked.holds(v), std::optional(false)) << to_string(*got);
    }
    if (HasFailure()) break;
  }
  std::printf("sizes: seed %llu: %ld yes, %ld iff, %ld no, %ld undecided, %ld empty\n",
              static_cast<unsigned long long>(seed), answers[0], answers[1], answers[2], answers[3], empty);
  EXPECT_LT(answers[3] * 10, cases);
}

}  // namespace
}  // namespace tessera
