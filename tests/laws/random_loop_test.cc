// SPDX-License-Identifier: Apache-2.0
// Maps through random counted loops.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laws/loop_laws.h"

namespace tessera::laws {
namespace {

/// The origin of the counter's first value.
enum class Start : std::uint8_t {
  constant,
  parameter,          ///< a parameter of the entry
  constant_outside,   ///< the loop is in a computation that is called with a constant
  parameter_outside,  ///< the loop is in a computation that is called with a parameter
};

/// Random bodies over (i, a: f32[6,2], b: f32[6,2], c: f32[2], t: f32[6,2], p: s32[], n: s32[6]), where p is
/// the start of a slice, and the elements of n are others.
class RandomLoop {
 public:
  explicit RandomLoop(std::mt19937_64& random, Start start = Start::constant)
      : random_(random), start_(start) {}

  /// The first value of the counter.
  Index first() const { return first_; }

  std::string write() {
    const int steps = 1 + below(7);
    arrays_ = {{"a", {6, 2}}, {"b", {6, 2}}, {"c", {2}}, {"t", {6, 2}}};
    for (int k = 0; k < steps; ++k) step();
    // From any start, a loop that counts up has few iterations. A loop that counts down may have 2^31.
    const bool open = start_ != Start::constant;
    const bool counted_down = !open && chance(25);
    const int stride = open ? 1 : 1 + below(3);
    const int trips = below(6);
    first_ = below(4) - (open ? 0 : 1);
    const int last = static_cast<int>(first_) + (counted_down ? -1 : 1) * stride * trips;
    std::string direction = counted_down ? "GT" : "LT";
    if (chance(20)) direction = open ? "LE" : "NE";
    // Covers loops without iterations, and counters whose slices are clamped.
    if (open && chance(20)) first_ = chance(50) ? last + 2 : -2;
    std::string state;
    for (int k = 1; k <= 4; ++k) state += ", " + next_of(k);
    return fmt::format(R"(
sum {{
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}}
slice_at {{
  x = f32[6,2] parameter(0)
  i = s32[] parameter(1)
  two = s32[] constant(2)
  zero = s32[] constant(0)
  twice = s32[] multiply(i, two)
  one = f32[1,2] dynamic-slice(x, twice, zero), dynamic_slice_sizes={{1,2}}
  ROOT r = f32[2] reshape(one)
}}
body {{
  state = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2], s32[], s32[6]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  a = f32[6,2] get-tuple-element(state), index=1
  b = f32[6,2] get-tuple-element(state), index=2
  c = f32[2] get-tuple-element(state), index=3
  t = f32[6,2] get-tuple-element(state), index=4
  p = s32[] get-tuple-element(state), index=5
  n = s32[6] get-tuple-element(state), index=6
  zero = s32[] constant(0)
  one = s32[] constant(1)
  four = s32[] constant(4)
  zerof = f32[] constant(0)
  stride = s32[] constant({})
  next = s32[] {}(i, stride)
{}  ROOT r = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2], s32[], s32[6]) tuple(next{}, p, n)
}}
condition {{
  state = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2], s32[], s32[6]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  limit = s32[] constant({})
  ROOT r = pred[] compare(i, limit), direction={}
}}
{})",
                       stride, counted_down ? "subtract" : "add", lines_, state, last, direction, entry());
  }

 private:
  std::string entry() const {
    constexpr std::string_view kArrays =
        "  a = f32[6,2] parameter(0)\n  b = f32[6,2] parameter(1)\n  c = f32[2] parameter(2)\n"
        "  t = f32[6,2] parameter(3)\n  p = s32[] parameter(4)\n  n = s32[6] parameter(5)\n";
    constexpr std::string_view kLoop =
        R"(  start = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2], s32[], s32[6]) tuple(first, a, b, c, t, p, n)
  loop = (s32[], f32[6,2], f32[6,2], f32[2], f32[6,2], s32[], s32[6]) while(start), condition=condition, body=body
  ra = f32[6,2] get-tuple-element(loop), index=1
  rb = f32[6,2] get-tuple-element(loop), index=2
  rc = f32[2] get-tuple-element(loop), index=3
  rt = f32[6,2] get-tuple-element(loop), index=4
  ROOT r = (f32[6,2], f32[6,2], f32[2], f32[6,2]) tuple(ra, rb, rc, rt)
}
)";
    constexpr std::string_view kParameter = "  first = s32[] parameter(6)\n";
    const std::string constant = fmt::format("  first = s32[] constant({})\n", first_);
    const bool outside = start_ == Start::constant_outside || start_ == Start::parameter_outside;
    const std::string given =
        start_ == Start::constant || start_ == Start::constant_outside ? constant : std::string(kParameter);
    if (!outside) return fmt::format("ENTRY e {{\n{}{}{}", kArrays, given, kLoop);
    return fmt::format(
        "called {{\n{0}{1}{2}ENTRY e {{\n{0}{3}  ROOT r = (f32[6,2], f32[6,2], f32[2], f32[6,2]) call(a, b, "
        "c, t, p, n, first), to_apply=called\n}}\n",
        kArrays, kParameter, kLoop, given);
  }

  struct Array {
    std::string name;
    std::vector<Index> dims;
  };

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }

  std::string define(std::vector<Index> dims, const std::string& operation) {
    std::string name = fmt::format("v{}", arrays_.size());
    lines_ += fmt::format("  {} = f32[{}] {}\n", name, fmt::join(dims, ","), operation);
    arrays_.push_back({name, std::move(dims)});
    return name;
  }

  std::string helper(const std::string& type, const std::string& operation) {
    std::string name = fmt::format("h{}", helpers_++);
    lines_ += fmt::format("  {} = {} {}\n", name, type, operation);
    return name;
  }

  /// A value with these dimensions, usually one of the latest.
  std::string pick(const std::vector<Index>& dims) {
    std::vector<std::string> fitting;
    for (const Array& array : arrays_) {
      if (array.dims == dims) fitting.push_back(array.name);
    }
    return chance(50) ? fitting.back()
                      : fitting[static_cast<std::size_t>(below(static_cast<int>(fitting.size())))];
  }

  std::string start() {
    switch (below(10)) {
      case 8:
      case 9: {
        // An element of n: that of this iteration, or another one.
        const std::string place = chance(70) ? "i" : chance(50) ? "p" : helper("s32[]", "subtract(four, i)");
        const std::string one =
            helper("s32[1]", fmt::format("dynamic-slice(n, {}), dynamic_slice_sizes={{1}}", place));
        const std::string element = helper("s32[]", fmt::format("reshape({})", one));
        return chance(80) ? element : helper("s32[]", fmt::format("add({}, one)", element));
      }
      case 0:
        return "p";
      case 1:
        return "next";
      case 2:
        return "one";
      case 3:
        return helper("s32[]", "subtract(four, i)");
      case 4:
        return helper("s32[]", "add(i, one)");
      default:
        return "i";
    }
  }

  void step() {
    const std::vector<Index> big{6, 2};
    const std::vector<Index> row{2};
    switch (below(10)) {
      case 0:
      case 1: {
        const std::string slice = helper(
            "f32[1,2]",
            fmt::format("dynamic-slice({}, {}, zero), dynamic_slice_sizes={{1,2}}", pick(big), start()));
        define(row, fmt::format("reshape({})", slice));
        return;
      }
      case 2:
        define(row, fmt::format("fusion({}, {}), kind=kLoop, calls=slice_at", pick(big),
                                chance(50) ? "i" : start()));
        return;
      case 3: {
        const std::string update = helper("f32[1,2]", fmt::format("reshape({})", pick(row)));
        define(big, fmt::format("dynamic-update-slice({}, {}, {}, zero)", pick(big), update, start()));
        return;
      }
      case 4: {
        const std::string two = helper("f32[2,2]", fmt::format("broadcast({}), dimensions={{1}}", pick(row)));
        define(big, fmt::format("dynamic-update-slice({}, {}, {}, zero)", pick(big), two, start()));
        return;
      }
      case 5: {
        const std::vector<Index>& dims = chance(50) ? big : row;
        define(dims, fmt::format("add({}, {})", pick(dims), pick(dims)));
        return;
      }
      case 6: {
        const std::vector<Index>& dims = chance(30) ? big : row;
        define(dims, fmt::format("reverse({}), dimensions={{0}}", pick(dims)));
        return;
      }
      case 7:
        define(row, fmt::format("reduce({}, zerof), dimensions={{0}}, to_apply=sum", pick(big)));
        return;
      case 8: {
        const std::string all =
            helper("f32[]", fmt::format("reduce({}, zerof), dimensions={{0}}, to_apply=sum", pick(row)));
        define(row, fmt::format("broadcast({}), dimensions={{}}", all));
        return;
      }
      default:
        define(big, fmt::format("broadcast({}), dimensions={{1}}", pick(row)));
        return;
    }
  }

  std::string next_of(int element) {
    const std::string own = std::string(1, "abct"[element - 1]);
    if (chance(35)) return own;
    const std::vector<Index> dims = element == 3 ? std::vector<Index>{2} : std::vector<Index>{6, 2};
    if (chance(25)) {
      const std::string more = pick(dims);
      return define(dims, fmt::format("add({}, {})", own, more));
    }
    return pick(dims);
  }

  std::mt19937_64& random_;
  Start start_;
  Index first_ = 0;
  std::vector<Array> arrays_;
  std::string lines_;
  int helpers_ = 0;
};

