// SPDX-License-Identifier: Apache-2.0
// What devices need of a collective, against programs that are run on all devices with symbols for elements.
#include "hlo/devices/held_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "hlo/devices/exchanges.h"

namespace tessera::detail {
namespace {

constexpr unsigned kHeldSeed = 20261130;

using Symbol = int;
using Local = std::vector<Symbol>;  // of one device

struct SpmdValue {
  std::string name;
  std::vector<Local> on;  // each device
  bool stated = true;
  Index length() const { return static_cast<Index>(on[0].size()); }
};

// A collective, and what a run says about it.
struct SpmdTruth {
  std::string name;
  Index needed = 0;   // elements that some device does not have, at most
  bool moves = true;  // the result has the elements of operands
  bool alike = true;  // all members of each group have equal operands
  bool stated = true;
};

class SpmdProgram {
 public:
  explicit SpmdProgram(std::mt19937& random) : random_(random) {
    devices_ = std::size_t{2} << n(0, 2);
    for (int k = n(1, 3); k > 0; --k) parameter();
    for (int k = n(2, 7); k > 0; --k) step();
    lines_ += fmt::format("  ROOT r = (f32[{}]) tuple({})\n", values_.back().length(), values_.back().name);
  }

  std::string text() const {
    return fmt::format(
        "HloModule m, num_partitions={}\n"
        "sum {{ x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }}\n{}ENTRY e "
        "{{\n{}}}\n",
        devices_, functions_, lines_);
  }
  std::vector<SpmdTruth> truths;

 private:
  int n(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Symbol symbol(std::vector<int> key) {
    return symbols_.try_emplace(std::move(key), static_cast<int>(symbols_.size())).first->second;
  }
  const SpmdValue& any() {
    return values_[static_cast<std::size_t>(n(0, static_cast<int>(values_.size()) - 1))];
  }

  void parameter() {
    const int number = static_cast<int>(values_.size());
    SpmdValue v{.name = fmt::format("p{}", number), .on = std::vector<Local>(devices_)};
    const int length = 8;
    std::string sharding;
    std::vector<int> tile(devices_, 0);
    const int kind = n(0, 9);
    v.stated = kind != 0;
    if (kind == 0) {
      std::iota(tile.begin(), tile.end(), 0);
    } else if (kind < 3) {
      sharding = ", sharding={replicated}";
    } else {
      std::vector<int> order(devices_);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random_);
      const int copies = 1 << n(0, static_cast<int>(devices_ == 2 ? 1 : devices_ == 4 ? 2 : 3));
      for (std::size_t f = 0; f < devices_; ++f)
        tile[static_cast<std::size_t>(order[f])] = static_cast<int>(f) / copies;
      sharding = fmt::format(", sharding={{devices=[{},{}]{} last_tile_dim_replicate}}",
                             static_cast<int>(devices_) / copies, copies, fmt::join(order, ","));
    }
    for (std::size_t d = 0; d < devices_; ++d)
      for (int i = 0; i < length; ++i) v.on[d].push_back(symbol({0, number, tile[d], i}));
    lines_ += fmt::format("  {} = f32[{}] parameter({}){}\n", v.name, length, number, sharding);
    values_.push_back(std::move(v));
  }

  // Groups of one size, in any order.
  std::vector<std::vector<int>> groups(std::string& written) {
    std::vector<int> order(devices_);
    std::iota(order.begin(), order.end(), 0);
    if (n(0, 1) == 0) std::shuffle(order.begin(), order.end(), random_);
    const std::size_t size = std::size_t{1} << n(1, devices_ == 2 ? 1 : devices_ == 4 ? 2 : 3);
    std::vector<std::vector<int>> out;
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < devices_; at += size) {
      out.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(at),
                       order.begin() + static_cast<std::ptrdiff_t>(at + size));
      texts.push_back(fmt::format("{{{}}}", fmt::join(out.back(), ",")));
    }
    written = fmt::format("replica_groups={{{}}}, channel_id={}", fmt::join(texts, ","), ++channels_);
    return out;
  }

  void add(SpmdValue v, const std::string& rest) {
    lines_ += fmt::format("  {} = f32[{}] {}\n", v.name, v.length(), rest);
    values_.push_back(std::move(v));
  }

