// SPDX-License-Identifier: Apache-2.0
// Compares answers of `equal` for Axe layouts with all places by enumeration. The evaluator knows the
// definition and shares no code with the library. TESSERA_AXE_PAIRS=1000000 compares more.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "laws/axe_text.h"
#include "tessera/notation/axe.h"

namespace tessera::laws::axe_equality {
namespace {

// Axes as numbers: m is memory, the others are places. The thread axes of one layout form one of these
// chains.
constexpr std::array<const char*, 6> kNames = {"m", "laneid", "warpid", "tx", "p", "q"};
using Numbers = std::array<std::int64_t, 6>;

struct Iter {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  std::size_t axis = 0;
};

struct Model {
  std::vector<std::int64_t> shape;
  std::vector<Iter> s;
  std::vector<Iter> r;
  Numbers offset = {};
  std::array<bool, 6> named = {};  // by an iterator or an offset

  std::int64_t size() const {
    std::int64_t n = 1;
    for (const auto e : shape) n *= e;
    return n;
  }
  std::string text() const {
    const auto list = [](const std::vector<Iter>& all) {
      return iterators_text(all, [](const Iter& i) { return kNames[i.axis]; });
    };
    std::string out = fmt::format("({}):S{}", fmt::join(shape, ","), list(s));
    if (!r.empty()) out += " + R" + list(r);
    for (std::size_t a = 0; a < kNames.size(); ++a) {
      const bool elsewhere = std::ranges::any_of(s, [&](const Iter& i) { return i.axis == a; }) ||
                             std::ranges::any_of(r, [&](const Iter& i) { return i.axis == a; });
      if (offset[a] != 0 || (named[a] && !elsewhere)) out += fmt::format(" + {}@{}", offset[a], kNames[a]);
    }
    return out;
  }
};

// Thread axes as one, if a warp is named: tx = 32 warpid + laneid.
Model fused(Model model) {
  if (!model.named[1] || !model.named[2]) return model;
  const auto move = [](Iter& i) {
    if (i.axis == 2) i.stride *= 32;
    if (i.axis == 1 || i.axis == 2) i.axis = 3;
  };
  for (Iter& i : model.s) move(i);
  for (Iter& i : model.r) move(i);
  model.offset[3] += model.offset[1] + 32 * model.offset[2];
  model.offset[1] = model.offset[2] = 0;
  model.named[1] = model.named[2] = false;
  model.named[3] = true;
  return model;
}

using Set = std::vector<Numbers>;

Set replica_set(const Model& model) {
  Set out = {model.offset};
  for (const Iter& i : model.r) {
    Set more;
    for (const Numbers& w : out) {
      for (std::int64_t k = 0; k < i.extent; ++k) {
        more.push_back(w);
        more.back()[i.axis] += k * i.stride;
      }
    }
    out = std::move(more);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

Set places_at(const Model& model, const Set& replicas, std::int64_t flat) {
  Numbers base = {};
  for (auto i = model.s.rbegin(); i != model.s.rend(); ++i) {
    base[i->axis] += flat % i->extent * i->stride;
    flat /= i->extent;
  }
  Set out = replicas;  // moved by one vector, the set stays sorted
  for (Numbers& w : out)
    for (std::size_t a = 0; a < w.size(); ++a) w[a] += base[a];
  return out;
}

class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
  }
  template <class T>
  T& one_of(std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(std::ssize(list)))];
  }

  Model model() {
    static const std::vector<std::vector<std::size_t>> kSets = {{0},       {0, 1}, {0, 1, 2}, {0, 3},
                                                                {0, 4, 5}, {1, 2}, {4}};
    const auto& axes = kSets[static_cast<std::size_t>(below(std::ssize(kSets)))];
    Model out;
    Numbers room = {60, 31, 30, 900, 60, 60};
    const auto add = [&](std::vector<Iter>& list, std::int64_t extent) {
      const std::size_t axis = axes[static_cast<std::size_t>(below(std::ssize(axes)))];
      std::int64_t stride = below(3) == 0 ? below(4) : std::int64_t{1} << below(5);
      if ((extent - 1) * stride > room[axis]) stride = extent > room[axis] + 1 ? 0 : 1;
      room[axis] -= (extent - 1) * stride;
      if ((axis == 0 || axis > 3) && below(8) == 0) stride = -stride;
      list.push_back({extent, stride, axis});
      out.named[axis] = true;
    };
    for (std::int64_t k = 1 + below(4); k > 0; --k) add(out.s, 1 + below(5));
    for (std::int64_t k = below(3); k > 0; --k) add(out.r, 1 + below(4));
    for (const std::size_t axis : axes) {
      if (below(4) != 0) continue;
      out.offset[axis] = below(std::max<std::int64_t>(1, std::min<std::int64_t>(room[axis], 4)));
      out.named[axis] = true;
    }
    std::int64_t size = 1;
    for (const Iter& i : out.s) size *= i.extent;
    const std::int64_t first = below(3) == 0 ? size : out.s.front().extent;
    out.shape = first == size ? std::vector{size} : std::vector{first, size / first};
    return out;
  }