/// Checks random loops; a failure prints its seed.
LoopCoverage check_random_loops(Start start, int programs) {
  LoopCoverage coverage;
  std::uint64_t first = 1;
  if (const char* seed = std::getenv("TESSERA_SEED")) first = std::strtoull(seed, nullptr, 10);
  if (const char* count = std::getenv("TESSERA_PROGRAMS")) programs = std::atoi(count);
  for (int i = 0; i < programs && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937_64 random(seed);
    RandomLoop loop(random, start);
    const std::string text = loop.write();
    const Index p = std::uniform_int_distribution<Index>(-1, 6)(random);
    std::vector<Index> n(6);
    for (Index& element : n) element = std::uniform_int_distribution<Index>(-1, 6)(random);
    check_loop_maps_are_the_dependence(text, {{}, {}, {}, {}, {p}, n, {loop.first()}}, coverage);
  }
  fmt::print("programs {}, exact {}, superset {}, unknown {}, pairs {}\n", coverage.programs, coverage.exact,
             coverage.superset, coverage.unknown, coverage.pairs);
  EXPECT_GT(coverage.exact, coverage.superset);
  EXPECT_GT(coverage.superset, static_cast<std::size_t>(programs) / 15);
  EXPECT_EQ(coverage.unknown, 0U);
  return coverage;
}

TEST(RandomLoopTest, MapsAreTheTrueDependence) { check_random_loops(Start::constant, 1000); }

// The maps of such loops were once unknown.
TEST(RandomLoopTest, MapsFromAnyStartAreTheTrueDependence) { check_random_loops(Start::parameter, 300); }

TEST(RandomLoopTest, MapsFromAStartOutsideTheComputationAreTheTrueDependence) {
  check_random_loops(Start::constant_outside, 150);
  check_random_loops(Start::parameter_outside, 150);
}

}  // namespace
}  // namespace tessera::laws