  void step() {
    const SpmdValue x = any();
    SpmdValue v{
        .name = fmt::format("v{}", values_.size()), .on = std::vector<Local>(devices_), .stated = x.stated};
    switch (n(0, 8)) {
      case 0:
        for (std::size_t d = 0; d < devices_; ++d)
          for (const Symbol s : x.on[d]) v.on[d].push_back(symbol({1, s}));
        if (n(0, 1) == 0) return add(std::move(v), fmt::format("negate({})", x.name));
        functions_ += fmt::format("f{0} {{ a = f32[{1}] parameter(0) ROOT b = f32[{1}] negate(a) }}\n",
                                  v.name, x.length());
        return add(v, fmt::format("fusion({}), kind=kLoop, calls=f{}", x.name, v.name));
      case 1: {
        const SpmdValue y = any();
        if (y.length() != x.length()) return;
        v.stated = x.stated && y.stated;
        for (std::size_t d = 0; d < devices_; ++d)
          for (std::size_t i = 0; i < x.on[d].size(); ++i)
            v.on[d].push_back(symbol({2, x.on[d][i], y.on[d][i]}));
        return add(std::move(v), fmt::format("add({}, {})", x.name, y.name));
      }
      case 2: {
        const std::string at = v.name;
        lines_ += fmt::format(
            "  i{0} = u32[] partition-id()\n  c{0} = f32[] convert(i{0})\n  b{0} = f32[{1}] broadcast(c{0}), "
            "dimensions={{}}\n",
            at, x.length());
        for (std::size_t d = 0; d < devices_; ++d)
          for (const Symbol s : x.on[d]) v.on[d].push_back(symbol({3, s, static_cast<int>(d)}));
        return add(std::move(v), fmt::format("add({}, b{})", x.name, at));
      }
      case 3:
        return permute(x, std::move(v));
      default:
        return grouped(x, std::move(v));
    }
  }

  void permute(const SpmdValue& x, SpmdValue v) {
    std::vector<int> order(devices_);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::string> pairs;
    v.on.assign(devices_, Local(x.on[0].size(), symbol({4})));
    SpmdTruth truth{.name = v.name, .stated = x.stated};
    for (std::size_t d = 0; d < devices_; ++d) {
      if (n(0, 9) == 0) continue;
      const auto source = static_cast<std::size_t>(order[d]);
      pairs.push_back(fmt::format("{{{},{}}}", source, d));
      v.on[d] = x.on[source];
      truth.needed = std::max(truth.needed, missing(v.on[d], x.on[d]));
    }
    truths.push_back(truth);
    add(std::move(v), fmt::format("collective-permute({}), source_target_pairs={{{}}}, channel_id={}", x.name,
                                  fmt::join(pairs, ","), ++channels_));
  }

  static Index missing(const Local& result, const Local& held) {
    std::set<Symbol> out(result.begin(), result.end());
    for (const Symbol s : held) out.erase(s);
    return std::ssize(out);
  }

  void grouped(const SpmdValue& x, SpmdValue v) {
    std::string written;
    const auto all = groups(written);
    const auto size = static_cast<Index>(all[0].size());
    const int kind = n(0, 3);
    if (kind == 0 && x.length() * size > 512) return;
    if (kind != 0 && x.length() % size != 0) return;
    const Index part = x.length() / size;
    SpmdTruth truth{.name = v.name, .moves = kind < 2, .stated = x.stated};
    for (const auto& group : all) {
      for (std::size_t p = 0; p < group.size(); ++p) {
        const auto d = static_cast<std::size_t>(group[p]);
        truth.alike = truth.alike && x.on[d] == x.on[static_cast<std::size_t>(group[0])];
        if (kind < 2) {
          for (const int m : group) {
            const Local& from = x.on[static_cast<std::size_t>(m)];
            const Index begin = kind == 0 ? 0 : static_cast<Index>(p) * part;
            const Index count = kind == 0 ? x.length() : part;
            v.on[d].insert(v.on[d].end(), from.begin() + begin, from.begin() + begin + count);
          }
          truth.needed = std::max(truth.needed, missing(v.on[d], x.on[d]));
          continue;
        }
        const Index begin = kind == 2 ? 0 : static_cast<Index>(p) * part;
        for (Index i = begin; i < (kind == 2 ? x.length() : begin + part); ++i) {
          std::vector<int> terms = {5};
          for (const int m : group)
            terms.push_back(x.on[static_cast<std::size_t>(m)][static_cast<std::size_t>(i)]);
          v.on[d].push_back(symbol(std::move(terms)));
        }
      }
    }
    truths.push_back(truth);
    const char* names[] = {"all-gather", "all-to-all", "all-reduce", "reduce-scatter"};
    std::string rest = fmt::format("{}({}), {}", names[kind], x.name, written);
    if (kind != 2) rest += ", dimensions={0}";
    if (kind > 1) rest += ", to_apply=sum";
    if (kind != 1) rest += ", use_global_device_ids=true";
    add(std::move(v), rest);
  }

