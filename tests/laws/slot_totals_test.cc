// SPDX-License-Identifier: Apache-2.0
// Slots of a loop's state and results of conditionals may be one array in some runs: each step reads the
// bytes of its distinct operands. The judge runs the program with a number for each array. TESSERA_LAW_CASES
// is the number of programs (default 2,000).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include "laws/random_seed.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/traffic.h"

namespace tessera::laws {
namespace {

constexpr Index kBytes = 32;  // of an array

struct SlotSource {
  bool made = false;  // the sum of two slots; otherwise slot `first`
  std::size_t first = 0;
  std::size_t second = 0;
  bool chosen = false;  // slot `first` in the first iteration, `second` later
};

/// A loop over slots that its body passes on, exchanges, chooses or makes, and steps that read pairs of them.
class SlotProgram {
 public:
  SlotProgram(std::mt19937_64& random, bool choices) : random_(random) {
    slots_ = 2 + below(3);
    trips_ = static_cast<Index>(below(5));
    for (std::size_t k = 0; k < slots_; ++k) {
      start_.push_back(below(3));
      body_.push_back({below(3) == 0, below(slots_), below(slots_)});
      if (k > 0 && below(4) == 0) body_.back() = body_[below(k)];
      if (choices && !body_[k].made && below(2) == 0) body_[k].chosen = true;
    }
    inside_ = {below(slots_), below(slots_)};
    after_ = {below(slots_), below(slots_)};
    outside_ = below(3);
    branches_ = {below(3), below(3)};
  }

  std::string text() const {
    std::string state = "(s32[]";
    for (std::size_t k = 0; k < slots_; ++k) state += ", f32[8]";
    state += ")";
    std::string slots =
        fmt::format("  p = {} parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n", state);
    std::string tests = slots;
    for (std::size_t k = 0; k < slots_; ++k)
      slots += fmt::format("  v{} = f32[8] get-tuple-element(p), index={}\n", k, k + 1);
    std::string made;
    std::vector<std::string> returned = {"j"};
    for (std::size_t k = 0; k < slots_; ++k) {
      if (body_[k].chosen) {
        made += fmt::format(
            "  c{} = f32[8] conditional(first, v{}, v{}), true_computation=pass, false_computation=pass\n", k,
            body_[k].first, body_[k].second);
        returned.push_back(fmt::format("c{}", k));
        continue;
      }
      if (!body_[k].made) {
        returned.push_back(fmt::format("v{}", body_[k].first));
        continue;
      }
      const auto twin = std::ranges::find_if(body_, [&](const SlotSource& x) {
        return x.made && x.first == body_[k].first && x.second == body_[k].second;
      });
      const auto number = static_cast<std::size_t>(twin - body_.begin());
      if (number == k)
        made += fmt::format("  m{} = f32[8] add(v{}, v{})\n", k, body_[k].first, body_[k].second);
      returned.push_back(fmt::format("m{}", number));
    }
    std::string out = "HloModule slots\n\npass { ROOT a = f32[8] parameter(0) }\n\n";
    out += fmt::format(
        "body {{\n{}  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
        "  first = pred[] compare(i, one), direction=LT\n{}  inside = f32[8] multiply(v{}, "
        "v{})\n"
        "  ROOT r = {} tuple({})\n}}\n\n",
        slots, made, inside_[0], inside_[1], state, fmt::join(returned, ", "));
    out += fmt::format(
        "test {{\n{}  n = s32[] constant({})\n  ROOT c = pred[] compare(i, n), direction=LT\n}}\n\n", tests,
        trips_);
    out += "ENTRY e {\n  x0 = f32[8] parameter(0)\n  x1 = f32[8] parameter(1)\n  x2 = f32[8] negate(x0)\n";
    std::vector<std::string> start = {"zero"};
    for (const std::size_t x : start_) start.push_back(fmt::format("x{}", x));
    out += fmt::format(
        "  zero = s32[] constant(0)\n  t = {0} tuple({1})\n"
        "  w = {0} while(t), condition=test, body=body\n",
        state, fmt::join(start, ", "));
    for (std::size_t k = 0; k < slots_; ++k)
      out += fmt::format("  w{} = f32[8] get-tuple-element(w), index={}\n", k, k + 1);
    out += fmt::format("  pair = f32[8] add(w{}, w{})\n  mixed = f32[8] add(w{}, x{})\n", after_[0],
                       after_[1], after_[0], outside_);
    out += fmt::format(
        "  q = pred[] parameter(2)\n  b = f32[8] conditional(q, x{}, x{}), true_computation=pass, "
        "false_computation=pass\n  chosen = f32[8] add(b, x{})\n",
        branches_[0], branches_[1], outside_);
    return out + "  ROOT all = (f32[8], f32[8], f32[8]) tuple(pair, mixed, chosen)\n}\n";
  }