  // The same places in other words.
  void rewrite(Model& model) {
    switch (below(7)) {
      case 0: {  // an iterator in two
        Iter& i = one_of(model.s);
        for (std::int64_t e = 2; e < i.extent; ++e) {
          if (i.extent % e != 0) continue;
          const auto at = model.s.begin() + (&i - model.s.data());
          const Iter high{i.extent / e, i.stride * e, i.axis};
          at->extent = e;
          model.s.insert(at, high);
          return;
        }
        return;
      }
      case 1: {  // one of extent 1
        const Iter like = one_of(model.s);
        model.s.insert(model.s.begin() + below(std::ssize(model.s) + 1), {1, below(9), like.axis});
        return;
      }
      case 2:
        if (model.r.size() > 1) std::swap(model.r.front(), model.r.back());
        return;
      case 3: {  // replicas counted from the other end
        if (model.r.empty()) return;
        Iter& i = one_of(model.r);
        if (i.axis == 1 || i.axis == 2 || i.axis == 3) return;  // offsets of threads begin at 0
        model.offset[i.axis] += (i.extent - 1) * i.stride;
        i.stride = -i.stride;
        return;
      }
      case 4: {  // {0, s} + {0, s} is {0, s, 2 s}
        for (Iter& i : model.r) {
          if (i.extent != 3) continue;
          i.extent = 2;
          model.r.push_back(i);
          return;
        }
        return;
      }
      case 5:
        if (!model.r.empty()) model.r.push_back({1 + below(3), 0, one_of(model.r).axis});
        return;
      default:
        if (below(2) == 0) model = fused(model);
    }
  }
  // A small change.
  void change(Model& model) {
    switch (below(4)) {
      case 0:
        one_of(model.s).stride ^= 1;
        return;
      case 1:
        if (!model.r.empty()) one_of(model.r).stride ^= 1;
        return;
      case 2:
        if (model.s.size() > 1) std::swap(model.s.front().stride, model.s.back().stride);
        return;
      default:
        ++model.offset[one_of(model.s).axis];
    }
  }

 private:
  std::mt19937_64 random_;
};

struct Tally {
  long yes = 0;
  long no = 0;
  long refused = 0;  // a changed text that is not read
};

void check(const Model& a, const Model& b, Tally& tally) {
  const auto of_a = parse_axe(a.text());
  const auto of_b = parse_axe(b.text());
  if (!of_a || !of_b) {  // a lane beyond its warp
    ++tally.refused;
    return;
  }
  const auto answer = equal(*of_a, *of_b);
  ASSERT_TRUE(answer) << a.text() << " and " << b.text();
  const auto told = [&] { return fmt::format("{} and {}", a.text(), b.text()); };
  if (a.shape != b.shape) {
    ++tally.no;
    ASSERT_EQ(answer->reason, "shape") << told();
    return;
  }
  const Model one = fused(a);
  const Model other = fused(b);
  for (std::size_t axis = 1; axis < kNames.size(); ++axis) {
    if (one.named[axis] == other.named[axis]) continue;
    ++tally.no;
    ASSERT_EQ(answer->reason, "axes") << told();
    return;
  }
  const Set replicas_of_one = replica_set(one);
  const Set replicas_of_other = replica_set(other);
  std::optional<std::int64_t> first;
  for (std::int64_t x = 0; x < one.size() && !first; ++x)
    if (places_at(one, replicas_of_one, x) != places_at(other, replicas_of_other, x)) first = x;
  ++(first ? tally.no : tally.yes);
  ASSERT_EQ(answer->verdict, first ? Verdict::no : Verdict::yes) << told();
  if (!first) return;
  std::int64_t at = 0;
  for (std::size_t d = 0; d < a.shape.size(); ++d) at = at * a.shape[d] + answer->at[d];
  ASSERT_EQ(at, *first) << told();
}

TEST(AxeEquality, AgreesWithAllPlaces) {
  const char* const count_text = std::getenv("TESSERA_AXE_PAIRS");
  const char* const seed_text = std::getenv("TESSERA_SEED");
  const std::uint64_t seed = seed_text == nullptr ? 20261129 : std::strtoull(seed_text, nullptr, 10);
  const long count = count_text == nullptr ? 3000 : std::strtol(count_text, nullptr, 10);
  SCOPED_TRACE(fmt::format("TESSERA_SEED={} TESSERA_AXE_PAIRS={}", seed, count));
  Source source(seed);
  Tally tally;
  for (long n = 0; n < count; ++n) {
    Model a = source.model();
    Model b = source.below(16) == 0 ? source.model() : a;
    for (std::int64_t k = source.below(5); k > 0; --k) source.rewrite(a);
    for (std::int64_t k = source.below(5); k > 0; --k) source.rewrite(b);
    if (source.below(2) == 0) source.change(b);
    check(a, b, tally);
    if (::testing::Test::HasFatalFailure()) return;
  }
  const std::string counts =
      fmt::format("seed {}: {} equal, {} different, {} refused", seed, tally.yes, tally.no, tally.refused);
  RecordProperty("pairs", counts);
  fmt::print("{}\n", counts);
  EXPECT_GT(tally.yes, count / 5) << counts;
  EXPECT_GT(tally.no, count / 5) << counts;
}

}  // namespace
}  // namespace tessera::laws::axe_equality