  std::mt19937& random_;
  std::size_t devices_ = 0;
  std::vector<SpmdValue> values_;
  std::map<std::vector<int>, Symbol> symbols_;
  std::string lines_;
  std::string functions_;
  int channels_ = 0;
};

TEST(HeldArrays, NoDeviceNeedsMoreThanIsSaid) {
  const char* const count = std::getenv("TESSERA_LAW_CASES");
  const int programs = count != nullptr ? std::atoi(count) : 2000;
  int collectives = 0;
  int fewer = 0;
  int same = 0;
  for (int k = 0; k < programs && !HasFailure(); ++k) {
    std::mt19937 random(kHeldSeed + static_cast<unsigned>(k));
    const SpmdProgram program(random);
    const std::string text = program.text();
    SCOPED_TRACE(testing::Message() << "seed " << kHeldSeed + static_cast<unsigned>(k) << "\n" << text);
    const ParsedModules parsed = parse_hlo(text);
    ASSERT_TRUE(parsed.ok()) << to_string(parsed.diagnostics.at(0));
    const DeviceExchanges all = device_exchanges(parsed.modules.at(0));
    ASSERT_EQ(all.exchanges.size(), program.truths.size());
    for (const SpmdTruth& truth : program.truths) {
      const auto x = std::ranges::find(all.exchanges, truth.name,
                                       [](const DeviceExchange& e) { return e.instruction->name; });
      ASSERT_NE(x, all.exchanges.end());
      SCOPED_TRACE(truth.name);
      ++collectives;
      EXPECT_LE(x->needed.lower, x->received.lower);
      EXPECT_LE(*x->needed.upper, *x->received.upper);
      EXPECT_EQ(x->stated, truth.stated);
      if (x->needed == x->received) continue;
      ++fewer;
      if (truth.moves) {
        EXPECT_LE(4 * truth.needed, *x->needed.upper);
        same += 4 * truth.needed == *x->needed.upper ? 1 : 0;
      } else {
        EXPECT_TRUE(truth.alike);
        EXPECT_EQ(x->needed.upper, 0);
        ++same;
      }
    }
  }
  if (programs < 2000) return;
  EXPECT_GT(collectives, 3000);
  EXPECT_GT(fewer, 500);
  // Most are what the run says, or the test would prove little.
  EXPECT_GT(10 * same, 9 * fewer);
}

DeviceExchange only_exchange(const std::string& text) {
  const ParsedModules parsed = parse_hlo(text);
  EXPECT_TRUE(parsed.ok()) << to_string(parsed.diagnostics.at(0));
  const DeviceExchanges all = device_exchanges(parsed.modules.at(0));
  EXPECT_EQ(all.exchanges.size(), 1U);
  DeviceExchange out = all.exchanges.at(0);
  out.instruction = nullptr;
  return out;
}

std::string loop_program(const std::string& body) {
  return "HloModule m, num_partitions=4\n"
         "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }\n"
         "body { p = (s32[], f32[8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
         "  x = f32[8] get-tuple-element(p), index=1\n  one = s32[] constant(1)\n  j = s32[] add(i, one)\n" +
         body +
         "  ROOT r = (s32[], f32[8]) tuple(j, y) }\n"
         "test { p = (s32[], f32[8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
         "  n = s32[] constant(3)\n  ROOT c = pred[] compare(i, n), direction=LT }\n"
         "ENTRY e { a = f32[8] parameter(0), sharding={replicated}\n  zero = s32[] constant(0)\n"
         "  t = (s32[], f32[8]) tuple(zero, a)\n"
         "  ROOT w = (s32[], f32[8]) while(t), condition=test, body=body }\n";
}