  /// How many distinct arrays each step reads in its runs.
  std::map<std::string, std::set<std::size_t>> reads() const {
    std::map<std::string, std::set<std::size_t>> out;
    const auto read = [&](const std::string& step, std::size_t a, std::size_t b) {
      out[step].insert(a == b ? 1 : 2);
    };
    std::size_t next = 3;
    std::vector<std::size_t> now = start_;
    for (Index t = 0; t < trips_; ++t) {
      read("inside", now[inside_[0]], now[inside_[1]]);
      std::map<std::pair<std::size_t, std::size_t>, std::size_t> made;
      std::vector<std::size_t> after;
      for (std::size_t k = 0; k < slots_; ++k) {
        const SlotSource& from = body_[k];
        if (!from.made) {
          after.push_back(now[from.chosen && t > 0 ? from.second : from.first]);
          continue;
        }
        const auto [found, is_new] = made.emplace(std::pair(from.first, from.second), next);
        if (is_new) ++next;
        after.push_back(found->second);
      }
      for (const auto& [operands, array] : made) {
        const auto k = std::ranges::find_if(
            body_, [&](const SlotSource& x) { return x.made && std::pair(x.first, x.second) == operands; });
        read(fmt::format("m{}", k - body_.begin()), now[operands.first], now[operands.second]);
      }
      now = std::move(after);
    }
    read("pair", now[after_[0]], now[after_[1]]);
    read("mixed", now[after_[0]], outside_);
    for (const std::size_t x : branches_) read("chosen", x, outside_);
    return out;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  std::mt19937_64& random_;
  std::size_t slots_ = 0;
  Index trips_ = 0;
  std::vector<std::size_t> start_;  // x0, x1 or x2
  std::vector<SlotSource> body_;
  std::array<std::size_t, 2> inside_ = {};
  std::array<std::size_t, 2> after_ = {};
  std::size_t outside_ = 0;
  std::array<std::size_t, 2> branches_ = {};
};

/// How many steps have one number, and how many have two bounds.
struct Numbers {
  Index exact = 0;
  Index bounds = 0;
};

void compare_random_programs(bool choices, Numbers& out) {
  const auto cases = environment("TESSERA_LAW_CASES", 2000);
  const auto seed = environment("TESSERA_SEED", 1);
  for (std::uint64_t n = 0; n < cases; ++n) {
    std::mt19937_64 random(seed + n);
    const SlotProgram program(random, choices);
    const std::string text = program.text();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed + n, text));
    const auto parsed = parse_hlo(text);
    ASSERT_TRUE(parsed.ok() && parsed.modules.size() == 1);
    const ProgramTraffic traffic = program_traffic(parsed.modules[0]);
    std::map<std::string, const StepTraffic*> steps;
    for (const StepTraffic& step : traffic.steps) steps.emplace(step.instruction->name, &step);
    for (const auto& [name, arrays] : program.reads()) {
      const auto found = steps.find(name);
      ASSERT_NE(found, steps.end()) << name;
      const Count& used = found->second->used;
      const Index least = static_cast<Index>(*arrays.begin()) * kBytes;
      const Index most = static_cast<Index>(*arrays.rbegin()) * kBytes;
      EXPECT_LE(used.lower, least) << name;
      EXPECT_TRUE(used.upper && *used.upper >= most) << name;
      ++(used.exact() ? out.exact : out.bounds);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SlotTotals, StepsReadTheBytesOfTheirDistinctArrays) {
  Numbers numbers;
  compare_random_programs(false, numbers);
  // Most are one number, or the test would prove little.
  EXPECT_GT(numbers.exact, numbers.bounds);
  EXPECT_GT(numbers.bounds, 0);
}

TEST(SlotTotals, StepsReadTheBytesOfTheArraysThatABodyChooses) {
  Numbers numbers;
  compare_random_programs(true, numbers);
  EXPECT_GT(numbers.exact, 0);
  EXPECT_GT(numbers.bounds, 0);
}

}  // namespace
}  // namespace tessera::laws