TEST(HeldArrays, ALoopKeepsWhatItsBodyKeeps) {
  const std::string reduced =
      "  g = f32[8] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=sum, channel_id=1, "
      "use_global_device_ids=true\n";
  EXPECT_EQ(only_exchange(loop_program(reduced + "  y = f32[8] negate(g)\n")).needed, (Count{0, 0}));
  // In the second iteration, devices differ.
  const DeviceExchange apart = only_exchange(
      loop_program(reduced + "  d = u32[] partition-id()\n  c = f32[] convert(d)\n"
                             "  b = f32[8] broadcast(c), dimensions={}\n  y = f32[8] add(g, b)\n"));
  EXPECT_EQ(apart.needed, apart.received);
  EXPECT_TRUE(apart.stated);
}

TEST(HeldArrays, WithoutAShardingNothingIsSaid) {
  const DeviceExchange x = only_exchange(
      "HloModule m, num_partitions=2\nENTRY e { a = f32[8] parameter(0)\n ROOT g = f32[16] all-gather(a), "
      "replica_groups={{0,1}}, dimensions={0}, channel_id=1, use_global_device_ids=true }\n");
  EXPECT_EQ(x.needed, x.received);
  EXPECT_FALSE(x.stated);
}

// Devices 0 to 3 hold two arrays of their group of four, the other groups have three.
TEST(HeldArrays, GroupsMayNeedDifferentAmounts) {
  const DeviceExchange x = only_exchange(
      "HloModule m, num_partitions=12\nENTRY e { a = f32[8] parameter(0), sharding={devices=[6,2]<=[12] "
      "last_tile_dim_replicate}\n ROOT g = f32[32] all-gather(a), "
      "replica_groups={{0,1,2,3},{4,5,6,8},{7,9,10,11}}, dimensions={0}, channel_id=1, "
      "use_global_device_ids=true }\n");
  EXPECT_EQ(x.received, (Count{96, 96}));
  EXPECT_EQ(x.needed.lower, 32);
  EXPECT_EQ(x.needed.upper, 64);
}

// A sum of equal arrays by a short way and of different ones by a way that is too long to follow.
TEST(HeldArrays, ADeepCallOfACollectiveCounts) {
  for (const int depth : {3, 60}) {
    std::string text =
        "HloModule m, num_partitions=4\n"
        "sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }\n"
        "c0 { x = f32[8] parameter(0) ROOT g = f32[8] all-reduce(x), replica_groups={{0,1,2,3}}, "
        "to_apply=sum, "
        "channel_id=1, use_global_device_ids=true }\n";
    for (int k = 1; k <= depth; ++k)
      text +=
          fmt::format("c{} {{ x = f32[8] parameter(0) ROOT y = f32[8] call(x), to_apply=c{} }}\n", k, k - 1);
    text += fmt::format(
        "ENTRY e {{ a = f32[8] parameter(0), sharding={{replicated}}\n"
        "  b = f32[8] parameter(1), sharding={{devices=[4]<=[4]}}\n  s = f32[8] call(a), to_apply=c0\n"
        "  d = f32[8] call(b), to_apply=c{}\n  ROOT r = f32[8] add(s, d) }}\n",
        depth);
    const DeviceExchange x = only_exchange(text);
    EXPECT_EQ(x.needed, x.received) << depth;
    EXPECT_EQ(x.stated, depth == 3);
  }
}

TEST(HeldArrays, AStartIsTheCollectiveThatItStarts) {
  const DeviceExchange x = only_exchange(
      "HloModule m, num_partitions=4\nENTRY e { a = f32[8] parameter(0), sharding={devices=[2,2]<=[4] "
      "last_tile_dim_replicate}\n s = (f32[8], f32[32]) all-gather-start(a), replica_groups={{0,1,2,3}}, "
      "dimensions={0}, channel_id=1, use_global_device_ids=true\n ROOT g = f32[32] all-gather-done(s) }\n");
  EXPECT_EQ(x.received, (Count{96, 96}));
  EXPECT_EQ(x.needed, (Count{32, 32}));
}

}  // namespace
}  // namespace tessera::detail
